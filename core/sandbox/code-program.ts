// What both sandboxes of execute_code do alike with a program: its file's name, the line of an error, the seed of its random numbers.
// Used by quickjs-code.ts and wiring/dynamic-worker.ts. Pure.

/** The program's name in stacks. */
export const CODE_FILE = "code.js";

/** The line of the code at which an error was thrown, from 1. An engine finds a missing end after the code, on the next line. */
export function findLine(stack: string, code: string): number | undefined {
  const line = /code\.js:(\d+)/.exec(stack)?.[1];
  return line === undefined ? undefined : Math.min(Number(line), code.split("\n").length);
}

/** FNV-1a. */
export function toSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
