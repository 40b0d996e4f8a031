// The findings of the scanner. Read by every part of the scanner and by code that acts on findings. Pure.

export type ScanCategory =
  | "override"
  | "impersonation"
  | "concealment"
  | "exfiltration"
  | "execution"
  | "persistence"
  | "replication"
  | "control"
  | "destruction"
  | "spending"
  | "credentials"
  | "poisoning"
  | "hidden"
  | "encoded"
  | "structure";

/** `critical` and `high` stop an agent's text; `medium` is common in honest texts; `low` is inside an example. */
export type Severity = "critical" | "high" | "medium" | "low";

export interface Finding {
  /** Name of the rule. */
  pattern: string;
  category: ScanCategory;
  severity: Severity;
  /** From 1, in the original text. */
  line: number;
  /** From 1, in UTF-16 units of its line. */
  column: number;
  /** In plain words, for a person or a model. */
  reason: string;
}

export interface FileFinding extends Finding {
  path: string;
}

/** The consequence of findings: `ask` leaves the decision to a person, `block` refuses. */
export type Decision = "allow" | "ask" | "block";

/** Findings that a report shows. */
const MAX_SHOWN = 50;

/** As an import or a package of the hub reports them. */
export function toShownFindings(findings: FileFinding[]): FileFinding[] {
  return findings.slice(0, MAX_SHOWN).map((finding) => {
    const { path, line, column, severity, category, pattern, reason } = finding;
    return { path, line, column, severity, category, pattern, reason };
  });
}
