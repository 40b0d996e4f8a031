// The loop's Journal in memory: it records what a session's log would, and can be reopened for a second run. `crashAt` throws in
// place of a write, as if the object died there.
import type { Effect, Journal, Message, ToolResult } from "../../../core/agent/contract.ts";
import { fail } from "../../../core/agent/tool-result.ts";
import { ok } from "../../../core/errors.ts";
import type { Answer } from "../../../core/schemas/entry.ts";

export class Crash extends Error {
  override name = "Crash";
}

export interface MemoryJournal extends Journal {
  /** The writes, in order: `answer 0`, `intent 0.1`, `result 0.1`. */
  readonly written: string[];
  /** A new journal over the same record. */
  reopen(options?: JournalOptions): MemoryJournal;
}

export interface JournalOptions {
  parallel?: boolean;
  /** The write that throws. */
  crashAt?: string;
  additions?(step: number): Message[];
}

interface Records {
  answers: Map<number, { value: Answer; entry: number }>;
  calls: Map<string, { effect: Effect; entry: number; result: ToolResult | null }>;
  entries: number;
  written: string[];
}

export function createMemoryJournal(
  options: JournalOptions = {},
  records: Records = { answers: new Map(), calls: new Map(), entries: 0, written: [] },
): MemoryJournal {
  const { parallel = true, crashAt, additions } = options;

  function write(what: string): number {
    if (what === crashAt) throw new Crash(what);
    records.written.push(what);
    return ++records.entries;
  }

  return {
    parallel,
    written: records.written,
    reopen: (next = {}) => createMemoryJournal(next, records),
    ...(additions && { additions }),

    async answer(step, ask) {
      const recorded = records.answers.get(step);
      if (recorded) return ok(recorded);
      const outcome = await ask({ text() {}, reasoning() {}, restart() {} });
      if (!outcome.ok) return outcome;
      const placed = { value: outcome.value, entry: write(`answer ${step}`) };
      records.answers.set(step, placed);
      return ok(placed);
    },

    async call(step, index, work) {
      const key = `${step}.${index}`;
      let call = records.calls.get(key);
      const isNew = !call;
      if (!call) {
        if (work.prepare) await work.prepare();
        call = { effect: work.effect, entry: write(`intent ${key}`), result: null };
        records.calls.set(key, call);
      }
      if (call.result) return { value: call.result, entry: call.entry };
      const result =
        !isNew && work.effect === "unkeyed"
          ? fail("outcome_unknown", "It may have happened.")
          : await work.run({ op: key, prepared: {}, entry: call.entry, ...(!isNew && { resumed: true }) });
      if (`result ${key}` === crashAt) throw new Crash(crashAt);
      records.written.push(`result ${key}`);
      call.result = result;
      return { value: result, entry: call.entry };
    },
  };
}
