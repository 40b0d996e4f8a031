// Unpacks a zip into a workspace: checks every name before anything is written, then writes all entries or none. The files count
// as the owner's writing. Called by FileTree inside its transaction.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { quotePath } from "../../zip/quote-path.ts";
import { type ZipEntry, openZip } from "../../zip/zip-reader.ts";
import type { FileLookup } from "../file-lookup.ts";
import { FileError } from "../file-node.ts";
import type { NodeWriter } from "../node-writer.ts";
import type { Quota } from "../quota.ts";
import { joinPath, normalizePath, parseWorkspacePath, splitPath } from "../workspace-path.ts";
import { toZipRules } from "./zip-limits.ts";

/** An entry with its place in the workspace, in the stored form. */
export interface PlacedEntry extends ZipEntry {
  place: string;
}

/**
 * The entries of an archive, folders before what they hold. Nothing is unpacked yet. Links are kept as links: they lead nowhere
 * outside the workspace. Failures: `bad_archive`, `archive_too_large`, `too_many_files`, `file_too_large`, `bad_path`.
 */
export function placeEntries(
  zip: Uint8Array,
  { maxBytes, maxFileBytes }: { maxBytes: number; maxFileBytes: number },
): Result<PlacedEntry[]> {
  const opened = openZip(zip, toZipRules(maxBytes));
  if (!opened.ok) return opened;
  const placed = new Map<string, PlacedEntry>();
  for (const entry of opened.value) {
    const failure = checkName(entry);
    if (failure) return { ok: false, failure };
    const place = normalizePath(`/${entry.path}`);
    if (entry.kind !== "folder" && entry.size > maxFileBytes) {
      return err(
        "file_too_large",
        `${quotePath(entry.path)} has ${entry.size} bytes; a file may have ${maxFileBytes}.`,
      );
    }
    if (place === "/") continue; // the entry of the packed folder itself
    if (placed.has(place)) return badName(entry, "it is in the archive twice");
    placed.set(place, { ...entry, place });
  }
  const sorted = [...placed.values()].sort((a, b) => (a.place < b.place ? -1 : 1));
  for (const entry of sorted) {
    for (let at = entry.place.lastIndexOf("/"); at > 0; at = entry.place.lastIndexOf("/", at - 1)) {
      const above = placed.get(entry.place.slice(0, at));
      if (above && above.kind !== "folder") return badName(entry, `${quotePath(above.path)} is not a folder`);
    }
  }
  return ok(sorted);
}

function checkName({ path, kind, isFromUnix }: ZipEntry): Failure | null {
  const name = kind === "folder" ? path.slice(0, -1) : path;
  let problem: string | null = null;
  if (name.startsWith("/")) problem = "it is absolute";
  else if (name.includes("\\") && !isFromUnix) problem = "it contains a backslash";
  else if (name.split("/").includes("..")) problem = "it leads out of its folder";
  else if (name.split("/").some((part) => part === "") && name !== "") problem = "it contains an empty name";
  if (problem !== null) return badName({ path }, problem).failure;
  // A path that begins with the name of the mount would lose it.
  const parsed = parseWorkspacePath(`./${name}`);
  if (!parsed.ok) return badName({ path }, "it is too long, or contains a NUL or half of a surrogate pair").failure;
  return null;
}

function badName({ path }: Pick<ZipEntry, "path">, why: string) {
  return err("bad_path", `${quotePath(path)} cannot be unpacked: ${why}. Nothing was changed.`);
}

/** An entry of an archive that cannot be unpacked. */
export class BrokenEntry extends Error {
  override name = "BrokenEntry";
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Where the entries are written: the parts of a FileTree. */
interface ImportTarget {
  lookup: FileLookup;
  quota: Quota;
  writer: NodeWriter;
  maxFileBytes: number;
}

/** Call inside a transaction, with the result of `placeEntries`. Throws a `BrokenEntry` or a FileError. */
export function importEntries(target: ImportTarget, entries: readonly PlacedEntry[], replace: boolean): void {
  const { lookup, writer } = target;
  checkRoom(target, entries, replace);
  if (replace) for (const node of lookup.children("/")) writer.remove(joinPath("/", node.name), node);
  for (const entry of entries) importEntry(target, entry);
}

/** Before anything is written, because thousands of files take long to write. */
function checkRoom({ lookup, quota }: ImportTarget, entries: readonly PlacedEntry[], replace: boolean): void {
  const present = lookup.all();
  const sizes = new Map(replace ? [] : present.map(({ parent, name, size }) => [joinPath(parent, name), size]));
  let bytes = replace ? -present.reduce((sum, { size }) => sum + size, 0) : 0;
  let nodes = replace ? -present.length : 0;
  for (const { path, place, size } of entries) {
    for (let at = place; at !== "/" && !sizes.has(at); at = splitPath(at).folder) {
      sizes.set(at, 0);
      nodes++;
    }
    bytes += size - sizes.get(place)!;
    sizes.set(place, size);
    quota.requireRoom(bytes, nodes, path);
  }
}

function importEntry({ lookup, writer, maxFileBytes }: ImportTarget, entry: PlacedEntry): void {
  const { path, place, kind, mode, mtime } = entry;
  const { folder } = splitPath(place);
  if (lookup.resolve(folder) !== folder) throw new FileError("ENOTDIR", "a link is on the way", path);
  writer.makeParentFolders(place, path);
  const old = lookup.node(place);
  if (old?.kind === "folder" && kind === "folder") {
    writer.update(place, old, "mode = ?, mtime = ?", mode ?? old.mode, mtime ?? old.mtime);
    return;
  }
  if (old?.kind === "folder") throw new FileError("EISDIR", "a folder is there", path);
  if (old && kind === "folder") throw new FileError("ENOTDIR", "a file is there", path);
  if (old) writer.remove(place, old);
  const attributes = { writer: "principal", ...(mtime !== null && { mtime }) } as const;
  if (kind === "folder") {
    writer.insert(place, path, { kind, mode: mode ?? 0o755, size: 0, target: null, content: null, ...attributes });
    return;
  }
  const bytes = entry.read();
  if (!bytes.ok) throw new BrokenEntry(bytes.failure);
  if (kind === "link") writer.makeLink(readTarget(bytes.value, path), place, path, attributes);
  else if (bytes.value.length > maxFileBytes) throw new FileError("EFBIG", "file too large", path);
  else writer.insertFile(place, path, bytes.value, { mode: mode ?? 0o644, ...attributes });
}

function readTarget(bytes: Uint8Array, path: string): string {
  let target = "";
  try {
    target = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: refused below.
  }
  if (target === "" || target.includes("\0"))
    throw new FileError("EINVAL", "the target of the link is not a text", path);
  return target;
}
