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

/** Pairs of turns of one session. The filter judges the better turn of each. */
export function pairWithin(source: TrajectorySource, isWanted: IsWanted): PreferenceLine[] {
  const own = source.turns.filter((turn) => turn.n > source.inherited);
  const found: [PairSource, TrajectoryTurn, TrajectoryTurn][] = [];
  for (const turn of own) {
    const undone = source.undone.find((one) => one.turn === turn.n);
    if (undone) {
      const again = own.find(({ n }) => n > undone.by && !isUndone(source, n) && isMessage(source, n));
      if (again && again.outcome !== "failure" && again.rating !== "down" && isAlike(source, turn, again)) {
        found.push(["retry", again, turn]);
      }
      continue;
    }
    const better = findAccepted(source, turn);
    if (better) found.push(["correction", better, turn]);
  }
  return found.flatMap(([kind, chosen, rejected]) =>
    isWanted(chosen) ? toPair(kind, { source, turn: chosen }, { source, turn: rejected }) : [],
  );
}

/** A turn of some session. */
export interface TurnPlace {
  source: TrajectorySource;
  turn: TrajectoryTurn;
}

/** A pair of turns of two sessions, or of one, whose requests are alike. None if either has no answer, or both have the same. */
export function pairAcross(kind: "rating" | "branch", chosen: TurnPlace, rejected: TurnPlace): PreferenceLine[] {
  const [a, b] = [chosen, rejected].map(({ source, turn }) => requestOf(source, turn)) as [string, string];
  return areAlike(a, b) ? toPair(kind, chosen, rejected) : [];
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

/** The turn that a person accepted after they had corrected this one; corrections of corrections are followed. `null`: there is none. */
function findAccepted(source: TrajectorySource, turn: TrajectoryTurn): TrajectoryTurn | null {
  let last = turn;
  for (let steps = 0; steps <= source.turns.length; steps++) {
    const next = correctedBy(source, last);
    if (!next) break;
    last = next;
  }
  return last !== turn && (last.rating === "up" || last.outcome === "success") ? last : null;
}

/** The later turn whose message corrected this one. */
function correctedBy({ turns, undone, entries }: TrajectorySource, turn: TrajectoryTurn): TrajectoryTurn | undefined {
  const by = new Set(turn.corrections.map((n) => entryAt(entries, n)?.turn).filter((n) => n !== undefined));
  return turns.find(({ n }) => n > turn.n && by.has(n) && !undone.some((one) => one.turn === n));
}

function entryAt(entries: Entry[], n: number): Entry | undefined {
  return entries.find((entry) => entry.n === n);
}

function isUndone({ undone }: TrajectorySource, n: number): boolean {
  return undone.some(({ turn }) => turn === n);
}

/** Not a command to the session. */
function isMessage(source: TrajectorySource, n: number): boolean {
  return readTurnAlone(source, n) !== null;
}

function isAlike(source: TrajectorySource, one: TrajectoryTurn, other: TrajectoryTurn): boolean {
  return areAlike(requestOf(source, one), requestOf(source, other));
}

export function areAlike(a: string, b: string): boolean {
  return a.trim() !== "" && (a.trim() === b.trim() || areSimilarWords(contentWords(a), contentWords(b)));
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
