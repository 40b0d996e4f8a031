// One search over several parts of an archive, which finds what one archive with all messages would. The parts first say how frequent the
// words of the query are, so that every message is scored by the words of all. A part that cannot be asked is named in the answer.
// Called by split-archive.ts. Messages of one session that two parts have, as over New Year, are neighbours here.
import type { Clock } from "../../ports.ts";
import type { FoundMessage, MessageQuery, MessageSearch } from "../../schemas/archived-message.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { withTimeout } from "../../timeout.ts";
import type { MessageArchive } from "./message-archive.ts";
import type { RankedMessage } from "./message-ranking.ts";
import { type ChosenWords, chooseWords } from "./query-words.ts";
import { type Edge, FAR, rankWindows } from "./message-search.ts";

/** What is asked of a part: directly of its own, by calls of the others. */
export type PartReader = {
  [Call in "search" | "statistics" | "windows" | "edges" | "read"]: (
    ...args: Parameters<MessageArchive[Call]>
  ) => ReturnType<MessageArchive[Call]> | Promise<ReturnType<MessageArchive[Call]>>;
};

/** The other parts answer in milliseconds, and within a second when they have to start. */
export const PART_MS = 5_000;

/** `mayFail`: the part is another object. */
export interface SearchedPart {
  year: number;
  mayFail: boolean;
  reader: PartReader;
}

/** `parts`: those to search, earliest first. Rejects if a part that may not fail does. */
export async function searchParts(parts: SearchedPart[], asked: MessageQuery, clock: Clock): Promise<MessageSearch> {
  const missing = new Set<number>();
  const ask = createAsk(missing, clock);
  if (parts.length === 0) return { found: [], missing: [] };
  if (parts.length === 1) {
    const [found] = await ask(parts, ({ reader }) => reader.search(asked));
    return { found: found?.answer ?? [], missing: [...missing] };
  }
  const known = await ask(parts, ({ reader }) => reader.statistics(asked.query));
  const words = chooseWords(
    asked.query,
    known.map(({ answer }) => answer),
  );
  const near = await ask(partsOf(known), ({ reader }) => reader.windows(asked, words));
  const windows = near.map(({ part, answer }) => ({ part, ...answer }));
  const joined = await addEdges(windows, partsOf(known), { asked, words, ask });
  const exact = windows.flatMap((window) => window.exact);
  const ranked = rankWindows({ ...joined, exact }, words, asked.limit);
  const places = new Map(ranked.map(({ id }, place) => [id, place]));
  const owners = new Map(joined.owners);
  const read = await ask(partsOf(known), ({ year, reader }) => {
    const own = ranked.filter(({ id }) => owners.get(id) === year);
    return own.length === 0 ? [] : reader.read(own);
  });
  const found = read.flatMap(({ answer }): FoundMessage[] => answer);
  return {
    found: found.toSorted((a, b) => places.get(a.id)! - places.get(b.id)!),
    missing: [...missing].toSorted((a, b) => a - b),
  };
}

type Answers<T> = { part: SearchedPart; answer: T }[];
type Ask = <T>(parts: SearchedPart[], call: (part: SearchedPart) => T | Promise<T>) => Promise<Answers<T>>;

/** Asks parts at once, and leaves out those that failed, in this question and in an earlier one. */
function createAsk(missing: Set<number>, clock: Clock): Ask {
  return async (parts, call) => {
    const answers = await Promise.all(
      parts.map(async (part) => {
        if (missing.has(part.year)) return null;
        if (!part.mayFail) return { part, answer: await call(part) };
        try {
          return { part, answer: await withTimeout(Promise.resolve(call(part)), PART_MS, clock) };
        } catch {
          missing.add(part.year); // out of reach, too slow, or written by a newer version
          return null;
        }
      }),
    );
    return answers.filter((answer) => answer !== null);
  };
}

function partsOf(answers: Answers<unknown>): SearchedPart[] {
  return answers.map(({ part }) => part);
}

