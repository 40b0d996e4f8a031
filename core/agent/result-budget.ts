// How much of a model's window the results of tools may take. What is too long goes into a file and leaves its beginning
// and the file's path; without a place for files it is cut. A result that was seen before leaves a line. Used by
// tool-calls.ts, before a result is recorded.
import { headOf } from "../clip.ts";
import type { Result } from "../errors.ts";
import type { JsonObject, Part, ToolCall } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import type { ToolResult } from "./contract.ts";
import { addToOutcome } from "./tool-result.ts";

// Hermes Agent: a result may take 15 % of the window and those of a turn 30 %, at four characters a token, but never less
// than some characters; a result in a file shows its first 1,500, and one seen before is left out from 512 on. Its 8,000 and
// 16,000 characters at the least are half of a window of 8,000 tokens, so ours are less.
const CHARS_PER_TOKEN = 4;
const RESULT_SHARE = 0.15;
const TURN_SHARE = 0.3;
const MIN_RESULT_CHARS = 2_500;
const MIN_TURN_CHARS = 5_000;
const PREVIEW_CHARS = 1_500;
const MIN_REPEAT_CHARS = 512;
const ARGS_PREVIEW_CHARS = 120;

/** A field up to this long stays in the result when the others go into a file. */
const SMALL_CHARS = 500;
/** What is left of a part in a file. A result this short is never moved, however full the turn is. */
const MAX_REST_CHARS = 2_000;

export interface ResultBudget {
  /** The result as it is, or what is shown of it. `keeps`: it has a limit of its own. */
  fit(result: ToolResult, place: string, keeps: boolean): Promise<ToolResult>;
  /** Takes in a result that an earlier run recorded. */
  count(result: ToolResult): void;
}

/** For one turn. `contextWindow`: tokens that the model that reads next has beside its prompt and its tools. */
export function createResultBudget(options: {
  limits: { maxResultChars: number; maxTurnResultChars: number };
  contextWindow(): number;
  spill?(place: string, text: string): Promise<Result<string>>;
}): ResultBudget {
  const { limits, spill } = options;
  let used = 0;

  function roomFor(): number {
    const windowChars = options.contextWindow() * CHARS_PER_TOKEN;
    const perResult = scale(limits.maxResultChars, windowChars * RESULT_SHARE, MIN_RESULT_CHARS);
    const perTurn = scale(limits.maxTurnResultChars, windowChars * TURN_SHARE, MIN_TURN_CHARS);
    return Math.min(perResult, Math.max(perTurn - used, MAX_REST_CHARS));
  }

  return {
    async fit(result, place, keeps) {
      const room = roomFor();
      let shown = result;
      if (!keeps && sizeOf(result) > room) {
        const { text, rest, worst } = takeApart(result);
        const kept = spill && text !== "" ? await spill(place, text) : null;
        shown = kept?.ok ? withPreview(rest, { text, path: kept.value, worst }) : cutResult(result, room);
      }
      used += sizeOf(shown);
      return shown;
    },
    count(result) {
      used += sizeOf(result);
    },
  };
}

/** In place of a result that stands above already; `null` for one that is short, or holds more than text. */
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

function sizeOf(result: ToolResult): number {
  return result.parts.reduce((sum, part) => sum + part.text.length, 0);
}

/** The long fields as one readable text, the result without them, and the source of whichever is trusted least. */
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
  const worst = (["content", "own"] as const).find((source) => moved.some((field) => field.source === source));
  return { text, rest: { ...result, parts }, worst: worst ?? "outcome" };
}

/** With its lines as lines, so that a file of it can be searched and read in pieces. */
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

/** Long texts keep their beginning, each as much as the others; of what is long and no text nothing stays. */
function cutResult(result: ToolResult, maxChars: number): ToolResult {
  const fields = result.parts.flatMap((part) =>
    Object.entries(readPart(part)).map(([key, value]) => ({ part, key, value, chars: JSON.stringify(value).length })),
  );
  const isText = (field: { value: unknown }) => typeof field.value === "string";
  const short = fields.filter((field) => field.chars <= SMALL_CHARS);
  const kept = short.reduce((sum, field) => sum + field.key.length + field.chars + JSON_CHARS, 0);
  const long = fields.filter((field) => field.chars > SMALL_CHARS && isText(field));
  const each = Math.floor((maxChars - kept) / Math.max(1, long.length)) - JSON_CHARS;
  // A crowd of short fields leaves no room: then the parts that hold them go.
  const stays = (field: { chars: number; value: unknown }) =>
    field.chars <= SMALL_CHARS ? kept <= maxChars : isText(field) && each > 0;
  const parts = result.parts.map((part): Part => {
    const own = fields.filter((field) => field.part === part && stays(field));
    const cut = own.map(({ key, value, chars }) => [key, chars <= SMALL_CHARS ? value : clipJson(String(value), each)]);
    return { source: part.source, text: JSON.stringify(Object.fromEntries(cut)) };
  });
  return addToOutcome({ ...result, parts }, { cut: true });
}

/** Quotes, colon and comma around a field. */
const JSON_CHARS = 6;

/** At most so many characters of JSON: a quote takes two. */
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
