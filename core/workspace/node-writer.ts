// Writes the rows of a workspace: nodes and contents, with their quotas, budgets and the record of what was there before. Every
// change of a workspace passes through here. Called by file-tree.ts, exchange/import-zip.ts and checkpoints/checkpoints.ts, which
// decide what may change.
import type { Clock, Sql, SqlValue } from "../ports.ts";
import type { ChangeLog } from "./checkpoints/change-log.ts";
import { type Contents, formatParts } from "./contents.ts";
import { FileError, type FileNode, type Writer } from "./file-node.ts";
import { type FileLookup, SUBTREE_SQL, subtreeRange } from "./file-lookup.ts";
import type { Quota } from "./quota.ts";
import type { WriteBudget } from "./write-budget.ts";
import { MAX_PATH_BYTES, pathBytes, splitPath } from "./workspace-path.ts";

export interface NodeWriterOptions {
  sql: Sql;
  clock: Clock;
  lookup: FileLookup;
  contents: Contents;
  changes: ChangeLog;
  quota: Quota;
}

type NewNode = Omit<FileNode, "parent" | "name" | "mtime"> & { mtime?: number };

export class NodeWriter {
  readonly #options: NodeWriterOptions;
  #budget: WriteBudget | null = null;

  constructor(options: NodeWriterOptions) {
    this.#options = options;
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

  insert(resolved: string, path: string, node: NewNode): void {
    const { clock, changes, quota } = this.#options;
    this.requireParentFolder(resolved, path);
    if (pathBytes(resolved) > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", path);
    quota.charge(node.size, 1, path);
    this.#charge(0, 1 + changes.record(resolved, null), path);
    const { folder, name } = splitPath(resolved);
    this.#insertRow({ ...node, parent: folder, name, mtime: node.mtime ?? clock.now() });
  }

  /** Sets a path back to what it was, whatever the quotas are now. `null`: nothing is there, or was. */
  putBack(resolved: string, node: FileNode | null, was: FileNode | null): void {
    const { sql, contents, changes } = this.#options;
    const { folder, name } = splitPath(resolved);
    changes.record(resolved, node);
    sql.run("DELETE FROM file_node WHERE parent = ? AND name = ?", folder, name);
    if (was) this.#insertRow(was);
    contents.release(node?.content ?? null, "file");
  }

  #insertRow({ parent, name, kind, mode, mtime, size, target, writer, content }: FileNode): void {
    const { sql, contents } = this.#options;
    sql.run(
      `INSERT INTO file_node(parent, name, kind, mode, mtime, size, target, writer, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[parent, name, kind, mode, mtime, size, target, writer, content],
    );
    contents.retain(content, "file");
  }

  /** Makes a folder, and with `recursive` those above it. */
  makeFolder(resolved: string, path: string, recursive: boolean): void {
    const { lookup } = this.#options;
    const node = lookup.node(resolved);
    if (node?.kind === "folder" && recursive) return;
    if (node) throw new FileError("EEXIST", "file already exists", path);
    const { folder } = splitPath(resolved);
    if (recursive && !lookup.node(folder)) this.makeFolder(folder, path, true);
    this.insert(resolved, path, { kind: "folder", mode: 0o755, size: 0, target: null, writer: "own", content: null });
  }

  makeParentFolders(resolved: string, path: string): void {
    if (resolved !== "/") this.makeFolder(splitPath(resolved).folder, path, true);
  }

  makeLink(target: string, resolved: string, path: string, attributes: { writer: Writer; mtime?: number }): void {
    if (this.#options.lookup.node(resolved)) throw new FileError("EEXIST", "file already exists", path);
    const size = pathBytes(target);
    if (size > MAX_PATH_BYTES) throw new FileError("ENAMETOOLONG", "file name too long", path);
    this.insert(resolved, path, { kind: "link", mode: 0o777, size, target, content: null, ...attributes });
  }

  /** Writes a new file with these attributes; nothing is at the path. */
  insertFile(
    resolved: string,
    path: string,
    bytes: Uint8Array,
    attributes: Pick<FileNode, "mode" | "writer"> & { mtime?: number },
  ): void {
    const content = formatParts(this.#options.contents.put(bytes, (size, rows) => this.#charge(size, rows, path)));
    this.insert(resolved, path, { kind: "file", size: bytes.length, target: null, content, ...attributes });
  }

  /** Writes a file whose parent folder exists. Returns whether it is new. */
  writeFile(resolved: string, path: string, bytes: Uint8Array, writer: Writer): boolean {
    const content = formatParts(this.#options.contents.put(bytes, (size, rows) => this.#charge(size, rows, path)));
    return this.putContent(resolved, path, { content, size: bytes.length, writer });
  }

  /** Gives a file a content whose parts are stored. Returns whether the file is new. */
  putContent(
    resolved: string,
    path: string,
    { content, size, writer }: { content: string; size: number; writer: Writer },
  ): boolean {
    const old = this.#options.lookup.node(resolved);
    if (!old) {
      this.insert(resolved, path, { kind: "file", mode: 0o644, size, target: null, writer, content });
      return true;
    }
    this.#options.quota.charge(size - old.size, 0, path);
    this.#replaceContent(resolved, old, { content, size, writer });
    return false;
  }

  /** Appends to an existing file. The cost does not grow with the file. */
  append(resolved: string, path: string, node: FileNode, bytes: Uint8Array, writer: Writer): void {
    const { contents, quota } = this.#options;
    quota.charge(bytes.length, 0, path);
    const parts = contents.append(node.content ?? "", bytes, (size, rows) => this.#charge(size, rows, path));
    const size = node.size + bytes.length;
    this.#replaceContent(resolved, node, { content: formatParts(parts), size, writer });
  }

  #replaceContent(
    resolved: string,
    old: FileNode,
    { content, size, writer }: { content: string; size: number; writer: Writer },
  ): void {
    const { clock, contents } = this.#options;
    this.update(resolved, old, "mtime = ?, size = ?, writer = ?, content = ?", clock.now(), size, writer, content);
    contents.retain(content, "file");
    contents.release(old.content, "file");
  }

  /** Changes columns other than the path. `old` is the present node. */
  update(resolved: string, old: FileNode, fields: string, ...values: SqlValue[]): void {
    const { sql, changes } = this.#options;
    const { folder, name } = splitPath(resolved);
    this.#charge(0, 1 + changes.record(resolved, old), resolved);
    sql.run(`UPDATE file_node SET ${fields} WHERE parent = ? AND name = ?`, ...values, folder, name);
  }

  /** Removes a node with everything below it. */
  remove(resolved: string, node: FileNode): void {
    const { sql, changes, contents, quota } = this.#options;
    const { folder, name } = splitPath(resolved);
    const recorded = changes.record(resolved, node) + changes.recordBelow(resolved);
    const removed = sql.run<Pick<FileNode, "size" | "content">>(
      `DELETE FROM file_node WHERE (parent = ? AND name = ?) OR ${SUBTREE_SQL} RETURNING size, content`,
      ...[folder, name, ...subtreeRange(resolved)],
    );
    const bytes = removed.reduce((sum, { size }) => sum + size, 0);
    quota.charge(-bytes, -removed.length, resolved);
    this.#charge(0, 2 * removed.length + recorded, resolved);
    for (const { content } of removed) contents.release(content, "file");
  }

  /** Moves a node with everything below it; nothing is at `to`. Contents stay where they are. */
  relocate(from: string, to: string, node: FileNode): void {
    const { sql, changes } = this.#options;
    const { folder, name } = splitPath(to);
    const recorded =
      changes.record(from, node) +
      changes.recordBelow(from) +
      changes.record(to, null) +
      changes.recordAbsentCopy(from, to);
    const old = splitPath(from);
    sql.run(
      `UPDATE file_node SET parent = ?, name = ?, writer = ${MOVED_WRITER_SQL} WHERE parent = ? AND name = ?`,
      ...[folder, name, old.folder, old.name],
    );
    const moved = sql.run(
      `UPDATE file_node SET parent = ? || substr(parent, length(?) + 1), writer = ${MOVED_WRITER_SQL} WHERE ${SUBTREE_SQL}
        RETURNING 1`,
      ...[to, from, ...subtreeRange(from)],
    );
    // A row whose key changes is deleted and inserted.
    this.#charge(0, recorded + 2 * (1 + moved.length), to);
  }

  requireParentFolder(resolved: string, path: string): void {
    const folder = this.#options.lookup.node(splitPath(resolved).folder);
    if (!folder) throw new FileError("ENOENT", "no such file or directory", path);
    if (folder.kind !== "folder") throw new FileError("ENOTDIR", "not a directory", path);
  }

  #charge(bytes: number, rows: number, path: string): void {
    this.#budget?.charge(bytes, rows, path);
  }
}

/**
 * The writer of a moved file. The agent chose the new name, so moved files no longer count as the owner's words: a renamed
 * upload becomes content.
 */
const MOVED_WRITER_SQL = "CASE writer WHEN 'own' THEN 'own' ELSE 'content' END";
