// Connects a session to an external memory provider. A search begins when an input is accepted, its results become a note of
// the turn, and the turn is sent to the provider after its answer, in order. Called by the driver. Best effort by design:
// after a restart of the object only the notes remain.
import type { Message } from "../../agent/contract.ts";
import type { Result } from "../../errors.ts";
import type { MemoryProvider, ProviderFailure } from "../../memory/provider.ts";
import { isTrivial, renderRecall, toBullets, toQuery } from "../../memory/recall.ts";
import { redactText } from "../../redact.ts";
import { type NoteEntry, textOf } from "../../schemas/entry.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import { compactionState } from "../prompt/history.ts";
import type { TurnRow } from "../log-turns.ts";
import { writesIn } from "./mirrored-writes.ts";
import { isSilent } from "../prompt/notices.ts";

const RECALL = "recall";
/** Delay before the one retry of a sync that the provider certainly did not accept. */
const RETRY_MS = 2_000;
/** Turns that may wait for their sync. Beyond that, new turns are not sent. */
const MAX_WAITING = 50;
/** More than a session shows between two compactions. Keeps the row under 100 KB. */
const MAX_KNOWN = 4_000;
/** Room for recalled text in the input of a summary. */
const COMPACTION_CHARS = 4_000;

/** Under the meta key `recalled`: the lines shown to the model since the last summary. */
interface RecalledLines {
  v: 1;
  /** The entry of that summary; 0 before the first. */
  since: number;
  keys: string[];
}

/** A search for one turn. */
interface RecallSearch {
  /** `null` while the search runs; empty after a failure. */
  bullets: string[] | null;
  /** The turn began its model call without the results. */
  missed: boolean;
  done: Promise<void>;
}

export interface Recall {
  /** Starts the search for an input that was accepted as turn `n`. Returns at once. */
  begin(n: number, request: string): void;
  /**
   * Writes the recalled lines with `put`, after the turn's input. Writes nothing after the turn's first model call. Waits at
   * most `memory.prefetchWaitMs`; later results go to the next turn.
   */
  take(turn: Pick<TurnRow, "n" | "input">, request: string, put: (note: NoteEntry) => void): Promise<void>;
  /** Sends an ended turn to the provider, after the turns before it. */
  ended(n: number): void;
  /** The provider's text for the summary of these messages; "" for none, or none in time. */
  beforeCompaction(messages: Message[]): Promise<string>;
}

