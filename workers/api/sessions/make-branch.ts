// Makes a session that begins as another was after one of its turns. Called by the route and by the doors, and again, with the same key,
// after it was cut off.
import { copyBranch } from "../../../core/session/branch/copy-branch.ts";
import type { BranchRequest } from "../../../core/session/branch/read-branch.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { Env } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { openAccount, openSession } from "./session-rpc.ts";

/** Returns the branch. Throws the failures of `planBranch` and of `readBranch`, and `profile_gone`. */
export async function makeBranch(
  env: Env,
  profile: ProfileId,
  from: SessionId,
  asked: BranchRequest,
): Promise<SessionId> {
  const source = openSession(env, profile, from);
  const plan = unwrap(await source.planBranch(asked));
  const account = openAccount(env, profile);
  const { session, title, learning, createdAt, origins: branchedFrom } = plan;
  // Registered first: the deletion of a profile must know every session.
  if (!(await account.registerSession({ session, title, learning, createdAt, branchedFrom }))) {
    throw new AppError("profile_gone", "This profile has been deleted.");
  }
  const copied = await copyBranch(source, openSession(env, profile, session), plan);
  if (!copied.ok) await account.eraseSession(session);
  unwrap(copied);
  return session;
}
