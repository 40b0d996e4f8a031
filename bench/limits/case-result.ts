// The result of one case of bench:limits, as its thread reports it. Types only.

export interface CaseResult {
  /** `refused`: ended with a refusal and its code. `wrong`: ended with an unexpected result. */
  outcome: "done" | "refused" | "wrong";
  code: string | null;
  /** The beginning of the answer, for the report. */
  said: string;
  ms: number;
}
