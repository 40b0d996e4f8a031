// Limits how many bytes and rows a call and a turn may write to SQLite. These are billed, and no other limit counts
// them, because rewriting takes no more space. Charged by node-writer.ts inside a transaction. Kept in memory: a
// resumed turn starts with a fresh budget, and its restarts are limited (`turn.maxAttempts`).
import { FileError } from "./file-node.ts";

export interface WriteBudget {
  /** Throws `EDQUOT` before anything is written if too little is left. */
  charge(bytes: number, rows: number, path: string): void;
  /** Whether a charge was refused. */
  isSpent(): boolean;
}

/** Ten files of the largest size, or 13,000 small new ones, at three rows each. */
export const CALL_WRITES = { bytes: 100_000_000, rows: 40_000 };
/** A million rows cost one dollar. */
export const TURN_WRITES = { bytes: 1_000_000_000, rows: 200_000 };

/** Charges are also passed to `outer`. */
export function createWriteBudget(
  kind: "call" | "turn",
  max: { bytes: number; rows: number },
  outer?: WriteBudget,
): WriteBudget {
  const used = { bytes: 0, rows: 0 };
  let spent = false;

  function charge(bytes: number, rows: number, path: string): void {
    if (used.bytes + bytes > max.bytes || used.rows + rows > max.rows) {
      const limits = `${max.bytes} bytes and ${max.rows} rows, rewrites included`;
      throw new FileError("EDQUOT", `this ${kind} has used its write budget (${limits})`, path);
    }
    outer?.charge(bytes, rows, path);
    used.bytes += bytes;
    used.rows += rows;
  }

  return {
    charge(bytes, rows, path) {
      try {
        charge(bytes, rows, path);
      } catch (error) {
        spent = true;
        throw error;
      }
    },
    isSpent: () => spent,
  };
}
