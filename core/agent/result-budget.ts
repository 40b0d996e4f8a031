// Limits the share of a model's window that tool results take. A result that is too long goes into a file, and its beginning and
// the file's path remain; without a place for files it is cut. A repeated result becomes one line. Used by tool-calls.ts before
// a result is recorded.
import { headOf } from "../clip.ts";
import type { Result } from "../errors.ts";
import type { JsonObject, Part, ToolCall } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import type { ToolResult } from "./contract.ts";
import { addToOutcome } from "./tool-result.ts";

// From Hermes Agent: one result may take 15 % of the window and all results of a turn 30 %, at four characters a token. A result in a
// file shows its first 1,500 characters; a repeated one is replaced from 512 characters on. Its minimums of 8,000 and 16,000
// characters are half of a window of 8,000 tokens, so ours are smaller.
const CHARS_PER_TOKEN = 4;
const RESULT_SHARE = 0.15;
const TURN_SHARE = 0.3;
const MIN_RESULT_CHARS = 2_500;
const MIN_TURN_CHARS = 5_000;
const PREVIEW_CHARS = 1_500;
const MIN_REPEAT_CHARS = 512;
const ARGS_PREVIEW_CHARS = 120;

/** A field up to this long stays in the result when longer ones go into a file. */
const SMALL_CHARS = 500;
/** Limit for the short fields that stay of a part. A result this short is never moved, even in a full turn. */
const MAX_REST_CHARS = 2_000;

export interface ResultBudget {
  /** The result, shortened if needed. `keeps`: the tool limits its results itself, so the result stays as it is. */
  fit(result: ToolResult, place: string, keeps: boolean): Promise<ToolResult>;
  /** Counts a result that an earlier attempt recorded. */
  count(result: ToolResult): void;
}

/** For one turn. `contextWindow`: the window of the model that reads next, in a small window without its prompt and tools. */
export function createResultBudget(options: {
  limits: { maxResultChars: number; maxTurnResultChars: number };
  contextWindow(): number;
  spill?(place: string, text: string): Promise<Result<string>>;
}): ResultBudget {
  const { limits, spill } = options;
  let used = 0;

  function measureRoom(): number {
    const windowChars = options.contextWindow() * CHARS_PER_TOKEN;
    const perResult = scale(limits.maxResultChars, windowChars * RESULT_SHARE, MIN_RESULT_CHARS);
    const perTurn = scale(limits.maxTurnResultChars, windowChars * TURN_SHARE, MIN_TURN_CHARS);
    return Math.min(perResult, Math.max(perTurn - used, MAX_REST_CHARS));
  }

  return {
    async fit(result, place, keeps) {
      const room = measureRoom();
      let shown = result;
      if (!keeps && countChars(result) > room) {
        const { text, rest, worst } = takeApart(result);
        const kept = spill && text !== "" ? await spill(place, text) : null;
        shown = kept?.ok ? withPreview(rest, { text, path: kept.value, worst }) : cutResult(result, room);
      }
      used += countChars(shown);
      return shown;
    },
    count(result) {
      used += countChars(result);
    },
  };
}

/** One line that refers to the same result above; `null` if the result is short or has fields that are not text. */
export function toRepeat(result: ToolResult, call: ToolCall): ToolResult | null {
  const body = result.parts.filter((part) => part.source !== "outcome");
  if (body.reduce((sum, part) => sum + part.text.length, 0) < MIN_REPEAT_CHARS) return null;
  const isText = body.every((part) => Object.values(readPart(part)).every((field) => typeof field === "string"));
  if (!isText) return null;
  const outcome = { ...result, parts: result.parts.filter((part) => part.source === "outcome") };
  const args = headOf(JSON.stringify(call.args), ARGS_PREVIEW_CHARS);
  return addToOutcome(outcome, { repeated: `${call.name} ${args} gave this result before: read it above.` });
}

function scale(limit: number, share: number, floor: number): number {
  return Math.min(limit, Math.max(Math.floor(share), floor));
}

