// The tool search_files: finds lines or names of files by a pattern. Patterns run in the shell's grep, whose engine takes
// linear time. So a pattern that is written to be slow, by a model or a page it read, does no harm.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { FileInfo } from "../../schemas/api.ts";
import { jsonChars, takeStart } from "../clip.ts";
import { type FileToolOptions, canonicalPath } from "./file-tool-options.ts";
import { describeMissing } from "./nearest-paths.ts";
import { runShell } from "../shell/shell.ts";

// Of one result.
export const MAX_LINES = 200;
const MAX_LINE_CHARS = 500;
const TIMEOUT_MS = 5_000;
/** Linear time is still slow on megabytes, and a running match cannot be stopped. */
const MAX_SEARCHED_FILE_BYTES = 2 << 20;
// The files of one run of grep.
const MAX_BATCH_BYTES = 4 << 20;
const MAX_BATCH_FILES = 1_000;
/** How many files that are too large the result names. */
const MAX_SKIPPED_NAMED = 10;

/** `engine`: what the pattern may not use. `base`: what is searched by default. */
export function toSearchArgs(engine: string, base: string) {
  return z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(1_000)
      .describe(`A regular expression (${engine}). Begin it with (?i) to ignore case.`),
    path: z.string().optional().describe(`A file or a folder to search in. Default: ${base}.`),
    glob: z.string().min(1).max(300).optional().describe("Only files of this form, such as *.csv or reports/**/*.md."),
    mode: z
      .enum(["content", "names"])
      .optional()
      .describe("content: lines that match, as path:line:text. names: paths that match. Default: content."),
  });
}
const Args = toSearchArgs("RE2: no look-around, no back-references", "the whole workspace");
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Searches the text files of the workspace for a regular expression and returns the lines that match, or, with mode " +
  `names, the paths that match. At most ${MAX_LINES} come back; \`truncated\` says that there are more. Files of more than ` +
  "2 MB are named instead of searched: use grep in terminal for those.";

export function createSearchFiles(options: FileToolOptions): Tool<Args> {
  const { workspace } = options;
  return {
    name: "search_files",
    description: DESCRIPTION,
    parameters: Args,
    effect: "read",
    staysInside: true,
    paths: ({ path }) => ({ reads: [canonicalPath(workspace, path ?? workspace.root)], writes: [] }),
    async run(args, { signal }) {
      const search: FileSearch = { ...options, signal, began: options.clock?.now() ?? 0 };
      const chosen = await chooseFiles(search, args);
      if (!chosen.ok) return fail(chosen.failure.code, chosen.failure.message);
      const isByName = args.mode === "names";
      const { searched, skipped } = isByName ? { searched: chosen.value, skipped: [] } : splitBySize(chosen.value);
      const paths = searched.map((file) => file.path);
      const found = isByName
        ? await matchPaths(search, args.pattern, paths)
        : await matchLines(search, args.pattern, searched);
      if (!found.ok) return fail(found.failure.code, found.failure.message);
      // Lines of several files have the worst source among these files.
      const label = paths.every((path) => workspace.labelOf(path) === "own") ? "own" : "content";
      return showMatches(found.value, skipped, label, options.settings.turn.maxResultChars);
    },
  };
}

type FileSearch = FileToolOptions & { signal: AbortSignal; began: number };

/** The files that match `path` and `glob`. */
async function chooseFiles(search: FileSearch, { path, glob }: Args): Promise<Result<FileInfo[]>> {
  const { workspace } = search;
  const located = workspace.locate(path ?? workspace.root);
  if (!located.ok) return located;
  const all = workspace.list();
  const under = located.value === "" ? all : all.filter((file) => isIn(file.path, located.value));
  if (under.length === 0 && located.value !== "") {
    const paths = all.map((file) => file.path);
    return err("not_found", describeMissing(located.value, paths));
  }
  if (glob === undefined) return ok(under);
  const fitting = await matchPaths(
    search,
    globToPattern(glob),
    under.map((file) => file.path),
  );
  if (!fitting.ok) return fitting;
  const chosen = new Set(fitting.value);
  return ok(under.filter((file) => chosen.has(file.path)));
}

