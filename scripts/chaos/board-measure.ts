// What became of the cards of a chaos run, read through the API, and from the requests that the workers' tools made. Called by board-stack.ts.
import type { Client } from "../../cli/connection/client.ts";
import type { CardEvent, CardId, CardRun } from "../../core/schemas/board/card.ts";
import { CardDetail, CardEventList, type CardLine, CardList, CardRunList } from "../../core/schemas/board/card-api.ts";
import { countLate } from "./board.ts";
import type { Arrival } from "./world.ts";
import { toNull } from "./life.ts";
import { SAYS_DONE } from "./worker-script.ts";

export interface MeasuredBoard {
  /** Cards that were accepted and are absent or not done, or whose summary says that a thing was done that nobody did. */
  lost: number;
  /**
   * Cards that were made or completed twice, completed by a worker that had lost them, worked on by two runs at once, or begun before the
   * cards before them were done; and runs that did their thing twice.
   */
  duplicated: number;
  /** Cards that have not ended, open runs, sessions that are busy. */
  stuck: number;
  remarks: string[];
}

/** A card that was accepted. `n`: its number; `card` is absent if the board does not have it. */
export interface FoundCard {
  n: number;
  id: CardId;
  card?: Pick<CardLine, "id" | "status">;
  parents: CardId[];
  /** Oldest first. */
  runs: CardRun[];
  events: CardEvent[];
  /** Sessions of its runs that work. */
  busy: string[];
}

export interface FoundBoard {
  cards: FoundCard[];
  /** Cards that nobody was told of. */
  others: CardId[];
}

export async function readBoard(client: Client, board: string, accepted: Map<number, CardId>): Promise<FoundBoard> {
  const asked = { params: { board } };
  const listed = await client.list(CardList, "GET /v1/boards/{board}/cards", ({ cards }) => cards, asked);
  const log = await client.list(CardEventList, "GET /v1/boards/{board}/events", ({ events }) => events, asked);
  const known = new Set(accepted.values());
  const found: FoundBoard = { cards: [], others: listed.items.flatMap(({ id }) => (known.has(id) ? [] : [id])) };
  for (const [n, id] of accepted) {
    const params = { board, card: id };
    const events = log.items.filter((event) => event.card === id);
    const detail = await client.call(CardDetail, "GET /v1/boards/{board}/cards/{card}", { params }).catch(toNull);
    if (!detail) {
      found.cards.push({ n, id, parents: [], runs: [], events, busy: [] });
      continue;
    }
    const read = await client.list(CardRunList, "GET /v1/boards/{board}/cards/{card}/runs", ({ runs }) => runs, {
      params,
    });
    const runs = read.items.toSorted((one, other) => one.startedAt - other.startedAt);
    const busy: string[] = [];
    for (const { session } of runs) {
      const state = session === null ? null : await client.session(session).catch(toNull);
      if (session !== null && state?.state === "busy") busy.push(session);
    }
    const parents = detail.parents.map((parent) => parent.id);
    found.cards.push({ n, id, card: detail.card, parents, runs, events, busy });
  }
  return found;
}

/** `arrivals`: the things that workers did. */
export function countBoard({ cards, others }: FoundBoard, arrivals: Pick<Arrival, "session">[]): MeasuredBoard {
  const sum: MeasuredBoard = { lost: 0, duplicated: 0, stuck: 0, remarks: [] };
  const note = (figure: "lost" | "duplicated" | "stuck", what: string) => {
    sum[figure]++;
    sum.remarks.push(`${figure}: ${what}`);
  };
  for (const id of others) note("duplicated", `${id} is a second card`);
  for (const { n, card, parents, runs, events, busy } of cards) {
    if (card?.status !== "done") note("lost", `card ${n} is ${card?.status ?? "absent"}`);
    if (card && card.status !== "done" && card.status !== "archived") note("stuck", `card ${n} is ${card.status}`);
    for (const what of findDoubles(runs, events)) note("duplicated", `card ${n}: ${what}`);
    for (const session of busy) note("stuck", `card ${n}: the session ${session} is busy`);
    for (const { id, session, endedAt, outcome, summary } of runs) {
      if (endedAt === null) note("stuck", `card ${n}: its run ${id} is open`);
      if (session === null) continue;
      const times = arrivals.filter((arrival) => arrival.session === session).length;
      if (times > 1) note("duplicated", `card ${n}: its run ${id} did its thing ${times} times`);
      if (times === 0 && outcome === "completed" && summary === SAYS_DONE) {
        note("lost", `card ${n}: its run ${id} says that a thing was done that was not`);
      }
    }
    for (const parent of parents) {
      const before = cards.find(({ id }) => id === parent)?.runs.find(({ outcome }) => outcome === "completed");
      const isEarly = runs.some(({ startedAt }) => startedAt < (before?.endedAt ?? Infinity));
      if (isEarly) note("duplicated", `card ${n} was begun before ${parent} was done`);
    }
    if (runs.length > 1) {
      sum.remarks.push(`card ${n} took ${runs.length} runs: ${runs.map(({ outcome }) => outcome).join(", ")}`);
    }
  }
  return sum;
}

function findDoubles(runs: CardRun[], events: CardEvent[]): string[] {
  const completed = events.filter(({ kind }) => kind === "completed");
  return [
    ...(completed.length > 1 ? [`it was completed ${completed.length} times`] : []),
    ...(countLate(events, runs) > 0 ? ["a worker completed it that had lost it"] : []),
    ...runs.flatMap(({ id, startedAt }, i) =>
      i > 0 && startedAt < (runs[i - 1]!.endedAt ?? Infinity) ? [`its run ${id} began while another one was open`] : [],
    ),
  ];
}
