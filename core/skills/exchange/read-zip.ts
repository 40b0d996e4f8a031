// Unpacks the zip of a skill, by the limits of an import. Called by archive.ts. Pure.
import { type Result, ok } from "../../errors.ts";
import { type ZipRules, openZip } from "../../zip/zip-reader.ts";
import { archiveTooLarge, badArchive, tooManyEntries, unpackedTooLarge } from "./archive-failure.ts";
import { IMPORT } from "./import-limits.ts";
import type { ArchiveEntries } from "./tar.ts";

const RULES: ZipRules = {
  maxEntries: IMPORT.entries,
  maxBytes: IMPORT.bytes,
  ratio: IMPORT.ratio,
  ratioFromBytes: IMPORT.ratioFromBytes,
  allowsLinks: false,
  bad: badArchive,
  tooManyEntries,
  tooLarge: unpackedTooLarge,
  ratioTooHigh: () =>
    archiveTooLarge(`The archive grows more than ${IMPORT.ratio} times when it is unpacked, which no skill does.`),
};

/**
 * Files in the archive's order, under the names in it. Failures: `bad_archive`, `archive_too_large`, `too_many_files`.
 */
export function readZip(zip: Uint8Array): Result<ArchiveEntries> {
  const entries = openZip(zip, RULES);
  if (!entries.ok) return entries;
  const files: ArchiveEntries = [];
  for (const { path, kind, read } of entries.value) {
    const bytes = read();
    if (!bytes.ok) return bytes;
    if (kind === "file") files.push([path, bytes.value]);
  }
  return ok(files);
}
