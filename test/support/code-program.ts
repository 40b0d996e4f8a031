// What the tests of sandboxes share: a program with defaults, and reading the value of a run.
import { expect } from "vitest";
import type { CallReply, CodeProgram, CodeSandbox } from "../../core/sandbox/code-sandbox.ts";

export const NOW = Date.UTC(2026, 10, 26, 12);

export function toProgram(code: string, options: Partial<CodeProgram> = {}): CodeProgram {
  const call = async (name: string, args: string): Promise<CallReply> => ({
    ok: true,
    json: JSON.stringify({ name, args }),
  });
  return { code, tools: [], call, now: NOW, seed: "s", signal: new AbortController().signal, ...options };
}

/** The function returns what code returns, parsed. It fails when the run ended in another way. */
export function createValueReader(sandbox: CodeSandbox) {
  return async (code: string, options: Partial<CodeProgram> = {}): Promise<unknown> => {
    const { value, ...rest } = await sandbox.run(toProgram(code, options));
    expect(rest).toEqual({ stdout: rest.stdout, stopped: null });
    return value === undefined ? undefined : JSON.parse(value);
  };
}
