// The tools read_file, write_file and search_files of a session on a real machine. They have the arguments and the results of those of
// the workspace, and work on the exec host. A write that was cut off is asked after by its op and never repeated.
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { READING, refuseBinary, showLines, toReadArgs } from "../files/read-file.ts";
import { MAX_LINES, globToPattern, showMatches, toSearchArgs } from "../files/search-files.ts";
import { toWriteArgs, toWritten } from "../files/write-file.ts";
import { toExecOp, toHostFailure } from "./host-command.ts";
import type { HostToolOptions } from "./host-tool-options.ts";
import { gateWrites } from "./protected-paths.ts";

const BASE = "the folder of the work";
/** A result that was too long for the conversation. */
const SPILLED = /^\.talaria\/results\//;
/** Of a file that is read whole, to show lines of it. */
export const MAX_READ_BYTES = 4 << 20;

const ReadArgs = toReadArgs(BASE);
const WriteArgs = toWriteArgs(BASE);
const SearchArgs = toSearchArgs("JavaScript", "the whole folder of the work");

export function createHostReadFile({ exec, settings, readSpilled }: HostToolOptions): Tool {
  return {
    name: "read_file",
    description: `Reads a text file of the machine. ${READING}`,
    parameters: ReadArgs,
    effect: "read",
    keepsResults: true,
    async run(args: ReturnType<typeof ReadArgs.parse>, context: ToolContext) {
      if (SPILLED.test(args.path)) return readSpilled.run(args, context);
      const read = await exec.readFile(args.path, MAX_READ_BYTES, context.signal);
      if (!read.ok) return explainAbsence({ exec }, args.path, read.failure, context.signal);
      const { path, size, bytes } = read.value;
      if (bytes === null) {
        return fail(
          "file_too_large",
          `'${path}' has ${size} bytes, too many to read here: use terminal, such as sed -n '1,200p' or tail.`,
        );
      }
      const text = decodeText(bytes);
      if (text === null) return refuseBinary(path, size);
      return showLines({ path, bytes: size, text, args, label: "content", maxChars: settings.turn.maxResultChars });
    },
  };
}

const WRITING =
  "Writes a file of the machine, replacing its content; with append, adds to its end. Write a long text in parts: the first " +
  "part, then one part per call with append. To change a few lines of a long file, use patch. A person may have to approve a " +
  "write to files that hold credentials, run by themselves or instruct agents.";

export function createHostWriteFile({ exec }: HostToolOptions): Tool {
  return {
    name: "write_file",
    description: WRITING,
    parameters: WriteArgs,
    effect: "unkeyed",
    reattaches: true,
    inPieces: "Write the first part of the file with write_file, then add part after part with append: true.",
    gate: ({ path }: ReturnType<typeof WriteArgs.parse>) => gateWrites("write to", [path]),
    async run(args: ReturnType<typeof WriteArgs.parse>, { op, resumed, signal }: ToolContext) {
      const bytes = new TextEncoder().encode(args.content);
      const operation = { op: toExecOp(op), attach: resumed === true };
      const written = await exec.writeFile(
        { ...operation, path: args.path, bytes, append: args.append ?? false },
        signal,
      );
      if (!written.ok) return toHostFailure(written.failure);
      const { path, created } = written.value;
      return succeed(toWritten(args, path, created));
    },
  };
}

const SEARCHING =
  "Searches the text files of the machine's folder for a regular expression and returns the lines that match, or, with mode " +
  `names, the paths that match. At most ${MAX_LINES} come back; \`truncated\` says that there are more. Folders named .git and ` +
  "node_modules are left out unless path names them. Files of more than 2 MB are named instead of searched: use grep in terminal.";

export function createHostSearchFiles({ exec, settings }: HostToolOptions): Tool {
  return {
    name: "search_files",
    description: SEARCHING,
    parameters: SearchArgs,
    effect: "read",
    async run(
      { pattern, path = "", glob, mode = "content" }: ReturnType<typeof SearchArgs.parse>,
      { signal }: ToolContext,
    ) {
      const ignoreCase = pattern.startsWith("(?i)");
      const found = await exec.search(
        {
          pattern: ignoreCase ? pattern.slice(4) : pattern,
          ignoreCase,
          path,
          paths: glob === undefined ? null : globToPattern(glob),
          mode,
          limit: MAX_LINES + 1,
        },
        signal,
      );
      if (!found.ok) return explainAbsence({ exec }, path, found.failure, signal);
      return showMatches(found.value.lines, found.value.skipped, "content", settings.turn.maxResultChars);
    },
  };
}

/** `null`: the bytes are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Names what is there when a path is a folder, or does not exist. */
export async function explainAbsence(
  { exec }: Pick<HostToolOptions, "exec">,
  path: string,
  failure: { code: string; message: string },
  signal: AbortSignal,
): Promise<ToolResult> {
  if (failure.code !== "file_not_found" && failure.code !== "not_a_file") return toHostFailure(failure);
  const folder = failure.code === "not_a_file" ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const listed = await exec.listFolder(folder, signal);
  if (!listed.ok) return toHostFailure(failure);
  const names = listed.value.entries.map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
  const [code, error] =
    failure.code === "not_a_file" ? ["is_folder", IS_FOLDER] : ["not_found", `There is no '${path.slice(0, 300)}'.`];
  // The names come from outside, so they are no words of the harness.
  const result = succeed({ code, error }, { content: { folder: listed.value.path, holds: names } });
  return { ...result, failed: true };
}

const IS_FOLDER = "This is a folder. Read one of its files.";
