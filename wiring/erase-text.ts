// Erases a text from everything of a profile that quotes it: records in the bucket, recorded requests and indexed messages. Called by the
// API's purges and by an Account that deletes a skill.
import { redactText } from "../core/redact.ts";
import { holdsAny, toPieces, withoutPieces } from "../core/skills/search/text-pieces.ts";
import { type CopiesOptions, eraseCopies } from "../stores/copies.ts";

/** The part of an Archive that erases texts. `after`: what the last call returned; `null` at the end. */
export interface TextArchive {
  eraseTexts(pieces: string[], after?: number): Promise<number | null>;
}

export interface ErasedTexts {
  gone: string[];
  kept: string[];
}

/**
 * `kept`: texts that stay, whose pieces are left alone. Copies with their secrets redacted are erased too. `bucket`: unguarded, because
 * the guard refuses writes to the works that a purge ends.
 */
export async function eraseText(
  { archive, ...place }: Pick<CopiesOptions, "bucket" | "profile" | "now"> & { archive: TextArchive },
  { gone, kept }: ErasedTexts,
): Promise<void> {
  const pieces = toErasedPieces(gone, kept);
  if (pieces.length === 0) return;
  await eraseCopies({
    ...place,
    holds: (text) => holdsAny(text, pieces),
    without: (value) => withoutPieces(value, pieces),
  });
  for (let after: number | null = 0; after !== null;) after = await archive.eraseTexts(pieces, after);
}

/** The mark of a redaction alone is no copy: many texts have it. */
function toErasedPieces(gone: string[], kept: string[]): string[] {
  const redacted = gone.map(redactText);
  const marks = redacted.flatMap((text) => text.match(/\[redacted [^\]]{1,40}\]/g) ?? []);
  return toPieces([...gone, ...redacted], [...kept, ...marks]);
}
