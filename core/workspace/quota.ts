// How much a workspace may hold, and how much it does. Asked by file-tree.ts before each change, inside its transaction. The
// count is kept in memory: a row of its own would be written with every file, and reading all nodes once an awakening costs
// a thousandth of that.
import type { Sql } from "../ports.ts";
import { FileError } from "./file-node.ts";

/** Files, folders and links together: each is a row that lists and searches read. */
const MAX_NODES = 20_000;

export interface Quota {
  /** Books what is about to be written or removed, or refuses it with `ENOSPC`. */
  charge(bytes: number, nodes: number, path: string): void;
  hasRoom(bytes: number): boolean;
  /** What was booked last did not happen: it is added up again. */
  forget(): void;
}

export function createQuota(sql: Sql, maxBytes: number): Quota {
  let used: { bytes: number; nodes: number } | null = null;

  function addUp(): { bytes: number; nodes: number } {
    const sums = "SELECT coalesce(sum(size), 0) AS bytes, count(*) AS nodes FROM file_node";
    return sql.run<{ bytes: number; nodes: number }>(sums)[0]!;
  }

  return {
    charge(bytes, nodes, path) {
      if (bytes === 0 && nodes === 0) return;
      const before = used ?? addUp();
      if (bytes > 0 && before.bytes + bytes > maxBytes) {
        const what = `no space left on device (${before.bytes} of ${maxBytes} bytes are used; remove files first)`;
        throw new FileError("ENOSPC", what, path);
      }
      if (nodes > 0 && before.nodes + nodes > MAX_NODES) {
        const what = `no space left on device (${MAX_NODES} files and folders; remove some first)`;
        throw new FileError("ENOSPC", what, path);
      }
      used = { bytes: before.bytes + bytes, nodes: before.nodes + nodes };
    },
    hasRoom: (bytes) => (used ??= addUp()).bytes + bytes <= maxBytes,
    forget() {
      used = null;
    },
  };
}
