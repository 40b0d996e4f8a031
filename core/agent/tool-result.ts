// How a tool's result is made, and how it is shown to a model. It is JSON, built from parts that each have one source. Used
// by every tool and by what reads a log. Pure.
import { isObject } from "../unknown-object.ts";
import { escapeTagsInJson } from "../prompt-block.ts";
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

/** The result with more words of the harness. */
export function addToOutcome(result: ToolResult, facts: JsonObject): ToolResult {
  const text = JSON.stringify({ ...readOutcome(result), ...facts });
  return {
    ...result,
    parts: [{ source: "outcome", text }, ...result.parts.filter(({ source }) => source !== "outcome")],
  };
}

/** What the harness wrote into a result. */
export function readOutcome({ parts }: ToolResult): JsonObject {
  const outcome = parts.find(({ source }) => source === "outcome");
  return outcome ? (JSON.parse(outcome.text) as JsonObject) : {};
}

function toParts(bySource: Partial<Record<Source, JsonObject>>): Part[] {
  return Object.entries(bySource).map(([source, value]) => ({ source: source as Source, text: JSON.stringify(value) }));
}

/** What readers of a session receive: one JSON object with the keys of all parts. */
export function renderParts(parts: Part[]): string {
  const [only] = parts;
  if (only && parts.length === 1 && !only.text.includes("\n")) return only.text;
  return JSON.stringify(Object.assign({}, ...parts.map((part) => JSON.parse(part.text) as JsonObject)));
}

const OPEN = "<content>";
const CLOSE = "</content>";

/**
 * What a model reads: first a line of JSON that the harness and the model's own words made, then, in a fence, the JSON
 * that came from outside. Nothing inside can look like the fence's end, or like words put into the turn by the person.
 */
export function renderForModel(parts: Part[]): string {
  const ours = parts.filter((part) => part.source !== "content");
  const theirs = parts.filter((part) => part.source === "content");
  const line = escapeTagsInJson(renderParts(ours));
  return theirs.length === 0 ? line : [line, OPEN, escapeTagsInJson(renderParts(theirs)), CLOSE].join("\n");
}

/** The inverse of `renderForModel`: all fields as one object; `null` where the text is no result. */
export function readRendered(text: string): JsonObject | null {
  const [ours, open, theirs] = text.split("\n");
  try {
    return { ...asObject(ours ?? ""), ...(open === OPEN ? asObject(theirs ?? "") : {}) };
  } catch {
    return null; // plain text, or a result that was cut short
  }
}

function asObject(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new TypeError("not an object");
  return value as JsonObject;
}
