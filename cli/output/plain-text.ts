// Texts of models, people and files as plain text, for a terminal, a table or a file. Pure; the page uses it, too.
import type { JsonObject } from "../../core/schemas/entry.ts";

/** The most informative argument of a call, on one line. */
export function summarise(args: JsonObject): string {
  const [first] = Array.isArray(args.operations) ? args.operations : [];
  // The first operation represents a list. Arguments next to the list belong to every operation.
  const mergedArgs: JsonObject =
    typeof first === "object" && first !== null && !Array.isArray(first) ? { ...first, ...args } : args;
  const mainArgument = ["command", "path", "pattern", "name", "query", "content"].find(
    (key) => typeof mergedArgs[key] === "string",
  );
  const action = typeof mergedArgs.action === "string" ? `${mergedArgs.action} ` : "";
  const text = mainArgument ? `${action}${String(mergedArgs[mainArgument])}` : JSON.stringify(args);
  return toOneLine(text);
}

/** Control characters, line separators, and bidirectional marks and overrides, except line feeds and tabs. */
const CONTROL = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

export function toPlain(text: string): string {
  return text.replace(CONTROL, "");
}

/** Every text in it without control characters. */
export function toPlainDeep<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === "string" ? toPlain(one) : one)) as T;
}

export function toOneLine(text: string): string {
  return toPlain(text).replace(/\s+/g, " ").trim();
}

/** A stranger's text on one line: a character that does not show, or that turns the direction, becomes a sign that is seen. */
export function toSeenLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, " ").replace(CONTROL, "\ufffd").trim();
}

/** JSON with every control character escaped, also those that JSON allows. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
