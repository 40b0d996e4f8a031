// The tool write_file: replaces a file of the workspace or appends to it. A crashed call may be repeated: a replacement is
// idempotent, and an append is recognised by the size that the file had before. Instruction files are not written: their new
// content waits for the person.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { askPerson } from "./ask-person.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { type FileToolOptions, canonicalPath } from "./file-tool-options.ts";

/** `base`: what paths are relative to. */
export function toWriteArgs(base: string) {
  return z.strictObject({
    path: z.string().describe(`Path of the file, relative to ${base}. Missing folders are created.`),
    content: z.string().describe("The whole new content. It replaces the old content, unless append is set."),
    append: z.boolean().optional().describe("Append the content, unchanged, to the end of the file."),
  });
}
const Args = toWriteArgs("/work");
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Writes a file of the workspace, replacing its content; with append, adds to its end. Write a long text in parts: the " +
  "first part, then one part per call with append. To change a part of a file, use patch " +
  "instead. Files stay for the whole session. AGENTS.md, SOUL.md and similar files at the root change only when the person " +
  "approves: the result then says so, and you continue without the change.";

type Options = Pick<FileToolOptions, "workspace" | "approvals" | "isTainted" | "budget">;

export function createWriteFile({ workspace, approvals, isTainted, budget }: Options): Tool<Args> {
  return {
    name: "write_file",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    staysInside: true,
    marksContent: true,
    inPieces: "Write the first part of the file with write_file, then add part after part with append: true.",
    /** `size`: the file's size before the first attempt, so that a repeated one recognises its own addition. */
    prepare: async ({ path }) => ({ size: workspace.sizeOf(path) }),
    prepares: ({ append }) => append === true,
    paths: ({ path }) => ({ reads: [], writes: [canonicalPath(workspace, path)] }),
    async run(args, { op, prepared, resumed, fromContent }) {
      const before = args.append && resumed ? findAddition(args, prepared.size, workspace) : "missing";
      if (before === "changed") return fail("file_changed", CHANGED_MEANWHILE);
      const bytes = new TextEncoder().encode(before === "added" ? "" : args.content);
      // The path may repeat read content too.
      const writer = fromContent || isTainted?.(`${args.path}\n${args.content}`) ? "content" : "own";
      const written = args.append
        ? workspace.appendAsAgent(args.path, bytes, writer, budget)
        : workspace.putAsAgent(args.path, bytes, writer, budget);
      if (!written.ok && written.failure.code === "approval_needed") {
        return askPerson(toWhole(args, workspace), op, { workspace, approvals });
      }
      if (!written.ok) return fail(written.failure.code, written.failure.message);
      const { path, created } = written.value;
      return succeed(toWritten(args, path, created));
    },
  };
}

/** Counts what the call wrote. The size of the file would say something of its content, which code of the model may read as its own. */
export function toWritten({ content, append }: Args, path: string, created: boolean): JsonObject {
  return { path, [append ? "appended_bytes" : "bytes"]: new TextEncoder().encode(content).length, created };
}

const CHANGED_MEANWHILE =
  "The session was interrupted during this call, and the file has changed since: read its end with read_file before you add to it.";

/** How far an interrupted append came. The file has its old size, or the old size plus the addition, or another one. */
function findAddition(
  { path, content }: Args,
  sizeBefore: unknown,
  workspace: Options["workspace"],
): "missing" | "added" | "changed" {
  const size = workspace.sizeOf(path);
  if (size === sizeBefore) return "missing";
  const added = new TextEncoder().encode(content);
  const held = workspace.read(path) ?? new Uint8Array();
  const isThere = size === Number(sizeBefore) + added.length && held.subarray(size - added.length).every(isAt(added));
  return isThere ? "added" : "changed";
}

function isAt(bytes: Uint8Array): (byte: number, i: number) => boolean {
  return (byte, i) => bytes[i] === byte;
}

/** A person approves whole files, so an append becomes the complete content. */
function toWhole(args: Args, workspace: Options["workspace"]): Args {
  const held = args.append ? workspace.read(args.path) : null;
  return held ? { ...args, content: new TextDecoder().decode(held) + args.content } : args;
}
