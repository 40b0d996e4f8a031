// Takes up a turn that already runs: after a planned wait, or after an earlier object ended in the middle of it. Called by the
// driver before the loop. Refuses a turn that has used up its restarts (restart.ts).
import type { TurnRow } from "../log-turns.ts";
import { toNotice } from "../prompt/notices.ts";
import { placeNotice } from "../readers/events.ts";
import type { DriveState } from "./drive-state.ts";
import { endTurn } from "./end-turn.ts";
import { renewLease } from "./lease.ts";
import { decideRestart } from "./restart.ts";

/** The turn as it continues. Its state is no longer `running` if it was given up. */
export function takeUpTurn(drive: DriveState, open: TurnRow): TurnRow {
  if (open.more.pausedUntil !== undefined) return continueAfterPause(drive, open);
  return drive.begun.has(open.n) ? open : resume(drive, open);
}

/** A notice takes the entry number of the answer that was lost, so that no number means two texts. A replay has no readers, and needs none. */
function resume(drive: DriveState, open: TurnRow): TurnRow {
  const { host, log, jobs, hub } = drive.context;
  const entries = log.entries(open.input!).filter((entry) => entry.turn === open.n);
  const resumed = decideRestart(open, entries, host.clock.now(), host.settings.turn);
  if (!resumed.ok) {
    endTurn(drive, open.n, { state: "failed", code: resumed.failure.code, text: resumed.failure.message });
    return { ...open, state: "failed" };
  }
  const text = "The turn was interrupted and went on.";
  const notice = toNotice({ n: log.nextEntry(), turn: open.n, at: host.clock.now(), code: "resumed", text });
  host.sql.transaction(() => {
    log.dropBlocks();
    if (!host.replay) log.put(notice);
    log.putTurn(resumed.value);
    renewLease(drive.context, jobs.get("drive")?.tries);
  });
  hub.emit(placeNotice(notice));
  drive.begun.add(open.n);
  return resumed.value;
}

/** A planned wait is not a crash: it does not count as an attempt. */
function continueAfterPause({ context, begun }: DriveState, open: TurnRow): TurnRow {
  const { host, log, jobs } = context;
  const { pausedUntil: _, ...more } = open.more;
  const turn = { ...open, more };
  host.sql.transaction(() => {
    log.putTurn(turn);
    renewLease(context, jobs.get("drive")?.tries);
  });
  begun.add(open.n);
  return turn;
}
