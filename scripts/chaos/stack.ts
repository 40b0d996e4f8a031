// Starts the stack of a chaos run, can kill it during the start, and clears up behind the run. Used by the runs on the stack.
import { rmSync } from "node:fs";
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

/** What the run has measured. Its stack, its doubles and its state are gone, however it ends. */
export async function runAndClear<T>(
  run: { all(): Promise<T>; end(): Promise<void> },
  { world, stateDir }: { world: { close(): void }; stateDir: string },
): Promise<T> {
  try {
    return await run.all();
  } finally {
    await run.end();
    world.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}
