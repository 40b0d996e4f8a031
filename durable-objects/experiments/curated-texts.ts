// Asks for experiments of the texts that curations wrote. The curator Worker reaches its stores only, so the profile's Account looks at what it
// left, on each day of use. Must not fail that day's other work.
import { messageOf } from "../../core/errors.ts";
import { askForCurated } from "../../core/experiments/present-text.ts";
import { DAY_MS, type Day, type ProfileId, toCurationId } from "../../core/schemas/ids.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { type ErasureEnv, toErasureStores } from "../../wiring/erasure-stores.ts";
import { type ExperimentBindings, openExperiments } from "../../wiring/experiments.ts";
import { openSkillStore } from "../../wiring/stores.ts";

/** [own] A look that failed is made up for by those of the next days. */
const AGAIN_MS = 3 * DAY_MS;

export interface CuratedLook {
  env: ErasureEnv & Pick<ExperimentBindings, "EXPERIMENTS">;
  profile: ProfileId;
  /** Those in force for the profile. */
  settings: Settings;
  /** Its last day of use before today, if any. */
  before: Day | null;
  now: number;
}

export async function tryCurated({ env, profile, settings, before, now }: CuratedLook): Promise<void> {
  if (settings.review.replayTokens === 0) return;
  const since = Math.min(now - AGAIN_MS, before === null ? now : Date.parse(before));
  const { bucket } = toErasureStores(env);
  try {
    await askForCurated({
      curation: createCurationStore({ bucket }),
      skills: openSkillStore({ bucket, profile, settings }),
      experiments: openExperiments(env, profile),
      profile,
      since: toCurationId(since, () => 0),
    });
  } catch (error) {
    console.error(JSON.stringify({ event: "curated_texts_not_tried", error: messageOf(error) }));
  }
}
