// Names derived from contents. Pure and synchronous, so that a hash can be taken inside one SQL transaction.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type FileBodies, toBytes } from "../file-body.ts";
import type { Sha256 } from "../ids.ts";
import { withoutRequests } from "../skill-requests.ts";

export function sha256Hex(body: string | Uint8Array): Sha256 {
  return bytesToHex(sha256(typeof body === "string" ? utf8ToBytes(body) : body));
}

/** Length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return utf8ToBytes(text).length;
}

/** Contents by path, as a head names them. Sorted by path, so that equal files give equal JSON. */
export function hashFiles(contents: FileBodies): Record<string, { sha256: Sha256; size: number }> {
  const paths = Object.keys(contents).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const bytes = toBytes(contents[path]!);
      return [path, { sha256: sha256Hex(bytes), size: bytes.length }];
    }),
  );
}

/**
 * A skill's `text`: SHA-256 of the lines `<sha256> <path>`, sorted by path. It names exactly what a model read, and therefore
 * excludes the file of requests, which models do not read.
 */
export function textOfFiles(files: Record<string, { sha256: Sha256 }>): Sha256 {
  const paths = Object.keys(withoutRequests(files)).sort();
  return sha256Hex(paths.map((path) => `${files[path]!.sha256} ${path}\n`).join(""));
}

/** The 256 shards of curation: the first two hexadecimal digits of the profile's hash. */
export function shardOf(profile: string): string {
  return sha256Hex(profile).slice(0, 2);
}
