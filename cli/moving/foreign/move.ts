// What the parts of an import share: the profile it goes to, the report, and what a refusal means.
import type { ForeignHome } from "../../../core/moving/foreign/foreign-home.ts";
import { type Client, ProblemError } from "../../connection/client.ts";
import type { MoveReport } from "./move-report.ts";

export interface Move {
  client: Client;
  home: ForeignHome;
  report: MoveReport;
  dryRun: boolean;
  /** Repeats what the server may answer later. */
  patient<T>(work: () => Promise<T>): Promise<T>;
}

/** A refusal of one thing is noted, and the move goes on. */
export async function attempt(
  { report }: Pick<Move, "report">,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (
      !(error instanceof ProblemError) ||
      error.problem.status >= 500 ||
      [401, 403, 429].includes(error.problem.status)
    )
      throw error;
    report.notes.push({ kind: "refused", what, why: error.problem.detail.replace(/\.$/, "") });
  }
}

/** `null`: there is none. */
export async function orNone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}
