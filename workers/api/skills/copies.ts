// Removes a purged text from everything of a profile that quotes it. Called by the routes that purge.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { type ErasedTexts, eraseText } from "../../../wiring/erase-text.ts";
import { openExperiments } from "../../../wiring/experiments.ts";
import type { Env } from "../env.ts";
import { openArchive } from "../sessions/session-rpc.ts";

export function purgeText(env: Env, profile: ProfileId, texts: ErasedTexts): Promise<void> {
  return eraseText(
    {
      bucket: toBucket(env.SKILLS),
      profile,
      now: Date.now(),
      archive: openArchive(env, profile),
      experiments: openExperiments(env, profile),
    },
    texts,
  );
}
