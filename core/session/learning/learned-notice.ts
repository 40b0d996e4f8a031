// The notice that tells a person what was learned. It takes an entry number, so it is written only while no answer streams: the
// next number belongs to that answer. Called by the outbox; a `notice` job holds one that has to wait.
import { planLearnedWords } from "../channel/plan-delivery.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { toNotice } from "../prompt/notices.ts";

/** Until the next check whether an answer still streams. */
const RETRY_MS = 10_000;

/** True: no answer streams, and none was cut off whose number readers know. */
export function isQuiet({ log }: EngineContext): boolean {
  const [open] = log.openTurns();
  return !open || open.more.pausedUntil !== undefined;
}

export function carryNotice(context: EngineContext, row: JobRow, job: Extract<Job, { kind: "notice" }>): void {
  const { host, jobs } = context;
  if (!isQuiet(context)) return jobs.put(row.id, host.clock.now() + RETRY_MS, job);
  host.sql.transaction(() => {
    jobs.delete(row.id);
    addLearnedNotice(context, job.text);
  });
}

/** Inside the caller's transaction, and only while `isQuiet`. */
export function addLearnedNotice(context: EngineContext, text: string): void {
  const { host, log, hub } = context;
  const n = log.nextEntry();
  const turn = log.openTurns()[0] ?? log.lastTurn()!;
  log.put(toNotice({ n, turn: turn.n, at: host.clock.now(), code: "learned", text }));
  planLearnedWords(context, turn, { n, text });
  hub.emit({ at: { entry: n, offset: 0 }, event: { type: "notice_add", entry: n, code: "learned", text } });
}
