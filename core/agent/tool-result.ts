// How a tool's result is made, and how it is shown to a model. It is JSON, built from parts that each have one source. Used
// by every tool and by what reads a log. Pure.
import type { Part, JsonObject } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import type { ToolResult } from "./contract.ts";

/** A result whose facts were written by the harness, with bytes from outside or model-made text beside them. */
export function succeed(outcome: JsonObject, extra: Partial<Record<"content" | "own", JsonObject>> = {}): ToolResult {
  return { failed: false, parts: toParts({ outcome, ...extra }) };
}

/** A result the model can act on: `error` is a sentence that says what to do next. */
export function fail(code: string, error: string, facts: JsonObject = {}): ToolResult {
  return { failed: true, parts: toParts({ outcome: { error, code, ...facts } }) };
}

function toParts(bySource: Partial<Record<Source, JsonObject>>): Part[] {
  return Object.entries(bySource).map(([source, value]) => ({ source: source as Source, text: JSON.stringify(value) }));
}

/** What the model reads: one JSON object with the keys of all parts. */
export function renderParts(parts: Part[]): string {
  return JSON.stringify(Object.assign({}, ...parts.map((part) => JSON.parse(part.text) as JsonObject)));
}
