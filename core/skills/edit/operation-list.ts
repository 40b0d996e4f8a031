// The operations of one skill_manage call: their types, which may be combined, and what files they produce. Called by
// operations.ts, which decides whether they may be carried out, and by the tool that parses them. Pure.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { REQUESTS_FILE, toRequestsFile, withoutRequests } from "../../schemas/skill-requests.ts";
import { SKILL_MD } from "../format/format.ts";
import { fileMissing } from "../library.ts";
import { patchText } from "../../patch/patch.ts";
import { checkSupportPath } from "../format/validate.ts";

export type SkillOperation =
  | { action: "create"; name: SkillName; content: string; category?: string }
  | { action: "edit"; name: SkillName; content: string; category?: string }
  | { action: "patch"; name: SkillName; path?: string; oldString: string; newString: string; replaceAll: boolean }
  /** `absorbedInto`: the skill that now contains it; empty when nothing needs to be kept; absent when not given. */
  | { action: "delete"; name: SkillName; absorbedInto?: SkillName | "" }
  | { action: "write_file"; name: SkillName; path: string; content: string }
  | { action: "remove_file"; name: SkillName; path: string }
  /** An empty list removes all requests. */
  | { action: "set_requests"; name: SkillName; requests: string[] };

/** Limit per call. [hermes] */
export const MAX_OPERATIONS = 20;

/**
 * All operations are one swap of one head, so they must concern one skill. Failures: `no_operations`,
 * `too_many_operations`, `several_skills`, `delete_not_alone`, `create_not_first`, `file_twice`.
 */
export function checkOperations(operations: readonly SkillOperation[]): Failure | null {
  if (operations.length === 0) return err("no_operations", "operations is empty: give at least one.").failure;
  if (operations.length > MAX_OPERATIONS) {
    const most = `${operations.length} operations of ${MAX_OPERATIONS}`;
    return err("too_many_operations", `There are ${most}: send the first ones, then the rest.`).failure;
  }
  const names = [...new Set(operations.map(({ name }) => name))];
  if (names.length > 1) {
    const list = names.map((name) => `'${name.slice(0, 80)}'`).join(", ");
    return err("several_skills", `One list changes one skill, and this one names ${list}: send one list each.`).failure;
  }
  if (operations.length > 1 && operations.some(({ action }) => action === "delete")) {
    return err("delete_not_alone", "delete archives the whole skill: send it alone, without other operations.").failure;
  }
  if (operations.some(({ action }, i) => action === "create" && i > 0)) {
    return err("create_not_first", "create makes the skill: it comes first, and once.").failure;
  }
  return checkFilesOnce(operations);
}

/**
 * Several patches of one file are combined. Of two operations that replace or remove it, one would be lost silently.
 */
function checkFilesOnce(operations: readonly SkillOperation[]): Failure | null {
  const seen = new Set<string>();
  for (const operation of operations) {
    if (operation.action === "patch" || operation.action === "delete") continue;
    const path = pathWrittenBy(operation);
    if (seen.has(path)) {
      const file = JSON.stringify(path.slice(0, 80));
      return err("file_twice", `${file} is written or removed twice in one list: keep the operation you mean.`).failure;
    }
    seen.add(path);
  }
  return null;
}

function pathWrittenBy(operation: Exclude<SkillOperation, { action: "patch" | "delete" }>): string {
  if (operation.action === "set_requests") return REQUESTS_FILE;
  return "path" in operation ? operation.path : SKILL_MD;
}

/**
 * The files after all operations, in order. Checks only that each operation can be carried out; the result is validated
 * as a whole later. Failures: those of patch.ts, `file_missing`, `bad_path`, `not_text`. In a list, the failure names
 * the position of the operation, from 1.
 */
export function applyOperations(operations: readonly SkillOperation[], files: FileBodies): Result<FileBodies> {
  let made = files;
  for (const [i, operation] of operations.entries()) {
    const applied = apply(operation, made);
    if (!applied.ok) return operations.length === 1 ? applied : withPosition(applied.failure, operation, i + 1);
    made = applied.value;
  }
  return ok(made);
}

function withPosition({ code, message, facts }: Failure, { action }: SkillOperation, place: number): Result<never> {
  return err(code, `Operation ${place} (${action}): ${message} Nothing was changed.`, { ...facts, operation: place });
}

function apply(operation: SkillOperation, files: FileBodies): Result<FileBodies> {
  switch (operation.action) {
    case "create":
      return ok({ [SKILL_MD]: operation.content });
    case "edit":
      return ok({ ...files, [SKILL_MD]: operation.content });
    case "patch": {
      const path = operation.path || SKILL_MD;
      if (!Object.hasOwn(files, path)) return fileMissing(operation.name, path, files);
      const body = files[path]!;
      if (typeof body !== "string")
        return err("not_text", `'${path}' is not text and cannot be patched: replace it with write_file, or leave it.`);
      const patched = patchText(body, operation);
      return patched.ok ? ok({ ...files, [path]: patched.value.text }) : patched;
    }
    case "write_file": {
      if (operation.path === SKILL_MD) return err("bad_path", "SKILL.md is written with edit or patch.");
      // An imported file may have any path.
      const failure = Object.hasOwn(files, operation.path) ? null : checkSupportPath(operation.path);
      return failure ? { ok: false, failure } : ok({ ...files, [operation.path]: operation.content });
    }
    case "remove_file": {
      if (operation.path === SKILL_MD) return err("bad_path", "A skill keeps its SKILL.md; delete archives the skill.");
      if (!Object.hasOwn(files, operation.path)) return fileMissing(operation.name, operation.path, files);
      const { [operation.path]: _removed, ...rest } = files;
      return ok(rest);
    }
    case "set_requests": {
      const listed = toRequestsFile(operation.requests);
      return ok({ ...withoutRequests(files), ...(listed !== "" && { [REQUESTS_FILE]: listed }) });
    }
    case "delete":
      return ok(files);
  }
}
