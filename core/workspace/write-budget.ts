// How much a call and a turn may write into a workspace: bytes and rows handed to SQLite, which are billed and which no
// other limit counts, since what is written again takes no more space. Charged by file-tree.ts inside its transaction.
// Kept in memory: a turn that is resumed begins with a fresh one, and its restarts are limited (`turn.maxAttempts`).
import { FileError } from "./file-node.ts";

export interface WriteBudget {
  /** Throws `EDQUOT`, before anything is written, when less is left. */
  charge(bytes: number, rows: number, path: string): void;
  /** Whether a charge was refused. */
  isSpent(): boolean;
}

/** Ten files of the largest size; as many files as a workspace holds. */
export const CALL_WRITES = { bytes: 100_000_000, rows: 40_000 };
/** A million rows cost one dollar. */
export const TURN_WRITES = { bytes: 1_000_000_000, rows: 200_000 };

/** What is charged here is charged to `outer`, too. */
export function createWriteBudget(
  kind: "call" | "turn",
  max: { bytes: number; rows: number },
  outer?: WriteBudget,
): WriteBudget {
  const used = { bytes: 0, rows: 0 };
  let spent = false;

  function charge(bytes: number, rows: number, path: string): void {
    if (used.bytes + bytes > max.bytes || used.rows + rows > max.rows) {
      const limits = `${max.bytes} bytes and ${max.rows} rows, what is written again included`;
      throw new FileError("EDQUOT", `this ${kind} has written all it may (${limits})`, path);
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
