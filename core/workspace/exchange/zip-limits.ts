// Limits on a zip that is unpacked into a workspace, and the words in which one is refused. The workspace's own quotas apply too.
import { err } from "../../errors.ts";
import type { ZipRules } from "../../zip/zip-reader.ts";

/** An object takes a call of 32 MiB at most. https://developers.cloudflare.com/workers/runtime-apis/rpc/ */
export const MAX_ZIP_BYTES = 30 << 20;
/** As many as a workspace may hold. */
const MAX_ENTRIES = 20_000;
/** Text stays below fifty. A smaller archive may grow as it likes: a file of zeros grows a thousand times. */
const RATIO = 200;
const RATIO_FROM_BYTES = 10 << 20;

export function toZipRules(maxBytes: number): ZipRules {
  return {
    maxEntries: MAX_ENTRIES,
    maxBytes,
    ratio: RATIO,
    ratioFromBytes: RATIO_FROM_BYTES,
    allowsLinks: true,
    bad: (reason, sentence) => err("bad_archive", `${sentence} Pack the files again, as a plain zip.`, { reason }),
    tooManyEntries: (count) =>
      err("too_many_files", `The archive lists ${count} entries; a workspace holds at most ${MAX_ENTRIES}.`),
    tooLarge: () =>
      err("archive_too_large", `Unpacked, the archive is larger than the ${maxBytes} bytes of a workspace.`),
    ratioTooHigh: () =>
      err("archive_too_large", `The archive grows more than ${RATIO} times when it is unpacked, which is refused.`),
  };
}
