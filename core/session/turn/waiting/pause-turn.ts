// Pauses a turn when no model of its chain answers now but one may later. The object may leave memory; the alarm brings the
// turn back. Called by the driver after the loop has ended.
import type { ModelFailure } from "../../../agent/contract.ts";
import type { TurnRow } from "../../log-turns.ts";
import { toNotice } from "../../prompt/notices.ts";
import { placeNotice } from "../../readers/events.ts";
import type { DriveState } from "../drive-state.ts";
import { countDone } from "../restart.ts";

/** `delayMs`: the wait that the provider asked for. False: the turn has paused often enough, or the wait is too long. */
export function pauseTurn(drive: DriveState, n: number, failure: ModelFailure, delayMs = 0): boolean {
  const { context, current } = drive;
  const { host, log, jobs, hub } = context;
  const turn = log.turn(n)!;
  const done = countDone(current?.journal.entries() ?? []);
  const pauses = countPauses(turn, done);
  const planned = host.settings.turn.pausesMs[pauses];
  if (turn.state !== "running" || planned === undefined || delayMs > host.settings.turn.maxPauseMs) return false;
  const waitMs = Math.max(delayMs, Math.round(planned * (1 + host.random() * 0.5)));
  const until = host.clock.now() + waitMs;
  current?.journal.abandon(failure);
  const text = `${failure.message} The turn continues automatically in ${Math.round(waitMs / 1_000)} seconds.`;
  const notice = toNotice({ n: log.nextEntry(), turn: n, at: host.clock.now(), code: "paused", text });
  // The time of a planned wait does not count as time without progress.
  const { fruitlessSince: _, ...more } = turn.more;
  host.sql.transaction(() => {
    log.put(notice);
    log.putTurn({ ...turn, more: { ...more, pauses: pauses + 1, doneAtPause: done, pausedUntil: until } });
    jobs.put("drive", until, { kind: "drive", paused: true });
  });
  hub.emit(placeNotice(notice));
  return true;
}

/** Pauses since the last new answer or result. */
function countPauses({ more }: TurnRow, done: number): number {
  return done > (more.doneAtPause ?? 0) ? 0 : (more.pauses ?? 0);
}
