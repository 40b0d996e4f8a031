// Checks that a skill brings along: `checks/<name>.json` says what to run and what to expect of it. Read here; run by
// core/checks/. Whoever accepts a model's write, and the curator's look at a skill's health, ask. Pure; never throws.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../errors.ts";
import { type FileBodies, bodyAt, isSameBody, textOrEmpty } from "../schemas/file-body.ts";
import { checkPath, checkPathConflicts } from "./exchange/paths.ts";
import { SKILL_MD } from "./format/format.ts";

const CHECKS_FOLDER = "checks";
/** Of one skill: all of them run before a write is accepted, while a model waits. */
export const MAX_CHECKS = 10;
const MAX_CHECK_CHARS = 64_000;
const MAX_COMMAND_CHARS = 2_000;
const MAX_PATTERN_CHARS = 500;
const NAME = /^checks\/[A-Za-z0-9][\w.-]{0,80}\.json$/;

export const Check = z.strictObject({
  /** Texts that are there beside the skill's own files while it runs. */
  files: z.record(z.string(), z.string()).default({}),
  run: z.union([
    z.strictObject({ script: z.string().regex(/\.(?:js|sh)$/, "a script of the skill that ends in .js or .sh") }),
    z.strictObject({ command: z.string().trim().min(1).max(MAX_COMMAND_CHARS) }),
  ]),
  expect: z.strictObject({
    exitCode: z.int().min(0).max(255).default(0),
    /** A regular expression of JavaScript; some of the standard output must match it. `^` and `$` stand for lines too. */
    pattern: z.string().min(1).max(MAX_PATTERN_CHARS),
  }),
});
export type Check = z.infer<typeof Check>;

export interface CheckResult {
  /** Path of the check. */
  check: string;
  ok: boolean;
  /** False: nothing here can run it, which says nothing against the skill. */
  runnable: boolean;
  /** What was expected and not found, or what is missing here; empty when it holds. */
  why: string;
  /** Beginning of what it wrote. */
  output: string;
}

/** Runs the given checks of a skill, or all of them. Never throws. */
export interface RunChecks {
  (files: FileBodies, paths?: string[]): Promise<CheckResult[]>;
  /** Why a script cannot be read, in one line; null: it can be, or nobody can tell. Absent: nobody is asked. */
  parse?(path: string, text: string): Promise<string | null>;
}

/** Paths of its checks, sorted. */
export function checkPaths(files: FileBodies): string[] {
  return Object.keys(files)
    .filter((path) => path.startsWith(`${CHECKS_FOLDER}/`))
    .sort();
}

/** Failure: `bad_check`. */
export function readCheck(path: string, files: FileBodies): Result<Check> {
  if (!NAME.test(path)) return badCheck(path, "its name must be like checks/parses-a-log.json");
  const text = textOrEmpty(files[path]);
  if (text.length > MAX_CHECK_CHARS) return badCheck(path, `it has more than ${MAX_CHECK_CHARS} characters`);
  const json = parseJson(text);
  if (json === undefined) return badCheck(path, "it is not JSON");
  const check = Check.safeParse(json);
  if (!check.success) {
    const issue = check.error.issues[0];
    return badCheck(path, `${issue?.path.join(".") || "it"}: ${issue?.message ?? "has another form"}`);
  }
  const problem = problemOf(check.data, files);
  return problem === null ? ok(check.data) : badCheck(path, problem);
}

/** What a model may not write. Failure: `bad_check`. */
export function validateChecks(files: FileBodies): Failure | null {
  const paths = checkPaths(files);
  if (paths.length > MAX_CHECKS) {
    return err("bad_check", `A skill has at most ${MAX_CHECKS} checks, this one ${paths.length}: remove some.`).failure;
  }
  for (const path of paths) {
    const read = readCheck(path, files);
    if (!read.ok) return read.failure;
  }
  return null;
}

/**
 * Which checks a change of files concerns: all of them, but when only SKILL.md has changed those that name it. So a check
 * that the world has broken does not stand in the way of the words that say so.
 */
export function touchedChecks(before: FileBodies, after: FileBodies): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...paths].filter((path) => !isUnchanged(before, after, path));
  if (changed.length === 0) return [];
  const checks = checkPaths(after);
  return changed.some((path) => path !== SKILL_MD) ? checks : checks.filter((path) => namesSkillMd(path, after));
}

/** Of one skill. Each finding is kept in the profile's index. */
const MAX_SCRIPT_FINDINGS = 10;
const MAX_FINDING_CHARS = 300;
/** Of one skill; an import may hold ten times as much. YAML is slowest: three seconds a MiB. */
const MAX_PARSED_CHARS = 1 << 20;

/** Scripts of `after` that cannot be parsed, one line each: path, error and, where known, line. What `before` has too is skipped. */
export async function findBadScripts(before: FileBodies, after: FileBodies, run: RunChecks): Promise<string[]> {
  const findings: string[] = [];
  let left = MAX_PARSED_CHARS;
  for (const [path, text] of run.parse ? touchedScripts(before, after) : []) {
    if (text.length > left) continue;
    left -= text.length;
    const error = await run.parse?.(path, text);
    if (error) findings.push(`${path}: ${error}`.slice(0, MAX_FINDING_CHARS).toWellFormed());
    if (findings.length === MAX_SCRIPT_FINDINGS) break;
  }
  return findings;
}

/** Whether a skill has scripts to parse or checks to run. */
export function hasPrograms(files: FileBodies): boolean {
  return checkPaths(files).length > 0 || touchedScripts({}, files).length > 0;
}

/** Scripts that a change of files writes, with their texts. */
function touchedScripts(before: FileBodies, after: FileBodies): [path: string, text: string][] {
  return Object.entries(after).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith("scripts/") && typeof entry[1] === "string" && !isUnchanged(before, after, entry[0]),
  );
}

function isUnchanged(before: FileBodies, after: FileBodies, path: string): boolean {
  return isSameBody(bodyAt(before, path), bodyAt(after, path));
}

function namesSkillMd(path: string, files: FileBodies): boolean {
  const read = readCheck(path, files);
  if (!read.ok) return true;
  const script = "script" in read.value.run ? textOrEmpty(files[read.value.run.script]) : "";
  return `${textOrEmpty(files[path])}\n${script}`.includes(SKILL_MD);
}

function problemOf({ files, run }: Check, own: FileBodies): string | null {
  const paths = Object.keys(files);
  const bad = paths.map(checkPath).find((failure) => failure !== null) ?? null;
  if (bad) return bad.message;
  // Nor may one stand in for a file of the skill itself.
  const clash = paths.length > 0 ? checkPathConflicts([...Object.keys(own), ...paths]) : null;
  if (clash) return clash.message;
  if (!("script" in run)) return null;
  const script = JSON.stringify(run.script.slice(0, 80));
  if (!Object.hasOwn(own, run.script)) return `run.script: the skill has no file ${script}`;
  return typeof own[run.script] === "string" ? null : `run.script: ${script} is no text`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
}

const FORM = '{"run": {"script": "scripts/a.sh"} or {"command": "…"}, "expect": {"pattern": "…"}, "files": {…}}';

function badCheck(path: string, problem: string): Result<never> {
  const sentence = problem.replace(/\.$/, "");
  return err("bad_check", `${path.slice(0, 120)} is no check: ${sentence}. Its form: ${FORM}.`, { check: path });
}
