// The tool patch: replaces a passage of one file, or changes several files by one patch, all or none. A crashed call may be
// repeated: it recognises its own effect by the hashes of the files before and after. Instruction files are not written: their new
// content waits for the person.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import type { Failure } from "../../errors.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { diffFiles } from "../../skills/history.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { headAndTail } from "../clip.ts";
import { askPerson } from "./ask-person.ts";
import { type FileToolOptions, canonicalPath } from "./file-tool-options.ts";
import { type PlannedChange, planPatch } from "./plan-patch.ts";
import { parsePatch } from "../../patch/patch-text.ts";

/** `base`: what paths are relative to. */
export function toPatchArgs(base: string) {
  return z.strictObject({
    path: z.string().optional().describe(`Path of the file, relative to ${base}.`),
    old_string: z
      .string()
      .optional()
      .describe("The passage to replace, copied from the file with enough lines around it to be unique."),
    new_string: z.string().optional().describe("What to put in its place; empty to remove the passage."),
    replace_all: z.boolean().optional().describe("Replace every occurrence."),
    patch: z
      .string()
      .optional()
      .describe(
        "Instead of the fields above, for several files or passages: '*** Begin Patch', then for each file '*** Update File: PATH' with hunks ('@@ a line before', then lines that begin with a blank, '-' or '+'), and '*** Move to: PATH' below it to move it; '*** Add File: PATH' with '+' lines; '*** Delete File: PATH'; at the end '*** End Patch'.",
      ),
  });
}
const Args = toPatchArgs("/work");
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Changes a part of a text file: replaces old_string by new_string and returns the difference. Small deviations in white " +
  "space, indentation and quotes are tolerated. With `patch` it changes, adds, moves and deletes several files, all or none. " +
  "AGENTS.md, SOUL.md and similar files at the root change only when the person approves; patch such a file alone.";

/** Characters of a difference in a result: the model knows what it wrote, and sees where it went. */
const MAX_DIFF_CHARS = 8_000;

type Options = Pick<FileToolOptions, "workspace" | "approvals" | "isTainted" | "budget" | "settings">;

export function createPatch(options: Options): Tool<Args> {
  const { workspace } = options;
  return {
    name: "patch",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    staysInside: true,
    marksContent: true,
    inPieces: "Patch one passage per call, with path, old_string and new_string.",
    /** `paths` with the hashes of all their contents before the first attempt and after its effect. Empty: it would fail. */
    async prepare(args): Promise<JsonObject> {
      const plan = planPatch(args, workspace);
      if (!plan.ok) return {};
      const paths = plan.value.map(({ path }) => path);
      const after = new Map(plan.value.map((change) => [change.path, change.after]));
      return {
        paths,
        before: fingerprint(paths, (path) => workspace.read(path)),
        after: fingerprint(paths, (path) => toBytes(after.get(path) ?? null)),
      };
    },
    paths: (args) => ({ reads: [], writes: touchedPaths(args).map((path) => canonicalPath(workspace, path)) }),
    async run(args, { op, prepared, resumed, fromContent }) {
      const before = resumed ? findEffect(prepared, workspace) : "missing";
      if (before === "changed") return fail("file_changed", CHANGED_MEANWHILE);
      if (before === "made") return succeed({ files: prepared.paths as string[], note: MADE_BEFORE });
      const plan = planPatch(args, workspace);
      const marked = fromContent ? { ...options, isTainted: () => true } : options;
      return plan.ok ? carryOut(plan.value, op, marked) : toPatchRefusal(plan.failure, sourceOf(args, workspace));
    },
  };
}

const CHANGED_MEANWHILE =
  "The session was interrupted during this call, and a file has changed since: read it with read_file before you patch it.";
const MADE_BEFORE = "The session was interrupted right after this change; it is made.";

