// A skill at an address of its own: one SKILL.md, which is taken alone, or one archive. Its version is the digest of the bytes; nothing else
// says which version it is.
import { type Result, err, ok } from "../../errors.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import { IMPORT } from "../../skills/exchange/import-limits.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { type HubClientDeps, openHubClient } from "./reading/client.ts";
import { digestOf, isArchive, readPackage, toFiles } from "./reading/files.ts";
import type { HubSource } from "../source.ts";

export function createUrlSource(deps: HubClientDeps): HubSource {
  async function download(ref: HubRef, signal: AbortSignal): Promise<Result<{ bytes: Uint8Array; digest: string }>> {
    const reply = await openHubClient(deps, signal).get(ref.identifier, { maxBytes: IMPORT.archiveBytes });
    if (!reply.ok) return reply;
    const { bytes } = reply.value;
    return ok({ bytes, digest: digestOf(bytes) });
  }

  return {
    name: "url",
    search: async () => ok([]),

    async look(ref, signal) {
      const read = await download(ref, signal);
      return read.ok ? ok({ version: read.value.digest, content: read.value.digest, moves: true }) : read;
    },

    async fetch(ref, signal) {
      const read = await download(ref, signal);
      if (!read.ok) return read;
      const { bytes, digest } = read.value;
      if (ref.version !== undefined && ref.version !== digest) {
        return err("hub_digest_mismatch", `The address has another content now: ${digest} instead of ${ref.version}.`);
      }
      const found = isArchive(bytes) ? readPackage(bytes) : ok({ folder: "", files: [[SKILL_MD, bytes] as const] });
      if (!found.ok) return found;
      const files = toFiles(found.value.files);
      if (!files.ok) return files;
      const notes = isArchive(bytes)
        ? []
        : ["Only the SKILL.md itself was fetched, not the files that it may mention."];
      return ok({
        ...{ ref: { source: "url", identifier: ref.identifier }, version: digest, content: digest, moves: true },
        folder: found.value.folder || folderOf(ref.identifier),
        ...{ files: files.value, notes },
      });
    },
  };
}

/** `reading-logs` of `…/reading-logs.zip` and of `…/reading-logs/SKILL.md`. */
function folderOf(address: string): string {
  const names = new URL(address).pathname.split("/").filter((name) => name !== "");
  const last = names.at(-1) ?? "";
  return /^skill\.md$/i.test(last)
    ? (names.at(-2) ?? "")
    : last.replace(/\.(?:md|markdown|zip|skill|tar\.gz|tgz)$/i, "");
}
