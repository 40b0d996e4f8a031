// Writes the rows of sessions from an archive, trusted or not, into their objects. Called by commit.ts and foreign.ts.
import { type Result, ok } from "../../../core/errors.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { MovedLine } from "../../../core/schemas/moving/lines.ts";
import type { MovedSessionRow } from "../../../core/schemas/moving/lines.ts";
import type { Env } from "../env.ts";
import { openAccount, openSession } from "../sessions/session-rpc.ts";

export interface WriteScope {
  env: Env;
  profile: ProfileId;
  /** The profile that the archive is of. */
  from: ProfileId;
}

export interface Written {
  skills: number;
  facts: number;
  /** What was left out, and why, in sentences. */
  skipped: string[];
}

/** Rows of sessions that the Account lists: another one was deleted while the profile was exported. */
export async function writeSessions(
  { env, profile }: WriteScope,
  lines: MovedLine[],
  trusted: boolean,
): Promise<Result<null>> {
  const bySession = new Map<SessionId, MovedSessionRow[]>();
  for (const line of lines) {
    if (line.in !== "session" || "whole" in line) continue;
    const rows = bySession.get(line.id) ?? [];
    rows.push({ table: line.table, row: line.row });
    bySession.set(line.id, rows);
  }
  if (bySession.size === 0) return ok(null);
  const listed = await openAccount(env, profile).findSessions([...bySession.keys()]);
  for (const { session } of listed) {
    const put = (await openSession(env, profile, session).importPage(
      bySession.get(session)!,
      trusted,
    )) as Result<unknown>;
    if (!put.ok) return put;
  }
  return ok(null);
}
