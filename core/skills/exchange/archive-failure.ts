// The refusals of archives in one form: `bad_archive` with a machine-readable reason, and `archive_too_large`. Used by
// the zip and tar readers. Pure.
import { err } from "../../errors.ts";
import type { ArchiveReason } from "../../zip/zip-reader.ts";
import { IMPORT } from "./import-limits.ts";

export function badArchive(reason: ArchiveReason, sentence: string) {
  return err("bad_archive", `${sentence} Pack the skill's folder again, as a plain zip.`, { reason });
}

export function archiveTooLarge(sentence: string) {
  return err("archive_too_large", sentence);
}

export function unpackedTooLarge() {
  return archiveTooLarge(`Unpacked, the archive is larger than ${IMPORT.bytes} bytes: leave out what is not needed.`);
}

export function tooManyEntries(count: number | string) {
  return err("too_many_files", `The archive lists ${count} entries; a skill has at most ${IMPORT.files} files.`);
}
