// A tool call as a row of the transcript: one line, and below it what it changed or printed. Folded it shows the first lines of a
// change; unfolded everything that the terminal has of it. Used by transcript.ts.
import { createTwoFilesPatch } from "diff";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { summarise, toOneLine } from "../../output/plain-text.ts";
import { Rows, clean, wrapRows } from "./lines.ts";
import type { Theme } from "./theme.ts";

/** Rows below a folded call that changed something. */
const FOLDED_ROWS = 8;
/** Rows below an unfolded call. A result of a megabyte would make every later frame slow. */
const MAX_ROWS = 400;
const GUTTER = "    ";

export interface ToolCallView {
  name: string;
  args: JsonObject;
}

export class ToolRow extends Rows {
  readonly #call: ToolCallView;
  readonly #theme: Theme;
  readonly #isFolded: () => boolean;
  #outcome: { failed: boolean; result: string } | null = null;

  constructor(call: ToolCallView, theme: Theme, isFolded: () => boolean) {
    super();
    this.#call = call;
    this.#theme = theme;
    this.#isFolded = isFolded;
  }

  end(failed: boolean, result: string): void {
    this.#outcome = { failed, result };
    this.invalidate();
  }

  protected build(width: number): string[] {
    const { faint, good, bad, accent } = this.#theme;
    const outcome = this.#outcome;
    const mark = outcome === null ? accent("…") : outcome.failed ? bad("✗") : good("✓");
    const head = `  ${mark} ${toOneLine(this.#call.name)} ${faint(clean(summarise(this.#call.args)))}`;
    const { change, text } = describeOutcome(this.#call, outcome);
    if (!this.#isFolded()) {
      const body = [
        ...change,
        ...(change.length > 0 && text !== "" ? [""] : []),
        ...(text === "" ? [] : text.split("\n")),
      ];
      return [head, ...this.#toRows(body, width, MAX_ROWS)];
    }
    if (change.length > 0) return [head, ...this.#toRows(change, width, FOLDED_ROWS)];
    return outcome?.failed ? [head, ...this.#toRows(text.split("\n"), width, 2)] : [head];
  }

  #toRows(lines: string[], width: number, most: number): string[] {
    const shown = lines.length > most ? lines.slice(0, most) : lines;
    const rows = shown.flatMap((line) => wrapRows(this.#style(clean(line)), width, GUTTER));
    const left = lines.length - shown.length + Math.max(0, rows.length - MAX_ROWS);
    const more = left > 0 ? [`${GUTTER}${this.#theme.faint(`… ${left} more lines`)}`] : [];
    return [...rows.slice(0, MAX_ROWS), ...more];
  }

  #style(line: string): string {
    if (line.startsWith("+")) return this.#theme.added(line);
    if (line.startsWith("-")) return this.#theme.removed(line);
    return this.#theme.faint(line);
  }
}

/** `change`: lines of a unified difference without its head. `text`: what the tool answered, for a person. */
export function describeOutcome(
  call: ToolCallView,
  outcome: { failed: boolean; result: string } | null,
): { change: string[]; text: string } {
  const result = parseObject(outcome?.result ?? "");
  const written = outcome?.failed || !WRITERS.has(call.name) ? [] : describeChange(call.args, result);
  return { change: written, text: outcome === null ? "" : describeText(result, outcome.result, written.length > 0) };
}

/** Tools whose arguments or results show a change of a file or a skill. */
const WRITERS: ReadonlySet<string> = new Set(["patch", "write_file", "skill_manage"]);

function describeChange(args: JsonObject, result: JsonObject | null): string[] {
  if (typeof result?.diff === "string") return stripHead(result.diff);
  const operations = Array.isArray(args.operations) ? (args.operations as unknown[]) : [args];
  return operations.flatMap((one) => (isObject(one) ? describeOperation(one) : []));
}

/** The texts that a call wrote, as it named them: a replaced passage, or a whole new text. */
function describeOperation(one: JsonObject): string[] {
  const { old_string: before, new_string: after, content, file_content: file } = one;
  if (typeof before === "string" && typeof after === "string") {
    return stripHead(createTwoFilesPatch("a", "b", before, after, undefined, undefined, { context: 2 }));
  }
  const whole = [content, file].find((text) => typeof text === "string");
  return typeof whole === "string" && whole !== ""
    ? whole
        .trimEnd()
        .split("\n")
        .map((line) => `+${line}`)
    : [];
}

function stripHead(diff: string): string[] {
  return diff
    .trimEnd()
    .split("\n")
    .filter((line) => !/^(?:={5,}|--- |\+\+\+ |\\ No newline|Index: )/.test(line));
}

/** The fields in which tools answer what a person wants to read. Every other answer is shown as JSON. */
const TEXTS = ["error", "stdout", "stderr", "content", "text", "output"];

function describeText(result: JsonObject | null, raw: string, hasChange: boolean): string {
  if (result === null) return raw.trim();
  const texts = TEXTS.map((key) => result[key]).filter((text) => typeof text === "string" && text.trim() !== "");
  if (texts.length > 0) return texts.join("\n").trimEnd();
  return hasChange ? "" : JSON.stringify(result, null, 2);
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // a text, not an object
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
