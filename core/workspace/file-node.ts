// What a workspace keeps in SQLite: its tables, the node of a file, folder or link, and the errors of file operations.
// Used by file-tree.ts and workspace.ts. Contains no logic.

/** The last statement removes a table of an earlier version, which kept a count of bytes. */
export const WORKSPACE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS file_node(parent TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    mtime INTEGER NOT NULL, size INTEGER NOT NULL, target TEXT, writer TEXT NOT NULL, PRIMARY KEY(parent, name))
    STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS file_part(path TEXT NOT NULL, i INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(path, i)) STRICT, WITHOUT ROWID",
  "DROP TABLE IF EXISTS file_usage",
];

/**
 * Who wrote a file. `principal`: the owner put it there. `own`: the agent's own words. `content`: a command wrote it,
 * or the agent copied what it had read. A file with several writers gets the least trusted one.
 */
export type Writer = "principal" | "own" | "content";

export interface FileNode {
  parent: string;
  name: string;
  kind: "file" | "folder" | "link";
  mode: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** Bytes; 0 for a folder. */
  size: number;
  target: string | null;
  writer: Writer;
}

type FileErrorCode =
  | "EBUSY"
  | "EDQUOT"
  | "EEXIST"
  | "EFBIG"
  | "EINVAL"
  | "EISDIR"
  | "ELOOP"
  | "ENAMETOOLONG"
  | "ENOENT"
  | "ENOSPC"
  | "ENOTDIR"
  | "ENOTEMPTY"
  | "ENOTSUP"
  | "EPERM";

export class FileError extends Error {
  override name = "FileError";
  readonly code: FileErrorCode;
  readonly what: string;
  constructor(code: FileErrorCode, what: string, path: string) {
    super(`${code}: ${what}, '${path}'`);
    this.code = code;
    this.what = what;
  }
}

/** Why the agent may not write an instruction file directly. */
export const PROTECTED = "this file instructs the agent, who changes it with write_file and the person's approval only";

/** The root folder, which has no row. */
export const ROOT: FileNode = {
  parent: "",
  name: "",
  kind: "folder",
  mode: 0o755,
  mtime: 0,
  size: 0,
  target: null,
  writer: "own",
};
