// The rules by which files, folders and links change: POSIX semantics, quotas, and which files the agent may not write. The
// synchronous core of the workspace, called by workspace.ts and mount.ts only. Paths are absolute and normalised. Failures are
// FileErrors with POSIX codes, as shell commands expect. Methods without a `writer` act for the agent, which may not change
// instruction files. Each writing method is a transaction of its own, or joins the one of `inTransaction`.
import type { Clock, Sql } from "../ports.ts";
import { ChangeLog } from "./checkpoints/change-log.ts";
import { Checkpoints } from "./checkpoints/checkpoints.ts";
import { createContents } from "./contents.ts";
import { type PlacedEntry, importEntries } from "./exchange/import-zip.ts";
import { FileLookup } from "./file-lookup.ts";
import { FileError, type FileNode, type Writer } from "./file-node.ts";
import { isInstructionFile, rejectInstructionFile, rejectInstructionFilesIn } from "./instruction-files.ts";
import { NodeWriter } from "./node-writer.ts";
import { type Quota, createQuota } from "./quota.ts";
import type { WriteBudget } from "./write-budget.ts";
import { MAX_PATH_BYTES, isUnder, joinPath, pathBytes } from "./workspace-path.ts";

export interface FileTreeOptions {
  sql: Sql;
  clock: Clock;
  maxFileBytes: number;
  maxBytes: number;
  /** Number of the newest turn that has begun; 0 before the first. Absent: no checkpoint is kept. */
  turn?(): number;
  /** Limit on the bytes that only checkpoints refer to. */
  maxCheckpointBytes?: number;
}

export class FileTree {
  readonly lookup: FileLookup;
  readonly checkpoints: Checkpoints;
  readonly #sql: Sql;
  readonly #maxFileBytes: number;
  readonly #quota: Quota;
  readonly #contents: ReturnType<typeof createContents>;
  readonly #changes: ChangeLog;
  readonly #writer: NodeWriter;
  #isInTransaction = false;

