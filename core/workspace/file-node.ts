// What a workspace keeps in SQLite: its tables, the node every file, folder and link is, and the errors of working on one.
// Used by file-tree.ts and workspace.ts. Holds no logic.

/** The last statement: an earlier version kept its count of bytes in a table. */
export const WORKSPACE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS file_node(parent TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    mtime INTEGER NOT NULL, size INTEGER NOT NULL, target TEXT, writer TEXT NOT NULL, PRIMARY KEY(parent, name))
    STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS file_part(path TEXT NOT NULL, i INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(path, i)) STRICT, WITHOUT ROWID",
  "DROP TABLE IF EXISTS file_usage",
];

/**
 * Whose a file is: its owner's, who put it there; the agent's `own` words; or `content`, where the agent wrote down what it
 * had read, or a command did. Of all that was put into one file the worst counts.
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

/** What is wrong with an agent's write of an instruction file. */
export const PROTECTED = "this file instructs the agent, who changes it with write_file and the person's approval only";

/** The workspace itself: it has no row. */
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
