// Scans a whole package: SKILL.md first, within a limit of text, because scanning takes about a millisecond a KiB. Called by imports and
// the hub. Pure.
import type { FileBodies } from "../../schemas/file-body.ts";
import { SKILL_MD } from "../format/format.ts";
import { type FileFinding, scanFiles } from "./scanner.ts";

const MAX_SCANNED_CHARS = 512 << 10;

export interface ScannedPackage {
  findings: FileFinding[];
  /** Files that were not scanned. */
  unscanned: string[];
}

export function scanPackage(files: FileBodies): ScannedPackage {
  const paths = Object.keys(files).sort((a, b) => Number(b === SKILL_MD) - Number(a === SKILL_MD) || (a < b ? -1 : 1));
  let chars = 0;
  const scanned: string[] = [];
  for (const path of paths) {
    const body = files[path]!;
    chars += typeof body === "string" ? body.length : 0;
    if (chars <= MAX_SCANNED_CHARS) scanned.push(path);
  }
  const findings = scanFiles(Object.fromEntries(scanned.map((path) => [path, files[path]!])));
  return { findings, unscanned: paths.filter((path) => !scanned.includes(path)) };
}

/** In a sentence; "" when everything was scanned. */
export function describeUnscanned({ unscanned }: ScannedPackage): string {
  if (unscanned.length === 0) return "";
  return `${unscanned.length} files were not scanned for hidden orders, because there is too much text.`;
}
