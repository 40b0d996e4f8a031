// From an accepted input to a running turn. An input that finds a turn open is queued; otherwise its turn begins at once.
// Called by the driver.
import { isBesideCommand, isCommandWord, parseSessionCommand } from "../../commands/parse-command.ts";
import { NO_STATS, type Part } from "../../schemas/entry.ts";
import type { ImageRef } from "../../schemas/media/image.ts";
import type { BusyMode } from "../../schemas/settings.ts";
import type { TurnRow } from "../log-turns.ts";
import type { DriveState } from "./drive-state.ts";
import { renewLease } from "./lease.ts";
import { wakeParked } from "./waiting/park-turn.ts";

/** A message that was checked. `images`: their bytes are stored. */
export interface AcceptedInput {
  text: string;
  images?: ImageRef[] | undefined;
  busy: BusyMode;
  /** See `TurnDetails`. */
  settingsRev?: number | undefined;
  /** The sender said so, rather than the operator's settings. */
  isBusyChosen: boolean;
}

/** Inside the caller's transaction. */
export function acceptInput({ context, recall, begun }: DriveState, n: number, input: AcceptedInput): TurnRow {
  const { text, images, busy, settingsRev } = input;
  const { host, log } = context;
  const [running] = log.openTurns();
  // A command addresses the session itself, so it neither steers nor interrupts the running turn.
  const mode = parseSessionCommand(text) ? "queue" : busy;
  const answers = running ? findQuestion(running, input) : null;
  if (!running || (mode !== "steer" && answers === null)) recall.startSearch(n, text);
  if (!running) {
    renewLease(context);
    return beginTurn({ context, begun }, toQueuedTurn(n, text, { images, settingsRev }));
  }
  if (answers !== null) {
    // If the question ends meanwhile, the words still join the turn that asked.
    const answer = toQueuedTurn(n, text, { busy: "steer", since: host.clock.now(), answers, images, settingsRev });
    log.putTurn(answer);
    wakeParked(context);
    return answer;
  }
  const waits = { busy: mode, since: host.clock.now(), ...(mode === "interrupt" && { interrupts: running.n }) };
  const queued = toQueuedTurn(n, text, { ...waits, images, settingsRev });
  log.putTurn(queued);
  if (running.state === "parked" && isBesideCommand(text)) wakeParked(context);
  return queued;
}

/** The id of the question that the message answers: a message to a turn that has asked the person something is the answer. */
function findQuestion({ state, more }: TurnRow, { text, busy, isBusyChosen }: AcceptedInput): string | null {
  const { parked } = more;
  if (state !== "parked" || parked?.for !== "clarify" || parked.over) return null;
  const isForLater = isBusyChosen && busy !== "steer";
  return isForLater || isCommandWord(text) ? null : parked.id;
}

/** A turn that has not begun. */
export function toQueuedTurn(n: number, text: string, { images, settingsRev, ...waits }: TurnRow["more"]): TurnRow {
  return {
    n,
    state: "queued",
    waiting: text,
    input: null,
    final: null,
    attempts: 0,
    stats: NO_STATS,
    startedAt: null,
    endedAt: null,
    more: { ...waits, ...(images && { images }), ...(settingsRev && { settingsRev }) },
  };
}

/** Inside the caller's transaction: the input becomes an entry. */
function beginTurn({ context, begun }: Pick<DriveState, "context" | "begun">, turn: TurnRow): TurnRow {
  const { host, log, meta } = context;
  const n = log.nextEntry();
  const startedAt = host.clock.now();
  const { since, interrupts, images, settingsRev } = turn.more;
  const { choice } = context.meta();
  const more = { ...(settingsRev && { settingsRev }), ...(choice && { choice }) };
  const running: TurnRow = { ...turn, state: "running", waiting: null, input: n, attempts: 1, startedAt, more };
  // A delegated task was written by the model of another session.
  const source = meta().delegated?.source ?? "principal";
  const parts: Part[] = [{ source, text: turn.waiting ?? "" }];
  const waited = since !== undefined && { waited: { since, ...(interrupts !== undefined && { interrupts }) } };
  log.put({ v: 1, n, turn: turn.n, at: startedAt, kind: "user", parts, ...waited, ...(images && { images }) });
  log.putTurn(running);
  begun.add(turn.n);
  return running;
}

/** Tells readers of the start. A reader that opens later finds the start in the log. */
export function beginQueuedTurn(drive: DriveState, queued: TurnRow): TurnRow {
  const { host, hub } = drive.context;
  const turn = host.sql.transaction(() => beginTurn(drive, queued));
  hub.emit({
    at: { entry: turn.input!, offset: 0 },
    event: { type: "turn_start", turn: turn.n, entry: turn.input! },
  });
  return turn;
}
