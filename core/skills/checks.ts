// The checks of a skill: `checks/<name>.json` says what to run and what output to expect. This file reads them;
// core/checks/ runs them. Called before a model's write is accepted, and by the curator's health inspection. Pure;
// never throws.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../errors.ts";
import { type FileBodies, bodyAt, isSameBody, textOrEmpty } from "../schemas/file-body.ts";
import type { Program, ProgramRun } from "../sandbox/program.ts";
import { checkPath, checkPathConflicts } from "./exchange/paths.ts";
import { SKILL_MD } from "./format/format.ts";

const CHECKS_FOLDER = "checks";
/** Limit per skill. All checks run before a write is accepted, while a model waits. */
export const MAX_CHECKS = 10;
const MAX_CHECK_CHARS = 64_000;
const MAX_COMMAND_CHARS = 2_000;
const MAX_PATTERN_CHARS = 500;
const NAME = /^checks\/[A-Za-z0-9][\w.-]{0,80}\.json$/;

export const Check = z.strictObject({
  /** Extra files that exist while the check runs, beside the skill's own. */
  files: z.record(z.string(), z.string()).default({}),
  run: z.union([
    z.strictObject({ script: z.string().regex(/\.(?:js|sh)$/, "a script of the skill that ends in .js or .sh") }),
    z.strictObject({ command: z.string().trim().min(1).max(MAX_COMMAND_CHARS) }),
  ]),
  expect: z.strictObject({
    exitCode: z.int().min(0).max(255).default(0),
    /**
     * A JavaScript regular expression that must match somewhere in the standard output. `^` and `$` also match at line
     * ends.
     */
    pattern: z.string().min(1).max(MAX_PATTERN_CHARS),
  }),
});
export type Check = z.infer<typeof Check>;

export interface CheckResult {
  /** Path of the check. */
  check: string;
  ok: boolean;
  /** False when this runtime cannot run the check, which says nothing about the skill. */
  runnable: boolean;
  /** What was expected but not found, or what is missing here; empty when the check passes. */
  why: string;
  /** Beginning of its output. */
  output: string;
}

/** Runs the given checks of a skill, or all of them. Never throws. */
export interface RunChecks {
  (files: FileBodies, paths?: string[]): Promise<CheckResult[]>;
  /**
   * The parse error of a script in one line; null when it parses or no parser exists. Absent: scripts are not parsed.
   */
  parse?(path: string, text: string): Promise<string | null>;
  /**
   * Runs a command in a shell over these files, which nothing it does can reach. `keep`: the part that is kept of an output that is too long;
   * the beginning by default. Absent: no shell. Throws on a fault of the shell itself.
   */
  shell?(program: Program, command: string, options?: { keep?: "start" | "end" }): Promise<ProgramRun>;
}

/** Sorted paths of the skill's checks. */
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

/** Validates all checks of a skill that a model wrote. Failure: `bad_check`. */
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
 * The checks that a change of files affects: all of them, or, when only SKILL.md changed, those that mention SKILL.md.
 * So a check that fails because the world changed does not block a change of the text that explains this.
 */
export function touchedChecks(before: FileBodies, after: FileBodies): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...paths].filter((path) => !isUnchanged(before, after, path));
  if (changed.length === 0) return [];
  const checks = checkPaths(after);
  return changed.some((path) => path !== SKILL_MD) ? checks : checks.filter((path) => namesSkillMd(path, after));
}

/** Limit per skill, because each finding is stored in the profile's index. */
const MAX_SCRIPT_FINDINGS = 10;
const MAX_FINDING_CHARS = 300;
/** Limit per skill; an import may contain ten times as much. YAML is slowest: three seconds per MiB. */
const MAX_PARSED_CHARS = 1 << 20;

/**
 * Scripts of `after` that cannot be parsed, one line each: path, error and, if known, the line. Unchanged scripts are
 * skipped.
 */
export async function findBadScripts(before: FileBodies, after: FileBodies, run: RunChecks): Promise<string[]> {
  const findings: string[] = [];
  let left = MAX_PARSED_CHARS;
  const scripts = run.parse ? touchedScripts(before, after) : [];
  for (const [path, text] of scripts) {
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

/** Scripts that a change adds or rewrites, with their texts. */
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
  // A check's file may not replace a file of the skill itself.
  const clash = paths.length > 0 ? checkPathConflicts([...Object.keys(own), ...paths]) : null;
  if (clash) return clash.message;
  if (!("script" in run)) return null;
  const script = JSON.stringify(run.script.slice(0, 80));
  if (!Object.hasOwn(own, run.script)) return `run.script: the skill has no file ${script}`;
  return typeof own[run.script] === "string" ? null : `run.script: ${script} is not text`;
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
  return err("bad_check", `${path.slice(0, 120)} is not a valid check: ${sentence}. Its form: ${FORM}.`, {
    check: path,
  });
}
