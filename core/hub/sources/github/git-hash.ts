// Names of git's objects, which are hashes of their contents: what a server sends is compared with them. Pure.
import { sha1 } from "@noble/hashes/legacy.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { TreeEntry } from "./tree.ts";

/** SHA-1 in hexadecimal. */
export function blobShaOf(bytes: Uint8Array): string {
  return objectSha("blob", bytes);
}

/** The SHA of the folder that these entries are all of. Paths are relative to it; entries of type `tree` are not needed. */
export function treeShaOf(entries: readonly TreeEntry[]): string {
  const own: { name: string; mode: string; sha: string }[] = [];
  const below = new Map<string, TreeEntry[]>();
  for (const entry of entries) {
    const at = entry.path.indexOf("/");
    if (at < 0 && entry.type !== "tree") own.push({ name: entry.path, mode: entry.mode, sha: entry.sha });
    if (at < 0) continue;
    const folder = entry.path.slice(0, at);
    const inside = below.get(folder) ?? [];
    inside.push({ ...entry, path: entry.path.slice(at + 1) });
    below.set(folder, inside);
  }
  for (const [name, inside] of below) own.push({ name, mode: FOLDER_MODE, sha: treeShaOf(inside) });
  // Git sorts bytes, and a folder as if its name ended in a slash.
  const sorted = own
    .map((entry) => ({ ...entry, key: utf8ToBytes(entry.mode === FOLDER_MODE ? `${entry.name}/` : entry.name) }))
    .sort((a, b) => compareBytes(a.key, b.key));
  const lines = sorted.map(({ mode, name, sha }) => concatBytes(utf8ToBytes(`${mode} ${name}\0`), hexToBytes(sha)));
  return objectSha("tree", concatBytes(...lines));
}

const FOLDER_MODE = "40000";

function objectSha(kind: "blob" | "tree", body: Uint8Array): string {
  return bytesToHex(sha1(concatBytes(utf8ToBytes(`${kind} ${body.length}\0`), body)));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, n) => byte !== b[n]);
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
