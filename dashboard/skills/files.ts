// The files of a skill as the page shows them: their order and size, which can run, and the checks among them. Pure.
import type { Detail } from "./words.ts";

export type Files = Detail["files"];

export function isText(body: Files[string] | undefined): body is string {
  return typeof body === "string";
}

/** Bytes of a body: text as UTF-8, or Base64. */
export function sizeOf(body: Files[string]): number {
  if (isText(body)) return new TextEncoder().encode(body).length;
  const { base64 } = body;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/** The Markdown of a SKILL.md without its frontmatter. */
export function bodyOf(skillMd: string): string {
  return /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/.test(skillMd)
    ? skillMd.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "")
    : skillMd;
}

/** The ending of a file's name, for colouring: `py` of `scripts/a.py`. */
export function endingOf(path: string): string | undefined {
  return /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
}

/** SKILL.md first, then by path. */
export function pathsOf(files: Files): string[] {
  return Object.keys(files).sort((a, b) => Number(b === SKILL_MD) - Number(a === SKILL_MD) || (a < b ? -1 : 1));
}

export const SKILL_MD = "SKILL.md";

export interface CheckLine {
  path: string;
  /** What it runs; `null`: the file cannot be read as a check. */
  runs: string | null;
  expects: string;
  /** What the last inspection found wrong; `null`: nothing. */
  broken: string | null;
}

/** The checks of a skill, with what `health` says of each. */
export function checksOf(files: Files, broken: readonly string[]): CheckLine[] {
  return pathsOf(files)
    .filter((path) => path.startsWith("checks/"))
    .map((path) => ({ path, ...readCheck(files[path]), broken: broken.find((text) => text.includes(path)) ?? null }));
}

function readCheck(body: Files[string] | undefined): Pick<CheckLine, "runs" | "expects"> {
  try {
    const check = JSON.parse(isText(body) ? body : "") as {
      run?: { script?: unknown; command?: unknown };
      expect?: { exitCode?: unknown; pattern?: unknown };
    };
    const runs = check.run?.command ?? check.run?.script;
    const { exitCode = 0, pattern } = check.expect ?? {};
    if (typeof runs !== "string") return { runs: null, expects: "" };
    return { runs, expects: `exit status ${String(exitCode)}, output that matches ${String(pattern)}` };
  } catch {
    return { runs: null, expects: "" };
  }
}

const PROGRAMS = new Set(["sh", "bash", "js", "mjs", "ts", "py", "rb", "pl", "php", "ps1", "bat", "exe"]);

/** Files that the agent may run. */
export function programsOfPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith("scripts/") || PROGRAMS.has(endingOf(path) ?? ""));
}
