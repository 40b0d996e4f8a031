// Turns an expected failure into a result the model can act on. Used by the tools of this folder.
import type { ToolResult } from "../agent/contract.ts";
import { fail } from "../agent/tool-result.ts";
import type { Failure } from "../errors.ts";

/** Facts that quote what a model wrote earlier. They have the source `own`, never the harness's. */
const QUOTING_FACTS = new Set([
  "preview",
  "nearest",
  "candidates",
  "entries",
  "findings",
  "checks",
  "places",
  "additions",
]);

export function toRefusal({ code, message, facts = {} }: Failure): ToolResult {
  const own = Object.entries(facts).filter(([key]) => QUOTING_FACTS.has(key));
  const outcome = Object.entries(facts).filter(([key]) => !QUOTING_FACTS.has(key));
  const refusal = fail(code, message, Object.fromEntries(outcome));
  if (own.length === 0) return refusal;
  const text = JSON.stringify(Object.fromEntries(own));
  return { failed: true, parts: [...refusal.parts, { source: "own", text }] };
}
