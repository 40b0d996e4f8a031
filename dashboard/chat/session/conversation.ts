// The conversation that a reader sees, built from the log's entries, the list of turns, and the events of the live stream. Pure: each
// function answers a new state, and parts that did not change stay the same objects.
//
// Exact at the character: a stored entry wins over events about it, an event that was seen before changes nothing, and a text that does not
// join what is known sets `isBroken`, so that the page loads the session again.
import type { AgentEvent, TurnState, TurnStats } from "../../../core/schemas/entry.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { type AnswerItem, type Item, toItem } from "./items.ts";

/** How a turn ended. `reason`: `answer`, or the code of the notice that says why. `stats` `null`: the session no longer lists the turn. */
export interface TurnEnd {
  state: TurnState;
  reason: string;
  stats: TurnStats | null;
}

export interface Turn {
  n: number;
  /** Ascending by entry. */
  items: readonly Item[];
  /** `null` while it is open. */
  end: TurnEnd | null;
  /** The turn whose command took this one back. */
  undoneBy: number | null;
}

export interface Conversation {
  /** Ascending. Turns that joined another one are not among them, nor turns that wait. */
  turns: readonly Turn[];
  /** Turns whose message joined another turn, and that turn. */
  into: ReadonlyMap<number, number>;
  /** Turns that wait for their place, ascending. */
  queued: readonly number[];
  /** The session lists this turn and newer ones. Older ones have ended. */
  listedFrom: number;
  /** Read the log again from this entry: it holds more than the stream has sent. */
  reread: number | null;
  /** The stream does not join what is known: load the session again. */
  isBroken: boolean;
}

export const EMPTY: Conversation = {
  turns: [],
  into: new Map(),
  queued: [],
  listedFrom: 0,
  reread: null,
  isBroken: false,
};

const LONG_AGO: TurnEnd = { state: "done", reason: "answer", stats: null };

/** What is needed of a turn as `GET /v1/sessions/{s}` lists it. */
export interface ListedTurn {
  n: number;
  state: TurnState;
  into?: number | undefined;
  input: number | null;
  final: number | null;
  reason?: string | undefined;
  undoneBy?: number | undefined;
  stats: TurnStats;
}

/**
 * The event id to follow after, for a page that has read the list of turns first and then the entries. Of an open turn, events come again from
 * its last stored answer or its first call without a result: so neither a result nor its end is missed. What is known already is skipped.
 */
export function chooseStart(listed: readonly ListedTurn[], shown: Conversation): string {
  const open = listed.find(({ state, input }) => (state === "running" || state === "parked") && input !== null);
  if (open) {
    const items = shown.turns.find(({ n }) => n === open.n)?.items ?? [];
    const running = items.find(isRunning);
    const answer = items.findLast(({ kind }) => kind === "answer");
    return `${Math.min(running?.entry ?? Infinity, answer?.entry ?? open.input!)}.0`;
  }
  const last = Math.max(0, ...listed.map(({ final }) => final ?? 0));
  return last === 0 ? "0.0" : `${last}.999999999999999`;
}

/** Turns as the session lists them. Only the ends, joins and places in the queue are read; items come from entries and events. */
export function applyTurns(before: Conversation, listed: readonly ListedTurn[]): Conversation {
  const ended = new Map(
    listed.filter(({ final, into }) => final !== null && into === undefined).map((one) => [one.n, one]),
  );
  const into = new Map(before.into);
  for (const one of listed) if (one.into !== undefined) into.set(one.n, one.into);
  const known = new Set(before.turns.map(({ n }) => n));
  const added = [...ended.keys()].filter((n) => !known.has(n)).map((n) => newTurn(n));
  const turns = [...before.turns, ...added]
    .toSorted((a, b) => a.n - b.n)
    .map((turn) => {
      const one = ended.get(turn.n);
      return one ? { ...turn, end: toEnd(one), undoneBy: one.undoneBy ?? turn.undoneBy } : turn;
    });
  const queued = listed.filter(({ state }) => state === "queued").map(({ n }) => n);
  return { ...before, turns, into, queued, listedFrom: listed[0]?.n ?? 0 };
}

function newTurn(n: number, listedFrom = 0): Turn {
  return { n, items: [], end: n < listedFrom ? LONG_AGO : null, undoneBy: null };
}

function toEnd({ state, reason = "answer", stats }: ListedTurn): TurnEnd {
  return { state, reason, stats };
}

