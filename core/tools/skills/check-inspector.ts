// An inspector of skill_manage: parses a skill's scripts and runs its checks before a model's write is accepted. The wiring
// passes a runner of core/checks/. Never refuses a person's own write.
import { type Failure, err } from "../../errors.ts";
import {
  type CheckResult,
  type RunChecks,
  findBadScripts,
  readCheck,
  touchedChecks,
  validateChecks,
} from "../../skills/checks.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { SkillInspector } from "./skill-manage.ts";

/**
 * Failures: `bad_script` with the fact `findings`, `bad_check`, and `check_failed` with the fact `checks`. A check that
 * cannot run here does not fail. A resumed call runs no checks: an endless check is killed with its Worker, and would kill
 * each Worker that resumes the call.
 */
export function createCheckInspector(run: RunChecks): SkillInspector {
  return async ({ before, after, approved, resumed }) => {
    // `approved` is set in two cases. A preview of a doubted write must not run the write, and an approved write is the person's
    // responsibility.
    if (approved) return null;
    const findings = await findBadScripts(before?.files ?? {}, after, run);
    if (findings.length > 0) return err("bad_script", BAD_SCRIPT, { findings }).failure;
    const touched = touchedChecks(before?.files ?? {}, after);
    if (touched.length === 0) return null;
    const malformed = validateChecks(after);
    if (malformed) return malformed;
    if (resumed) return err("check_failed", CUT_OFF).failure;
    const failed = (await run(after, touched)).filter(({ ok, runnable }) => runnable && !ok);
    return failed.length === 0 ? null : refuse(failed, after);
  };
}

const CUT_OFF =
  "Nothing was written: this call was cut off, perhaps by a check of the skill that takes too long. Call again, with less work in its checks or without them.";

const BAD_SCRIPT =
  "Nothing was written: scripts of the skill cannot be parsed, as `findings` shows. Correct them and call again.";

/** Names and output of scripts are a model's words, so they stay out of the harness's sentence. */
function refuse(failed: CheckResult[], files: FileBodies): Failure {
  const checks = failed.map(({ check, why, output }) => {
    const read = readCheck(check, files);
    return { check, why, ...(read.ok && { expected: read.value.expect }), output };
  });
  const what = failed.length === 1 ? "a check of the skill fails" : `${failed.length} checks of the skill fail`;
  const next = "Correct what it runs, or the check, in the same call";
  return err("check_failed", `Nothing was written: ${what}, as \`checks\` shows. ${next}.`, { checks }).failure;
}
