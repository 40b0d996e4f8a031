// What came of one case of bench:limits, as its thread tells it. Pure.

export interface CaseResult {
  /** `refused`: ended by a refusal with a code. `wrong`: ended, but not as it must. */
  outcome: "done" | "refused" | "wrong";
  code: string | null;
  /** A start of what was answered, for the report. */
  said: string;
  ms: number;
}
