// What a call of the tool patch would make of the files: reads them, applies the passages or the patch, and says which texts
// would change. Called by patch.ts, before the call and when it runs. Changes nothing.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { type PatchedText, patchText } from "../../patch/patch.ts";
import { type HunkLimits, MAX_SEARCHED_CHARS, applyHunks } from "../../patch/apply-hunks.ts";
import { type PatchSection, parsePatch } from "../../patch/patch-text.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { describeMissing } from "./nearest-paths.ts";

export interface PatchArgs {
  path?: string | undefined;
  old_string?: string | undefined;
  new_string?: string | undefined;
  replace_all?: boolean | undefined;
  patch?: string | undefined;
}

/** What a plan asks of the files. */
export type PatchedFiles = Pick<
  Workspace,
  "locate" | "realPath" | "sizeOf" | "readText" | "statFile" | "list" | "isTaken"
>;

/** One file that changes. `null`: it does not exist before, or after. */
export interface PlannedChange {
  path: string;
  before: string | null;
  after: string | null;
  /** The file is moved from there, or to there, with its mode. A move is two changes. */
  movedFrom?: string;
  movedTo?: string;
  /** What the model wrote into it. */
  written: string;
  /** How the passage was found, and how often. Only for one passage. */
  found?: Pick<PatchedText, "match" | "replacements">;
}

/** Larger files are changed with terminal: the looser comparisons hold several copies of a text. */
export const MAX_PATCHED_BYTES = 2 << 20;

/** Sorted as the patch names them. Failures name the file when there are several. */
export function planPatch(args: PatchArgs, workspace: PatchedFiles): Result<PlannedChange[]> {
  const { path, old_string: oldString, new_string: newString, patch } = args;
  if (patch !== undefined) {
    if (path !== undefined || oldString !== undefined || newString !== undefined) {
      return err("two_forms", "Give either path, old_string and new_string, or patch alone.");
    }
    const sections = parsePatch(patch);
    return sections.ok ? planSections(sections.value, workspace) : sections;
  }
  if (path === undefined || oldString === undefined || newString === undefined) {
    return err("missing_argument", "Give path, old_string and new_string, or patch with the whole patch.");
  }
  const opened = openText(path, workspace);
  if (!opened.ok) return opened;
  const { text } = opened.value;
  const patched = patchText(text, {
    oldString,
    newString,
    replaceAll: args.replace_all ?? false,
    maxChars: MAX_PATCHED_BYTES,
  });
  if (!patched.ok) return patched;
  const { match, replacements } = patched.value;
  const change = { path: opened.value.path, before: text, after: patched.value.text, written: newString };
  return ok([{ ...change, found: { match, replacements } }]);
}

function planSections(sections: PatchSection[], workspace: PatchedFiles): Result<PlannedChange[]> {
  const changes = new Map<string, PlannedChange>();
  const limits: HunkLimits = { maxChars: MAX_PATCHED_BYTES, search: { left: MAX_SEARCHED_CHARS } };
  for (const section of sections) {
    const planned = planSection(section, { changes, workspace, limits });
    if (!planned.ok) return sections.length === 1 ? planned : withFile(planned.failure, section);
  }
  const all = [...changes.values()].filter(
    ({ before, after, movedFrom }) => before !== after || movedFrom !== undefined,
  );
  return all.length > 0 ? ok(all) : err("nothing_to_change", "The patch changes nothing: the files already say so.");
}

interface PatchPlan {
  changes: Map<string, PlannedChange>;
  workspace: PatchedFiles;
  limits: HunkLimits;
}

