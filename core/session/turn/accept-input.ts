// From an accepted input to a running turn. An input that finds a turn open is queued; otherwise its turn begins at once.
// Called by the driver.
import { isBesideCommand, isCommandWord, parseSessionCommand } from "../../commands/parse-command.ts";
import { NO_STATS, type Part } from "../../schemas/entry.ts";
import type { ChannelOrigin } from "../../schemas/channels/delivery.ts";
import type { ImageRef } from "../../schemas/media/image.ts";
import type { BusyMode } from "../../schemas/settings.ts";
import { putClient, readClient, takeTold } from "../client/client-rows.ts";
import { findGuidanceEntry, takeGuidance } from "../client/guidance.ts";
import type { ReadClient } from "../client/read-client-part.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { placeNotice, placeTurnStart } from "../readers/events.ts";
import type { DriveState } from "./drive-state.ts";
import { type SourcedPiece, toInputParts } from "./input-parts.ts";
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
  client?: ReadClient;
  channel?: ChannelOrigin | undefined;
  sources?: SourcedPiece[] | undefined;
  goal?: TurnRow["more"]["goal"];
  skills?: TurnRow["more"]["skills"];
}

/** Inside the caller's transaction. */
export function acceptInput({ context, recall, begun }: DriveState, n: number, input: AcceptedInput): TurnRow {
  const { text, images, busy, settingsRev, sources } = input;
  const { source, ...channel } = input.channel ?? {};
  const came = {
    images,
    settingsRev,
    source,
    sources,
    goal: input.goal,
    skills: input.skills,
    ...("chat" in channel && { channel }),
  };
  const { host, log } = context;
  if (input.client) putClient(log, n, input.client.stored, input.client.told);
  const client = input.client && (true as const);
  const [running] = log.openTurns();
  // A command addresses the session itself, so it neither steers nor interrupts the running turn.
  const mode = parseSessionCommand(text) ? "queue" : busy;
  const answers = running ? findQuestion(running, input) : null;
  if (!running || (mode !== "steer" && answers === null)) recall.startSearch(n, text);
  if (!running) {
    renewLease(context);
    return beginTurn({ context, begun }, toQueuedTurn(n, text, { ...came, client }));
  }
  if (answers !== null) {
    // If the question ends meanwhile, the words still join the turn that asked.
    const answer = toQueuedTurn(n, text, { busy: "steer", since: host.clock.now(), answers, ...came, client });
    log.putTurn(answer);
    wakeParked(context);
    return answer;
  }
  const isInterrupting = mode === "interrupt" || endsClientWait(running, text);
  const waits = { busy: mode, since: host.clock.now(), ...(isInterrupting && { interrupts: running.n }) };
  const queued = toQueuedTurn(n, text, { ...waits, ...came, client });
  log.putTurn(queued);
  const isDue = isBesideCommand(text) || endsClientWait(running, text);
  if (running.state === "parked" && isDue) wakeParked(context);
  return queued;
}

/** The id of the question that the message answers: a message to a turn that has asked the person something is the answer. */
function findQuestion({ state, more }: TurnRow, { text, busy, isBusyChosen }: AcceptedInput): string | null {
  const { parked } = more;
  if (state !== "parked" || parked?.for !== "clarify" || parked.over) return null;
  const isForLater = isBusyChosen && busy !== "steer";
  return isForLater || isCommandWord(text) ? null : parked.id;
}

/** A client that sends a message in place of the results will not send them any more. The message is a turn of its own. */
function endsClientWait({ state, more: { parked } }: TurnRow, text: string): boolean {
  return state === "parked" && parked?.for === "client" && !parked.over && !isCommandWord(text);
}

/** A turn that has not begun. */
export function toQueuedTurn(
  n: number,
  text: string,
  { images, settingsRev, client, channel, source, sources, goal, skills, ...waits }: TurnRow["more"],
): TurnRow {
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
    more: {
      ...waits,
      ...(images && { images }),
      ...(settingsRev && { settingsRev }),
      ...(client && { client }),
      ...(channel && { channel }),
      ...(source && { source }),
      ...(sources && { sources }),
      ...(goal && { goal }),
      ...(skills && { skills }),
    },
  };
}

/** What the client's part of a message changes as its turn begins. What it chose is for this turn only. */
function beginClient({ log, meta }: EngineContext, turn: TurnRow, at: number) {
  const { choice } = meta();
  const client = readClient(log, turn);
  if (!client) return { choice, client: undefined, told: [], note: null };
  const note = takeGuidance(log, client.guidance ?? "", { n: log.nextEntry(), turn: turn.n, at });
  const chosen = client.choice ? { ...choice, ...client.choice } : choice;
  return { choice: chosen, client: true as const, told: takeTold(log, turn), note };
}

/** Inside the caller's transaction: the input becomes an entry. */
function beginTurn({ context, begun }: Pick<DriveState, "context" | "begun">, turn: TurnRow): TurnRow {
  const { host, log, meta } = context;
  const startedAt = host.clock.now();
  const { since, interrupts, images, settingsRev, channel, goal } = turn.more;
  const { choice, client, told, note } = beginClient(context, turn, startedAt);
  if (note) log.put(note);
  const n = log.nextEntry();
  const more = {
    ...(settingsRev && { settingsRev }),
    ...(choice && { choice }),
    ...(client && { client }),
    ...(channel && { channel }),
    ...(turn.more.source && { source: turn.more.source }),
    ...(turn.more.skills && { skills: turn.more.skills }),
  };
  const running: TurnRow = { ...turn, state: "running", waiting: null, input: n, attempts: 1, startedAt, more };
  // A delegated task was written by the model of another session, and an event by another system.
  const { kind, delegated } = meta();
  const source = delegated?.source ?? (kind === "webhook" ? "content" : "principal");
  const parts: Part[] = [...told, ...toInputParts(turn, source)];
  const before = told.length > 0 && { told: told.length };
  const waited = since !== undefined && { waited: { since, ...(interrupts !== undefined && { interrupts }) } };
  log.put({
    v: 1,
    n,
    turn: turn.n,
    at: startedAt,
    kind: "user",
    parts,
    ...waited,
    ...(images && { images }),
    ...before,
    ...(goal && { goal }),
  });
  log.putTurn(running);
  begun.add(turn.n);
  return running;
}

/** Tells readers of the start. A reader that opens later finds the start in the log. */
export function beginQueuedTurn(drive: DriveState, queued: TurnRow): TurnRow {
  const { host } = drive.context;
  const turn = host.sql.transaction(() => beginTurn(drive, queued));
  tellTurnStart(drive.context, turn);
  return turn;
}

/** Tells readers. The note before the message is told first, as it is in the log. */
export function tellTurnStart({ hub, log }: Pick<EngineContext, "hub" | "log">, turn: TurnRow): void {
  const note = turn.more.client ? findGuidanceEntry(log, turn) : null;
  if (note) hub.emit(placeNotice(note));
  hub.emit(placeTurnStart(turn));
}
