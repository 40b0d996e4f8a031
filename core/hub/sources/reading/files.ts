// Makes the files of a package from what a source sent: safe paths, plain files, within the limits of an import. Called by sources/. Pure.
import { type Result, err, ok } from "../../../errors.ts";
import { type FileBodies, toFileBody } from "../../../schemas/file-body.ts";
import { sha256Hex } from "../../../schemas/learning/digest.ts";
import { archiveKindOf, unpack } from "../../../skills/exchange/archive.ts";
import { IMPORT } from "../../../skills/exchange/import-limits.ts";
import { checkPath, checkPathConflicts } from "../../../skills/exchange/paths.ts";
import { SKILL_MD } from "../../../skills/format/format.ts";

export type RawFile = readonly [path: string, bytes: Uint8Array];

/** Failures: `bad_path`, `too_many_files`, `hub_too_large`, `hub_not_found` (no SKILL.md). */
export function toFiles(files: readonly RawFile[]): Result<FileBodies> {
  const refused = checkList(files.map(([path, bytes]) => ({ path, size: bytes.length })));
  if (refused) return refused;
  if (!files.some(([path]) => path === SKILL_MD)) {
    return err("hub_not_found", "There is no SKILL.md at the root of the package, so it is not a skill.");
  }
  // Copied: a view would keep the whole archive in memory.
  return ok(Object.fromEntries(files.map(([path, bytes]) => [path, toFileBody(bytes.slice())])));
}

/** Before anything is fetched. `null`: within the limits. A size that is not known counts as 0. */
export function checkList(
  files: readonly { path: string; size?: number | undefined }[],
): Extract<Result<never>, { ok: false }> | null {
  if (files.length > IMPORT.files) {
    return err("too_many_files", `The package has ${files.length} files; a skill has at most ${IMPORT.files}.`);
  }
  const paths = files.map(({ path }) => path);
  for (const path of paths) {
    const failure = checkPath(path);
    if (failure) return { ok: false, failure };
  }
  const total = files.reduce((sum, { size = 0 }) => sum + size, 0);
  if (total > IMPORT.bytes) return tooLarge();
  const conflict = checkPathConflicts(paths);
  return conflict ? { ok: false, failure: conflict } : null;
}

export function tooLarge() {
  return err("hub_too_large", `The package is larger than ${IMPORT.bytes} bytes, the most that a skill may have.`);
}

/**
 * The files of an archive, below the only folder if it has one. `folder`: its name, else "". Failures: those of `unpack` and `toFiles`; a link in
 * the archive is `hub_link_refused`.
 */
export function readPackage(archive: Uint8Array): Result<{ folder: string; files: RawFile[] }> {
  const unpacked = unpack(archive);
  if (!unpacked.ok) {
    const { code, message, facts } = unpacked.failure;
    return code === "bad_archive" && facts?.reason === "link" ? err("hub_link_refused", message) : unpacked;
  }
  const entries = unpacked.value.filter(([path]) => !SYSTEM_FILE.test(path));
  const main = entries.map(([path]) => path).find((path) => path === SKILL_MD || /^[^/]+\/SKILL\.md$/.test(path));
  const prefix = entries.some(([path]) => path === SKILL_MD) ? "" : (main ?? SKILL_MD).slice(0, -SKILL_MD.length);
  const outside = entries.find(([path]) => !path.startsWith(prefix));
  if (outside) {
    return err(
      "hub_bad_reply",
      "The archive has several folders, so which one is the skill is not clear. Name an archive of one skill.",
    );
  }
  return ok({ folder: prefix.slice(0, -1), files: entries.map(([path, bytes]) => [path.slice(prefix.length), bytes]) });
}

/** Files that operating systems and git leave in folders. */
const SYSTEM_FILE = /(?:^|\/)(?:__MACOSX\/|\.git\/|\.DS_Store$|Thumbs\.db$|\._[^/]*$)/;

export function isArchive(bytes: Uint8Array): boolean {
  return archiveKindOf(bytes) !== null;
}

/** As well-known indexes and the hub's lock write it: `sha256:<64 hexadecimal digits>`. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${sha256Hex(bytes)}`;
}

/** SHA-256 over the lines `<sha256>  <path>`, sorted: for sources that have no hash of their own. */
export function contentOf(files: readonly RawFile[]): string {
  const lines = files.map(([path, bytes]) => `${sha256Hex(bytes)}  ${path}\n`).sort();
  return `sha256:${sha256Hex(lines.join(""))}`;
}
