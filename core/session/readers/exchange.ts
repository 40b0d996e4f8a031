// What a message that a client posted has brought so far, for clients that send their whole conversation with each message: a door compares
// it with what the client says was answered. Reads the log only. Called by the engine.
import { type Result, err, ok } from "../../errors.ts";
import { type AskedQuestion, type Entry, type TurnState, type TurnStats, textOf } from "../../schemas/entry.ts";
import type { Log } from "../log.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { countTurn } from "../turn/count-turn.ts";

/** `key`: the idempotency key that the message was posted with. */
export type ExchangeAsked = { key: string } | { turn: number };

export interface Exchange {
  turn: number;
  /** The turn that has its entries: another one if the message was put into a running turn. */
  target: number;
  /** Number of the session's newest turn. */
  newest: number;
  /** Of `target`. */
  state: TurnState;
  /** The texts of the answers and the questions since the message, joined by blank lines; else the last notice. */
  said: string;
  /** The last of these texts. */
  closing: string;
  /** A turn before it waits for the person or the client, and until then this one does not begin. */
  blocker?: { turn: number; entry: number; question: AskedQuestion; text: string };
}

/** Failure: `turn_not_found`. */
export function readExchange(log: Log, asked: ExchangeAsked): Result<Exchange> {
  const n = "turn" in asked ? asked.turn : log.key(asked.key)?.turn;
  const own = n === undefined ? null : log.turn(n);
  if (!own) return err("turn_not_found", "This session has no such turn.");
  const target = own.more.into === undefined ? own : log.turn(own.more.into)!;
  const texts = own.input === null ? [] : listTexts(entriesOf(log, target, own.input));
  const blocker = own.state === "queued" ? findBlocker(log, own) : null;
  return ok({
    turn: own.n,
    target: target.n,
    newest: log.lastTurn()!.n,
    state: target.state,
    said: texts.join("\n\n"),
    closing: texts.at(-1) ?? "",
    ...(blocker && { blocker }),
  });
}

/** What the turn used from entry `from` to entry `to`, both included. Failure: `turn_not_found`. */
export function countEntries(log: Log, asked: { turn: number; from: number; to: number }): Result<TurnStats> {
  const turn = log.turn(asked.turn);
  if (!turn) return err("turn_not_found", "This session has no such turn.");
  return ok(countTurn(log.entries(asked.from, asked.to).filter((entry) => entry.turn === turn.n)));
}

function entriesOf(log: Log, turn: TurnRow, from: number): Entry[] {
  return log.entries(from, turn.final ?? undefined).filter((entry) => entry.turn === turn.n);
}

function listTexts(entries: Entry[]): string[] {
  const isSaid = (entry: Entry) =>
    entry.kind === "assistant" ||
    (entry.kind === "notice" &&
      ((entry.asked && isForReader(entry.asked)) || (entry.code === "command_answer" && !entry.said)));
  const texts = entries.filter(isSaid).map(textOf);
  const said = texts.filter((text) => text.trim() !== "");
  if (said.length > 0) return said;
  const notice = entries.findLast((entry) => entry.kind === "notice" && !entry.said);
  return notice ? [textOf(notice)] : [];
}

/** The harness itself ends a wait for sessions. A client is shown its calls instead of a text. */
function isForReader(question: AskedQuestion): boolean {
  return question.for === "approval" || question.for === "clarify";
}

function findBlocker(log: Log, own: TurnRow): Exchange["blocker"] | null {
  const parked = log.openTurns().find(({ n, state }) => n < own.n && state === "parked");
  const wait = parked?.more.parked;
  if (!parked || !wait || wait.over || !isOpen(parked)) return null;
  const notice = log
    .entries(parked.input!)
    .findLast((entry) => entry.kind === "notice" && entry.turn === parked.n && entry.asked?.id === wait.id);
  if (notice?.kind !== "notice" || !notice.asked || notice.asked.for === "children") return null;
  return { turn: parked.n, entry: notice.n, question: notice.asked, text: textOf(notice) };
}
