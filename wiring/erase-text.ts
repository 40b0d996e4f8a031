// Erases a text from everything of a profile that quotes it: records in the bucket, recorded requests, indexed messages
// and experiments. Called by the API's purges and by an Account that deletes a skill.
import { type ErasedPieces, toMatcher } from "../core/archive/messages/split-archive.ts";
import { hashPieces } from "../core/archive/messages/purged-texts.ts";
import { redactText } from "../core/redact.ts";
import type { PurgedPiece, TextPurge } from "../core/schemas/archived-message.ts";
import { toPieces, withoutTexts } from "../core/skills/search/text-pieces.ts";
import { type CopiesOptions, eraseCopies } from "../stores/copies.ts";

/** The part of an Archive that erases texts; durable-objects/archive.ts documents it. */
export interface TextArchive {
  beginPurge(purge: TextPurge): Promise<void>;
  purgedPieces(subject: string): Promise<PurgedPiece[]>;
  eraseTexts(pieces: ErasedPieces, after?: number): Promise<number | null>;
}

/** The part of a profile's Experiments that erases texts. */
export interface TextExperiments {
  /** Its runs are whole copies of turns, so all of them go. */
  forgetWords(): Promise<void>;
}

export interface ErasedTexts {
  /** What is purged, without its text. A purge of the same thing whose texts are gone erases what an earlier one knew of them. */
  subject: string;
  gone: string[];
  kept: string[];
}

/**
 * `kept`: texts that stay, whose pieces are left alone. Copies with their secrets redacted are erased too. `bucket`: unguarded, because
 * the guard refuses writes to the works that a purge ends. Throws before it erases anything if a newer version wrote the Archive.
 */
export async function eraseText(
  {
    archive,
    experiments,
    ...place
  }: Pick<CopiesOptions, "bucket" | "profile" | "now"> & { archive: TextArchive; experiments: TextExperiments },
  { subject, gone, kept }: ErasedTexts,
): Promise<void> {
  const { profile, now } = place;
  const texts = toErasedPieces(gone, kept);
  const hashes = texts.length > 0 ? hashPieces(texts, profile) : await archive.purgedPieces(subject);
  // Too short to be searched for, or elsewhere too: runs need no search.
  if (hashes.length === 0) return gone.length > 0 ? experiments.forgetWords() : undefined;
  await archive.beginPurge({ subject, at: now, pieces: hashes });
  const pieces: ErasedPieces = texts.length > 0 ? { texts } : { hashes };
  const holds = toMatcher(pieces, profile);
  await eraseCopies({ ...place, holds, without: (value) => withoutTexts(value, holds) });
  await experiments.forgetWords();
  for (let after: number | null = 0; after !== null;) after = await archive.eraseTexts(pieces, after);
}

/** The mark of a redaction alone is no copy: many texts have it. */
function toErasedPieces(gone: string[], kept: string[]): string[] {
  const redacted = gone.map(redactText);
  const marks = redacted.flatMap((text) => text.match(/\[redacted [^\]]{1,40}\]/g) ?? []);
  return toPieces([...gone, ...redacted], [...kept, ...marks]);
}
