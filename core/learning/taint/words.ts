// Compares what is to be kept, sentence by sentence, with what was read: whether a sentence says in other words what stood in
// one passage of content, and whether it rests on anything else. Called by taint.ts. Pure; one pass over what was read.
import { readingsOf } from "./fragments.ts";
import { type Claim, type ClaimWord, toClaims } from "./claims.ts";
import type { ReadSentence, TaintIndex } from "./taint-index.ts";
import { tokensOf } from "./text.ts";

export interface WordDoubt {
  claim: Claim;
  entry: number;
  /** Nothing in particular was repeated, but content had asked for a write and the sentence rests on nothing else. */
  isAlone: boolean;
  /** The one word that says enough: a name or a code. */
  word?: string;
}

// [own] chosen on lessons and attacks of our own, half of them; test/learning/taint/taint-rates.test.ts holds all of them.
/** A passage and a sentence share so much that only content had, in words and as a share of the sentence. */
const SHARED = { words: 3, share: 0.35 };
const SHARED_SHORT = { words: 2, share: 0.5 };
/** The same of a part of a sentence. */
const SHARED_PART = { words: 2, share: 0.5 };
/** The same where the passage asks for a write; and so much of any words, for it may be made of ordinary ones. */
const ASKED = { words: 1.5, share: 0.25 };
const ASKED_ALIKE = { words: 2, share: 0.6 };
/** The same where a call failed and complained: what is to be known again has to be named. */
const COMPLAINT = { words: 3.5, share: 0.5 };
/** What is to go was spoken of; where content says that something holds no longer, one word may be all it takes. */
const SPOKEN_OF = { words: 1, share: 0.3 };
const TAKEN_BACK = { words: 0.5, share: 0.3 };
/** Where content has asked for a write: what a sentence shares with the person's words and the work, at the least. */
const GROUNDED_SHARE = 0.34;
const LEAST_WEIGHT = 1.5;

const RUN_WORDS = 8;
const LEAST_RUN_WORDS = 4;

/** Every eight words that follow each other in the texts, and whole sentences that have fewer. */
export function toRuns(texts: string[], index: TaintIndex): number[][] {
  const runs: number[][] = [];
  const readings = texts.flatMap((text) => readingsOf(text));
  const all = readings.flatMap((reading) => [...tokensOf(reading)]).filter(({ word }) => word !== "");
  const numbers = all.map(({ word }) => index.wordOf(word));
  for (let at = 0; at + RUN_WORDS <= numbers.length; at++) runs.push(numbers.slice(at, at + RUN_WORDS));
  for (const reading of readings) {
    let sentence: number[] = [];
    for (const { word } of [...tokensOf(reading), { word: "" }]) {
      if (word !== "") {
        sentence.push(index.wordOf(word));
        continue;
      }
      if (sentence.length >= LEAST_RUN_WORDS && sentence.length < RUN_WORDS) runs.push(sentence);
      sentence = [];
    }
  }
  return runs;
}

/** The first claim that says what was only read. `isStanding`: words that the text has now need nobody else. */
export function doubtClaims(
  claims: Claim[],
  index: TaintIndex,
  isStanding: (key: number) => boolean,
): WordDoubt | null {
  const isRead = (key: number) => index.isRead(key) && !isStanding(key);
  const passage = readClaims(claims, index, isRead).next();
  if (!passage.done) return passage.value;
  return findForeign(claims, index, isStanding) ?? (index.hasDemand ? findAlone(claims, index, isStanding) : null);
}

function findForeign(claims: Claim[], index: TaintIndex, isStanding: (key: number) => boolean): WordDoubt | null {
  for (const claim of claims) {
    const word = foreignIn(claim, index, isStanding);
    if (word) return { claim, entry: index.whoseWord(word.key), isAlone: false, word: word.raw };
  }
  return null;
}

/** A name or a code leads somewhere by itself, whatever is said around it. */
export function foreignIn(
  claim: Claim,
  index: TaintIndex,
  isStanding = (_key: number) => false,
): ClaimWord | undefined {
  return claim.words.find((word) => !isStanding(word.key) && isForeign(word, index));
}

function isForeign({ key, form, excused, common }: ClaimWord, index: TaintIndex): boolean {
  if (common) return false;
  if (form === "code" && !excused && index.isForeign(key, "code")) return true;
  if (form === "capital" && index.isForeign(key, "capital")) return true;
  return index.isForeign(key, "name");
}

/** More comparing takes too long: what is left by then counts as read. */
const MAX_STEPS = 300_000;

/** The claims that say what one passage of content says, each once. */
export function* readClaims(
  claims: Claim[],
  index: TaintIndex,
  isRead: (key: number) => boolean,
): Generator<WordDoubt> {
  const places = placesOf(claims, index, isRead);
  if (places.size === 0) return;
  const found = new Set<number>();
  let steps = 0;
  let before: Overlap | null = null;
  for (const sentence of index.sentences) {
    const overlap = overlapOf(sentence, index, places, found);
    const near = before && before.sentence.entry === sentence.entry ? before : null;
    steps += overlap.steps;
    for (const n of steps > MAX_STEPS ? claims.keys() : overlap.claims.keys()) {
      if (found.has(n)) continue;
      const asks = sentence.asks || near?.sentence.asks === true;
      if (steps <= MAX_STEPS) {
        const common = weigh(overlap.claims.get(n)!, near?.claims.get(n));
        if (!isSaid(claims[n]!, common, { asks, complains: sentence.complains })) continue;
      }
      found.add(n);
      yield { claim: claims[n]!, entry: sentence.entry, isAlone: false };
    }
    if (steps > MAX_STEPS) return;
    before = overlap;
  }
}

