// The rules by which files, folders and links change: POSIX semantics, quotas, and which files the agent may not write. The
// synchronous core of the workspace, called by workspace.ts and mount.ts only. Paths are absolute and normalised. Failures are
// FileErrors with POSIX codes, as shell commands expect. Methods without a `writer` act for the agent, which may not change
// instruction files. Each writing method is a transaction of its own, or joins the one of `inTransaction`.
import type { Failure } from "../errors.ts";
import type { Clock, Sql } from "../ports.ts";
import { ChangeLog } from "./checkpoints/change-log.ts";
import { Checkpoints } from "./checkpoints/checkpoints.ts";
import { createContents } from "./contents.ts";
import { type PlacedEntry, readTarget } from "./exchange/import-zip.ts";
import { FileLookup } from "./file-lookup.ts";
import { FileError, type FileNode, PROTECTED, type Writer } from "./file-node.ts";
import { isInstructionFile, mayHoldInstructions } from "./instruction-files.ts";
import { NodeWriter } from "./node-writer.ts";
import { type Quota, createQuota } from "./quota.ts";
import type { WriteBudget } from "./write-budget.ts";
import { MAX_PATH_BYTES, isUnder, joinPath, pathBytes, splitPath } from "./workspace-path.ts";

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

/** An entry of an archive that cannot be unpacked. */
export class BrokenEntry extends Error {
  override name = "BrokenEntry";
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
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
    const shared = { sql, clock, contents: this.#contents, changes: this.#changes, quota: this.#quota };
    this.#writer = new NodeWriter({ ...shared, lookup: this.lookup });
    this.checkpoints = new Checkpoints({
      ...shared,
      lookup: this.lookup,
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
      if (writer !== "principal") this.#rejectInstructionFile(resolved, path);
      const link = options.replaceLink ? this.lookup.node(resolved) : null;
      if (link?.kind === "link") this.#writer.remove(resolved, link);
      this.#makeParentFolders(resolved, path);
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
      this.#rejectInstructionFile(resolved, path);
      const node = this.lookup.node(resolved);
      if (node?.kind !== "file") {
        this.#makeParentFolders(resolved, path);
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
      this.#rejectInstructionFile(resolved, path);
      this.#makeFolder(resolved, path, recursive);
    });
  }

  makeLink(target: string, path: string): void {
    this.inTransaction(() => {
      const resolved = this.lookup.resolve(path, false);
      this.#rejectInstructionFile(resolved, path);
      this.#makeLink(target, resolved, path, { writer: "own" });
    });
  }

  /** Removes a node with everything below it. Returns false when nothing was there and `force` is set. */
  remove(path: string, by: Writer, options: { recursive?: boolean; force?: boolean } = {}): boolean {
    return this.inTransaction(() => {
      const resolved = this.lookup.resolve(path, false);
      const node = this.lookup.node(resolved);
      if (node && by !== "principal") this.#rejectInstructionFilesIn(resolved, resolved, path);
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
      this.#rejectInstructionFilesIn(source.path, source.path, from);
      this.#rejectInstructionFilesIn(source.path, target, to);
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

  /**
   * Writes the entries of an archive for the owner, in a checkpoint of their own. `replace`: everything else is removed first.
   * Call inside `inTransaction`, sorted so that a folder comes before what it holds. A broken entry throws a `BrokenEntry`.
   */
  importEntries(entries: readonly PlacedEntry[], replace: boolean): void {
    this.#changes.begin("import", { replace });
    if (replace) for (const node of this.lookup.children("/")) this.#writer.remove(joinPath("/", node.name), node);
    for (const entry of entries) this.#importEntry(entry);
  }

  #importEntry({ path, place, kind, mode, mtime, read }: PlacedEntry): void {
    const { folder } = splitPath(place);
    if (this.lookup.resolve(folder) !== folder) throw new FileError("ENOTDIR", "a link is on the way", path);
    this.#makeParentFolders(place, path);
    const old = this.lookup.node(place);
    if (old?.kind === "folder" && kind === "folder") {
      this.#writer.update(place, old, "mode = ?, mtime = ?", mode ?? old.mode, mtime ?? old.mtime);
      return;
    }
    if (old?.kind === "folder") throw new FileError("EISDIR", "a folder is there", path);
    if (old && kind === "folder") throw new FileError("ENOTDIR", "a file is there", path);
    if (old) this.#writer.remove(place, old);
    const attributes = { writer: "principal", ...(mtime !== null && { mtime }) } as const;
    if (kind === "folder") {
      this.#writer.insert(place, path, {
        kind,
        mode: mode ?? 0o755,
        size: 0,
        target: null,
        content: null,
        ...attributes,
      });
      return;
    }
    const bytes = read();
    if (!bytes.ok) throw new BrokenEntry(bytes.failure);
    if (kind === "file") {
      this.#checkSize(bytes.value.length, path);
      this.#writer.insertFile(place, path, bytes.value, { mode: mode ?? 0o644, ...attributes });
      return;
    }
    const target = readTarget(bytes.value);
    if (target === null) throw new FileError("EINVAL", "the target of the link is not a text", path);
    this.#makeLink(target, place, path, attributes);
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

  #makeParentFolders(resolved: string, path: string): void {
    if (resolved !== "/") this.#makeFolder(splitPath(resolved).folder, path, true);
  }

  #write(resolved: string, path: string, bytes: Uint8Array, writer: Writer): boolean {
    this.#rejectFolder(resolved, path);
    this.#checkSize(bytes.length, path);
    return this.#writer.writeFile(resolved, path, bytes, writer);
  }

