// The checkpoints of a workspace for its owner: lists them, says what has changed since one, and sets the workspace back. A
// restore is exact (kinds, modes, times, links, sizes, writers, bytes), is one transaction, and has a checkpoint of its own, so
// that it can be undone. Called by workspace.ts through FileTree. change-log.ts explains the stored form.
import { type Result, err, ok } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import { type FileNode, type Writer } from "../file-node.ts";
import type { FileLookup } from "../file-lookup.ts";
import type { NodeWriter } from "../node-writer.ts";
import type { Quota } from "../quota.ts";
import { joinPath, toWorkspacePath } from "../workspace-path.ts";
import type { ChangeLog, CheckpointKind } from "./change-log.ts";

export interface CheckpointInfo {
  n: number;
  /** The turn at whose beginning it was; of another kind: the newest turn at that time. */
  turn: number;
  at: number;
  kind: "turn" | "restore" | "import";
  /** How many files, folders and links have changed before the next checkpoint. */
  files: number;
  /** Sum of the sizes that these had. */
  bytes: number;
}

/** How a path differs from what it was in a checkpoint. */
export interface PathChange {
  path: string;
  change: "added" | "changed" | "removed";
}

export interface CheckpointsOptions {
  sql: Sql;
  changes: ChangeLog;
  lookup: FileLookup;
  quota: Quota;
  writer: NodeWriter;
  inTransaction<T>(work: () => T): T;
}

export interface RestoreOptions {
  /**
   * The restore is not part of a turn, so it begins a checkpoint of its own, which keeps this key. `isBusy`: it may not begin
   * now; one with the same key that was made before is answered all the same.
   */
  alone?: { key?: string | undefined; isBusy?: boolean };
  /** Writes rows of the caller in the same transaction. Not called when nothing has changed. */
  also?(restored: Restored & { undo: number } & Pick<CheckpointInfo, "turn" | "kind">): void;
}

export interface Restored {
  /** The checkpoint whose state the workspace has now. */
  n: number;
  /** The checkpoint that undoes this restore; `null` when nothing had changed. */
  undo: number | null;
  /** What the restore changed. */
  changes: PathChange[];
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  list(): CheckpointInfo[] {
    const { sql } = this.#options;
    const found = new Map<number, CheckpointInfo>();
    for (const row of sql.run<Omit<CheckpointInfo, "kind">>(
      `SELECT n, max(turn) AS turn, min(at) AS at, count(*) AS files, coalesce(sum(size), 0) AS bytes FROM file_change
        GROUP BY n ORDER BY n`,
    )) {
      found.set(row.n, { ...row, kind: "turn" });
    }
    for (const { n, turn, at, kind } of this.#ownRows()) {
      if (kind !== "restore" && kind !== "import") continue;
      found.set(n, { ...(found.get(n) ?? { files: 0, bytes: 0 }), n, turn, at, kind });
    }
    return [...found.values()].sort((a, b) => a.n - b.n);
  }

  /** What has changed since checkpoint `n`, sorted by path. Failure: `checkpoint_not_found`. */
  changesSince(n: number): Result<PathChange[]> {
    return this.#has(n) ? ok(this.#compare(n)) : this.#missing(n);
  }

