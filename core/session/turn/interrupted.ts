// Whether a message that waits interrupts the running turn. Asked by the driver, the loop and a parked turn. Reads the log only.
import type { Log } from "../log.ts";

/** Whether a waiting message wants turn `n` to end. */
export function isInterrupted(log: Log, n: number): boolean {
  return log.openTurns().some((turn) => turn.more.interrupts === n);
}
