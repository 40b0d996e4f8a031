// Looks for hidden or hostile instructions in an imported skill. Called by exchange.ts. Findings are reported to the person and
// never refuse an import. Pure.
import type { ImportFinding } from "../../../core/schemas/exchange.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { toShownFindings } from "../../../core/skills/scanner/finding.ts";
import { describeUnscanned, scanPackage } from "../../../core/skills/scanner/scan-package.ts";

export function scanImport(files: FileBodies): { findings: ImportFinding[]; warnings: string[] } {
  const scanned = scanPackage(files);
  const unscanned = describeUnscanned(scanned);
  return { findings: toShownFindings(scanned.findings), warnings: unscanned ? [unscanned] : [] };
}
