// A session's title that a person wrote: kept by the session, and told to the profile's list of sessions and to its message index by a
// job of the outbox.
import { withTimeout } from "../timeout.ts";
import type { EngineContext } from "./context.ts";
import type { Job, JobRow } from "./jobs.ts";

export type RenameRow = JobRow & { job: Extract<Job, { kind: "rename" }> };

const JOB = "rename";
const RENAME_MS = 45_000;

/** Inside the caller's transaction. A later title takes the place of one that was not told yet. */
export function planRename(context: EngineContext, title: string): void {
  const { host, jobs } = context;
  context.rename(title);
  jobs.put(JOB, host.clock.now(), { kind: "rename", title });
}

/** Idempotent. */
export async function carryRename({ host, jobs }: EngineContext, { job }: RenameRow): Promise<void> {
  const { title } = job;
  await withTimeout(host.sessions?.rename?.(title) ?? Promise.resolve(), RENAME_MS, host.clock);
  await withTimeout(host.messages?.rename?.(host.session, title) ?? Promise.resolve(), RENAME_MS, host.clock);
  const left = jobs.get(JOB)?.job;
  if (left?.kind === "rename" && left.title === title) jobs.delete(JOB);
}

/** Tells it at once, so that a list read next has it. Else the outbox does. Never rejects. */
export async function renameNow(context: EngineContext): Promise<void> {
  const row = context.jobs.get(JOB);
  if (row?.job.kind !== "rename") return;
  try {
    await carryRename(context, { ...row, job: row.job });
  } catch (error) {
    context.host.report("rename", error);
  }
}