function planSection(section: PatchSection, { changes, workspace, limits }: PatchPlan): Result<null> {
  if (section.kind === "add") {
    const free = findFree(section.path, changes, workspace);
    if (!free.ok) return free;
    changes.set(free.value, {
      path: free.value,
      before: changes.get(free.value)?.before ?? null,
      after: section.text,
      written: section.text,
    });
    return ok(null);
  }
  const opened = openPlanned(section.path, changes, workspace);
  if (!opened.ok) return opened;
  const { path, text, planned } = opened.value;
  const before = planned ? planned.before : text;
  if (section.kind === "update" && section.moveTo === undefined) {
    const after = applyHunks(text, section.hunks, limits);
    if (!after.ok) return after;
    if (section.hunks.length === 0) return err("nothing_to_change", "The section has no hunk that changes a line.");
    changes.set(path, { ...planned, path, before, after: after.value, written: addWritten(planned, section.hunks) });
    return ok(null);
  }
  const named = workspace.locate(section.path);
  if (named.ok && named.value !== path) {
    return err("bad_path", `'${section.path}' leads to '${path}' by a link: name '${path}' itself, or use terminal.`);
  }
  if (planned?.movedFrom !== undefined) {
    return err("bad_patch", `'${path}' was moved there by an earlier section: name '${planned.movedFrom}' once.`);
  }
  if (section.kind === "delete") {
    changes.set(path, { path, before, after: null, written: "" });
    return ok(null);
  }
  const to = findFree(section.moveTo!, changes, workspace);
  if (!to.ok) return to;
  const after = applyHunks(text, section.hunks, limits);
  if (!after.ok) return after;
  if (planned) return err("bad_patch", `'${path}' is changed by another section: move it in that one.`);
  changes.set(path, { path, before, after: null, movedTo: to.value, written: "" });
  const written = addWritten(undefined, section.hunks);
  changes.set(to.value, { path: to.value, before: null, after: after.value, movedFrom: path, written });
  return ok(null);
}

function addWritten(planned: PlannedChange | undefined, hunks: { newLines: string[] }[]): string {
  return [planned?.written ?? "", ...hunks.map(({ newLines }) => newLines.join("\n"))].join("\n");
}

/** The text of a file as the sections before have left it. */
function openPlanned(
  given: string,
  changes: Map<string, PlannedChange>,
  workspace: PatchedFiles,
): Result<{ path: string; text: string; planned?: PlannedChange }> {
  const located = workspace.locate(given);
  if (!located.ok) return located;
  const planned = changes.get(workspace.realPath(given) ?? located.value);
  if (!planned) return openText(given, workspace);
  if (planned.after === null) return err("not_found", `'${planned.path}' was deleted or moved by an earlier section.`);
  return ok({ path: planned.path, text: planned.after, planned });
}

/** `path` is the file's own, links followed. */
function openText(given: string, workspace: PatchedFiles): Result<{ path: string; text: string }> {
  const located = workspace.locate(given);
  if (!located.ok) return located;
  const path = workspace.realPath(given) ?? located.value;
  if (workspace.sizeOf(path) > MAX_PATCHED_BYTES) {
    return err(
      "file_too_large",
      `'${path}' has more than ${MAX_PATCHED_BYTES} bytes: change it with terminal (sed -i, awk).`,
    );
  }
  const file = workspace.readText(path);
  if (!file) {
    const paths = workspace.list().map((one) => one.path);
    return err("not_found", `${describeMissing(located.value, paths)} A new file is written with write_file.`);
  }
  if (file.text === null) {
    return err("binary_file", `'${path}' is not UTF-8 text (${file.size} bytes) and cannot be patched.`);
  }
  return ok({ path, text: file.text });
}

/** A path where nothing is, or where an earlier section has deleted the file. */
function findFree(given: string, changes: Map<string, PlannedChange>, workspace: PatchedFiles): Result<string> {
  const located = workspace.locate(given);
  if (!located.ok) return located;
  const planned = changes.get(located.value);
  const isTaken = planned ? planned.after !== null || planned.movedTo !== undefined : workspace.isTaken(located.value);
  return isTaken
    ? err("file_exists", `'${located.value}' exists already: use '*** Update File', or choose another path.`)
    : ok(located.value);
}

function withFile({ code, message, facts }: Failure, { path }: PatchSection): Result<never> {
  return err(code, `'${path}': ${message} No file was changed.`, facts);
}
