// Finds the nodes of a workspace: resolves paths and links, lists folders, reads contents. Changes nothing. Used by file-tree.ts
// and workspace.ts. Paths are absolute and normalised. Failures are FileErrors with POSIX codes.
import type { Sql } from "../ports.ts";
import type { Contents } from "./contents.ts";
import { FileError, type FileNode, ROOT } from "./file-node.ts";
import { joinPath, normalizePath, resolveTarget, splitPath } from "./workspace-path.ts";

const MAX_LINKS_FOLLOWED = 40;

/** All nodes below a folder. `0` is the character after `/`. The parameters are `subtreeRange`. */
export const SUBTREE_SQL = "(parent = ? OR (parent > ? AND parent < ?))";

export function subtreeRange(folder: string): [string, string, string] {
  return folder === "/" ? ["/", "/", "0"] : [folder, `${folder}/`, `${folder}0`];
}

export class FileLookup {
  readonly #sql: Sql;
  readonly #contents: Contents;

  constructor(sql: Sql, contents: Contents) {
    this.#sql = sql;
    this.#contents = contents;
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

  hasChildren(resolved: string): boolean {
    return this.#sql.run("SELECT 1 FROM file_node WHERE parent = ? LIMIT 1", resolved).length > 0;
  }

  /** All nodes, in no particular order. */
  all(): FileNode[] {
    return this.#sql.run<FileNode>("SELECT * FROM file_node");
  }

  /** All nodes below a folder, in no particular order. */
  below(folder: string): FileNode[] {
    return this.#sql.run<FileNode>(`SELECT * FROM file_node WHERE ${SUBTREE_SQL}`, ...subtreeRange(folder));
  }

  read(path: string): Uint8Array {
    const { size, content } = this.open(path);
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const part of this.#contents.read(content)) {
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

  /** The bytes of a node's content part by part. */
  contentOf(content: string | null): Generator<Uint8Array> {
    return this.#contents.read(content);
  }

  /** The bytes of a file part by part, so that only one part is in memory. */
  parts(path: string): Generator<Uint8Array> {
    return this.#contents.read(this.requireNode(path).node.content);
  }
}

function pathSegments(path: string): string[] {
  return normalizePath(path).split("/").filter(Boolean);
}