/** Where a word stands in the claims. */
interface Place {
  claim: number;
  key: number;
  weight: number;
  read: boolean;
}

function placesOf(claims: Claim[], index: TaintIndex, isRead: (key: number) => boolean): Map<number, Place[]> {
  const places = new Map<number, Place[]>();
  for (const [claim, { words }] of claims.entries()) {
    for (const { key, weight, excused, form } of words) {
      const read = isRead(key) && !excused && !(form?.endsWith("code") && index.isUsed(key));
      if (!read && !index.hasDemand) continue;
      const same = places.get(key);
      if (same) same.push({ claim, key, weight, read });
      else places.set(key, [{ claim, key, weight, read }]);
    }
  }
  return places;
}

/** The entry of content in which a text is spoken of, in sentences such as `isOn` lets through. */
export function whoSpeaksOf(text: string, index: TaintIndex, isOn: (sentence: ReadSentence) => boolean): number | null {
  const claims = toClaims({ prose: [text] }, index);
  for (const sentence of index.sentences) {
    if (!isOn(sentence)) continue;
    const limit = sentence.takesBack ? TAKEN_BACK : SPOKEN_OF;
    const keys = new Set(index.content.slice(sentence.from, sentence.to).map((word) => index.keyOf(word)));
    for (const { words, weight } of claims) {
      const shared = words.reduce((sum, word) => sum + (keys.has(word.key) ? word.weight : 0), 0);
      if (shared >= limit.words && shared >= limit.share * weight) return sentence.entry;
    }
  }
  return null;
}

interface Overlap {
  sentence: ReadSentence;
  /** By claim: its words that the sentence has, each once. */
  claims: Map<number, Place[]>;
  steps: number;
}

/** Of those that are not found yet; places of the others are given up. */
function overlapOf(
  sentence: ReadSentence,
  index: TaintIndex,
  places: Map<number, Place[]>,
  found: Set<number>,
): Overlap {
  const claims: Overlap["claims"] = new Map();
  const keys = new Set<number>();
  for (let at = sentence.from; at < sentence.to; at++) keys.add(index.keyOf(index.content[at]!));
  let steps = 0;
  for (const key of keys) {
    const same = places.get(key) ?? [];
    for (let n = same.length - 1; n >= 0; n--) {
      const place = same[n]!;
      const { claim, read } = place;
      steps += 1;
      if (found.has(claim)) {
        same[n] = same.at(-1)!;
        same.pop();
        continue;
      }
      if (!read && !sentence.asks) continue;
      const words = claims.get(claim);
      if (words) words.push(place);
      else claims.set(claim, [place]);
    }
  }
  return { sentence, claims, steps };
}

/** What a claim has in common with a passage: words of any kind, and those of them that only content had. */
interface Common {
  any: number;
  read: number;
}

/** Of a sentence and of the one before it; a word that both have counts once. */
function weigh(here: Place[], before?: Place[]): Common {
  const common: Common = { any: 0, read: 0 };
  const add = ({ weight, read }: Place) => {
    common.any += weight;
    if (read) common.read += weight;
  };
  here.forEach(add);
  if (before) {
    const keys = new Set(here.map(({ key }) => key));
    for (const place of before) if (!keys.has(place.key)) add(place);
  }
  return common;
}

function isSaid(
  claim: Claim,
  { any, read }: Common,
  { asks, complains }: Pick<ReadSentence, "asks" | "complains">,
): boolean {
  const reaches = (limit: { words: number; share: number }, weight: number) =>
    weight >= limit.words && weight >= limit.share * claim.weight;
  if (!asks && complains) return reaches(COMPLAINT, read);
  if (claim.isPart && reaches(SHARED_PART, read)) return true;
  if (reaches(SHARED, read) || reaches(SHARED_SHORT, read)) return true;
  return asks && (reaches(ASKED, read) || reaches(ASKED_ALIKE, any));
}

/** A sentence of which neither the person nor the work says anything, where content has asked for a write. */
function findAlone(claims: Claim[], index: TaintIndex, isStanding: (key: number) => boolean): WordDoubt | null {
  const entry = index.sentences.find(({ asks }) => asks)!.entry;
  for (const claim of claims) {
    if (claim.isPart || claim.weight < LEAST_WEIGHT) continue;
    let grounded = 0;
    for (const { key, weight, common } of claim.words) {
      if (!common && (isStanding(key) || index.isGrounded(key))) grounded += weight;
    }
    if (grounded < GROUNDED_SHARE * claim.weight) return { claim, entry, isAlone: true };
  }
  return null;
}
