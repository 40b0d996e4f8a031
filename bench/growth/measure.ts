// Grows one session by real turns, up to a multiple of the context budget, and reads the cost of each turn. Called by growth.ts
// and its test.
import { subtractCounts } from "../support/figures.ts";
import type { ScriptedModelServer } from "../support/model-server.ts";
import { PLAIN_ORDER } from "../support/orders.ts";
import type { Talaria, TalariaConversation } from "../support/subjects/talaria.ts";
import { type Sample, findCompactions } from "./samples.ts";

export interface GrowthOptions {
  server: ScriptedModelServer;
  talaria: Talaria;
  /** Stops at this many times the size that fills the budget. */
  upTo: number;
  /** Stops at this size if no compaction has happened. */
  maxTokens: number;
  say(line: string): void;
}

/** About 4,000 tokens per turn: six entries, two of them tool calls with their results. */
const TURN = { ...PLAIN_ORDER, steps: 2, padChars: 6_000, chunks: 20, chunkChars: 60, writeChars: 3_000 };
const COLD_EVERY = 8;
const SAY_EVERY = 50;

export async function growSession(options: GrowthOptions): Promise<Sample[]> {
  const conversation = await options.talaria.open();
  const samples: Sample[] = [];
  for (;;) {
    const n = samples.length + 1;
    const cold = n % COLD_EVERY === 0 || n === 2 || n === 4;
    const sample = await takeSample(options.server, conversation, { run: `g${n}`, cold });
    samples.push(sample);
    if (n % SAY_EVERY === 0) options.say(`${n} turns, ${sample.entries} entries, ${sample.tokens} tokens sent`);
    const cuts = findCompactions(samples);
    if (cuts.length > 0 && (cuts.at(-1) ?? 0) > options.upTo * cuts[0]!) return samples;
    if (cuts.length === 0 && sample.tokens > options.maxTokens) return samples;
  }
}

async function takeSample(
  server: ScriptedModelServer,
  conversation: TalariaConversation,
  { run, cold }: { run: string; cold: boolean },
): Promise<Sample> {
  if (cold) await conversation.evict();
  // A cold object's meter starts at zero when the object is built. Do not read it first: that would build the object.
  const before = cold ? null : await conversation.meter();
  const { totalMs, lastEntry } = await conversation.turn({ ...TURN, run });
  const after = await conversation.meter();
  const { calls } = await server.take(run);
  const last = calls.at(-1)!;
  return {
    entries: lastEntry,
    tokens: last.promptTokens,
    rowsRead: after.rowsRead - (before?.rowsRead ?? 0),
    rowsWritten: after.rowsWritten - (before?.rowsWritten ?? 0),
    requestBytes: last.bytes,
    ms: totalMs,
    messages: calls[0]!.messages,
    ...(before && after.beside && { beside: subtractCounts(after.beside, before.beside ?? {}) }),
    readBy: subtractCounts(after.readBy, before?.readBy ?? {}),
    cold,
  };
}
