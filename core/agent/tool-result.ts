// Builds a tool's result and renders it for models and for readers of a session. A result has up to one part per source, and each
// part is a JSON object. Used by every tool, and by code that reads a log. Pure.
import { isObject } from "../unknown-object.ts";
import { escapeTagsInJson } from "../prompt-block.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { Part, JsonObject } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import type { ToolResult } from "./contract.ts";

/**
 * `outcome`: facts from the harness. `extra.content`: text from outside. `extra.own`: text that a model wrote. `extra.principal`:
 * text that the person wrote.
 */
export function succeed(
  outcome: JsonObject,
  extra: Partial<Record<Exclude<Source, "outcome">, JsonObject>> = {},
): ToolResult {
  return { failed: false, parts: toParts({ outcome, ...extra }) };
}

/** `error`: a sentence that tells the model what to do next. */
export function fail(code: string, error: string, facts: JsonObject = {}): ToolResult {
  return { failed: true, parts: toParts({ outcome: { error, code, ...facts } }) };
}

/** Adds facts from the harness to a result. */
export function addToOutcome(result: ToolResult, facts: JsonObject): ToolResult {
  const text = JSON.stringify({ ...readOutcome(result), ...facts });
  return {
    ...result,
    parts: [{ source: "outcome", text }, ...result.parts.filter(({ source }) => source !== "outcome")],
  };
}

/** The facts from the harness in a result. */
export function readOutcome({ parts }: ToolResult): JsonObject {
  const outcome = parts.find(({ source }) => source === "outcome");
  return outcome ? (JSON.parse(outcome.text) as JsonObject) : {};
}

/** How long something took, in facts from the harness. It differs when nothing else does. */
const TIMES = /"(?:ms|duration_ms)":\d+|\b\d+ ms\b/g;

/** Equal for equal results, apart from times. */
export function toPrint({ failed, parts }: ToolResult): string {
  const texts = parts.map(({ source, text }) => `${source} ${source === "outcome" ? text.replace(TIMES, "") : text}`);
  return sha256Hex([failed, ...texts].join("\n"));
}

function toParts(bySource: Partial<Record<Source, JsonObject>>): Part[] {
  return Object.entries(bySource).map(([source, value]) => ({ source: source as Source, text: JSON.stringify(value) }));
}

/** For readers of a session: one JSON object with the keys of all parts. */
export function renderParts(parts: Part[]): string {
  const [only] = parts;
  if (only && parts.length === 1 && !only.text.includes("\n")) return only.text;
  return JSON.stringify(Object.assign({}, ...parts.map((part) => JSON.parse(part.text) as JsonObject)));
}

const OPEN = "<content>";
const CLOSE = "</content>";

/**
 * For models: one line of JSON with the harness's facts and the model's own text, then the JSON from outside between tags. Tags in
 * the JSON are escaped, so text from outside cannot imitate the closing tag or a message from the person.
 */
export function renderForModel(parts: Part[]): string {
  const ours = parts.filter((part) => part.source !== "content");
  const theirs = parts.filter((part) => part.source === "content");
  const line = escapeTagsInJson(renderParts(ours));
  return theirs.length === 0 ? line : [line, OPEN, escapeTagsInJson(renderParts(theirs)), CLOSE].join("\n");
}

/** The inverse of `renderForModel`: all fields as one object; `null` if the text is not a result. */
export function readRendered(text: string): JsonObject | null {
  const [ours, open, theirs] = text.split("\n");
  try {
    return { ...parseObject(ours ?? ""), ...(open === OPEN ? parseObject(theirs ?? "") : {}) };
  } catch {
    return null; // plain text, or a result that was cut short
  }
}

function parseObject(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new TypeError("not an object");
  return value as JsonObject;
}
