// Starts the stack of a chaos run, and can kill it during the start. Used by turns.ts and reviews.ts.
import { setTimeout as pause } from "node:timers/promises";
import { type Stack, StackError, startStack } from "../stack/stack.ts";

type Options = Omit<Parameters<typeof startStack>[0], "signal">;

/** The stack and the duration of its start; `null` when it was killed `diesAfterMs` after the start began. */
export async function startOrDie(
  options: Options,
  diesAfterMs: number | null,
): Promise<{ stack: Stack; bootMs: number } | null> {
  const began = performance.now();
  const abort = new AbortController();
  const timer = diesAfterMs === null ? null : setTimeout(() => abort.abort(), diesAfterMs);
  try {
    const stack = await startStack({ ...options, signal: abort.signal });
    if (diesAfterMs === null) return { stack, bootMs: performance.now() - began };
    await stack.kill();
    return null;
  } catch (error) {
    if (!(error instanceof StackError && error.code === "aborted")) throw error;
    return null;
  } finally {
    if (timer) clearTimeout(timer);
  }
}

export async function waitUntil(isSo: () => boolean, timeoutMs: number): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end && !isSo();) await pause(20);
}