export function createRecall(context: EngineContext): Recall {
  const { host, log, hub } = context;
  const { clock, settings } = host;
  const searches = new Map<number, RecallSearch>();
  /** Results that came too late for their own turn. */
  let late: string[] = [];
  let syncing = Promise.resolve();
  let waiting = 0;

  /** `null` without a provider, and in a session that does not learn. */
  function provider(): MemoryProvider | null {
    return host.memoryProvider && context.meta().learning === "on" ? host.memoryProvider : null;
  }

  function begin(n: number, request: string): void {
    const asked = provider();
    if (!asked || searches.has(n) || isTrivial(request)) return;
    const search: RecallSearch = { bullets: null, missed: false, done: Promise.resolve() };
    search.done = run(asked, n, request, search);
    searches.set(n, search);
    host.background(search.done);
  }

  async function run(asked: MemoryProvider, n: number, request: string, search: RecallSearch): Promise<void> {
    await Promise.resolve(); // after the transaction that accepts the input
    const found = await reportingFailure("recall", () =>
      asked.prefetch(toQuery(redactText(request)), createIdleSignal()),
    );
    if (found?.ok === false && found.failure.code === "memory_provider_busy") {
      searches.delete(n); // `take` may try again
      return;
    }
    search.bullets = found?.ok ? toBullets(found.value) : [];
    if (!search.missed) return;
    late = search.bullets;
    searches.delete(n);
  }

  async function take(
    turn: Pick<TurnRow, "n" | "input">,
    request: string,
    put: (note: NoteEntry) => void,
  ): Promise<void> {
    if (!provider() || isTrivial(request) || !mayAddNote(turn)) return;
    begin(turn.n, request);
    const search = searches.get(turn.n);
    const waitMs = settings.memory.prefetchWaitMs;
    if (search && search.bullets === null && waitMs > 0) {
      const over = new AbortController();
      await Promise.race([search.done, clock.sleep(waitMs, over.signal)]);
      over.abort();
      if (!mayAddNote(turn)) return;
    }
    for (const n of searches.keys()) if (n < turn.n && searches.get(n)!.bullets !== null) searches.delete(n);
    if (search?.bullets) searches.delete(turn.n);
    else if (search) search.missed = true;
    const bullets = search?.bullets?.length ? search.bullets : late;
    late = [];

    const since = lastSummaryEntry();
    const before = log.meta<RecalledLines>("recalled");
    const known = before?.since === since ? before.keys : [];
    const isKnown = new Set(known);
    const recalled = renderRecall(bullets, (key) => isKnown.has(key));
    if (!recalled) return;
    const note: NoteEntry = {
      v: 1,
      n: log.nextEntry(),
      turn: turn.n,
      at: clock.now(),
      kind: "note",
      code: RECALL,
      parts: [{ source: "content", text: recalled.text }],
    };
    host.sql.transaction(() => {
      put(note);
      const keys = [...known, ...recalled.keys].slice(-MAX_KNOWN);
      log.setMeta("recalled", { v: 1, since, keys } satisfies RecalledLines);
    });
    hub.emit(placeNotice(note));
  }

  /** Whether the turn's model was not asked yet and the turn has no recall note. */
  function mayAddNote(turn: Pick<TurnRow, "n" | "input">): boolean {
    if (turn.input === null || log.turn(turn.n)?.state !== "running") return false;
    return log
      .entries(turn.input + 1)
      .every((entry) => (entry.kind === "note" ? entry.code !== RECALL : entry.kind === "notice" && isSilent(entry)));
  }

  /** A summary removes recalled lines from the conversation, so they may be recalled again. */
  function lastSummaryEntry(): number {
    return compactionState(log).entries.findLast(({ method }) => method !== "prune")?.n ?? 0;
  }

  function ended(n: number): void {
    const asked = provider();
    searches.delete(n);
    if (!asked) return;
    if (waiting >= MAX_WAITING) return host.report("memory sync", `${asked.name} is too slow: turn ${n} was skipped`);
    waiting += 1;
    // A failure for one turn must not block the turns after it.
    syncing = syncing
      .then(() => syncTurn(asked, n))
      .catch((error) => host.report("memory sync", error))
      .finally(() => void (waiting -= 1));
    host.background(syncing);
  }

  async function syncTurn(asked: MemoryProvider, n: number): Promise<void> {
    const turn = log.turn(n);
    if (!turn || turn.input === null || turn.final === null) return;
    const entries = log.entries(turn.input, turn.final).filter((entry) => entry.turn === n);
    for (const write of writesIn(entries))
      await withRetry("memory write", () => asked.onWrite(write, createIdleSignal()));
    const final = entries.at(-1);
    if (turn.state !== "done" || final?.kind !== "assistant") return;
    const said = entries.filter((entry) => entry.kind === "user").map(textOf);
    const exchange = { user: redactText(said.join("\n\n")), assistant: redactText(textOf(final)) };
    if (parseSessionCommand(said[0] ?? "") || exchange.user.trim() === "" || exchange.assistant.trim() === "") return;
    await withRetry("memory sync", () => asked.sync(exchange, createIdleSignal()));
  }

  async function beforeCompaction(messages: Message[]): Promise<string> {
    const asked = provider();
    const waitMs = settings.memory.prefetchWaitMs;
    if (!asked || waitMs === 0) return "";
    const clean = messages.map((message) => ({ ...message, text: redactText(message.text) }));
    const given = new AbortController();
    const over = new AbortController();
    const asking = reportingFailure("memory before compaction", () => asked.preCompaction(clean, given.signal));
    host.background(asking.then(() => undefined));
    const first = await Promise.race([asking, clock.sleep(waitMs, over.signal).then(() => null)]);
    over.abort();
    if (first === null) given.abort();
    return first?.ok ? toBullets([first.value]).join("\n").slice(0, COMPACTION_CHARS).toWellFormed() : "";
  }

  /** Reports failures to the log only, without any word of the request. */
  async function reportingFailure<T>(
    what: string,
    call: () => Promise<Result<T, ProviderFailure>>,
  ): Promise<Result<T, ProviderFailure> | undefined> {
    try {
      const result = await call();
      if (!result.ok && !FOLLOW_UP_CODES.has(result.failure.code)) host.report(what, result.failure.message);
      return result;
    } catch {
      host.report(what, "the memory provider's adapter failed"); // an adapter must not throw; its text is not for our log
      return undefined;
    }
  }

  async function withRetry(what: string, call: () => Promise<Result<null, ProviderFailure>>): Promise<void> {
    const first = await reportingFailure(what, call);
    if (first?.ok !== false || !first.failure.retry) return;
    await clock.sleep(RETRY_MS);
    await reportingFailure(what, call);
  }

  return { begin, take, ended, beforeCompaction };
}

/** A signal that never aborts: calls have their own timeouts. One per call, because a signal belongs to its request. */
function createIdleSignal(): AbortSignal {
  return new AbortController().signal;
}

/** Follow-up failures: the failure that caused them was reported already. */
const FOLLOW_UP_CODES = new Set(["memory_provider_resting", "memory_provider_busy"]);
