// What a tool call shows a person: a line about it, what it changed, what it answered. Used by tool-row.tsx. Pure.
import type { JsonObject } from "../../../core/schemas/entry.ts";

/** `patch`: lines of a unified difference, as the server made it. */
export type Change =
  | { kind: "texts"; name: string; before: string | null; after: string }
  | { kind: "patch"; name: string; patch: string };

const MAIN = ["command", "path", "pattern", "name", "query", "url", "goal", "question", "content"];

/** The most informative argument of a call, on one line. */
export function summarise(args: JsonObject): string {
  const [first] = Array.isArray(args.operations) ? (args.operations as unknown[]) : [];
  const merged: JsonObject = isObject(first) ? { ...first, ...args } : args;
  const main = MAIN.find((key) => typeof merged[key] === "string");
  const action = typeof merged.action === "string" ? `${merged.action} ` : "";
  const text = main === undefined ? JSON.stringify(args) : `${action}${String(merged[main])}`;
  const line = (text === "{}" ? "" : text).replace(/\s+/g, " ").trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

const MAX_LINE = 300;
const WRITERS = new Set(["patch", "write_file", "skill_manage"]);

/** Changes of files and skills. Empty for other calls, and for those that failed. */
export function toChanges(name: string, args: JsonObject, result: JsonObject | null, failed: boolean): Change[] {
  if (failed || !WRITERS.has(name)) return [];
  if (typeof result?.diff === "string" && result.diff !== "") {
    return [{ kind: "patch", name: nameOf(args), patch: result.diff }];
  }
  const operations = Array.isArray(args.operations) ? (args.operations as unknown[]) : [args];
  return operations.flatMap((one) => (isObject(one) ? toChange({ ...args, ...one }) : []));
}

function toChange(one: JsonObject): Change[] {
  const { old_string: before, new_string: after, content, file_content: file, patch } = one;
  const name = nameOf(one);
  if (typeof before === "string" && typeof after === "string") return [{ kind: "texts", name, before, after }];
  if (typeof patch === "string") return [{ kind: "patch", name, patch }];
  const whole = [content, file].find((text) => typeof text === "string");
  return typeof whole === "string" && whole !== "" ? [{ kind: "texts", name, before: null, after: whole }] : [];
}

function nameOf({ path, file_path: file, name }: JsonObject): string {
  return ([path, file, name].find((one) => typeof one === "string") as string | undefined) ?? "the file";
}

/** The fields in which tools answer what a person wants to read. Every other answer is shown as JSON. */
const TEXTS = ["error", "stdout", "stderr", "content", "text", "output"];

/** What the tool answered. `isJson`: it is shown as it is. */
export function toResultText(raw: string, hasChange: boolean): { text: string; isJson: boolean } {
  const result = parseResult(raw);
  if (result === null) return { text: raw.trim(), isJson: false };
  const texts = TEXTS.map((key) => result[key]).filter((text) => typeof text === "string" && text.trim() !== "");
  if (texts.length > 0) return { text: texts.join("\n").trimEnd(), isJson: false };
  return hasChange ? { text: "", isJson: true } : { text: JSON.stringify(result, null, 2), isJson: true };
}

export function parseResult(raw: string | null): JsonObject | null {
  try {
    const value: unknown = JSON.parse(raw ?? "");
    return isObject(value) ? value : null;
  } catch {
    return null; // a text, not an object
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
