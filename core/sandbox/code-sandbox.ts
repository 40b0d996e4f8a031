// The contract of a sandbox for code that a model writes. Implemented by quickjs-code.ts and by wiring/dynamic-worker.ts, called by the
// tool execute_code. Types and limits only.
import type { StopReason } from "./engine.ts";

export interface CodeSandbox {
  /** Runs the code as the body of an async function. Never throws. */
  run(program: CodeProgram): Promise<CodeRun>;
}

export interface CodeProgram {
  code: string;
  /** Names of the tools that the code may call. */
  tools: readonly string[];
  /** Carries out one call of a tool. `args`: JSON from the code, unchecked. Never throws. */
  call(name: string, args: string): Promise<CallReply>;
  /** What `Date.now()` answers during the whole run. */
  now: number;
  /** Random numbers follow from it, so that a run can be repeated. */
  seed: string;
  signal: AbortSignal;
}

/** `json`: what the promise resolves with. Else it rejects with an error of this message, code and `result` (JSON). */
export type CallReply = { ok: true; json: string } | { ok: false; message: string; code: string; json: string };

export interface CodeRun {
  stdout: string;
  /** JSON of what the code returned; absent: it returned nothing. */
  value?: string;
  /** What it threw. `line`: of the code, from 1. */
  error?: { text: string; line?: number };
  /**
   * What ended the run early. `wait`: it waited longer than `MAX_RUN_MS`. `never`: it waited for a promise that nothing settles. `busy`:
   * it did not begin, because other sandboxes were live. `signal`: it was called off. `lost`: the sandbox itself failed.
   */
  stopped: StopReason | "wait" | "never" | "busy" | "signal" | "lost" | null;
  /** What the code printed since it last waited for a tool is lost. */
  hasLostOutput?: true;
}

/** Maximum length of what a run prints, and of what it returns. */
export const MAX_PRINTED_CHARS = 200_000;
/** Time for a whole run, which only passes while it waits for tools. With the wait before it, below `turn.toolTimeoutMs`. */
export const MAX_RUN_MS = 60_000;
/** Maximum length of the arguments of all calls in flight, as JSON, since the host holds them; and of one result. */
export const MAX_ARGUMENT_CHARS = 2_000_000;
export const MAX_REPLY_CHARS = 1_000_000;
