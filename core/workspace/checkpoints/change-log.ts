// Records what each path of a workspace was before it changed, so that the workspace can be set back to the beginning of any
// recent turn. Called by node-writer.ts before each change, inside its transaction.
//
// A checkpoint is the state at the beginning of a turn. Changes belong to the newest turn that has begun, those that the owner
// makes after it included. A checkpoint's first change of a path records the old row of that path, and so the state at its
// beginning is the present one with the oldest row since then put back for each path. A turn that changes nothing records nothing.
import type { Clock, Sql, SqlValue } from "../../ports.ts";
import type { Contents } from "../contents.ts";
import { SUBTREE_SQL, subtreeRange } from "../file-lookup.ts";
import { type FileNode } from "../file-node.ts";
import { splitPath } from "../workspace-path.ts";

/** How many checkpoints are kept. */
export const MAX_CHECKPOINTS = 20;
/** Limit on the rows of all checkpoints together: moving a full workspace once takes 40,000. */
const MAX_CHANGES = 60_000;

/**
 * Why a checkpoint has a row of its own. `restore` and `import`: it does not begin with a turn. `too_large` and `deleted`: it and
 * all before it are gone, and what its turn still changes is not recorded.
 */
export type CheckpointKind = "restore" | "import" | "too_large" | "deleted";

export interface NewestCheckpoint {
  n: number;
  turn: number;
  at: number;
  isRecording: boolean;
}

export interface ChangeLogOptions {
  sql: Sql;
  clock: Clock;
  contents: Contents;
  /** Number of the newest turn that has begun; 0 before the first. Until then nothing is recorded. */
  turn(): number;
  /** Limit on the bytes that only checkpoints refer to. */
  maxBytes: number;
}

const NODE_COLUMNS = "kind, mode, mtime, size, target, writer, content";

