// The history of a skill: opens a revision, compares two, and undoes one change on top of later ones. Called by the
// API's history routes. Writes nothing; reads only through the store.
import { createTwoFilesPatch } from "diff";
import { type Result, err, ok } from "../errors.ts";
import type { SkillNext, SkillSnapshot, SkillStore } from "../ports.ts";
import type { SkillDiff } from "../schemas/api.ts";
import { type FileBodies, type FileBody, bodyAt, isSameBody } from "../schemas/file-body.ts";
import { hashFiles, textOfFiles } from "../schemas/learning/digest.ts";
import type { Sha256, SkillName } from "../schemas/ids.ts";
import { type SkillHead, type SkillRevision, isPurged } from "../schemas/skill.ts";
import { MAX_EDITS, diffToEdits, toLines } from "../patch/line-edits.ts";
import { validateSkill } from "./format/validate.ts";

interface OpenedRevision {
  revision: SkillRevision;
  files: FileBodies;
}
type FileDiff = SkillDiff["files"][number];

/** Unchanged lines required around a change before it can be undone, and shown around it in a diff. */
const CONTEXT_LINES = 3;

/** Failures: `revision_not_found`, `revision_purged`. */
export async function openRevision(store: SkillStore, name: SkillName, rev: number): Promise<Result<OpenedRevision>> {
  const revision = await store.revision(name, rev);
  if (!revision) return err("revision_not_found", `The skill \`${name}\` has no revision ${rev}.`);
  if (isPurged(revision)) return revisionPurged(name, rev);
  const files = await Promise.all(
    Object.entries(revision.files).map(async ([path, { sha256 }]) => [path, await store.blob(sha256)] as const),
  );
  const missing = files.find(([, body]) => body === null);
  if (!missing) return ok({ revision, files: Object.fromEntries(files) as FileBodies });
  const now = await store.revision(name, rev);
  if (now && isPurged(now)) return revisionPurged(name, rev);
  throw new Error(`revision ${rev} of ${name} names contents that are not there: ${missing[0]}`);
}

/** Differences by path. For bytes that are not text, the diff only says that they differ. */
export function diffFiles(before: FileBodies, after: FileBodies): FileDiff[] {
  return changedPaths(before, after).map((path) => {
    const [old, now] = [bodyAt(before, path), bodyAt(after, path)];
    let change: FileDiff["change"] = "changed";
    if (old === undefined) change = "added";
    else if (now === undefined) change = "removed";
    return { path, change, diff: diffBodies(path, old, now) };
  });
}

interface UndoRequest {
  name: SkillName;
  rev: number;
  /** The files before revision `rev` and at it. */
  before: FileBodies;
  after: FileBodies;
  maxFiles: number;
}

/**
 * The current skill without the change that revision `rev` made. State, pin and origin stay; citations are dropped.
 * Failures: `undo_conflict` with `facts.files`, `nothing_to_undo`, and those of validate.ts.
 */
export function undoRevision(undo: UndoRequest, present: SkillSnapshot): Result<SkillNext> {
  const { name, rev, before, after, maxFiles } = undo;
  const files = { ...present.files };
  const conflicts: string[] = [];
  for (const path of changedPaths(before, after)) {
    const undone = undoFile(bodyAt(before, path), bodyAt(after, path), bodyAt(present.files, path));
    if (undone === CONFLICT) conflicts.push(path);
    else if (undone === undefined) delete files[path];
    else files[path] = undone;
  }
  if (conflicts.length > 0) {
    const list = conflicts.join(", ");
    return err(
      "undo_conflict",
      `Later revisions changed the same places as revision ${rev} in ${list}: edit the skill instead.`,
      {
        files: conflicts,
      },
    );
  }
  if (changedPaths(present.files, files).length === 0) {
    return err("nothing_to_undo", `Nothing that revision ${rev} changed is left in \`${name}\`.`);
  }
  // An import may contain more and larger files than a write here may.
  const currentFiles = { ...before, ...present.files };
  const document = validateSkill({ name, files, maxFiles, writer: "person", currentFiles });
  if (!document.ok) return document;
  const { description, category } = document.value;
  const putBack = liftWithdrawal(present.head, textOfFiles(hashFiles(files)));
  // The citations support the current text, not the one that the undo produces.
  return ok({ files, description, category, citations: [], reason: `a person undid revision ${rev}`, ...putBack });
}

/**
 * Lifts the withdrawal of a text that a person chooses. The text may be restored again, and only evidence from now on
 * can withdraw it once more.
 */
export function liftWithdrawal(head: SkillHead, text: Sha256): Pick<SkillNext, "withdrawn" | "restored"> {
  if (!head.withdrawn?.includes(text)) return {};
  return { withdrawn: head.withdrawn.filter((other) => other !== text), restored: true };
}

