// Asks for an experiment of a text that a person has just put into the library. It follows the request: nobody waits for it, and it fails
// nothing. Called by the routes that import and install skills.
import type { Context } from "hono";
import { messageOf } from "../../../core/errors.ts";
import { ofPresentText } from "../../../core/experiments/present-text.ts";
import { applyPreferences } from "../../../core/preferences.ts";
import type { SkillName } from "../../../core/schemas/ids.ts";
import { openExperiments } from "../../../wiring/experiments.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { readSources } from "../profiles/settings.ts";
import { openSkills } from "../stores.ts";

/** Call after the write. Where the operator grants no experiments, nothing is read. */
export function tryLater(c: Context<ApiEnv>, name: SkillName, occasion: "import" | "hub"): void {
  if (parseEnvSettings(c.env).review.replayTokens === 0) return;
  const asking = ask(c, name, occasion).catch((error: unknown) => {
    console.error(JSON.stringify({ event: "experiment_not_asked", skill: name, error: messageOf(error) }));
  });
  c.executionCtx.waitUntil(asking);
}

async function ask({ env, var: { profile } }: Context<ApiEnv>, name: SkillName, occasion: "import" | "hub") {
  const { operator, own } = await readSources(env, profile);
  if (applyPreferences(operator, own).review.replayTokens === 0) return;
  const snapshot = await openSkills(env, profile).open(name);
  const key = `${occasion}:${name}:${snapshot?.head.rev}`;
  const asked = snapshot && ofPresentText(snapshot, { key, occasion, session: null });
  if (asked) await openExperiments(env, profile).take(asked);
}
