// The sentences about an experiment for a person, with its figures. Called by pump.ts and conclude.ts. Pure.
import type { Arm, ArmSum, ExperimentTurn } from "../schemas/learning/experiment.ts";
import type { Ending } from "./decide.ts";

const NAMES: Record<Arm, string> = { with: "with it", without: "without", parent: "with the text before it" };

interface Tried {
  arms: Partial<Record<Arm, ArmSum>>;
  /** How many were run in the arm `with`. */
  turns: number;
  /** Those that it is about, also those that cannot be run again. */
  chosen: Chosen[];
  /** Tools whose calls ended runs with the text, because nobody has recorded what they give. */
  left?: string[];
}

export function explainEnding(
  { outcome, because, against }: Ending,
  { arms, turns, chosen, left = [] }: Tried,
): string {
  const [own, other] = [arms.with, arms[against]];
  if (!own || turns === 0)
    return outcome === "not_replayable" ? explainNothing(chosen, left) : "It ended before a run could be compared.";
  const tried = `Tried on ${turns === 1 ? "one earlier turn" : `${turns} earlier turns`}`;
  const costs = compareCost(own, other);
  const facts = [...countRight(own, other, against), ...costs];
  const words = because === "words" ? ["a call with a word of the text failed"] : [];
  const all = [...facts, ...words];
  const end = outcome === null || outcome === "not_replayable" ? " It ended before the answer was clear." : "";
  // Cheaper on some turns only, or with a wrong answer.
  const isEven = outcome === "no_difference" && costs.length > 0;
  const doubt = isEven ? " That is too little to tell them apart." : "";
  return `${tried}${all.length > 0 ? `: ${all.join(", ")}` : ""}.${doubt}${end}`;
}

type Chosen = Pick<ExperimentTurn, "replayability">;

function explainNothing(chosen: Chosen[], left: string[]): string {
  if (chosen.length === 0) {
    return "No earlier turn was found that it is about: none used it, and no request is like its description.";
  }
  const reasons = chosen.flatMap(({ replayability }) => (replayability.replayable ? [] : [replayability.why]));
  if (reasons.length < chosen.length) {
    const tools = [...new Set(left)].join(", ");
    const because = tools === "" ? "" : ` It had the model call ${tools}, and nobody has recorded what that gives.`;
    return `No run of an earlier turn came to its end with it.${because}`;
  }
  const [first] = reasons;
  return reasons.length === 1
    ? `The earlier turn that it is about cannot be run again. ${first}`
    : `None of the ${reasons.length} earlier turns that it is about can be run again. The first: ${first}`;
}

function countRight(own: ArmSum, other: ArmSum | undefined, against: Arm): string[] {
  if (own.right + own.wrong === 0) return [];
  const isEven = other !== undefined && own.right + own.wrong === other.right + other.wrong;
  const count = ({ right, wrong }: ArmSum) => (isEven ? `${right}` : `${right} of ${right + wrong}`);
  const compared = other && other.right + other.wrong > 0 ? [`${count(other)} ${NAMES[against]}`] : [];
  return [`${count(own)} right ${NAMES.with}`, ...compared];
}

/** A difference under a tenth says nothing. */
const MIN_SHARE = 0.1;

function compareCost(own: ArmSum, other: ArmSum | undefined): string[] {
  const facts = (["calls", "tokens"] as const).flatMap((what) => {
    const [mine, theirs] = [own[what], other?.[what]];
    if (mine === null || theirs === null || theirs === undefined || theirs === 0) return [];
    const share = mine / theirs - 1;
    return Math.abs(share) < MIN_SHARE
      ? []
      : [`${Math.round(Math.abs(share) * 100)} % ${share < 0 ? "fewer" : "more"} ${what}`];
  });
  return facts.slice(0, 1);
}