export class ChangeLog {
  readonly #options: ChangeLogOptions;
  /** Undefined until it was read. */
  #newest: NewestCheckpoint | null | undefined;
  #changes: number | undefined;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
  }

  /** Drops what was remembered, after a transaction has failed. */
  forget(): void {
    this.#newest = undefined;
    this.#changes = undefined;
  }

  newest(): NewestCheckpoint | null {
    if (this.#newest !== undefined) return this.#newest;
    const { sql } = this.#options;
    const columns = "n, turn, at";
    const [change] = sql.run<Row>(`SELECT ${columns} FROM file_change ORDER BY n DESC LIMIT 1`);
    const [own] = sql.run<Row & { kind: CheckpointKind }>(
      `SELECT ${columns}, kind FROM checkpoint ORDER BY n DESC LIMIT 1`,
    );
    const isOwn = own !== undefined && own.n >= (change?.n ?? 0);
    const isRecording = !isOwn || own.kind === "restore" || own.kind === "import";
    const found = isOwn ? own : change;
    return (this.#newest = found ? { n: found.n, turn: found.turn, at: found.at, isRecording } : null);
  }

  /** The checkpoint at the beginning of the newest turn, or a later one; `null` when nothing has changed since. */
  ofTurn(): NewestCheckpoint | null {
    const newest = this.newest();
    return newest && newest.turn >= this.#options.turn() ? newest : null;
  }

  /** Records what is at a path, unless this checkpoint has. Returns the number of rows written. */
  record(path: string, node: FileNode | null): number {
    const { folder, name } = splitPath(path);
    const {
      kind = null,
      mode = null,
      mtime = null,
      size = null,
      target = null,
      writer = null,
      content = null,
    } = node ?? {};
    return this.#recordRows(
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      folder,
      name,
      kind,
      mode,
      mtime,
      size,
      target,
      writer,
      content,
    );
  }

  /** Records everything below a folder. */
  recordBelow(folder: string): number {
    return this.#recordRows(
      `SELECT parent, name, ${NODE_COLUMNS} FROM file_node WHERE ${SUBTREE_SQL}`,
      ...subtreeRange(folder),
    );
  }

  /** Records that what lies below `from` is not there yet below `to`. Call before the move. */
  recordAbsentCopy(from: string, to: string): number {
    return this.#recordRows(
      `SELECT ? || substr(parent, length(?) + 1) AS parent, name, ${ABSENT_COLUMNS} FROM file_node WHERE ${SUBTREE_SQL}`,
      ...[to, from, ...subtreeRange(from)],
    );
  }

  /** Begins a checkpoint that is not a turn's, such as that of a restore. Returns its number. */
  begin(kind: "restore" | "import", detail: Record<string, unknown>): number {
    const n = this.#open(this.#options.turn());
    this.#putOwnRow(n, kind, detail);
    return n;
  }

  /** Deletes the oldest checkpoints until the rest is within the limits. */
  settle(): void {
    const { sql, contents, maxBytes } = this.#options;
    while (contents.keptBytes() > maxBytes || this.#countChanges() > MAX_CHANGES) {
      const [oldest] = sql.run<{ n: number }>("SELECT n FROM file_change ORDER BY n LIMIT 1");
      if (!oldest) return;
      if (oldest.n === this.newest()?.n) this.#close("too_large");
      else this.#drop(oldest.n);
    }
  }

  /** Deletes all checkpoints. What the present turn still changes is not recorded. Returns how many there were. */
  deleteAll(): number {
    const count = this.#options.sql.run<{ n: number }>(
      "SELECT n FROM file_change UNION SELECT n FROM checkpoint WHERE kind IN ('restore', 'import')",
    ).length;
    if (count > 0) this.#close("deleted");
    return count;
  }

  /** The number of the checkpoint that a change belongs to now; `null`: it is not recorded. */
  #current(): number | null {
    const turn = this.#options.turn();
    const newest = this.newest();
    if (newest && newest.turn >= turn) return newest.isRecording ? newest.n : null;
    return turn === 0 ? null : this.#open(turn);
  }

  #open(turn: number): number {
    const n = (this.newest()?.n ?? 0) + 1;
    this.#newest = { n, turn, at: this.#options.clock.now(), isRecording: true };
    if (n > MAX_CHECKPOINTS) this.#drop(n - MAX_CHECKPOINTS);
    return n;
  }

  /** `select` gives `parent`, `name` and the columns of a node. Rows that this checkpoint has already stay as they are. */
  #recordRows(select: string, ...values: SqlValue[]): number {
    const n = this.#current();
    if (n === null) return 0;
    const { sql, contents } = this.#options;
    const { turn, at } = this.newest()!;
    const rows = sql.run<Pick<FileNode, "content">>(
      `INSERT INTO file_change(n, turn, at, parent, name, ${NODE_COLUMNS}) SELECT ?, ?, ?, * FROM (${select}) WHERE true
        ON CONFLICT DO NOTHING RETURNING content`,
      ...[n, turn, at, ...values],
    );
    for (const { content } of rows) contents.retain(content, "checkpoint");
    if (this.#changes !== undefined) this.#changes += rows.length;
    return rows.length;
  }

  /** The newest checkpoint and all before it are gone; its row stays, so that its number is not used again. */
  #close(kind: "too_large" | "deleted"): void {
    const newest = this.newest()!;
    this.#drop(newest.n);
    this.#putOwnRow(newest.n, kind, {});
    this.#newest = { ...newest, isRecording: false };
  }

  #putOwnRow(n: number, kind: CheckpointKind, detail: Record<string, unknown>): void {
    const { turn, at } = this.newest()!;
    const values = [n, turn, at, kind, JSON.stringify(detail)];
    this.#options.sql.run("INSERT INTO checkpoint(n, turn, at, kind, detail) VALUES (?, ?, ?, ?, ?)", ...values);
  }

  /** Deletes checkpoint `n` and all before it. */
  #drop(n: number): void {
    const { sql, contents } = this.#options;
    const rows = sql.run<Pick<FileNode, "content">>("DELETE FROM file_change WHERE n <= ? RETURNING content", n);
    for (const { content } of rows) contents.release(content, "checkpoint");
    if (this.#changes !== undefined) this.#changes -= rows.length;
    sql.run("DELETE FROM checkpoint WHERE n <= ?", n);
  }

  #countChanges(): number {
    return (this.#changes ??= this.#options.sql.run<{ rows: number }>(
      "SELECT count(*) AS rows FROM file_change",
    )[0]!.rows);
  }
}

const ABSENT_COLUMNS = NODE_COLUMNS.split(", ")
  .map((column) => `NULL AS ${column}`)
  .join(", ");

type Row = Pick<NewestCheckpoint, "n" | "turn" | "at">;