  #makeFolder(resolved: string, path: string, recursive: boolean): void {
    const node = this.lookup.node(resolved);
    if (node?.kind === "folder" && recursive) return;
    if (node) throw new FileError("EEXIST", "file already exists", path);
    const { folder } = splitPath(resolved);
    if (recursive && !this.lookup.node(folder)) this.#makeFolder(folder, path, true);
    const empty = { kind: "folder", mode: 0o755, size: 0, target: null, writer: "own", content: null } as const;
    this.#writer.insert(resolved, path, empty);
  }

  #makeLink(target: string, resolved: string, path: string, attributes: { writer: Writer; mtime?: number }): void {
    if (this.lookup.node(resolved)) throw new FileError("EEXIST", "file already exists", path);
    const size = pathBytes(target);
    if (size > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", path);
    this.#writer.insert(resolved, path, { kind: "link", mode: 0o777, size, target, content: null, ...attributes });
  }

  #copy({ path, node }: { path: string; node: FileNode }, target: string): void {
    this.#rejectInstructionFile(target, target);
    if (node.kind === "file") {
      this.#rejectFolder(target, target);
      const writer = node.writer === "own" ? "own" : "content";
      this.#writer.putContent(target, target, { content: node.content ?? "", size: node.size, writer });
      this.#writer.update(target, this.lookup.node(target)!, "mode = ?", node.mode);
    } else if (node.kind === "link") {
      this.#makeLink(node.target ?? "", target, target, { writer: "own" });
    } else {
      this.#makeFolder(target, target, true);
      for (const child of this.lookup.children(path)) {
        this.#copy({ path: joinPath(path, child.name), node: child }, joinPath(target, child.name));
      }
    }
  }

  #rejectFolder(resolved: string, path: string): void {
    if (this.lookup.node(resolved)?.kind !== "folder") return;
    throw new FileError("EISDIR", "illegal operation on a directory", path);
  }

  #rejectInstructionFile(resolved: string, path: string): void {
    if (!isInstructionFile(resolved)) return;
    throw new FileError("EPERM", PROTECTED, path);
  }

  /** Throws if `to`, or any node of `from` once it lies in `to`, is an instruction file. */
  #rejectInstructionFilesIn(from: string, to: string, path: string): void {
    this.#rejectInstructionFile(to, path);
    if (!mayHoldInstructions(to)) return;
    for (const { parent, name } of this.lookup.below(from)) {
      this.#rejectInstructionFile(to + joinPath(parent, name).slice(from.length), path);
    }
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
