// The hash that names a package's content, whatever its source. Pure.
import { type FileBodies, toBytes } from "../../schemas/file-body.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";

export interface PackageHash {
  hash: Sha256;
  /** SHA-256 by path. */
  files: Record<string, Sha256>;
}

/** Over the lines `<sha256>  <path>\n`, sorted by path, as `sha256sum` prints them. */
export function hashPackage(files: FileBodies): PackageHash {
  const hashes = Object.entries(files).map(([path, body]) => [path, sha256Hex(toBytes(body))] as const);
  return toPackageHash(Object.fromEntries(hashes));
}

/** The same from the files of a head or a revision. Its requests are of this profile, never of a package. */
export function hashHeadFiles(files: Record<string, { sha256: Sha256 }>): PackageHash {
  const own = Object.entries(withoutRequests(files)).map(([path, { sha256 }]) => [path, sha256] as const);
  return toPackageHash(Object.fromEntries(own));
}

function toPackageHash(files: Record<string, Sha256>): PackageHash {
  const paths = Object.keys(files).sort();
  const sorted = Object.fromEntries(paths.map((path) => [path, files[path]!]));
  return { hash: sha256Hex(paths.map((path) => `${sorted[path]}  ${path}\n`).join("")), files: sorted };
}