function splitBySize(files: FileInfo[]): { searched: FileInfo[]; skipped: string[] } {
  const isSmall = (file: FileInfo) => file.size <= MAX_SEARCHED_FILE_BYTES;
  return { searched: files.filter(isSmall), skipped: files.filter((file) => !isSmall(file)).map((file) => file.path) };
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

async function matchPaths(search: FileSearch, pattern: string, paths: string[]): Promise<Result<string[]>> {
  return paths.length === 0 ? ok([]) : grep(search, pattern, [], paths.map((path) => `${path}\n`).join(""));
}

/** Searches in batches: all files of a full workspace would not fit into memory. */
async function matchLines(search: FileSearch, pattern: string, files: FileInfo[]): Promise<Result<string[]>> {
  const lines: string[] = [];
  for (let rest = files; rest.length > 0 && lines.length <= MAX_LINES;) {
    const count = countBatch(rest);
    const paths = rest.slice(0, count).map((file) => file.path);
    const found = await grep(search, pattern, ["-n", "-m", String(MAX_LINES + 1), "--", ...paths]);
    if (!found.ok) return found;
    // grep names the file only when there are several, and shows lines of binary files too.
    const named = paths.length === 1 ? found.value.map((line) => `${paths[0]}:${line}`) : found.value;
    lines.push(...named.filter((line) => !line.includes("\0")));
    rest = rest.slice(count);
  }
  return ok(lines);
}

/** How many of the first files form one batch; at least one. */
function countBatch(files: FileInfo[]): number {
  let bytes = 0;
  let count = 0;
  for (const { size } of files.slice(0, MAX_BATCH_FILES)) {
    bytes += size;
    if (bytes > MAX_BATCH_BYTES && count > 0) break;
    count++;
  }
  return count;
}

async function grep(search: FileSearch, pattern: string, args: string[], stdin?: string): Promise<Result<string[]>> {
  const ignoresCase = pattern.startsWith("(?i)");
  const expression = ignoresCase ? ["-i", "-e", pattern.slice(4)] : ["-e", pattern];
  const run = await runShell("grep", {
    workspace: search.workspace,
    clock: search.clock,
    signal: search.signal,
    timeoutMs: Math.max(1, TIMEOUT_MS - ((search.clock?.now() ?? search.began) - search.began)),
    args: ["-P", ...expression, ...args],
    stdin,
  });
  if (run.exitCode === 0 || run.exitCode === 1) return ok(run.stdout.split("\n").filter((line) => line !== ""));
  if (run.stopped) return err("search_limit", "There is too much to search at once: narrow it with path or glob.");
  return err("bad_pattern", `${run.stderr.trim()}. Write it for RE2, and escape characters that are meant literally.`);
}

/** `**` crosses folders; `*` and `?` do not. A glob without a slash matches file names only. */
export function globToPattern(glob: string): string {
  const tokens = glob.match(/\*\*\/|\*\*|[^]/gu) ?? [];
  let depth = 0;
  const body = tokens.map((token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token === "{" && glob.includes("}")) {
      depth++;
      return "(?:";
    }
    if (token === "}" && depth > 0) {
      depth--;
      return ")";
    }
    if (token === "," && depth > 0) return "|";
    return token.replace(/[.+^$()|[\]{}\\]/, "\\$&");
  });
  return `^${glob.includes("/") ? "" : "(?:.*/)?"}${body.join("")}${")".repeat(depth)}$`;
}

export function showMatches(
  found: string[],
  skipped: string[],
  label: "own" | "content",
  maxChars: number,
): ToolResult {
  const lines: string[] = [];
  const note = skipped.length > 0 ? { too_large_to_search: skipped.slice(0, MAX_SKIPPED_NAMED) } : {};
  let room = maxChars - ENVELOPE_CHARS - JSON.stringify(note).length;
  for (const line of found.slice(0, MAX_LINES)) {
    const shown = line.length > MAX_LINE_CHARS ? `${takeStart(line, MAX_LINE_CHARS)}...` : line;
    room -= jsonChars(shown) + 3;
    if (room < 0) break;
    lines.push(shown);
  }
  const outcome = { matches: lines.length, truncated: lines.length < found.length, ...note };
  return succeed(outcome, { [label]: { lines } });
}

/** Room for the result's JSON around the lines. */
const ENVELOPE_CHARS = 100;