/** Reads the input of `undoRevision`. Failures: those of `openRevision`, and `nothing_to_undo` for a first revision. */
export async function readUndo(
  store: SkillStore,
  name: SkillName,
  rev: number,
  maxFiles: number,
): Promise<Result<UndoRequest>> {
  const after = await openRevision(store, name, rev);
  if (!after.ok) return after;
  if (rev === 1) {
    return err(
      "nothing_to_undo",
      `Revision 1 made \`${name}\`: there is nothing before it. Archive the skill instead.`,
    );
  }
  const before = await openRevision(store, name, rev - 1);
  if (!before.ok) return before;
  return ok({ name, rev, before: before.value.files, after: after.value.files, maxFiles });
}

const CONFLICT = Symbol("conflict");

/** The current body without the change; undefined when the file should not exist. */
function undoFile(
  before: FileBody | undefined,
  after: FileBody | undefined,
  present: FileBody | undefined,
): FileBody | undefined | typeof CONFLICT {
  if (isSameBody(present, after)) return before;
  // The change was undone already.
  if (isSameBody(present, before)) return present;
  if (typeof before !== "string" || typeof after !== "string" || typeof present !== "string") return CONFLICT;
  return undoText(before, after, present) ?? CONFLICT;
}

/**
 * Applies the inverse patch at the places where its lines are now. Each place must match completely, with its context.
 * A patch tool would search for similar lines elsewhere and could change the wrong passage.
 */
function undoText(before: string, after: string, present: string): string | null {
  const [old, changed, now] = [toLines(before), toLines(after), toLines(present)];
  const edits = diffToEdits(changed.lines, old.lines);
  const moved = edits && mapLines(changed.lines, now.lines);
  if (!edits || !moved) return null;
  const lines = [...now.lines];
  // Applied from the end, so that earlier positions stay valid.
  for (const { from, to, lines: wanted } of edits.toReversed()) {
    const first = Math.max(0, from - CONTEXT_LINES);
    const last = Math.min(changed.lines.length, to + CONTEXT_LINES);
    const at = moved[first];
    // Without any context, the place cannot be identified.
    if (first === last || at === undefined || at < 0) return null;
    for (let n = first; n < last; n++) if (moved[n] !== at + n - first) return null;
    lines.splice(at + from - first, to - from, ...wanted);
  }
  const endsWithBreak = old.endsWithBreak === changed.endsWithBreak ? now.endsWithBreak : old.endsWithBreak;
  return lines.join("\n") + (endsWithBreak && lines.length > 0 ? "\n" : "");
}

/** The line of `to` that each line of `from` became; -1 for a line that is gone. */
function mapLines(from: string[], to: string[]): number[] | null {
  const edits = diffToEdits(from, to);
  if (!edits) return null;
  const places: number[] = [];
  let shift = 0;
  for (const edit of [...edits, { from: from.length, to: from.length, lines: [] }]) {
    while (places.length < edit.from) places.push(places.length + shift);
    while (places.length < edit.to) places.push(-1);
    shift += edit.lines.length - (edit.to - edit.from);
  }
  return places;
}

function diffBodies(path: string, old: FileBody | undefined, now: FileBody | undefined): string {
  const from = old === undefined ? "/dev/null" : `a/${path}`;
  const to = now === undefined ? "/dev/null" : `b/${path}`;
  const [a, b] = [old ?? "", now ?? ""];
  if (typeof a !== "string" || typeof b !== "string") return `Binary files ${from} and ${to} differ\n`;
  const options = { context: CONTEXT_LINES, headerOptions: HEADERS };
  const patch = createTwoFilesPatch(from, to, a, b, undefined, undefined, { ...options, maxEditLength: MAX_EDITS });
  if (patch !== undefined) return patch;
  // Too many differences: remove the whole old text and add the new one.
  const [removed, added] = [toHunk(a, "-"), toHunk(b, "+")];
  return `--- ${from}\n+++ ${to}\n@@ -1,${removed.count} +1,${added.count} @@\n${removed.lines}${added.lines}`;
}

const HEADERS = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };

function toHunk(text: string, sign: string): { count: number; lines: string } {
  const { lines, endsWithBreak } = toLines(text);
  const body = lines.map((line) => `${sign}${line}\n`).join("");
  return { count: lines.length, lines: body + (endsWithBreak ? "" : "\\ No newline at end of file\n") };
}

function changedPaths(before: FileBodies, after: FileBodies): string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.filter((path) => !isSameBody(bodyAt(before, path), bodyAt(after, path)));
}

function revisionPurged(name: SkillName, rev: number): Result<never> {
  return err("revision_purged", `Revision ${rev} of \`${name}\` was purged: its files cannot be restored.`);
}