type PartWindows = { part: SearchedPart } & Awaited<ReturnType<PartReader["windows"]>>;

interface Joined {
  rows: RankedMessage[];
  wanted: number[];
  owners: [id: number, year: number][];
}

/** Adds what other parts have beside candidates at the beginning or end of a session's messages in a part. */
async function addEdges(
  windows: PartWindows[],
  parts: SearchedPart[],
  { asked, words, ask }: { asked: MessageQuery; words: ChosenWords; ask: Ask },
): Promise<Joined> {
  const wantedEdges = windows.flatMap((window) => listEdges(window));
  const answers = await ask(parts, (part) => {
    const edges = wantedEdges.flatMap(({ year, session, before, after }): Edge[] => [
      ...(before > 0 && part.year < year ? [{ session, side: "last" as const, count: before }] : []),
      ...(after > 0 && part.year > year ? [{ session, side: "first" as const, count: after }] : []),
    ]);
    return edges.length === 0 ? null : part.reader.edges(asked, words, edges);
  });
  const added = answers.flatMap(({ part, answer }) => (answer ? [{ part, ...answer }] : []));
  const all = [...windows, ...added];
  const rows = joinPlaces(all, parts);
  const candidates = new Set(windows.flatMap((window) => [...window.candidates, ...window.exact]));
  return {
    rows: withinReach(rows, candidates),
    wanted: [...new Set(all.flatMap(({ wanted }) => wanted))],
    owners: all.flatMap(({ part, rows: own }) => own.map(({ id }): [number, number] => [id, part.year])),
  };
}

/** For each session with a candidate near the first or the last of its messages in the part: how many are wanted of other parts. */
function listEdges({ part, rows, candidates, exact, lastPlaces }: PartWindows) {
  const meant = new Set([...candidates, ...exact]);
  const edges = new Map<SessionId, { year: number; session: SessionId; before: number; after: number }>();
  for (const { id, session, place } of rows) {
    if (!meant.has(id)) continue;
    const edge = edges.get(session) ?? { year: part.year, session, before: 0, after: 0 };
    edges.set(session, edge);
    edge.before = Math.max(edge.before, FAR + 1 - place);
    edge.after = Math.max(edge.after, place + FAR - lastPlaces.get(session)!);
  }
  return [...edges.values()].filter(({ before, after }) => before > 0 || after > 0);
}

/** Between messages of a session that are not known to be neighbours. */
const APART = 1_000_000;

/** Places count from 1 in each part. Here they continue from one part to the next. */
function joinPlaces(
  windows: { part: SearchedPart; rows: RankedMessage[]; lastPlaces: Map<SessionId, number> }[],
  parts: SearchedPart[],
): RankedMessage[] {
  const lasts = new Map<string, number>();
  for (const { part, lastPlaces } of windows) {
    for (const [session, last] of lastPlaces) lasts.set(`${part.year} ${session}`, last);
  }
  const toStart = (year: number, session: SessionId) =>
    parts
      .filter((part) => part.year < year)
      .reduce((sum, part) => sum + (lasts.get(`${part.year} ${session}`) ?? APART), 0);
  const rows = new Map<number, RankedMessage>();
  for (const { part, rows: own } of windows) {
    for (const row of own) rows.set(row.id, { ...row, place: row.place + toStart(part.year, row.session) });
  }
  return [...rows.values()].toSorted((a, b) => a.id - b.id);
}

/** Rows that are near a candidate. An edge may have brought more of them. */
function withinReach(rows: RankedMessage[], candidates: Set<number>): RankedMessage[] {
  const near = new Set<string>();
  for (const { id, session, place } of rows) {
    if (!candidates.has(id)) continue;
    for (let offset = -FAR; offset <= FAR; offset++) near.add(`${session} ${place + offset}`);
  }
  return rows.filter(({ session, place }) => near.has(`${session} ${place}`));
}
