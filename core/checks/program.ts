// What the two ways of running a check (sandbox.ts, shell.ts) have in common: what they are given and what they say. Pure.

export interface Program {
  /** Texts by path, relative to the folder it runs in. */
  files: Record<string, string>;
}

export interface ProgramRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** It did not end by itself. */
  stopped: "time" | "memory" | "output" | null;
}

/** Of both streams together. A pattern is looked for in no more. */
export const MAX_OUTPUT_CHARS = 100_000;

/** `path` as seen from the file `from`: one spelling for each file, and never above the folder. */
export function resolveIn(from: string, path: string): string {
  const made = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const segment of path.split("/")) {
    if (segment === "..") made.pop();
    else if (segment !== "" && segment !== ".") made.push(segment);
  }
  return made.join("/");
}
