// What the tests of the sandbox in Node and in workerd share: a program with defaults.
import type { CallReply, CodeProgram } from "../../core/sandbox/code-sandbox.ts";

export const NOW = Date.UTC(2026, 10, 26, 12);

export function toProgram(code: string, options: Partial<CodeProgram> = {}): CodeProgram {
  const call = async (name: string, args: string): Promise<CallReply> => ({
    ok: true,
    json: JSON.stringify({ name, args }),
  });
  return { code, tools: [], call, now: NOW, seed: "s", signal: new AbortController().signal, ...options };
}