  constructor({ sql, clock, maxFileBytes, maxBytes, turn = () => 0, maxCheckpointBytes = maxBytes }: FileTreeOptions) {
    this.#sql = sql;
    this.#maxFileBytes = maxFileBytes;
    this.#quota = createQuota(sql, maxBytes);
    this.#contents = createContents(sql);
    this.lookup = new FileLookup(sql, this.#contents);
    this.#changes = new ChangeLog({ sql, clock, contents: this.#contents, turn, maxBytes: maxCheckpointBytes });
    const shared = { sql, changes: this.#changes, quota: this.#quota, lookup: this.lookup };
    this.#writer = new NodeWriter({ ...shared, clock, contents: this.#contents });
    this.checkpoints = new Checkpoints({
      ...shared,
      writer: this.#writer,
      inTransaction: (work) => this.inTransaction(work),
    });
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
    return this.inTransaction(() => {
      const resolved = this.lookup.resolve(path, !options.replaceLink);
      if (writer !== "principal") rejectInstructionFile(resolved, path);
      const link = options.replaceLink ? this.lookup.node(resolved) : null;
      if (link?.kind === "link") this.#writer.remove(resolved, link);
      this.#writer.makeParentFolders(resolved, path);
      const created = this.#write(resolved, path, bytes, writer);
      options.also?.();
      return created;
    });
  }

  /** Charges what `work` writes to the budget as well. `work` must be synchronous. */
  chargeTo<T>(budget: WriteBudget | null, work: () => T): T {
    return this.#writer.chargeTo(budget, work);
  }

  /** The resolved path of an existing file that the agent may append to; null when only `append` can decide. */
  findAppendTarget(path: string): string | null {
    const resolved = this.lookup.resolve(path);
    return this.lookup.node(resolved)?.kind === "file" && !isInstructionFile(resolved) ? resolved : null;
  }

  /** Whether the quotas allow a file to grow by `bytes` and all files together by `allBytes`. */
  canGrow(resolved: string, bytes: number, allBytes: number): boolean {
    return (this.lookup.node(resolved)?.size ?? 0) + bytes <= this.#maxFileBytes && this.#quota.hasRoom(allBytes);
  }

  /** Appends bytes. `own` words appended to anything else become `content`. */
  append(
    path: string,
    bytes: Uint8Array,
    writer: Exclude<Writer, "principal"> = "content",
  ): { created: boolean; size: number } {
    return this.inTransaction(() => {
      const resolved = this.lookup.resolve(path);
      rejectInstructionFile(resolved, path);
      const node = this.lookup.node(resolved);
      if (node?.kind !== "file") {
        this.#writer.makeParentFolders(resolved, path);
        return { created: this.#write(resolved, path, bytes, writer), size: bytes.length };
      }
      const size = node.size + bytes.length;
      if (bytes.length === 0) return { created: false, size };
      this.#checkSize(size, path);
      this.#writer.append(resolved, path, node, bytes, node.writer === "own" ? writer : "content");
      return { created: false, size };
    });
  }

  makeFolder(path: string, recursive: boolean): void {
    this.inTransaction(() => {
      const resolved = this.lookup.resolve(path);
      rejectInstructionFile(resolved, path);
      this.#writer.makeFolder(resolved, path, recursive);
    });
  }

  makeLink(target: string, path: string): void {
    this.inTransaction(() => {
      const resolved = this.lookup.resolve(path, false);
      rejectInstructionFile(resolved, path);
      this.#writer.makeLink(target, resolved, path, { writer: "own" });
    });
  }

  /** Removes a node with everything below it. Returns false when nothing was there and `force` is set. */
  remove(path: string, by: Writer, options: { recursive?: boolean; force?: boolean } = {}): boolean {
    return this.inTransaction(() => {
      const resolved = this.lookup.resolve(path, false);
      const node = this.lookup.node(resolved);
      if (node && by !== "principal") rejectInstructionFilesIn(this.lookup, resolved, resolved, path);
      if (!node && options.force) return false;
      if (!node) throw new FileError("ENOENT", "no such file or directory", path);
      if (resolved === "/") throw new FileError("EBUSY", "the workspace itself cannot be removed", path);
      if (node.kind === "folder" && !options.recursive && this.lookup.hasChildren(resolved)) {
        throw new FileError("ENOTEMPTY", "directory not empty", path);
      }
      this.#writer.remove(resolved, node);
      return true;
    });
  }

  /** A link is copied as a link. */
  copy(from: string, to: string, recursive: boolean): void {
    this.inTransaction(() => {
      const source = this.lookup.requireNode(from, false);
      const target = this.lookup.resolve(to);
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
    this.inTransaction(() => {
      const source = this.lookup.requireNode(from, false);
      const target = this.lookup.resolve(to, false);
      if (target === source.path) return;
      rejectInstructionFilesIn(this.lookup, source.path, source.path, from);
      rejectInstructionFilesIn(this.lookup, source.path, target, to);
      if (source.path === "/") throw new FileError("EBUSY", "the workspace itself cannot be moved", from);
      if (isUnder(target, source.path)) throw new FileError("EINVAL", "cannot move a directory into itself", to);
      this.#clearForMove(source.node, target, to);
      this.#writer.requireParentFolder(target, to);
      this.#checkLengths(source.path, target, to);
      this.#writer.relocate(source.path, target, source.node);
    });
  }

  setMode(path: string, mode: number): void {
    this.#setAttribute(path, "mode = ?", mode);
  }

  setTime(path: string, mtime: number): void {
    this.#setAttribute(path, "mtime = ?", mtime);
  }

  /** Writes the entries of an archive for the owner, in a checkpoint of their own. `replace`: all else is removed first. */
  importEntries(entries: readonly PlacedEntry[], replace: boolean): void {
    this.inTransaction(() => {
      this.#changes.begin("import", { replace });
      const target = {
        lookup: this.lookup,
        quota: this.#quota,
        writer: this.#writer,
        maxFileBytes: this.#maxFileBytes,
      };
      importEntries(target, entries, replace);
    });
  }

  /** Runs `work` in one transaction, which the calls in it join. If it fails, everything remembered is read again. */
  inTransaction<T>(work: () => T): T {
    if (this.#isInTransaction) return work();
    this.#isInTransaction = true;
    try {
      return this.#sql.transaction(() => {
        this.#quota.load();
        this.#contents.load();
        const done = work();
        this.#changes.settle();
        this.#contents.deleteUnused();
        return done;
      });
    } catch (error) {
      this.#quota.discardCount();
      this.#contents.forget();
      this.#changes.forget();
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  #setAttribute(path: string, field: string, value: number): void {
    this.inTransaction(() => {
      const found = this.lookup.requireNode(path);
      if (found.path !== "/") this.#writer.update(found.path, found.node, field, value);
    });
  }

  #write(resolved: string, path: string, bytes: Uint8Array, writer: Writer): boolean {
    this.#rejectFolder(resolved, path);
    this.#checkSize(bytes.length, path);
    return this.#writer.writeFile(resolved, path, bytes, writer);
  }

  #copy({ path, node }: { path: string; node: FileNode }, target: string): void {
    rejectInstructionFile(target, target);
    if (node.kind === "file") {
      this.#rejectFolder(target, target);
      const writer = node.writer === "own" ? "own" : "content";
      this.#writer.putContent(target, target, { content: node.content ?? "", size: node.size, writer });
      this.#writer.update(target, this.lookup.node(target)!, "mode = ?", node.mode);
    } else if (node.kind === "link") {
      this.#writer.makeLink(node.target ?? "", target, target, { writer: "own" });
    } else {
      this.#writer.makeFolder(target, target, true);
      for (const child of this.lookup.children(path)) {
        this.#copy({ path: joinPath(path, child.name), node: child }, joinPath(target, child.name));
      }
    }
  }

  #rejectFolder(resolved: string, path: string): void {
    if (this.lookup.node(resolved)?.kind !== "folder") return;
    throw new FileError("EISDIR", "illegal operation on a directory", path);
  }

  #clearForMove(node: FileNode, target: string, to: string): void {
    const old = this.lookup.node(target);
    if (!old) return;
    if (old.kind === "folder" && node.kind !== "folder") throw new FileError("EISDIR", "is a directory", to);
    if (old.kind !== "folder" && node.kind === "folder") throw new FileError("ENOTDIR", "not a directory", to);
    if (old.kind === "folder" && this.lookup.hasChildren(target)) {
      throw new FileError("ENOTEMPTY", "directory not empty", to);
    }
    this.#writer.remove(target, old);
  }

  #checkLengths(from: string, target: string, to: string): void {
    const added = pathBytes(target) - pathBytes(from);
    const paths = this.lookup.below(from).map(({ parent, name }) => joinPath(parent, name));
    const longest = paths.reduce((most, path) => Math.max(most, pathBytes(path)), pathBytes(from));
    if (longest + added > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", to);
  }

  #checkSize(bytes: number, path: string): void {
    if (bytes > this.#maxFileBytes) {
      throw new FileError("EFBIG", `file too large (${bytes} bytes; a file may have ${this.#maxFileBytes})`, path);
    }
  }
}
