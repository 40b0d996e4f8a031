// Removes a purged text from everything that quotes it: records in R2, recorded requests and indexed messages. Called by the routes that purge.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { holdsAny, withoutPieces } from "../../../core/skills/search/text-pieces.ts";
import { eraseCopies } from "../../../stores/copies.ts";
import type { Env } from "../env.ts";
import { openArchive } from "../sessions/session-rpc.ts";
import { toBucket } from "../../../stores/platform/r2.ts";

export async function eraseText(env: Env, profile: ProfileId, pieces: string[]): Promise<void> {
  if (pieces.length === 0) return;
  // Uses the unguarded bucket: a purge ends the works whose records quote the text, and the guard refuses writes to them.
  await eraseCopies({
    bucket: toBucket(env.SKILLS),
    profile,
    now: Date.now(),
    holds: (text) => holdsAny(text, pieces),
    without: (value) => withoutPieces(value, pieces),
  });
  const archive = openArchive(env, profile);
  for (let after: number | null = 0; after !== null;) after = await archive.eraseTexts(pieces, after);
}
