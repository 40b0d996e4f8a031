// The input and output of a check's program, shared by the two ways of running one (check-sandbox.ts, core/checks/shell.ts). Pure.

/** Maximum length of both streams together, and of the text in which a pattern is searched for. */
export const MAX_OUTPUT_CHARS = 100_000;

export interface Program {
  /** Texts by path, relative to the working directory. */
  files: Record<string, string>;
}

export interface ProgramRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** The limit that stopped the program; `null`: it ended normally. */
  stopped: "time" | "memory" | "output" | null;
}

/** Resolves `path` as the file `from` sees it, to one spelling for each file. Never leaves the folder. */
export function resolveIn(from: string, path: string): string {
  const made = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const segment of path.split("/")) {
    if (segment === "..") made.pop();
    else if (segment !== "" && segment !== ".") made.push(segment);
  }
  return made.join("/");
}
