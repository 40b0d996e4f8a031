// What the scanner says about a text. Read by every part of the scanner and by who acts on findings. Types alone.

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

/** `critical` and `high` keep an agent's text out; `medium` is common in honest texts; `low` stands in an example. */
export type Severity = "critical" | "high" | "medium" | "low";

export interface Finding {
  /** Name of a rule. */
  pattern: string;
  category: ScanCategory;
  severity: Severity;
  /** From 1, in the text as it was given. */
  line: number;
  /** From 1, in UTF-16 units of its line. */
  column: number;
  /** In plain words, for a person or a model. */
  reason: string;
}

export interface FileFinding extends Finding {
  path: string;
}

/** What follows from findings: `ask` leaves it to a person, `block` is a refusal. */
export type Decision = "allow" | "ask" | "block";