/** Entries of the log, in any order and number. */
export function applyEntries(before: Conversation, entries: readonly Entry[]): Conversation {
  if (entries.length === 0) return before;
  const into = new Map(before.into);
  const byTurn = new Map<number, Item[]>();
  const undone = new Map<number, number>();
  for (const entry of entries) {
    if (entry.kind === "user" && entry.steer) into.set(entry.steer.accepted, entry.turn);
    if (entry.kind === "notice" && entry.said) into.set(entry.said.accepted, entry.turn);
    if (entry.kind === "notice" && entry.undid) undone.set(entry.undid.turn, entry.turn);
    const items = byTurn.get(entry.turn);
    if (items) items.push(toItem(entry));
    else byTurn.set(entry.turn, [toItem(entry)]);
  }
  // An earlier page may say of a turn that it joined another one.
  for (const { n, items } of before.turns) if (into.has(n)) byTurn.set(n, [...items, ...(byTurn.get(n) ?? [])]);
  const grouped = new Map<number, Item[]>();
  for (const [n, items] of byTurn) {
    const turn = into.get(n) ?? n;
    grouped.set(turn, [...(grouped.get(turn) ?? []), ...items]);
  }
  const numbers = new Set([...grouped.values()].flatMap((items) => items.map(({ entry }) => entry)));
  const known = new Map(before.turns.map((turn) => [turn.n, turn]));
  const turns = [...new Set([...known.keys(), ...grouped.keys()])]
    .toSorted((a, b) => a - b)
    .map((n): Turn => {
      const turn = known.get(n) ?? newTurn(n, before.listedFrom);
      const given = grouped.get(n);
      const undoneBy = undone.get(n) ?? turn.undoneBy;
      // An item that the stream had placed in another turn belongs where the log says.
      const isMoved = turn.items.some(({ entry }) => numbers.has(entry));
      if (!given && !isMoved) return undoneBy === turn.undoneBy ? turn : { ...turn, undoneBy };
      return { ...turn, items: mergeItems(turn.items, given ?? [], numbers), undoneBy };
    })
    .filter((turn) => !into.has(turn.n));
  const queued = before.queued.filter((n) => !into.has(n) && !grouped.has(n));
  return { ...before, turns, into, queued };
}

/** `given` replaces what was known of `numbers`, except that a call which has its result keeps it. */
function mergeItems(known: readonly Item[], given: Item[], numbers: ReadonlySet<number>): Item[] {
  const items = new Map(known.filter(({ entry }) => !numbers.has(entry)).map((item) => [item.entry, item]));
  const old = new Map(known.map((item) => [item.entry, item]));
  for (const item of given) {
    const earlier = old.get(item.entry);
    const isOlder = earlier?.kind === "tool" && earlier.result !== null && item.kind === "tool" && item.result === null;
    items.set(item.entry, isOlder ? earlier : item);
  }
  return [...items.values()].toSorted((a, b) => a.entry - b.entry);
}

export function applyEvent(before: Conversation, event: AgentEvent): Conversation {
  switch (event.type) {
    case "turn_start": {
      const next = { ...addTurn(before, event.turn), queued: before.queued.filter((n) => n !== event.turn) };
      if (findItem(next, event.turn, event.entry)) return next;
      return askAgain(put(next, event.turn, newPerson(event.entry, null, false)), event.entry);
    }
    case "steer_add": {
      const into = new Map(before.into).set(event.turn, event.into);
      const queued = before.queued.filter((n) => n !== event.turn);
      const turns = before.turns.filter(({ n }) => n !== event.turn);
      const next = addTurn({ ...before, into, queued, turns }, event.into);
      if (findItem(next, event.into, event.entry)) return next;
      return put(next, event.into, newPerson(event.entry, event.text, true));
    }
    case "entry_start": {
      const next = addTurn(before, event.turn);
      if (findItem(next, event.turn, event.entry)) return next;
      // The model is asked when every call has its result. The end of a call that parked the turn may lie before the place that a reader came back to.
      const missed = next.turns.find(({ n }) => n === event.turn)?.items.find(isRunning);
      const begun = put(next, event.turn, newAnswer(event.entry));
      return missed ? askAgain(begun, missed.entry) : begun;
    }
    case "text_delta":
      return addText(before, event);
    case "reasoning_delta": {
      const turn = turnOf(before, event.entry);
      const known = turn === null ? undefined : findItem(before, turn, event.entry);
      if (turn === null || known?.kind !== "answer" || known.stored) return before;
      return put(before, turn, { ...known, reasoning: known.reasoning + event.text });
    }
    case "entry_restart": {
      const turn = turnOf(before, event.entry);
      const known = turn === null ? undefined : findItem(before, turn, event.entry);
      if (turn === null || known?.kind !== "answer" || known.stored) return before;
      // A notice takes the entry's number. Its text is in the log.
      const notice: Item = { kind: "notice", entry: event.entry, stored: false, code: "model_retried", text: "" };
      return askAgain(put(before, turn, notice), event.entry);
    }
    case "tool_start": {
      const turn = turnOf(before, event.entry);
      if (turn === null || findItem(before, turn, event.entry)) return before;
      const { entry, name, args } = event;
      return put(before, turn, { kind: "tool", entry, stored: false, name, args, failed: false, result: null });
    }
    case "tool_end": {
      const turn = turnOf(before, event.entry);
      const known = turn === null ? undefined : findItem(before, turn, event.entry);
      if (turn === null || !known) return { ...before, isBroken: true };
      if (known.kind !== "tool" || known.result !== null) return before;
      return put(before, turn, { ...known, stored: false, failed: event.failed, result: event.result });
    }
    case "notice_add": {
      const turn = turnOf(before, event.entry);
      if (turn === null || findItem(before, turn, event.entry)) return before;
      const { entry, code, text } = event;
      return put(before, turn, { kind: "notice", entry, stored: false, code, text });
    }
    case "turn_park": {
      const next = addTurn(before, event.turn);
      if (findItem(next, event.turn, event.entry)) return next;
      const { entry, question, text } = event;
      return put(next, event.turn, { kind: "question", entry, stored: false, question, text });
    }
    case "turn_end":
      return endTurn(before, event);
  }
}

