// Stores the kind of work of a session's turns, as the title call and reviews name it: in the turn's observation, and in the
// profile's Archive. The first name of a turn is kept. Used by title.ts and the outbox.
import { toKind } from "../../learning/kinds.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { TaskKind } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { observeRow } from "./observe-job.ts";

/** Call inside a transaction. A pending observation takes the kind along; for an observed turn, a job reports it to the Archive. */
export function noteKinds(
  { host, log, jobs }: EngineContext,
  named: { turn: number; kind: string }[],
  by: TaskKind["by"],
): void {
  const late: { turn: string; kind: TaskKind }[] = [];
  for (const { turn, kind } of named) {
    const text = toKind(kind);
    if (text === null) continue;
    const row = jobs.get(observeRow(turn));
    const seen = log.observed(turn);
    if (row?.job.kind === "observe") {
      if (!row.job.work) jobs.put(row.id, row.due, { ...row.job, work: { text, by } }, row.tries);
    } else if (seen && !seen.observation.kind) {
      log.putObserved(turn, { ...seen, observation: { ...seen.observation, kind: { text, by } } });
      late.push({ turn: toTurnId(host.session, turn), kind: { text, by } });
    }
  }
  if (late.length > 0 && host.archive)
    jobs.put(`kinds:${late[0]!.turn}`, host.clock.now(), { kind: "kinds", turns: late });
}

export async function carryKinds(
  { host, jobs }: EngineContext,
  { id, job }: JobRow & { job: Extract<Job, { kind: "kinds" }> },
): Promise<void> {
  await host.archive?.name(job.turns);
  jobs.delete(id);
}
