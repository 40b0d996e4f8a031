// Reads from a turn's log which writes its calls committed to the built-in memory, each once. Called by turn-sync.ts, which
// repeats them in an external memory. Pure.
import { type MemoryStep, readOperations, readPrepared, readTargets } from "../../memory/plan.ts";
import type { MemoryWrite } from "../../memory/provider.ts";
import { redactText } from "../../redact.ts";
import type { Entry, JsonObject, ToolEntry } from "../../schemas/entry.ts";
import { MemoryStoreName } from "../../schemas/memory.ts";

export function writesIn(entries: Entry[]): MemoryWrite[] {
  return entries.flatMap((entry): MemoryWrite[] => {
    if (entry.kind !== "tool" || entry.call.name !== "memory" || entry.state !== "done" || entry.failed) return [];
    const store = MemoryStoreName.safeParse(entry.call.args.store);
    if (!store.success) return [];
    const done = readStepResults(entry);
    return readSteps(entry).flatMap((step, n) => toWrite(step, done[n], store.data));
  });
}

function toWrite({ text, target }: MemoryStep, done: unknown, store: MemoryStoreName): MemoryWrite[] {
  if (done === "added" && text !== undefined) return [{ action: "add", store, text: redactText(text) }];
  if (done === "removed" && target) return [{ action: "remove", store, old: target.text }];
  if (done !== "replaced" || text === undefined || !target) return [];
  return [{ action: "replace", store, text: redactText(text), old: target.text }];
}

/** The steps recorded with the call. A call that needed no lookup has none: then its arguments give them. */
function readSteps({ call, prepared }: ToolEntry): MemoryStep[] {
  const steps = readPrepared(prepared)?.steps;
  if (steps) return steps;
  const targets = readTargets(prepared);
  return readOperations(call.args).map(({ action, content }, n) => ({
    action,
    text: content?.trim(),
    target: targets[n],
  }));
}

/** The result of each step. */
function readStepResults({ parts }: ToolEntry): unknown[] {
  const outcome = parts.find((part) => part.source === "outcome");
  const { done, results } = outcome ? (JSON.parse(outcome.text) as JsonObject) : {};
  return Array.isArray(results) ? results.map((result) => (result as JsonObject | null)?.done) : [done];
}
