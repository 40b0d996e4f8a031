// Findings about a skill's files as a set: things that no skill needs, independent of its text. Called by scanner.ts. Pure.
import { type FileBodies, toBytes } from "../../schemas/file-body.ts";
import type { FileFinding, Severity } from "./finding.ts";

/** Hermes Agent's limits for a skill from outside. */
const MAX_FILES = 50;
const MAX_FILE_BYTES = 256 << 10;
const MAX_ALL_BYTES = 5_120 << 10;

/** First bytes of programs: ELF, Mach-O (four forms), Windows, WebAssembly, Java. */
const PROGRAMS = ["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "4d5a", "0061736d", "cafebabe"];
const PROGRAM_NAME = /\.(?:exe|dll|so|dylib|bin|msi|scr|com|jar|apk|dmg|pkg|app|elf|wasm)$/i;

export function findStructure(files: FileBodies): FileFinding[] {
  const findings: FileFinding[] = [];
  const add = (path: string, pattern: string, severity: Severity, reason: string) =>
    findings.push({ path, pattern, category: "structure", severity, line: 1, column: 1, reason });
  const entries = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  let total = 0;
  for (const [path, body] of entries) {
    const bytes = toBytes(body);
    total += bytes.length;
    const head = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (PROGRAMS.some((mark) => head.startsWith(mark)) && typeof body !== "string")
      add(path, "program", "critical", "is a compiled program");
    else if (PROGRAM_NAME.test(path)) add(path, "program", "high", "is named like a compiled program");
    else if (typeof body !== "string") add(path, "binary", "medium", "is not text, so nobody can read what it holds");
    if (bytes.length > MAX_FILE_BYTES) add(path, "large_file", "medium", `is larger than ${MAX_FILE_BYTES >> 10} KiB`);
    if (typeof body === "string" && isLinkLike(body))
      add(path, "link", "high", "is a path out of the skill, as a symbolic link leaves it");
    if (/(?:^|\/)\.\.(?:\/|$)|^\/|\\|[\0-\x1F]/.test(path))
      add(path, "odd_path", "critical", "has a path that leads out of the skill");
  }
  if (entries.length > MAX_FILES)
    add("SKILL.md", "many_files", "medium", `has ${entries.length} files, more than ${MAX_FILES}`);
  if (total > MAX_ALL_BYTES) add("SKILL.md", "large_skill", "low", `is larger than ${MAX_ALL_BYTES >> 10} KiB in all`);
  return findings;
}

/** A symbolic link that was unpacked as a file contains only its target. */
function isLinkLike(body: string): boolean {
  return body.length < 300 && /^(?:\/|\.\.\/)[\w./-]+\s?$/.test(body);
}
