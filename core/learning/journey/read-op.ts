// Reads from the operation id of a write who made it and what it belongs to. Called by the journey and its graph. Pure.
import { type CurationId, ReviewId, type SessionId, TurnId, fromReviewId, fromTurnId } from "../../schemas/ids.ts";
import { ExperimentId } from "../../schemas/learning/experiment.ts";
import type { JourneyBy } from "../../schemas/learning/journey.ts";

export interface OpFacts {
  by: JourneyBy | null;
  review?: ReviewId;
  turn?: TurnId;
  session?: SessionId;
  run?: CurationId;
  experiment?: ExperimentId;
  /** What the curator did: `verdict`, `undo`, `merge` or other work. */
  work?: "verdict" | "undo" | "merge" | "other";
}

const UNKNOWN: OpFacts = { by: null };

/**
 * The forms: `api:<ulid>` and `import:<text>` (a person), `verdict:<turn>.<judge>` (evidence), `experiment:<id>`, `curation:<run>:…` and
 * `curation:<profile>:<run>.<work>.<step>` (curator), `<review>.<step>` (review), `<session>-<turn>:<entry>` (agent). An id of another form,
 * or one that was too long for a key and is stored as a hash, says nothing.
 */
export function readOp(op: string): OpFacts {
  if (/^(api|import):/.test(op)) return { by: "person" };
  if (op.startsWith("verdict:")) return ofTurn("evidence", op.slice("verdict:".length).split(".")[0]!);
  if (op.startsWith("experiment:")) return ofExperiment(op.slice("experiment:".length));
  if (op.startsWith("curation:")) return ofCuration(op);
  const review = ReviewId.safeParse(op.slice(0, op.lastIndexOf(".")));
  if (review.success) return { by: "review", review: review.data, session: fromReviewId(review.data).session };
  return ofTurn("agent", op.split(":")[0]!);
}

function ofTurn(by: "evidence" | "agent", text: string): OpFacts {
  const turn = TurnId.safeParse(text);
  return turn.success ? { by, turn: turn.data, session: fromTurnId(turn.data).session } : UNKNOWN;
}

function ofExperiment(text: string): OpFacts {
  const id = ExperimentId.safeParse(text.split(/[.:]/)[0]);
  return { by: "experiment", ...(id.success && { experiment: id.data }) };
}

const CURATION = /^curation:(?:[0-9a-z]{26}:)?(\d{8}T\d{6}Z-[0-9a-z]{4})[:.](.*)$/;

function ofCuration(op: string): OpFacts {
  const [, run, rest = ""] = CURATION.exec(op) ?? [];
  if (run === undefined) return { by: "curator" };
  return { by: "curator", run, work: workOf(rest) };
}

/** `consolidate:<n>…`, `<n>:<skill>` (taken back), `<skill>` (a verdict or a move), or the script of a piece of work. */
function workOf(rest: string): NonNullable<OpFacts["work"]> {
  if (rest.startsWith("consolidate")) return "merge";
  if (/^\d+:/.test(rest)) return "undo";
  return /^[a-z0-9-]+$/.test(rest) ? "verdict" : "other";
}
