// Files, folders and links in SQLite, with quotas. The synchronous core of the workspace, called by workspace.ts and
// mount.ts only. Paths are absolute and normalised. Failures are FileErrors with POSIX codes, as shell commands expect.
// Each writing method is its own transaction and must not be called inside another. Methods without a `writer` act for
// the agent, which may not change instruction files.
import type { Clock, Sql, SqlValue } from "../ports.ts";
import { concatBytes } from "./encoding.ts";
import { FileError, type FileNode, PROTECTED, ROOT, type Writer } from "./file-node.ts";
import { isInstructionFile, mayHoldInstructions } from "./instruction-files.ts";
import { type Quota, createQuota } from "./quota.ts";
import type { WriteBudget } from "./write-budget.ts";
import {
  MAX_PATH_BYTES,
  isUnder,
  joinPath,
  normalizePath,
  pathBytes,
  resolveTarget,
  splitPath,
} from "./workspace-path.ts";

/** Largest part of a file in one row. The platform's limit is 2 MB per value. */
const PART_BYTES = 512 << 10;
/** A last part shorter than this is rewritten together with the appended bytes. */
const MIN_PART_BYTES = 16 << 10;
const MAX_LINKS_FOLLOWED = 40;

export interface FileTreeOptions {
  sql: Sql;
  clock: Clock;
  maxFileBytes: number;
  maxBytes: number;
}

export class FileTree {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #maxFileBytes: number;
  readonly #quota: Quota;
  #budget: WriteBudget | null = null;

  constructor(options: FileTreeOptions) {
    this.#sql = options.sql;
    this.#clock = options.clock;
    this.#maxFileBytes = options.maxFileBytes;
    this.#quota = createQuota(options.sql, options.maxBytes);
  }

  /**
   * Resolves links in a path, including the last segment unless `followLast` is false. A path that does not exist is
   * returned as it is, so that it can be created.
   */
  resolve(path: string, followLast = true): string {
    let rest = pathSegments(path);
    let current = "/";
    for (let links = 0; ;) {
      const name = rest.shift();
      if (name === undefined) return current;
      const next = joinPath(current, name);
      const node = rest.length > 0 || followLast ? this.node(next) : null;
      if (node?.kind === "link") {
        if (++links > MAX_LINKS_FOLLOWED) throw new FileError("ELOOP", "too many levels of symbolic links", path);
        const target = resolveTarget(current, node.target ?? "");
        if (target === null) throw new FileError("ENOENT", "no such file or directory", path);
        rest = [...pathSegments(target), ...rest];
        current = "/";
        continue;
      }
      if (node?.kind === "file" && rest.length > 0) throw new FileError("ENOTDIR", "not a directory", path);
      current = next;
    }
  }

  /** The node at a path, without following links. */
  node(path: string): FileNode | null {
    if (path === "/") return ROOT;
    const { folder, name } = splitPath(path);
    return this.#sql.run<FileNode>("SELECT * FROM file_node WHERE parent = ? AND name = ?", folder, name)[0] ?? null;
  }

  /** The node at a path, links followed. Throws `ENOENT` when there is none. */
  requireNode(path: string, followLast = true): { path: string; node: FileNode } {
    const resolved = this.resolve(path, followLast);
    const node = this.node(resolved);
    if (!node) throw new FileError("ENOENT", "no such file or directory", path);
    return { path: resolved, node };
  }

  /** The entries of a folder, sorted by name. */
  children(path: string): FileNode[] {
    const found = this.requireNode(path);
    if (found.node.kind !== "folder") throw new FileError("ENOTDIR", "not a directory", path);
    return this.#sql.run<FileNode>("SELECT * FROM file_node WHERE parent = ? ORDER BY name", found.path);
  }

  /** All nodes, in no particular order. */
  all(): FileNode[] {
    return this.#sql.run<FileNode>("SELECT * FROM file_node");
  }

  read(path: string): Uint8Array {
    const { size } = this.open(path);
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const part of this.parts(path)) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** The node of a file, links followed. Throws `EISDIR` for a folder. */
  open(path: string): FileNode {
    const { node } = this.requireNode(path);
    if (node.kind === "folder") throw new FileError("EISDIR", "illegal operation on a directory", path);
    return node;
  }

