// Looks for hidden or hostile instructions in an imported skill. Called by exchange.ts. Findings are reported to the person and
// never refuse an import. Pure.
import type * as z from "zod";
import type { ImportFinding } from "../../../core/schemas/exchange.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { scanFiles } from "../../../core/skills/scanner/scanner.ts";

/** Of one import. Scanning takes about a millisecond a KiB. */
const MAX_SCANNED_CHARS = 512 << 10;
/** Findings that an import reports. */
const MAX_FINDINGS = 50;

/** Scans SKILL.md first, then by path, within the limit. */
export function scanImport(files: FileBodies): { findings: z.infer<typeof ImportFinding>[]; warnings: string[] } {
  const paths = Object.keys(files).sort((a, b) => Number(b === SKILL_MD) - Number(a === SKILL_MD) || (a < b ? -1 : 1));
  let chars = 0;
  const scanned: string[] = [];
  for (const path of paths) {
    const body = files[path]!;
    chars += typeof body === "string" ? body.length : 0;
    if (chars <= MAX_SCANNED_CHARS) scanned.push(path);
  }
  const findings = scanFiles(Object.fromEntries(scanned.map((path) => [path, files[path]!])));
  const unscanned = paths.length - scanned.length;
  const warnings =
    unscanned > 0 ? [`${unscanned} files were not scanned for hidden orders, because there is too much text.`] : [];
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => {
    const { path, line, column, severity, category, pattern, reason } = finding;
    return { path, line, column, severity, category, pattern, reason };
  });
  return { findings: shown, warnings };
}