function findEffect(prepared: JsonObject, workspace: Workspace): "missing" | "made" | "changed" {
  const { paths, before, after } = prepared as { paths?: string[]; before?: string; after?: string };
  if (!paths) return "missing";
  const now = fingerprint(paths, (path) => workspace.read(path));
  if (now === after) return "made";
  return now === before ? "missing" : "changed";
}

function fingerprint(paths: string[], read: (path: string) => Uint8Array | null): string {
  const hashes = paths.map((path) => {
    const bytes = read(path);
    return bytes ? sha256Hex(bytes) : "";
  });
  return sha256Hex(hashes.join("\n"));
}

function sourceOf(args: Args, workspace: Workspace): "own" | "content" {
  return touchedPaths(args).every((path) => workspace.labelOf(path) === "own") ? "own" : "content";
}

export function touchedPaths({ path, patch }: Args): string[] {
  const sections = patch === undefined ? null : parsePatch(patch);
  if (!sections?.ok) return path === undefined ? [] : [path];
  return sections.value.flatMap((section) =>
    section.kind === "update" && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path],
  );
}

function carryOut(changes: PlannedChange[], op: string, options: Options): ToolResult {
  const { workspace, isTainted, budget } = options;
  const instructing = changes.filter(({ path }) => workspace.isInstructionFile(path));
  const [only] = changes;
  if (instructing.length > 0) {
    if (changes.length === 1 && only!.after !== null)
      return askPerson({ path: only!.path, content: only!.after }, op, options);
    return fail(
      "approval_needed",
      `'${instructing[0]!.path}' instructs you, and only the person may change it. Patch it alone, by a call of its own. No file was changed.`,
    );
  }
  // Read before the change: a label is that of the present writer.
  const isOwn = changes.every(({ path, before }) => before === null || workspace.labelOf(path) === "own");
  const texts = new Map(changes.map(({ path, before }) => [path, before]));
  const written = workspace.changeAsAgent(
    changes
      .filter(({ movedTo }) => movedTo === undefined)
      .map(({ path, after, written: words, movedFrom }) => ({
        path,
        writer: isTainted?.(`${path}\n${words}`) ? "content" : "own",
        ...(movedFrom !== undefined && { movedFrom }),
        ...((movedFrom === undefined || texts.get(movedFrom) !== after) && { bytes: toBytes(after) }),
      })),
    budget,
  );
  if (!written.ok) return fail(written.failure.code, written.failure.message);
  return describeChanges(changes, isOwn ? "own" : "content");
}

export function describeChanges(changes: PlannedChange[], label: "own" | "content"): ToolResult {
  const pick = (side: "before" | "after") =>
    Object.fromEntries(changes.flatMap((change) => (change[side] === null ? [] : [[change.path, change[side]]])));
  const whole = diffFiles(pick("before"), pick("after"))
    .map(({ diff }) => diff)
    .join("");
  const { text: diff, cut } = headAndTail(whole, MAX_DIFF_CHARS);
  const files = changes.filter(({ movedTo }) => movedTo === undefined).map(describeChange);
  return succeed({ files, ...(cut && { truncated: true }) }, { [label]: { diff } });
}

function describeChange({ path, before, after, movedFrom, found }: PlannedChange): JsonObject {
  if (movedFrom !== undefined) return { path, change: "moved", from: movedFrom };
  const change = before === null ? "added" : after === null ? "deleted" : "updated";
  return { path, change, ...found };
}

/** Facts that quote a file, or say where a text is in it, have that file's source: code could read it by them. */
export function toPatchRefusal({ code, message, facts = {} }: Failure, source: "own" | "content"): ToolResult {
  const { nearest, preview, lines, matches, ...outcome } = facts;
  const refusal = fail(code, message, outcome as JsonObject);
  const text = JSON.stringify({ nearest, preview, lines, matches });
  return text === "{}" ? refusal : { ...refusal, parts: [...refusal.parts, { source, text }] };
}

function toBytes(text: string | null): Uint8Array | null {
  return text === null ? null : new TextEncoder().encode(text);
}
