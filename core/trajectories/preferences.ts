// Pairs for DPO: the same prompt with a better and a worse continuation, as trl reads them. What was better is said by a person or a
// verdict, never guessed: a rating, a correction, a message that was taken back and sent again, a branch, a skill's text that was
// withdrawn. Called by the page reader on redacted sessions. Pure.
import { areSimilarWords, contentWords } from "../learning/requests.ts";
import { type Entry, messageOf } from "../schemas/entry.ts";
import type { OpenAiMessage, PairSource, PreferenceLine } from "../schemas/trajectories.ts";
import { toOpenAiMessage } from "./openai.ts";
import { numberCalls, readTurnAlone } from "./read-session.ts";
import type { TrajectoryMessage, TrajectorySource, TrajectoryTurn } from "./trajectory.ts";

type IsWanted = (turn: TrajectoryTurn) => boolean;

/** Pairs of turns of one session, made one by one: each may have all of the log in its prompt. The filter judges the better turn of each. */
export function* pairsWithin(source: TrajectorySource, isWanted: IsWanted): Generator<PreferenceLine> {
  const own = source.turns.filter((turn) => turn.n > source.inherited);
  const undone = new Map(source.undone.map((one) => [one.turn, one]));
  const accepted = findAccepted(source, undone);
  for (const turn of own) {
    const taken = undone.get(turn.n);
    const better = taken
      ? own.find(({ n }) => n > taken.by && !undone.has(n) && isMessage(source, n))
      : accepted.get(turn.n);
    if (!better || !isWanted(better)) continue;
    const isPair =
      !taken || (better.outcome !== "failure" && better.rating !== "down" && isAlike(source, turn, better));
    if (!isPair) continue;
    yield* toPair(taken ? "retry" : "correction", { source, turn: better }, { source, turn });
  }
}

/** A turn of some session. */
export interface TurnPlace {
  source: TrajectorySource;
  turn: TrajectoryTurn;
}

/** A pair of turns of two sessions, or of one, whose requests are alike. None if either has no answer, or both have the same. */
export function pairAcross(kind: "rating" | "branch", chosen: TurnPlace, rejected: TurnPlace): PreferenceLine[] {
  const [a, b] = [chosen, rejected].map(({ source, turn }) => toRequest(requestOf(source, turn)));
  return areAlike(a!, b!) ? toPair(kind, chosen, rejected) : [];
}

/** Two texts of one skill, of which one was withdrawn. `requests`: what people ask when they need it; `""` for none. */
export function pairOfTexts(skill: {
  name: string;
  description: string;
  requests: string;
  kept: string;
  withdrawn: string;
}): PreferenceLine[] {
  const { name, description, requests, kept, withdrawn } = skill;
  if (kept === withdrawn) return [];
  const asked = requests.trim() === "" ? "" : `\n\nPeople need it for requests such as:\n${requests.trim()}`;
  const content = `Write the skill \`${name}\` as a SKILL.md. What it is for: ${description}${asked}`;
  return [
    {
      prompt: [{ role: "user", content }],
      chosen: [{ role: "assistant", content: kept }],
      rejected: [{ role: "assistant", content: withdrawn }],
      source: "skill",
    },
  ];
}

/** By number of a turn: the one that a person accepted after they had corrected it. Corrections of corrections are followed. */
function findAccepted(
  { turns, entries }: TrajectorySource,
  undone: ReadonlyMap<number, unknown>,
): Map<number, TrajectoryTurn> {
  const turnOf = new Map(entries.map(({ n, turn }) => [n, turn]));
  const byNumber = new Map(turns.filter(({ n }) => !undone.has(n)).map((turn) => [turn.n, turn]));
  /** Where the corrections of a turn end. */
  const ends = new Map<number, TrajectoryTurn>();
  // A correction comes later, so its own end is known.
  for (const { n, corrections } of turns.toSorted((a, b) => b.n - a.n)) {
    const by = corrections.flatMap((entry) => byNumber.get(turnOf.get(entry) ?? 0) ?? []).filter((next) => next.n > n);
    const next = by.toSorted((a, b) => a.n - b.n)[0];
    if (next) ends.set(n, ends.get(next.n) ?? next);
  }
  return new Map([...ends].filter(([, end]) => end.rating === "up" || end.outcome === "success"));
}

function entryAt(entries: Entry[], n: number): Entry | undefined {
  return entries.find((entry) => entry.n === n);
}

/** Not a command to the session. */
function isMessage(source: TrajectorySource, n: number): boolean {
  return readTurnAlone(source, n) !== null;
}

function isAlike(source: TrajectorySource, one: TrajectoryTurn, other: TrajectoryTurn): boolean {
  return areAlike(toRequest(requestOf(source, one)), toRequest(requestOf(source, other)));
}

/** What a person asked, read once to be compared often. */
export interface Request {
  text: string;
  words: ReturnType<typeof contentWords>;
}

export function toRequest(text: string): Request {
  return { text: text.trim(), words: contentWords(text) };
}

export function areAlike(a: Request, b: Request): boolean {
  return a.text !== "" && (a.text === b.text || areSimilarWords(a.words, b.words));
}

export function requestOf({ entries }: TrajectorySource, { input }: TrajectoryTurn): string {
  const entry = input === null ? undefined : entryAt(entries, input);
  return entry ? messageOf(entry) : "";
}

/** The prompt is that of the rejected turn: what the better one was told meanwhile, such as the correction, is not in it. */
function toPair(kind: PairSource, chosen: TurnPlace, rejected: TurnPlace): PreferenceLine[] {
  const better = readTurnAlone(chosen.source, chosen.turn.n);
  const worse = readTurnAlone(rejected.source, rejected.turn.n);
  if (!better || !worse) return [];
  const [good, bad] = [write(worse.prompt, better.answer), write(worse.prompt, worse.answer)];
  if (JSON.stringify(good.answer) === JSON.stringify(bad.answer)) return [];
  return [{ prompt: bad.prompt, chosen: good.answer, rejected: bad.answer, source: kind }];
}

/** Ids of calls count on from the prompt to the answer. */
function write(prompt: TrajectoryMessage[], answer: TrajectoryMessage[]) {
  const all = numberCalls([...prompt, ...answer]).map((message): OpenAiMessage => toOpenAiMessage(message));
  return { prompt: all.slice(0, prompt.length), answer: all.slice(prompt.length) };
}
