// Limits how much a workspace may hold. file-tree.ts asks before each change, inside its transaction. The usage is
// cached in memory: a stored counter would be written with every file, while counting all nodes once per wake costs a
// thousandth of that.
import type { Sql } from "../ports.ts";
import { FileError } from "./file-node.ts";

/** Limit on files, folders and links together, because listings and searches read each row. */
const MAX_NODES = 20_000;

export interface Quota {
  /** Must be called before the first change of a transaction: counts what is there, once per wake. */
  load(): void;
  /** Throws `ENOSPC` when there is no room for so much more. */
  requireRoom(bytes: number, nodes: number, path: string): void;
  /** Counts a change that is about to be made, or refuses it with `ENOSPC`. */
  charge(bytes: number, nodes: number, path: string): void;
  hasRoom(bytes: number): boolean;
  /** Drops the cached usage after a failed change, so that it is counted again. */
  discardCount(): void;
}

export function createQuota(sql: Sql, maxBytes: number): Quota {
  let used: { bytes: number; nodes: number } | null = null;

  function countUsage(): { bytes: number; nodes: number } {
    const sums = "SELECT coalesce(sum(size), 0) AS bytes, count(*) AS nodes FROM file_node";
    return sql.run<{ bytes: number; nodes: number }>(sums)[0]!;
  }

  function requireRoom(bytes: number, nodes: number, path: string): void {
    const before = (used ??= countUsage());
    if (bytes > 0 && before.bytes + bytes > maxBytes) {
      const what = `no space left on device (${before.bytes} of ${maxBytes} bytes are used; remove files first)`;
      throw new FileError("ENOSPC", what, path);
    }
    if (nodes > 0 && before.nodes + nodes > MAX_NODES) {
      const what = `no space left on device (${MAX_NODES} files and folders; remove some first)`;
      throw new FileError("ENOSPC", what, path);
    }
  }

  return {
    load() {
      used ??= countUsage();
    },
    requireRoom,
    charge(bytes, nodes, path) {
      if (bytes === 0 && nodes === 0) return;
      requireRoom(bytes, nodes, path);
      used = { bytes: used!.bytes + bytes, nodes: used!.nodes + nodes };
    },
    hasRoom: (bytes) => (used ??= countUsage()).bytes + bytes <= maxBytes,
    discardCount() {
      used = null;
    },
  };
}