  /** The bytes of a path in checkpoint `n`, and now; `null` where it is not a file. */
  versions(n: number, path: string): { before: StoredVersion | null; now: StoredVersion | null } {
    const was = this.#imagesSince(n).find((image) => joinPath(image.parent, image.name) === path);
    const node = this.#options.lookup.node(path);
    const read = (found: ChangedNode | FileNode | null): StoredVersion | null =>
      found?.kind === "file"
        ? { size: found.size!, writer: found.writer!, parts: () => this.#options.lookup.contentOf(found.content) }
        : null;
    return { before: read(was ?? node), now: read(node) };
  }

  /**
   * Sets the workspace back to checkpoint `n`, instruction files included: a person orders it. A repeated restore changes
   * nothing. Failures: `checkpoint_not_found`, `idempotency_conflict`, `session_busy`.
   */
  restore(n: number, { alone, also }: RestoreOptions = {}): Result<Restored> {
    const { changes, inTransaction, quota } = this.#options;
    const before = alone?.key === undefined ? null : this.#findRestore(alone.key);
    if (before && before.of !== n) {
      return err("idempotency_conflict", `The key was used to restore checkpoint ${before.of}: choose another key.`);
    }
    if (before) return ok({ n, undo: before.n, changes: this.#compare(before.n) });
    if (alone?.isBusy) {
      return err("session_busy", "A turn is running or waiting: restore when it has ended, or stop it first.");
    }
    const target = this.list().find((checkpoint) => checkpoint.n === n);
    if (!target) return this.#missing(n);
    const restored = inTransaction(() => {
      const images = this.#imagesSince(n);
      if (alone) changes.begin("restore", { of: n, key: alone.key });
      for (const image of images) this.#putBack(image);
      quota.discardCount(); // a restore may exceed a quota that was lowered meanwhile
      const undo = changes.ofTurn()?.n ?? null;
      const made = { n, undo, changes: undo === null ? [] : this.#compare(undo) };
      if (undo !== null && made.changes.length > 0) also?.({ ...made, undo, turn: target.turn, kind: target.kind });
      return made;
    });
    // The checkpoint of the restore itself may be too large to keep.
    return ok({ ...restored, undo: restored.undo !== null && this.#has(restored.undo) ? restored.undo : null });
  }

  /**
   * The checkpoint of what the files were when a turn began; `null`: nothing has changed since. Failure: `checkpoint_not_found`, if it
   * is no longer kept.
   */
  ofBeginning(turn: number): Result<number | null> {
    const kept = this.list();
    const gone = this.#ownRows().filter(({ kind }) => kind === "too_large" || kind === "deleted");
    const found = kept.find((checkpoint) => checkpoint.turn >= turn);
    const isLost = gone.some((row) => row.turn >= turn);
    if (!found && !isLost) return ok(null);
    // The oldest ones are dropped, and the first that is left may not be the first that was.
    const before = [...kept, ...gone].some((checkpoint) => checkpoint.turn < turn);
    const isFirst = found && (before || found.n === 1 || (found.turn === turn && found.kind === "turn"));
    if (isFirst && !isLost) return ok(found.n);
    return err("checkpoint_not_found", `what they were when turn ${turn} began is no longer kept.`);
  }

  /** All files, folders and links as they were in checkpoint `n`; `null`: as they are now. */
  nodesAt(n: number | null): FileNode[] {
    const columns = `parent, name, ${NODE_FIELDS.join(", ")}`;
    const now = this.#options.sql.run<FileNode>(`SELECT ${columns} FROM file_node`);
    if (n === null) return now;
    const nodes = new Map(now.map((node) => [joinPath(node.parent, node.name), node]));
    for (const { n: _, ...image } of this.#imagesSince(n) as (ChangedNode & { n: number })[]) {
      const path = joinPath(image.parent, image.name);
      if (image.kind === null) nodes.delete(path);
      else nodes.set(path, image);
    }
    return [...nodes.values()];
  }

  /** Deletes all checkpoints with the contents that only they hold. Returns how many there were. */
  deleteAll(): number {
    return this.#options.inTransaction(() => this.#options.changes.deleteAll());
  }

  #putBack(image: ChangedNode): void {
    const { lookup, writer } = this.#options;
    const path = joinPath(image.parent, image.name);
    const node = lookup.node(path);
    if (!isSame(image, node)) writer.putBack(path, node, image.kind === null ? null : image);
  }

  #compare(n: number): PathChange[] {
    const { lookup } = this.#options;
    return this.#imagesSince(n)
      .flatMap((image): PathChange[] => {
        const path = joinPath(image.parent, image.name);
        const node = lookup.node(path);
        if (isSame(image, node)) return [];
        const change = image.kind === null ? "added" : node ? "changed" : "removed";
        return [{ path: toWorkspacePath(path), change }];
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** For each path that has changed since checkpoint `n`: what was there at its beginning. */
  #imagesSince(n: number): ChangedNode[] {
    // With `min`, SQLite takes the other columns from the row that has the minimum.
    return this.#options.sql.run<ChangedNode>(
      `SELECT min(n) AS n, parent, name, kind, mode, mtime, size, target, writer, content FROM file_change WHERE n >= ?
        GROUP BY parent, name`,
      n,
    );
  }

  #has(n: number): boolean {
    return this.list().some((checkpoint) => checkpoint.n === n);
  }

  #missing(n: number): Result<never> {
    const gone = this.#ownRows().find(({ kind }) => kind === "too_large" || kind === "deleted");
    const why =
      !gone || gone.n < n
        ? ""
        : gone.kind === "deleted"
          ? " It was deleted."
          : " It would have been too large to keep.";
    const kept = this.list().map((checkpoint) => checkpoint.n);
    const hint = kept.length > 0 ? `Kept are ${kept[0]} to ${kept.at(-1)}.` : "None is kept.";
    return err("checkpoint_not_found", `There is no checkpoint ${n}.${why} ${hint}`);
  }

  #findRestore(key: string): { n: number; of: number } | null {
    for (const { n, kind, detail } of this.#ownRows()) {
      const { of, key: used } = JSON.parse(detail) as { of: number; key?: string };
      if (kind === "restore" && used === key) return { n, of };
    }
    return null;
  }

  #ownRows(): { n: number; turn: number; at: number; kind: CheckpointKind; detail: string }[] {
    return this.#options.sql.run("SELECT n, turn, at, kind, detail FROM checkpoint ORDER BY n");
  }
}

export interface StoredVersion {
  size: number;
  writer: Writer;
  parts(): Generator<Uint8Array>;
}

/** All columns but the path are null when nothing was there. */
type ChangedNode = { parent: string; name: string } & (
  | Omit<FileNode, "parent" | "name">
  | Record<keyof Omit<FileNode, "parent" | "name">, null>
);

function isSame(image: ChangedNode, node: FileNode | null): boolean {
  if (image.kind === null || node === null) return image.kind === null && node === null;
  return NODE_FIELDS.every((field) => image[field] === node[field]);
}

const NODE_FIELDS = ["kind", "mode", "mtime", "size", "target", "writer", "content"] as const;
