// What a workspace keeps in SQLite: its tables, the node of a file, folder or link, and the errors of file operations.
// Used by all of this folder. Contains no logic.

/**
 * Contents are stored in parts that are named by their SHA-256, so equal parts are stored once, and moving or copying a file
 * moves no bytes. `file_change` has what each path was before a checkpoint's first change of it; see checkpoints/change-log.ts.
 */
export const WORKSPACE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS file_node(parent TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    mtime INTEGER NOT NULL, size INTEGER NOT NULL, target TEXT, writer TEXT NOT NULL, content TEXT, PRIMARY KEY(parent, name))
    STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS file_part(hash TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS file_change(n INTEGER NOT NULL, parent TEXT NOT NULL, name TEXT NOT NULL, turn INTEGER NOT NULL,
    at INTEGER NOT NULL, kind TEXT, mode INTEGER, mtime INTEGER, size INTEGER, target TEXT, writer TEXT, content TEXT,
    PRIMARY KEY(n, parent, name)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS checkpoint(n INTEGER PRIMARY KEY, turn INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
    detail TEXT NOT NULL) STRICT, WITHOUT ROWID`,
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
  /** The parts of a file, as contents.ts writes them; `null` for a folder or link. */
  content: string | null;
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
  readonly path: string;
  constructor(code: FileErrorCode, what: string, path: string) {
    super(`${code}: ${what}, '${path}'`);
    this.code = code;
    this.what = what;
    this.path = path;
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
  content: null,
};
