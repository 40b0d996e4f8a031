// The texts of an experiment's arms: of the library, or given with the experiment. Called by pump.ts, carry-run.ts, and the desk of replays.
import { type Result, err, ok } from "../errors.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import type { Arm } from "../schemas/learning/experiment.ts";
import { checkPaths } from "../skills/checks.ts";
import { openRevision } from "../skills/history.ts";
import type { PumpContext } from "./advance.ts";
import type { ExperimentHost } from "./ports.ts";
import type { StoredExperiment } from "./rows.ts";

/** What a skill's name stands for in an arm. Failure: `experiment_not_found`: the text is gone. */
export async function readArm(
  { host, rows }: PumpContext,
  { id, skill, text, parent, rev, isGiven }: StoredExperiment,
  arm: Arm,
): Promise<Result<FileBodies | null>> {
  if (arm === "without") return ok(null);
  if (arm === "with" && isGiven) {
    const files = rows.text(id);
    return files ? ok(files) : textGone();
  }
  const wanted = arm === "with" ? text : parent;
  const numbers = arm === "with" && rev !== null ? [rev] : [];
  if (arm === "parent") {
    const revisions = await host.skills.revisions(skill, { limit: MAX_LOOKED_BACK });
    numbers.push(...revisions.filter((one) => one.text === wanted).map((one) => one.rev));
  }
  for (const number of numbers) {
    const opened = await openRevision(host.skills, skill, number);
    if (opened.ok && opened.value.revision.text === wanted) return ok(opened.value.files);
  }
  return textGone();
}

/** Revisions in which the text before it is looked for. */
export const MAX_LOOKED_BACK = 100;

function textGone(): Result<never> {
  return err("experiment_not_found", "The text of this experiment is gone.");
}

/** Nothing where the text has no check that can run here. A check that crashes says nothing about the text. */
export async function checkText({ runChecks, report }: ExperimentHost, files: FileBodies, arm: Arm) {
  if (!runChecks || checkPaths(files).length === 0) return {};
  try {
    const results = (await runChecks(files)).filter(({ runnable }) => runnable);
    return results.length === 0 ? {} : { [arm]: results.every((check) => check.ok) };
  } catch (error) {
    report("checks of an experiment", error);
    return {};
  }
}
