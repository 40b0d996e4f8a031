// Inspects the health of a skill: parses its scripts, runs its checks, and keeps contract findings that still apply to
// its text. Called by the curator periodically, and when a person writes a skill. Pure except for running the checks.
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import type { SkillHead } from "../schemas/skill.ts";
import { type RunChecks, checkPaths, findBadScripts, readCheck } from "./checks.ts";
import { contractOf, isCurrentFinding } from "./format/contract.ts";
import { SKILL_MD } from "./format/format.ts";

export type Health = NonNullable<SkillHead["health"]>;

export interface HealthOptions {
  files: FileBodies;
  now: number;
  /** Absent: nothing is parsed or run, and only the form of the checks is validated. */
  run?: RunChecks;
  /** Earlier findings. Sessions know the tools and find contract changes that the curator cannot see. */
  known?: Health;
}

/** `broken` is empty when the skill is healthy. Checks that cannot run here are ignored. Never throws. */
export async function inspectHealth({ files, now, run, known }: HealthOptions): Promise<Health> {
  const malformed = checkPaths(files).flatMap((path) => {
    const read = readCheck(path, files);
    return read.ok ? [] : [read.failure.message];
  });
  const unparsable = run ? await findBadScripts({}, files, run) : [];
  const results = (await run?.(files)) ?? [];
  const failing = results
    .filter(({ ok, runnable }) => runnable && !ok)
    .map(({ check, why, output }) => `${check}: ${why}${output && ` (it wrote: ${firstLine(output)})`}`);
  const contract = contractOf(textOrEmpty(files[SKILL_MD]));
  const outdated = (known?.broken ?? []).filter((finding) => isCurrentFinding(finding, contract));
  return { checkedAt: now, broken: [...outdated, ...unparsable, ...malformed, ...failing] };
}

const MAX_LINE_CHARS = 200;

function firstLine(text: string): string {
  return (text.trim().split("\n", 1)[0] ?? "").slice(0, MAX_LINE_CHARS).toWellFormed();
}