  /** The bytes of a file part by part, so that only one part is in memory. */
  *parts(path: string): Generator<Uint8Array> {
    const found = this.requireNode(path);
    for (let last = -1; ;) {
      const [row] = this.#sql.run<{ i: number; data: BlobValue }>(
        "SELECT i, data FROM file_part WHERE path = ? AND i > ? ORDER BY i LIMIT 1",
        found.path,
        last,
      );
      if (!row) return;
      last = row.i;
      yield toBytes(row.data);
    }
  }

  /**
   * Writes a file and returns whether it is new. Missing parent folders are created, as the shell's own file systems
   * do; an error here would end a whole script. `replaceLink` replaces a link instead of following it. `also` writes
   * rows of the caller in the same transaction.
   */
  write(
    path: string,
    bytes: Uint8Array,
    writer: Writer,
    options: { replaceLink?: boolean; also?(): void } = {},
  ): boolean {
    return this.#inTransaction(() => {
      const resolved = this.resolve(path, !options.replaceLink);
      if (writer !== "principal") this.#rejectInstructionFile(resolved, path);
      if (options.replaceLink && this.node(resolved)?.kind === "link") this.#remove(resolved);
      const created = this.#writeWithFolders(resolved, path, bytes, writer);
      options.also?.();
      return created;
    });
  }

  /** Charges what `work` writes to the budget as well. `work` must be synchronous. */
  chargeTo<T>(budget: WriteBudget | null, work: () => T): T {
    const before = this.#budget;
    this.#budget = budget;
    try {
      return work();
    } finally {
      this.#budget = before;
    }
  }

  /** The resolved path of an existing file that the agent may append to; null when only `append` can decide. */
  findAppendTarget(path: string): string | null {
    const resolved = this.resolve(path);
    return this.node(resolved)?.kind === "file" && !isInstructionFile(resolved) ? resolved : null;
  }

  /** Whether the quotas allow a file to grow by `bytes` and all files together by `allBytes`. */
  canGrow(resolved: string, bytes: number, allBytes: number): boolean {
    return (this.node(resolved)?.size ?? 0) + bytes <= this.#maxFileBytes && this.#quota.hasRoom(allBytes);
  }

  /**
   * Appends bytes as a new part. The last part is rewritten only if it is short, so appending line by line stays cheap.
   * `own` words appended to anything else become `content`.
   */
  append(
    path: string,
    bytes: Uint8Array,
    writer: Exclude<Writer, "principal"> = "content",
  ): { created: boolean; size: number } {
    return this.#inTransaction(() => {
      const resolved = this.resolve(path);
      this.#rejectInstructionFile(resolved, path);
      const node = this.node(resolved);
      const size = (node?.size ?? 0) + bytes.length;
      if (node?.kind !== "file") {
        return { created: this.#writeWithFolders(resolved, path, bytes, writer), size: bytes.length };
      }
      if (bytes.length === 0) return { created: false, size };
      this.#checkSize(node.size + bytes.length, path);
      this.#quota.charge(bytes.length, 0, path);
      const last = this.#lastPart(resolved);
      if (last !== null && last.bytes < MIN_PART_BYTES) {
        this.#writeParts(resolved, last.i, concatBytes([this.#part(resolved, last.i), bytes]));
      } else {
        this.#writeParts(resolved, last === null ? 0 : last.i + 1, bytes);
      }
      const label = node.writer === "own" ? writer : "content";
      this.#update(resolved, "mtime = ?, size = ?, writer = ?", this.#clock.now(), size, label);
      return { created: false, size };
    });
  }

  makeFolder(path: string, recursive: boolean): void {
    this.#inTransaction(() => {
      const resolved = this.resolve(path);
      this.#rejectInstructionFile(resolved, path);
      this.#makeFolder(resolved, path, recursive);
    });
  }

  makeLink(target: string, path: string): void {
    this.#inTransaction(() => {
      const resolved = this.resolve(path, false);
      this.#rejectInstructionFile(resolved, path);
      if (this.node(resolved)) throw new FileError("EEXIST", "file already exists", path);
      if (pathBytes(target) > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", path);
      this.#insert(resolved, path, { kind: "link", mode: 0o777, size: pathBytes(target), target, writer: "own" });
    });
  }

  /** Removes a node with everything below it. Returns false when nothing was there and `force` is set. */
  remove(path: string, by: Writer, options: { recursive?: boolean; force?: boolean } = {}): boolean {
    return this.#inTransaction(() => {
      const resolved = this.resolve(path, false);
      const node = this.node(resolved);
      if (node && by !== "principal") this.#rejectInstructionFilesIn(resolved, resolved, path);
      if (!node && options.force) return false;
      if (!node) throw new FileError("ENOENT", "no such file or directory", path);
      if (resolved === "/") throw new FileError("EBUSY", "the workspace itself cannot be removed", path);
      if (node.kind === "folder" && !options.recursive && this.#hasChildren(resolved)) {
        throw new FileError("ENOTEMPTY", "directory not empty", path);
      }
      this.#remove(resolved);
      return true;
    });
  }

  /** A link is copied as a link. */
  copy(from: string, to: string, recursive: boolean): void {
    this.#inTransaction(() => {
      const source = this.requireNode(from, false);
      const target = this.resolve(to);
      if (target === source.path) return;
      if (source.node.kind === "folder" && isUnder(target, source.path)) {
        throw new FileError("EINVAL", "cannot copy a directory into itself", to);
      }
      if (source.node.kind === "folder" && !recursive) throw new FileError("EISDIR", "is a directory", from);
      this.#copy(source, target);
    });
  }

  /** Works as rename(2): a file may replace a file, a folder may replace an empty folder. Moving counts as writing. */
  move(from: string, to: string): void {
    this.#inTransaction(() => {
      const source = this.requireNode(from, false);
      const target = this.resolve(to, false);
      if (target === source.path) return;
      this.#rejectInstructionFilesIn(source.path, source.path, from);
      this.#rejectInstructionFilesIn(source.path, target, to);
      if (source.path === "/") throw new FileError("EBUSY", "the workspace itself cannot be moved", from);
      if (isUnder(target, source.path)) throw new FileError("EINVAL", "cannot move a directory into itself", to);
      this.#clearForMove(source.node, target, to);
      this.#requireParentFolder(target, to);
      this.#checkLengths(source.path, target, to);
      this.#relocate(source.path, target);
    });
  }

  setMode(path: string, mode: number): void {
    const found = this.requireNode(path);
    if (found.path !== "/") this.#update(found.path, "mode = ?", mode);
  }

  setTime(path: string, mtime: number): void {
    const found = this.requireNode(path);
    if (found.path !== "/") this.#update(found.path, "mtime = ?", mtime);
  }

  #writeWithFolders(resolved: string, path: string, bytes: Uint8Array, writer: Writer): boolean {
    if (resolved !== "/") this.#makeFolder(splitPath(resolved).folder, path, true);
    return this.#write(resolved, path, bytes, writer);
  }

  #write(resolved: string, path: string, bytes: Uint8Array, writer: Writer): boolean {
    const old = this.node(resolved);
    if (old?.kind === "folder") throw new FileError("EISDIR", "illegal operation on a directory", path);
    this.#checkSize(bytes.length, path);
    if (old) {
      this.#quota.charge(bytes.length - old.size, 0, path);
      this.#update(resolved, "mtime = ?, size = ?, writer = ?", this.#clock.now(), bytes.length, writer);
      // Appending makes short parts, so there may be more parts than the size implies.
      const parts = Math.ceil(bytes.length / PART_BYTES);
      this.#sql.run("DELETE FROM file_part WHERE path = ? AND i >= ?", resolved, parts);
    } else {
      this.#insert(resolved, path, { kind: "file", mode: 0o644, size: bytes.length, target: null, writer });
    }
    this.#writeParts(resolved, 0, bytes);
    return !old;
  }

  #makeFolder(resolved: string, path: string, recursive: boolean): void {
    const node = this.node(resolved);
    if (node?.kind === "folder" && recursive) return;
    if (node) throw new FileError("EEXIST", "file already exists", path);
    const { folder } = splitPath(resolved);
    if (recursive && !this.node(folder)) this.#makeFolder(folder, path, true);
    this.#insert(resolved, path, { kind: "folder", mode: 0o755, size: 0, target: null, writer: "own" });
  }

  #copy(source: { path: string; node: FileNode }, target: string): void {
    const { node } = source;
    this.#rejectInstructionFile(target, target);
    if (node.kind === "file") {
      this.#write(target, target, this.read(source.path), node.writer === "own" ? "own" : "content");
      this.#update(target, "mode = ?", node.mode);
    } else if (node.kind === "link") {
      if (this.node(target)) throw new FileError("EEXIST", "file already exists", target);
      this.#insert(target, target, { ...node, writer: "own" });
    } else {
      this.#makeFolder(target, target, true);
      for (const child of this.children(source.path)) {
        this.#copy({ path: joinPath(source.path, child.name), node: child }, joinPath(target, child.name));
      }
    }
  }

  #rejectInstructionFile(resolved: string, path: string): void {
    if (!isInstructionFile(resolved)) return;
    throw new FileError("EPERM", PROTECTED, path);
  }

  /** Throws if `to`, or any node of `from` once it lies in `to`, is an instruction file. */
  #rejectInstructionFilesIn(from: string, to: string, path: string): void {
    this.#rejectInstructionFile(to, path);
    if (!mayHoldInstructions(to)) return;
    for (const { parent, name } of this.#sql.run<FileNode>(
      `SELECT parent, name FROM file_node WHERE ${SUBTREE_SQL}`,
      ...subtreeRange(from),
    )) {
      this.#rejectInstructionFile(to + joinPath(parent, name).slice(from.length), path);
    }
  }

  #clearForMove(node: FileNode, target: string, to: string): void {
    const old = this.node(target);
    if (!old) return;
    if (old.kind === "folder" && node.kind !== "folder") throw new FileError("EISDIR", "is a directory", to);
    if (old.kind !== "folder" && node.kind === "folder") throw new FileError("ENOTDIR", "not a directory", to);
    if (old.kind === "folder" && this.#hasChildren(target)) throw new FileError("ENOTEMPTY", "directory not empty", to);
    this.#remove(target);
  }

  #checkLengths(from: string, target: string, to: string): void {
    const [longest] = this.#sql.run<{ bytes: number | null }>(
      `SELECT max(length(CAST(parent || '/' || name AS BLOB))) AS bytes FROM file_node WHERE ${SUBTREE_SQL}`,
      ...subtreeRange(from),
    );
    const added = pathBytes(target) - pathBytes(from);
    if (Math.max(pathBytes(from), longest?.bytes ?? 0) + added > MAX_PATH_BYTES) {
      throw new FileError("ENAMETOOLONG", "file name too long", to);
    }
  }

  /**
   * The agent chose the new name, so moved files no longer count as the owner's words: a renamed upload becomes
   * content.
   */
  #relocate(from: string, to: string): void {
    const { folder, name } = splitPath(to);
    const [sum] = this.#sql.run<{ bytes: number | null; nodes: number }>(
      `SELECT sum(size) AS bytes, count(*) AS nodes FROM file_node WHERE ${SUBTREE_SQL}`,
      ...subtreeRange(from),
    );
    const size = (this.node(from)?.size ?? 0) + (sum?.bytes ?? 0);
    // Parts are keyed by path, so moving a file rewrites it.
    this.#budget?.charge(size, 2 * (sum?.nodes ?? 0) + Math.ceil(size / PART_BYTES), to);
    this.#update(from, `parent = ?, name = ?, writer = ${MOVED_WRITER_SQL}`, folder, name);
    this.#sql.run("UPDATE file_part SET path = ? WHERE path = ?", to, from);
    this.#sql.run(
      `UPDATE file_node SET parent = ? || substr(parent, length(?) + 1), writer = ${MOVED_WRITER_SQL} WHERE ${SUBTREE_SQL}`,
      ...[to, from, ...subtreeRange(from)],
    );
    this.#sql.run(
      "UPDATE file_part SET path = ? || substr(path, length(?) + 1) WHERE path > ? AND path < ?",
      ...[to, from, ...pathRange(from)],
    );
  }

  #remove(resolved: string): void {
    const { folder, name } = splitPath(resolved);
    const [sum] = this.#sql.run<{ bytes: number | null; nodes: number }>(
      `SELECT sum(size) AS bytes, count(*) AS nodes FROM file_node WHERE (parent = ? AND name = ?) OR ${SUBTREE_SQL}`,
      ...[folder, name, ...subtreeRange(resolved)],
    );
    this.#quota.charge(-(sum?.bytes ?? 0), -(sum?.nodes ?? 0), resolved);
    this.#budget?.charge(0, 2 * (sum?.nodes ?? 0), resolved);
    this.#sql.run(
      `DELETE FROM file_node WHERE (parent = ? AND name = ?) OR ${SUBTREE_SQL}`,
      folder,
      name,
      ...subtreeRange(resolved),
    );
    this.#sql.run("DELETE FROM file_part WHERE path = ? OR (path > ? AND path < ?)", resolved, ...pathRange(resolved));
  }

  #insert(resolved: string, path: string, node: Omit<FileNode, "parent" | "name" | "mtime">): void {
    this.#requireParentFolder(resolved, path);
    if (pathBytes(resolved) > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", path);
    this.#quota.charge(node.size, 1, path);
    this.#budget?.charge(0, 1, path);
    const { folder, name } = splitPath(resolved);
    this.#sql.run(
      "INSERT INTO file_node(parent, name, kind, mode, mtime, size, target, writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[folder, name, node.kind, node.mode, this.#clock.now(), node.size, node.target, node.writer],
    );
  }

  #requireParentFolder(resolved: string, path: string): void {
    const folder = this.node(splitPath(resolved).folder);
    if (!folder) throw new FileError("ENOENT", "no such file or directory", path);
    if (folder.kind !== "folder") throw new FileError("ENOTDIR", "not a directory", path);
  }

  #update(resolved: string, fields: string, ...values: SqlValue[]): void {
    const { folder, name } = splitPath(resolved);
    this.#budget?.charge(0, 1, resolved);
    this.#sql.run(`UPDATE file_node SET ${fields} WHERE parent = ? AND name = ?`, ...values, folder, name);
  }

  #writeParts(resolved: string, first: number, bytes: Uint8Array): void {
    this.#budget?.charge(bytes.length, Math.ceil(bytes.length / PART_BYTES), resolved);
    for (let i = 0; i * PART_BYTES < bytes.length; i++) {
      this.#sql.run(
        "INSERT INTO file_part(path, i, data) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data",
        ...[resolved, first + i, bytes.slice(i * PART_BYTES, (i + 1) * PART_BYTES)],
      );
    }
  }

  #lastPart(resolved: string): { i: number; bytes: number } | null {
    const query = "SELECT i, length(data) AS bytes FROM file_part WHERE path = ? ORDER BY i DESC LIMIT 1";
    return this.#sql.run<{ i: number; bytes: number }>(query, resolved)[0] ?? null;
  }

  #part(resolved: string, i: number): Uint8Array {
    const [row] = this.#sql.run<{ data: BlobValue }>(
      "SELECT data FROM file_part WHERE path = ? AND i = ?",
      resolved,
      i,
    );
    return row ? toBytes(row.data) : new Uint8Array();
  }

  #hasChildren(resolved: string): boolean {
    return this.#sql.run("SELECT 1 FROM file_node WHERE parent = ? LIMIT 1", resolved).length > 0;
  }

  #checkSize(bytes: number, path: string): void {
    if (bytes > this.#maxFileBytes) {
      throw new FileError("EFBIG", `file too large (${bytes} bytes; a file may have ${this.#maxFileBytes})`, path);
    }
  }

  /** Runs `work` in one transaction. If it fails, the cached usage is discarded and counted again. */
  #inTransaction<T>(work: () => T): T {
    try {
      return this.#sql.transaction(work);
    } catch (error) {
      this.#quota.discardCount();
      throw error;
    }
  }
}

/** Workerd returns a BLOB as an ArrayBuffer, Node as a Uint8Array. */
type BlobValue = Uint8Array | ArrayBuffer;

/** The writer of a moved file. */
const MOVED_WRITER_SQL = "CASE writer WHEN 'own' THEN 'own' ELSE 'content' END";

/** All nodes below a folder. `0` is the character after `/`. */
const SUBTREE_SQL = "(parent = ? OR (parent > ? AND parent < ?))";

function subtreeRange(folder: string): [string, string, string] {
  return [folder, ...pathRange(folder)];
}

function pathRange(folder: string): [string, string] {
  return [`${folder}/`, `${folder}0`];
}

function pathSegments(path: string): string[] {
  return normalizePath(path).split("/").filter(Boolean);
}

function toBytes(blob: BlobValue): Uint8Array {
  return blob instanceof Uint8Array ? blob : new Uint8Array(blob);
}
