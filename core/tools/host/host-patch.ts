// The tool patch of a session on a real machine: reads the files that a patch names, plans with the planner of the workspace, and
// writes one file after the other, each only if it is still what was read. A call that was cut off is asked after, file by file.
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { addToOutcome, fail, succeed } from "../../agent/tool-result.ts";
import { type Result, err, ok } from "../../errors.ts";
import { parsePatch } from "../../patch/patch-text.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { describeChanges, toPatchArgs, toPatchRefusal, touchedPaths } from "../files/patch.ts";
import { MAX_PATCHED_BYTES, type PatchedFiles, type PlannedChange, planPatch } from "../files/plan-patch.ts";
import type { ExecHost } from "./exec-host.ts";
import { toExecOp, toHostFailure } from "./host-command.ts";
import { decodeText } from "./host-files.ts";
import type { HostToolOptions } from "./host-tool-options.ts";
import { gateWrites } from "./protected-paths.ts";

const Args = toPatchArgs("the folder of the work");
type Args = ReturnType<typeof Args.parse>;

const DESCRIPTION =
  "Changes a part of a text file: replaces old_string by new_string and returns the difference. Small deviations in white " +
  "space, indentation and quotes are tolerated. With `patch` it changes and adds several files, one after the other; to move " +
  "or delete files use terminal. A person may have to approve a change of files that hold credentials, run by themselves or " +
  "instruct agents.";

export function createHostPatch({ exec }: HostToolOptions): Tool<Args> {
  return {
    name: "patch",
    description: DESCRIPTION,
    parameters: Args,
    effect: "unkeyed",
    reattaches: true,
    inPieces: "Patch one passage per call, with path, old_string and new_string.",
    gate: (args) => gateWrites("patch", touchedPaths(args)),
    async run(args, context) {
      const names = [...new Set(touchedPaths(args))];
      if (context.resumed) return askAfter(exec, names, context);
      const read = await readTouched(exec, names, context.signal);
      if (!read.ok) return toHostFailure(read.failure);
      if (changedPaths(args).some((path) => !read.value.has(path))) return fail("not_found", MISSING);
      const plan = planPatch(args, toFiles(read.value));
      if (!plan.ok) return toPatchRefusal(plan.failure, "content");
      const unfit = plan.value.find(({ after, movedTo, movedFrom }) => after === null || movedTo || movedFrom);
      if (unfit) return fail("not_supported", "Files are moved and deleted with terminal here. No file was changed.");
      return writeAll(exec, { changes: plan.value, names }, context);
    },
  };
}

/** The files that must exist. */
function changedPaths({ path, patch }: Args): string[] {
  if (patch === undefined) return path === undefined ? [] : [path];
  const sections = parsePatch(patch);
  return sections.ok ? sections.value.flatMap((section) => (section.kind === "add" ? [] : [section.path])) : [];
}

const MISSING =
  "A file to change does not exist: look with search_files, or write a new file with write_file. No file was changed.";

/** A file by the path that the call gave. `text` is `null` for bytes that are no text; an absent file has no entry. */
type Snapshot = Map<string, { text: string | null; size: number }>;

async function readTouched(exec: ExecHost, paths: string[], signal: AbortSignal): Promise<Result<Snapshot>> {
  const snapshot: Snapshot = new Map();
  for (const path of paths) {
    const read = await exec.readFile(path, MAX_PATCHED_BYTES, signal);
    if (!read.ok && read.failure.code === "file_not_found") continue;
    if (!read.ok) return read;
    const { bytes, size } = read.value;
    snapshot.set(path, { text: bytes && decodeText(bytes), size });
  }
  return ok(snapshot);
}

/** Paths stay as the call gives them: the host refuses to write through a link, whatever it leads to. */
function toFiles(snapshot: Snapshot): PatchedFiles {
  return {
    locate: (path) => (path === "" ? err("bad_path", "Give the path of a file.") : ok(path)),
    realPath: (path) => path,
    sizeOf: (path) => snapshot.get(path)?.size ?? 0,
    readText: (path) => snapshot.get(path) ?? null,
    statFile: (path) => (snapshot.has(path) ? { size: snapshot.get(path)!.size, writer: "content" } : null),
    list: () => [],
    isTaken: (path) => snapshot.has(path),
  };
}

async function writeAll(
  exec: ExecHost,
  { changes, names }: { changes: PlannedChange[]; names: string[] },
  context: ToolContext,
): Promise<ToolResult> {
  const made: string[] = [];
  for (const { path, before, after } of changes) {
    const written = await exec.writeFile(
      {
        ...toOperation(context, names.indexOf(path)),
        path,
        bytes: new TextEncoder().encode(after ?? ""),
        append: false,
        expect: before === null ? null : sha256Hex(new TextEncoder().encode(before)),
      },
      context.signal,
    );
    if (!written.ok) return toPartial(made, toHostFailure(written.failure));
    made.push(path);
  }
  return describeChanges(changes, "content");
}

/** What became of each write of a call that was cut off. */
async function askAfter(exec: ExecHost, names: string[], context: ToolContext): Promise<ToolResult> {
  const made: string[] = [];
  let failed: ToolResult | null = null;
  for (const [i, path] of names.entries()) {
    const request = { ...toOperation(context, i), path, bytes: new Uint8Array(), append: false };
    const known = await exec.writeFile(request, context.signal);
    if (known.ok) made.push(known.value.path);
    else failed ??= toHostFailure(known.failure);
  }
  if (!failed)
    return succeed({ files: made, note: "The session was interrupted right after this change; it is made." });
  return made.length === 0 ? failed : toPartial(made, fail("interrupted", INTERRUPTED));
}

/** `i`: the place of the file in the call. */
function toOperation({ op, resumed }: ToolContext, i: number) {
  return { op: `${toExecOp(op)}.${i}`, attach: resumed === true };
}

const INTERRUPTED = "The session was interrupted, and the other files were not changed. Patch them by another call.";

function toPartial(changed: string[], failure: ToolResult): ToolResult {
  return changed.length === 0 ? failure : addToOutcome(failure, { changed });
}
