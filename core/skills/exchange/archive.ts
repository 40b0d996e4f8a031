// Packs and unpacks a skill's folder as zip (also named `.skill`) or tar.gz. Equal files give equal bytes, so a digest
// identifies them. Called by the import and export routes, the well-known routes and the bench. Pure.
import { type Zippable, gzipSync, zipSync } from "fflate";
import { type Result, err } from "../../errors.ts";
import { type FileBodies, toBytes } from "../../schemas/file-body.ts";
import { archiveTooLarge, badArchive, unpackedTooLarge } from "./archive-failure.ts";
import { IMPORT } from "./import-limits.ts";
import { gunzip } from "../../zip/inflate.ts";
import { type ArchiveEntries, readTar, writeTar } from "./tar.ts";
import { readZip } from "./read-zip.ts";

type ArchiveKind = "zip" | "tar.gz";

/** The archive's kind by its first bytes; null if it is not an archive. */
export function archiveKindOf(bytes: Uint8Array): ArchiveKind | null {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return "zip";
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? "tar.gz" : null;
}

/** Files under the names in the archive. Failures: `bad_archive`, `archive_too_large`, `too_many_files`. */
export function unpack(archive: Uint8Array): Result<ArchiveEntries> {
  if (archive.length > IMPORT.archiveBytes) {
    return archiveTooLarge(
      `The archive has ${archive.length} bytes of ${IMPORT.archiveBytes}: leave out what is not needed.`,
    );
  }
  const kind = archiveKindOf(archive);
  if (kind === "zip") return readZip(archive);
  if (kind === null) return badArchive("not_an_archive", "This is neither a zip nor a tar.gz.");
  // A tar adds a header to each file and pads it to whole blocks.
  const tar = gunzip(archive, IMPORT.bytes + IMPORT.entries * 1_024);
  if (tar.outcome === "too_large") return unpackedTooLarge();
  if (tar.outcome === "broken") return badArchive("truncated", "The archive is damaged or cut off.");
  if (tar.bytes.length > IMPORT.ratioFromBytes && tar.bytes.length > IMPORT.ratio * archive.length) {
    return err(
      "archive_too_large",
      `The archive grows more than ${IMPORT.ratio} times when it is unpacked, which no skill does.`,
    );
  }
  return readTar(tar.bytes);
}

/** `folder` is prepended to each path; without it, files lie at the root. */
export function pack(kind: ArchiveKind, files: FileBodies, folder?: string): Uint8Array<ArrayBuffer> {
  const sorted = Object.keys(files).sort();
  const entries = sorted.map((path): [string, Uint8Array] => [
    folder === undefined ? path : `${folder}/${path}`,
    toBytes(files[path]!),
  ]);
  if (kind === "tar.gz") return withOwnBuffer(gzipSync(writeTar(entries), { mtime: 0, level: 6 }));
  const zippable = entries.map(([path, bytes]) => {
    const mode = bytes[0] === 0x23 && bytes[1] === 0x21 ? 0o755 : 0o644;
    return [path, [bytes, { os: 3, attrs: ((0o100000 | mode) << 16) >>> 0 }]] as const;
  });
  return withOwnBuffer(zipSync(Object.fromEntries(zippable) as unknown as Zippable, { mtime: FIRST_DAY, level: 6 }));
}

/** The earliest date in a zip. The library reads it in the machine's time zone. */
const FIRST_DAY = new Date(1980, 0, 1);

function withOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
