// Searches an external memory for what the input of a turn is about. The search begins when the input is accepted; its results
// become a note of that turn, or of the next one if they come late. Called by the driver, through recall.ts.
import type { MemoryProvider } from "../../memory/provider.ts";
import { isTrivial, renderRecall, toBullets, toQuery } from "../../memory/recall.ts";
import { redactText } from "../../redact.ts";
import type { NoteEntry } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import type { Log } from "../log.ts";
import { placeNotice } from "../readers/events.ts";
import { compactionState } from "../prompt/history.ts";
import { isSilent } from "../prompt/notices.ts";
import type { TurnRow } from "../log-turns.ts";
import { callProvider, createIdleSignal, findProvider } from "./provider-calls.ts";

const RECALL = "recall";
/** More than a session shows between two compactions. Keeps the row under 100 KB. */
const MAX_KNOWN = 4_000;

/** Under the meta key `recalled`: the lines shown to the model since the last summary. */
interface RecalledLines {
  v: 1;
  /** The entry of that summary; 0 before the first. */
  since: number;
  keys: string[];
}

/** A search for one turn. */
interface Search {
  /** `null` while the search runs; empty after a failure. */
  bullets: string[] | null;
  /** The turn began its model call without the results. */
  missed: boolean;
  done: Promise<void>;
}

type NotedTurn = Pick<TurnRow, "n" | "input">;

export function createRecallSearch(context: EngineContext) {
  const { host, log, hub } = context;
  const { clock, settings } = host;
  const searches = new Map<number, Search>();
  /** Results that came too late for their own turn. */
  let late: string[] = [];

  function startSearch(n: number, request: string): void {
    const provider = findProvider(context);
    if (!provider || searches.has(n) || isTrivial(request)) return;
    const search: Search = { bullets: null, missed: false, done: Promise.resolve() };
    search.done = run(provider, n, request, search);
    searches.set(n, search);
    host.background(search.done);
  }

  async function run(provider: MemoryProvider, n: number, request: string, search: Search): Promise<void> {
    await Promise.resolve(); // after the transaction that accepts the input
    const found = await callProvider(host, "recall", () =>
      provider.prefetch(toQuery(redactText(request)), createIdleSignal()),
    );
    if (found?.ok === false && found.failure.code === "memory_provider_busy") {
      searches.delete(n); // `writeNote` may try again
      return;
    }
    search.bullets = found?.ok ? toBullets(found.value) : [];
    if (!search.missed) return;
    late = search.bullets;
    searches.delete(n);
  }

  async function writeNote(turn: NotedTurn, request: string, put: (note: NoteEntry) => void): Promise<void> {
    if (!findProvider(context) || isTrivial(request) || !mayAddNote(log, turn)) return;
    startSearch(turn.n, request);
    const search = searches.get(turn.n);
    if (search && search.bullets === null && settings.memory.prefetchWaitMs > 0) {
      await waitFor(search);
      if (!mayAddNote(log, turn)) return;
    }
    const note = toNote(turn, takeResults(turn.n, search));
    if (!note) return;
    host.sql.transaction(() => {
      put(note.entry);
      log.setMeta("recalled", note.recalled);
    });
    hub.emit(placeNotice(note.entry));
  }

  async function waitFor(search: Search): Promise<void> {
    const timer = new AbortController();
    await Promise.race([search.done, clock.sleep(settings.memory.prefetchWaitMs, timer.signal)]);
    timer.abort();
  }

  /** The results for turn `n`, or late ones of an earlier turn. Forgets them, and the searches of earlier turns. */
  function takeResults(n: number, search: Search | undefined): string[] {
    for (const [earlier, { bullets }] of searches) if (earlier < n && bullets !== null) searches.delete(earlier);
    if (search?.bullets) searches.delete(n);
    else if (search) search.missed = true;
    const bullets = search?.bullets?.length ? search.bullets : late;
    late = [];
    return bullets;
  }

  /** `null` when the model has seen all of these lines. */
  function toNote(turn: NotedTurn, bullets: string[]): { entry: NoteEntry; recalled: RecalledLines } | null {
    const since = lastSummaryEntry(log);
    const before = log.meta<RecalledLines>("recalled");
    const known = before?.since === since ? before.keys : [];
    const isKnown = new Set(known);
    const rendered = renderRecall(bullets, (key) => isKnown.has(key));
    if (!rendered) return null;
    const entry: NoteEntry = {
      v: 1,
      n: log.nextEntry(),
      turn: turn.n,
      at: clock.now(),
      kind: "note",
      code: RECALL,
      parts: [{ source: "content", text: rendered.text }],
    };
    return { entry, recalled: { v: 1, since, keys: [...known, ...rendered.keys].slice(-MAX_KNOWN) } };
  }

  return { startSearch, writeNote, forgetSearch: (n: number) => void searches.delete(n) };
}

/** Whether the turn's model was not asked yet and the turn has no recall note. */
function mayAddNote(log: Log, turn: NotedTurn): boolean {
  if (turn.input === null || log.turn(turn.n)?.state !== "running") return false;
  return log
    .entries(turn.input + 1)
    .every((entry) => (entry.kind === "note" ? entry.code !== RECALL : entry.kind === "notice" && isSilent(entry)));
}

/** A summary removes recalled lines from the conversation, so they may be recalled again. */
function lastSummaryEntry(log: Log): number {
  return compactionState(log).entries.findLast(({ method }) => method !== "prune")?.n ?? 0;
}