function addText(before: Conversation, event: Extract<AgentEvent, { type: "text_delta" }>): Conversation {
  const turn = turnOf(before, event.entry);
  const known = turn === null ? undefined : findItem(before, turn, event.entry);
  if (turn === null || !known) return { ...before, isBroken: true };
  if (known.kind !== "answer" || known.stored) return before;
  if (event.offset + event.text.length <= known.text.length) return before;
  if (event.offset > known.text.length) return { ...before, isBroken: true };
  return put(before, turn, { ...known, text: known.text.slice(0, event.offset) + event.text });
}

function endTurn(before: Conversation, event: Extract<AgentEvent, { type: "turn_end" }>): Conversation {
  const { turn: n, state, reason, stats } = event;
  let next = addTurn(before, n);
  next = { ...next, queued: next.queued.filter((one) => one !== n) };
  // A turn that never began has one entry, which came without its turn.
  const holder = next.turns.find(
    ({ items, n: other }) => other !== n && items.some(({ entry }) => entry === event.entry),
  );
  const moved = holder?.items.find(({ entry }) => entry === event.entry);
  if (holder && moved) next = put(remove(next, holder.n, event.entry), n, moved);
  next = change(next, n, (turn) => (turn.end === null ? { ...turn, end: { state, reason, stats } } : turn));
  const fresh = next.turns.find((turn) => turn.n === n)!.items.find((item) => !item.stored || isRunning(item));
  return fresh ? askAgain(next, fresh.entry) : next;
}

export function isRunning(item: Item): boolean {
  return item.kind === "tool" && item.result === null;
}

/** The number from which the log is to be read again, and the state without that wish. */
export function takeReread(before: Conversation): { from: number | null; next: Conversation } {
  return { from: before.reread, next: before.reread === null ? before : { ...before, reread: null } };
}

export function askAgain(before: Conversation, entry: number): Conversation {
  return { ...before, reread: Math.min(before.reread ?? entry, entry) };
}

/** The first entry of which the log may know more than is shown. */
export function firstUnread({ turns }: Conversation): number {
  const last = turns.findLast(({ items }) => items.length > 0)?.items.at(-1)?.entry ?? 0;
  const open = turns.filter(({ end }) => end === null).flatMap(({ items }) => items);
  return open.find((item) => !item.stored || isRunning(item))?.entry ?? last + 1;
}

/** Of an event that does not name its turn: the newest turn that began before the entry. */
function turnOf({ turns }: Conversation, entry: number): number | null {
  return turns.findLast(({ items }) => items.length > 0 && items[0]!.entry <= entry)?.n ?? null;
}

function findItem({ turns }: Conversation, n: number, entry: number): Item | undefined {
  return turns.findLast((turn) => turn.n === n)?.items.findLast((item) => item.entry === entry);
}

function addTurn(before: Conversation, n: number): Conversation {
  if (before.turns.some((turn) => turn.n === n)) return before;
  const turns = [...before.turns, newTurn(n)];
  return { ...before, turns: turns.toSorted((a, b) => a.n - b.n) };
}

function put(before: Conversation, n: number, item: Item): Conversation {
  return change(before, n, (turn) => {
    const at = turn.items.findLastIndex(({ entry }) => entry <= item.entry);
    const isThere = turn.items[at]?.entry === item.entry;
    return { ...turn, items: isThere ? turn.items.with(at, item) : turn.items.toSpliced(at + 1, 0, item) };
  });
}

function remove(before: Conversation, n: number, entry: number): Conversation {
  return change(before, n, (turn) => ({ ...turn, items: turn.items.filter((item) => item.entry !== entry) }));
}

function change(before: Conversation, n: number, changed: (turn: Turn) => Turn): Conversation {
  return { ...before, turns: before.turns.map((turn) => (turn.n === n ? changed(turn) : turn)) };
}

function newPerson(entry: number, text: string | null, joined: boolean): Item {
  return { kind: "person", entry, stored: false, text, images: [], joined, isGoal: false };
}

function newAnswer(entry: number): AnswerItem {
  return { kind: "answer", entry, stored: false, text: "", reasoning: "" };
}
