// Records carry `v`. Readers accept every version up to their own, so that one which fails for its `v` is of a newer program:
// it is refused in a sentence, and never written over. Pure.
import type * as z from "zod";
import { StateNewerError } from "../errors.ts";

/** Throws `StateNewerError` when a record did not parse because of its `v`. `what` begins the sentence. */
export function assertKnownVersion(what: string, raw: unknown, error: z.ZodError): void {
  const v = raw !== null && typeof raw === "object" && "v" in raw ? raw.v : undefined;
  if (typeof v !== "number" || !Number.isInteger(v) || v < 1) return;
  const known = knownVersion(error.issues);
  if (known !== null && v > known) throw new StateNewerError(what, v, known);
}

/** Of a queue's message, which is then left for a newer program. */
export function isNewerMessage(body: unknown, known = 1): boolean {
  const v = body !== null && typeof body === "object" && "v" in body ? body.v : undefined;
  return typeof v === "number" && Number.isInteger(v) && v > known;
}

type Issue = z.core.$ZodIssue;

/** The highest `v` that a schema would have taken; null when nothing was wrong with `v`. */
function knownVersion(issues: Issue[]): number | null {
  const known = issues.flatMap((issue): number[] => {
    if (issue.code === "invalid_union" && issue.path.length === 0) {
      return issue.errors.flatMap((branch) => knownVersion(branch) ?? []);
    }
    if (issue.path.length !== 1 || issue.path[0] !== "v") return [];
    if (issue.code === "invalid_value") return issue.values.filter((value) => typeof value === "number");
    if (issue.code === "invalid_union") return issue.errors.flatMap((branch) => branch.flatMap(literalsOf));
    return [];
  });
  return known.length === 0 ? null : Math.max(...known);
}

function literalsOf(issue: Issue): number[] {
  return issue.code === "invalid_value" ? issue.values.filter((value) => typeof value === "number") : [];
}
