// Chooses the earlier turns on which a text is tried: those that it cites, and similar ones that it does not cite, which alone show that it
// carries over. Called by pump.ts. Reads through its port only.
import { type SkillName, type TurnId, fromCitation, fromTurnId } from "../schemas/ids.ts";
import { MAX_TURNS } from "../schemas/learning/experiment-api.ts";
import type { RecordedTurn, RecordedTurns } from "./ports.ts";

/** Each is a question to a session. [own] */
const MAX_CITED_ASKED = 12;
const MAX_SIMILAR_ASKED = 12;

export interface ChosenTurn {
  recorded: RecordedTurn;
  cited: boolean;
}

export interface Choice {
  /** In the order in which they are tried: a cited one, then one that is not, and so on. */
  tried: ChosenTurn[];
  /** Those that cannot be run again. */
  left: ChosenTurn[];
}

export interface AskedChoice {
  skill: SkillName;
  citations: readonly string[];
  /** A person named these: no others are tried, and each counts as one that the text cites. */
  named?: readonly TurnId[] | undefined;
  about: string;
  now: number;
}

export async function chooseTurns(
  turns: RecordedTurns,
  { skill, citations, named, about, now }: AskedChoice,
): Promise<Choice> {
  const cited = await (named ? describeEach(turns, named) : describeCited(turns, citations));
  const known = new Set(cited.map(({ turn }) => turn));
  const asked = { skill, words: about, before: now, limit: MAX_SIMILAR_ASKED };
  const found = named ? [] : await turns.findSimilar(asked);
  const similar = await describeEach(
    turns,
    found.filter((turn) => !known.has(turn)),
  );
  const own = sortByJudge(cited.filter(isReplayable));
  const others = sortByJudge(similar.filter(isReplayable));
  const kept = own.slice(0, others.length > 0 ? MAX_TURNS - 1 : MAX_TURNS);
  const tried = alternate(
    kept.map((recorded) => ({ recorded, cited: true })),
    others.slice(0, MAX_TURNS - kept.length).map((recorded) => ({ recorded, cited: false })),
  );
  const left = [
    ...cited.map((recorded) => ({ recorded, cited: true })),
    ...similar.map((recorded) => ({ recorded, cited: false })),
  ].filter(({ recorded }) => !isReplayable(recorded));
  return { tried, left };
}

/** Several citations may be of one turn. */
async function describeCited(turns: RecordedTurns, citations: readonly string[]): Promise<RecordedTurn[]> {
  const places = new Map(
    citations.map((citation) => {
      const { session, entry, source } = fromCitation(citation);
      return [`${session}/${entry}`, { session, entry, isPersons: source === "principal" }] as const;
    }),
  );
  const described = new Map<TurnId, RecordedTurn>();
  for (const { isPersons, ...place } of [...places.values()].slice(0, MAX_CITED_ASKED)) {
    const turn = await turns.describe(place);
    if (!turn) continue;
    const before = isPersons ? await describeCorrected(turns, turn) : null;
    if (before) described.set(before.turn, before);
    described.set(turn.turn, turn);
  }
  return [...described.values()];
}

/** What a person says of an answer is about the turn before: there the text can show what it is worth. `null`: the message is not of that kind. */
async function describeCorrected(turns: RecordedTurns, turn: RecordedTurn): Promise<RecordedTurn | null> {
  const { session, n } = fromTurnId(turn.turn);
  const before = n > 1 ? await turns.describe({ session, turn: n - 1 }) : null;
  if (!before) return null;
  const isRefuted = before.outcome === "failure" && before.judge !== "exit" && before.judge !== "goal";
  const isRemark = turn.stats.toolCalls === 0 && before.stats.toolCalls > 0;
  return isRefuted || isRemark ? before : null;
}

/** Until there are enough that can be run again. */
async function describeEach(turns: RecordedTurns, found: readonly TurnId[]): Promise<RecordedTurn[]> {
  const described: RecordedTurn[] = [];
  for (const id of new Set(found)) {
    const { session, n } = fromTurnId(id);
    const turn = await turns.describe({ session, turn: n });
    if (turn) described.push(turn);
    if (described.filter(isReplayable).length === MAX_TURNS) break;
  }
  return described;
}

function isReplayable({ replayability }: RecordedTurn): boolean {
  return replayability.replayable;
}

/** Those first of which somebody has said what is right, then those that ended well or badly by their exits. */
function sortByJudge(turns: RecordedTurn[]): RecordedTurn[] {
  const rank = ({ accepted, outcome, judge, exit }: RecordedTurn) => {
    if (accepted) return 0;
    if (outcome !== "unknown" && judge !== "exit") return 1;
    return outcome !== "unknown" || exit !== "unknown" ? 2 : 3;
  };
  return turns.toSorted((a, b) => rank(a) - rank(b));
}

function alternate<T>(a: T[], b: T[]): T[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [
    ...a.slice(at, at + 1),
    ...b.slice(at, at + 1),
  ]).flat();
}
