// Connects a session to an external memory provider: it recalls for each turn and each summary, and sends ended turns. Called
// by the driver. Best effort by design: after a restart of the object only the notes remain.
import type { Message } from "../../agent/contract.ts";
import { toBullets } from "../../memory/recall.ts";
import { redactText } from "../../redact.ts";
import type { NoteEntry } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { callProvider, findProvider } from "./provider-calls.ts";
import { createRecallSearch } from "./recall-search.ts";
import { createTurnSync } from "./turn-sync.ts";

/** Room for recalled text in the input of a summary. */
const SUMMARY_CHARS = 4_000;

export interface Recall {
  /** Starts the search for an input that was accepted as turn `n`. Returns at once. */
  startSearch(n: number, request: string): void;
  /**
   * Writes the recalled lines with `put`, after the turn's input. Writes nothing after the turn's first model call. Waits at
   * most `memory.prefetchWaitMs`; later results go to the next turn.
   */
  writeNote(turn: Pick<TurnRow, "n" | "input">, request: string, put: (note: NoteEntry) => void): Promise<void>;
  /** Sends an ended turn to the provider, after the turns before it. */
  sendTurn(n: number): void;
  /** The provider's text for the summary of these messages; "" for none, or none in time. */
  recallForSummary(messages: Message[]): Promise<string>;
}

export function createRecall(context: EngineContext): Recall {
  const { startSearch, writeNote, forgetSearch } = createRecallSearch(context);
  const sendTurn = createTurnSync(context);
  return {
    startSearch,
    writeNote,
    sendTurn(n) {
      forgetSearch(n);
      sendTurn(n);
    },
    recallForSummary: (messages) => recallForSummary(context, messages),
  };
}

async function recallForSummary(context: EngineContext, messages: Message[]): Promise<string> {
  const { host } = context;
  const provider = findProvider(context);
  const waitMs = host.settings.memory.prefetchWaitMs;
  if (!provider || waitMs === 0) return "";
  const clean = messages.map((message) => ({ ...message, text: redactText(message.text) }));
  const request = new AbortController();
  const timer = new AbortController();
  const asking = callProvider(host, "memory before compaction", () => provider.preCompaction(clean, request.signal));
  host.background(asking.then(() => undefined));
  const first = await Promise.race([asking, host.clock.sleep(waitMs, timer.signal).then(() => null)]);
  timer.abort();
  if (first === null) request.abort();
  return first?.ok ? toBullets([first.value]).join("\n").slice(0, SUMMARY_CHARS).toWellFormed() : "";
}
