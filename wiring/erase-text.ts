// Erases a text from everything of a profile that quotes it: records in the bucket, recorded requests and indexed messages. Called by the
// API's purges and by an Account that deletes a skill.
import { holdsAny, withoutPieces } from "../core/skills/search/text-pieces.ts";
import { type CopiesOptions, eraseCopies } from "../stores/copies.ts";

/** The part of an Archive that erases texts. `after`: what the last call returned; `null` at the end. */
export interface TextArchive {
  eraseTexts(pieces: string[], after?: number): Promise<number | null>;
}

/** `pieces`: what `toPieces` returns. `bucket`: unguarded, because the guard refuses writes to the works that a purge ends. */
export async function eraseText(
  { archive, ...place }: Pick<CopiesOptions, "bucket" | "profile" | "now"> & { archive: TextArchive },
  pieces: string[],
): Promise<void> {
  if (pieces.length === 0) return;
  await eraseCopies({
    ...place,
    holds: (text) => holdsAny(text, pieces),
    without: (value) => withoutPieces(value, pieces),
  });
  for (let after: number | null = 0; after !== null;) after = await archive.eraseTexts(pieces, after);
}