function countChars(result: ToolResult): number {
  return result.parts.reduce((sum, part) => sum + part.text.length, 0);
}

/** The long fields as one readable text, the result without them, and the least trusted source among them. */
function takeApart(result: ToolResult): { text: string; rest: ToolResult; worst: Source } {
  const moved: { key: string; text: string; source: Source }[] = [];
  const parts = result.parts.flatMap((part): Part[] => {
    const fields = Object.entries(readPart(part));
    const short = fields.filter(([, value]) => JSON.stringify(value).length <= SMALL_CHARS);
    const kept = JSON.stringify(short).length <= MAX_REST_CHARS ? short : [];
    const long = fields.filter((field) => !kept.includes(field));
    for (const [key, value] of long) moved.push({ key, text: toReadable(value), source: part.source });
    return kept.length === 0 ? [] : [{ source: part.source, text: JSON.stringify(Object.fromEntries(kept)) }];
  });
  const text =
    moved.length === 1 ? moved[0]!.text : moved.map((field) => `=== ${field.key} ===\n${field.text}`).join("\n");
  const worst = (["content", "own", "principal"] as const).find((source) =>
    moved.some((field) => field.source === source),
  );
  return { text, rest: { ...result, parts }, worst: worst ?? "outcome" };
}

/** Lines stay lines, so that the file can be searched and read in pieces. */
function toReadable(value: unknown): string {
  if (typeof value === "string") return value;
  const isLines = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isLines ? value.join("\n") : JSON.stringify(value, null, 1);
}

function withPreview(rest: ToolResult, whole: { text: string; path: string; worst: Source }): ToolResult {
  const { text, path, worst } = whole;
  const preview: Part = { source: worst, text: JSON.stringify({ preview: headOf(text, PREVIEW_CHARS) }) };
  const moved = `The result is too long to be shown: its ${text.length} characters are in ${path}, and preview is how they begin. Read it by lines with read_file, or find what you need with search_files.`;
  return addToOutcome({ ...rest, parts: [...rest.parts, preview] }, { moved });
}

/** Long texts keep their beginnings, in equal shares. Long fields that are not text are dropped. */
function cutResult(result: ToolResult, maxChars: number): ToolResult {
  const fields = result.parts.flatMap((part) =>
    Object.entries(readPart(part)).map(([key, value]) => ({ part, key, value, chars: JSON.stringify(value).length })),
  );
  const isText = (field: { value: unknown }) => typeof field.value === "string";
  const short = fields.filter((field) => field.chars <= SMALL_CHARS);
  const kept = short.reduce((sum, field) => sum + field.key.length + field.chars + JSON_CHARS, 0);
  const long = fields.filter((field) => field.chars > SMALL_CHARS && isText(field));
  const each = Math.floor((maxChars - kept) / Math.max(1, long.length)) - JSON_CHARS;
  // If the short fields alone exceed the limit, they are dropped.
  const fitsIn = (field: { chars: number; value: unknown }) =>
    field.chars <= SMALL_CHARS ? kept <= maxChars : isText(field) && each > 0;
  const parts = result.parts.map((part): Part => {
    const own = fields.filter((field) => field.part === part && fitsIn(field));
    const cut = own.map(({ key, value, chars }) => [key, chars <= SMALL_CHARS ? value : clipJson(String(value), each)]);
    return { source: part.source, text: JSON.stringify(Object.fromEntries(cut)) };
  });
  return addToOutcome({ ...result, parts }, { cut: true });
}

/** Quotes, colon and comma around a field. */
const JSON_CHARS = 6;

/** `maxChars` counts JSON characters: a quote takes two. */
function clipJson(text: string, maxChars: number): string {
  let short = headOf(text, maxChars);
  for (let chars = JSON.stringify(short).length - 2; chars > maxChars; chars = JSON.stringify(short).length - 2) {
    short = headOf(short, Math.floor((short.length * maxChars) / chars));
  }
  return short;
}

function readPart(part: Part): JsonObject {
  return JSON.parse(part.text) as JsonObject;
}
