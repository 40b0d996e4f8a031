// The tool read_file: one text file of the workspace, whole or by lines. Changes nothing.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { readImageHeader } from "../../images/read-header.ts";
import { describeFacts } from "../../images/sentence.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { fitsIn, jsonChars, takeStart } from "../clip.ts";
import { type FileToolOptions, canonicalPath } from "./file-tool-options.ts";
import { describeMissing } from "./nearest-paths.ts";

/** `base`: what paths are relative to. */
export function toReadArgs(base: string) {
  return z.strictObject({
    path: z.string().describe(`Path of the file, relative to ${base}, such as data/table.csv.`),
    offset: z.int().min(1).optional().describe("The first line to read, counted from 1."),
    limit: z.int().min(1).optional().describe("How many lines to read."),
  });
}
const Args = toReadArgs("/work");
type Args = z.infer<typeof Args>;

export const READING =
  "Without offset and limit the whole file comes back, cut when it is too long for " +
  "one result; then `more` says how to read on. `lines` is the number of lines the file has. To look at a large file, " +
  "ask for its first lines; to find or count something in it, use search_files or terminal.";

export function createReadFile({ workspace, settings }: Pick<FileToolOptions, "workspace" | "settings">): Tool<Args> {
  return {
    name: "read_file",
    description: `Reads a text file of the workspace. ${READING}`,
    parameters: Args,
    effect: "read",
    staysInside: true,
    keepsResults: true,
    paths: ({ path }) => ({ reads: [canonicalPath(workspace, path)], writes: [] }),
    async run(args) {
      const located = workspace.locate(args.path);
      if (!located.ok) return fail(located.failure.code, located.failure.message);
      const file = workspace.readText(args.path);
      if (!file)
        return describeAbsence(
          located.value,
          workspace.list().map((file) => file.path),
        );
      const { text, size } = file;
      if (text === null) return refuseBinary(located.value, size, workspace.read(args.path));
      return showLines({
        path: located.value,
        bytes: size,
        text,
        args,
        label: workspace.labelOf(args.path),
        maxChars: settings.turn.maxResultChars,
      });
    },
  };
}

/** `content`: the whole file, or as much of it as an image's header takes; absent: it is not looked at. */
export function refuseBinary(path: string, bytes: number, content: Uint8Array | null = null): ToolResult {
  const header = content && readImageHeader(content);
  if (header) {
    const hint = "Use vision_analyze to ask what it shows. Without that tool, say that you cannot see images.";
    return fail("image_file", `'${path}' is an image (${describeFacts({ ...header, bytes })}), not text. ${hint}`);
  }
  const hint = `Look at it with terminal, for example: head -c 200 '${path}' | od -c`;
  return fail("binary_file", `'${path}' is not UTF-8 text (${bytes} bytes). ${hint}`);
}

function describeAbsence(path: string, paths: string[]): ToolResult {
  const inside = path === "" ? paths : paths.filter((other) => other.startsWith(`${path}/`));
  if (path === "" || inside.length > 0) {
    const some = inside.slice(0, 20).join(", ") || "nothing yet";
    return fail("is_folder", `'${path || "/work"}' is a folder. Read one of its files: ${some}.`);
  }
  return fail("not_found", describeMissing(path, paths));
}

export interface FileReading {
  path: string;
  bytes: number;
  text: string;
  args: Args;
  /** The source of the file's text. */
  label: "own" | "content";
  maxChars: number;
}

/** Must not make an array of all lines: for the largest file that would exceed the memory. */
export function showLines({ path, bytes, text, args, label, maxChars }: FileReading): ToolResult {
  const total = countLines(text);
  const first = args.offset ?? 1;
  if (first > Math.max(1, total)) {
    const refusal = fail("past_end", `'${path}' has ${total} lines: ask for an offset of at most ${total}.`);
    return { ...refusal, parts: [...refusal.parts, { source: label, text: JSON.stringify({ lines: total }) }] };
  }
  const start = skipLines(text, 0, first - 1);
  const count = Math.min(args.limit ?? total, total - first + 1);
  const end = skipLines(text, start, count);
  const outcome: JsonObject = { path, lines: total, truncated: false, bytes };
  if (count < total) outcome.shown = `${first}-${first + count - 1}`;
  const room = maxChars - JSON.stringify(outcome).length - NOTE_CHARS;
  const whole = text.slice(start, end);
  if (fitsIn(whole, room)) return succeed(outcome, { [label]: { content: whole } });

  const fitting = takeLines(text, start, room);
  const last = first + fitting.lines - 1;
  if (fitting.lines === 0) {
    outcome.shown = `${first}-${first}`;
    outcome.more = `Line ${first} alone is too long for one result: use terminal (cut -c, grep -o, jq) to see parts of it.`;
  } else {
    outcome.shown = `${first}-${last}`;
    outcome.more = `Lines ${first} to ${last} are shown: call again with offset ${last + 1}, or pick what you need with search_files or terminal.`;
  }
  outcome.truncated = true;
  const content = fitting.lines === 0 ? takeStart(text.slice(start, end), room) : text.slice(start, fitting.end);
  return succeed(outcome, { [label]: { content } });
}

/** Room for `more`, `shown` and the braces. */
const NOTE_CHARS = 300;

function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The offset after this many lines. */
function skipLines(text: string, from: number, lines: number): number {
  let at = from;
  for (let i = 0; i < lines; i++) {
    const newline = text.indexOf("\n", at);
    if (newline === -1) return text.length;
    at = newline + 1;
  }
  return at;
}

/** The whole lines that fit into `room`. */
function takeLines(text: string, start: number, room: number): { lines: number; end: number } {
  let used = 0;
  let end = start;
  for (let lines = 0; ; lines++) {
    const next = skipLines(text, end, 1);
    const line = text.slice(end, next);
    if (next === end || !fitsIn(line, room - used)) return { lines, end };
    used += jsonChars(line);
    end = next;
  }
}
