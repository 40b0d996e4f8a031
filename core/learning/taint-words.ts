// Compares what is to be kept, sentence by sentence, with what was read: whether a sentence says in other words what stood in
// one passage of content, and whether it rests on anything else. Called by taint.ts. Pure; one pass over what was read.
import { COMMON_WORDS } from "../skills/scanner/common-words.ts";
import { readingsOf, toSearchable } from "./fragments.ts";
import type { ReadSentence, TaintIndex } from "./taint-index.ts";
import { toKey, tokensOf } from "./taint-text.ts";

interface ClaimWord {
  key: number;
  weight: number;
  /** Whoever says it says little. */
  common: boolean;
}

/** One sentence of what is to be kept, or a few that are too short to say something alone. */
export interface Claim {
  text: string;
  words: ClaimWord[];
  weight: number;
}

export interface WordDoubt {
  claim: Claim;
  entry: number;
  /** Nothing in particular was repeated, but content had asked for a write and the sentence rests on nothing else. */
  isAlone: boolean;
}

// [own] chosen on lessons and attacks of our own, half of them; test/learning/taint-rates.test.ts holds all of them.
/** A passage and a sentence share so much that only content had, in words and as a share of the sentence. */
const SHARED = { words: 3, share: 0.35 };
const SHARED_SHORT = { words: 2, share: 0.6 };
/** The same where the passage asks for a write; and so much of any words, for it may be made of ordinary ones. */
const ASKED = { words: 1.5, share: 0.25 };
const ASKED_ALIKE = { words: 2, share: 0.6 };
/** The same where a call failed and complained: what is to be known again has to be named. */
const COMPLAINT = { words: 3.5, share: 0.5 };
/** Where content has asked for a write: what a sentence shares with the person's words and the work, at the least. */
const GROUNDED_SHARE = 0.2;
const LEAST_WEIGHT = 1.5;

const COMMON = new Set([...COMMON_WORDS].map(toKey));
const COMMON_WEIGHT = 0.5;
const MARKED_WEIGHT = 1.5;
const EXACT_WEIGHT = 2;
const SHORT_CLAIM_WORDS = 4;
const MAX_CLAIM_WORDS = 1 << 20;
const MAX_QUOTED_WORDS = 12;
const RUN_WORDS = 8;
const LEAST_RUN_WORDS = 4;

const HEADING = /^\s*(?:#+\s*)?(?:when to use|steps|pitfalls|verify)\s*:?\s*$/i;

/** Sentences of the texts, and those too short to say something together with their neighbours. */
export function toClaims(texts: string[], index: TaintIndex): Claim[] {
  const sentences = texts
    .flatMap((text) => readingsOf(text).flatMap((reading) => reading.split(/(?<=[.!?…;])\s+|\n+/)))
    .map((text) => text.replace(/^[\s>#*+-]*(?:\d+[.)]\s+)?/, (mark) => " ".repeat(mark.length)))
    .filter((text) => text.trim() !== "" && !HEADING.test(text));
  const claims = sentences.map((text) => toClaim(text, index));
  const joined: Claim[] = [];
  let run: Claim[] = [];
  for (const claim of claims) {
    run = claim.words.length < SHORT_CLAIM_WORDS ? [...run, claim] : [];
    if (run.length > 1 && run.reduce((sum, { words }) => sum + words.length, 0) >= SHORT_CLAIM_WORDS) {
      joined.push(join(run));
      run = run.slice(1);
    }
  }
  return [...claims, ...joined];
}

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
  const passage = readClaims(claims, index, (key) => index.isRead(key) && !isStanding(key)).next();
  if (!passage.done) return passage.value;
  return index.hasDemand ? findAlone(claims, index, isStanding) : null;
}

/** The claims that say what one passage of content says; one may come several times. */
export function* readClaims(
  claims: Claim[],
  index: TaintIndex,
  isRead: (key: number) => boolean,
): Generator<WordDoubt> {
  const byKey = new Map<number, { claim: number; weight: number; read: boolean }[]>();
  for (const [n, { words }] of claims.entries()) {
    for (const { key, weight } of words) {
      const read = isRead(key);
      if (!read && !index.hasDemand) continue;
      const places = byKey.get(key) ?? [];
      places.push({ claim: n, weight, read });
      byKey.set(key, places);
    }
  }
  if (byKey.size === 0) return;
  let before: Overlap | null = null;
  for (const sentence of index.sentences) {
    const overlap = overlapOf(sentence, index, byKey);
    const near = before && before.sentence.entry === sentence.entry ? before : null;
    for (const n of overlap.claims.keys()) {
      const common = merge(near?.claims.get(n), overlap.claims.get(n));
      const asks = sentence.asks || near?.sentence.asks === true;
      if (isSaid(claims[n]!, common, { asks, failed: sentence.failed })) {
        yield { claim: claims[n]!, entry: sentence.entry, isAlone: false };
      }
    }
    before = overlap;
  }
}

interface Overlap {
  sentence: ReadSentence;
  /** By claim: words in common, with what they weigh. */
  claims: Map<number, Map<number, { weight: number; read: boolean }>>;
}

function overlapOf(
  sentence: ReadSentence,
  index: TaintIndex,
  byKey: Map<number, { claim: number; weight: number; read: boolean }[]>,
): Overlap {
  const claims: Overlap["claims"] = new Map();
  for (let at = sentence.from; at < sentence.to; at++) {
    const key = index.keyOf(index.content[at]!);
    for (const { claim, weight, read } of byKey.get(key) ?? []) {
      if (!read && !sentence.asks) continue;
      const words = claims.get(claim) ?? new Map<number, { weight: number; read: boolean }>();
      claims.set(claim, words.set(key, { weight, read }));
    }
  }
  return { sentence, claims };
}

type Common = Map<number, { weight: number; read: boolean }>;

function merge(a: Common | undefined, b: Common | undefined): Common {
  return new Map([...(a ?? []), ...(b ?? [])]);
}

function isSaid(claim: Claim, common: Common, { asks, failed }: Pick<ReadSentence, "asks" | "failed">): boolean {
  let read = 0;
  let any = 0;
  for (const word of common.values()) {
    any += word.weight;
    if (word.read) read += word.weight;
  }
  const reaches = (limit: { words: number; share: number }, weight: number) =>
    weight >= limit.words && weight >= limit.share * claim.weight;
  if (!asks && failed) return reaches(COMPLAINT, read);
  if (reaches(SHARED, read) || reaches(SHARED_SHORT, read)) return true;
  return asks && (reaches(ASKED, read) || reaches(ASKED_ALIKE, any));
}

/** A sentence of which neither the person nor the work says anything, where content has asked for a write. */
function findAlone(claims: Claim[], index: TaintIndex, isStanding: (key: number) => boolean): WordDoubt | null {
  const entry = index.sentences.find(({ asks }) => asks)!.entry;
  for (const claim of claims) {
    if (claim.weight < LEAST_WEIGHT) continue;
    let grounded = 0;
    for (const { key, weight, common } of claim.words) {
      if (!common && (isStanding(key) || index.isGrounded(key))) grounded += weight;
    }
    if (grounded < GROUNDED_SHARE * claim.weight) return { claim, entry, isAlone: true };
  }
  return null;
}

function toClaim(text: string, index: TaintIndex): Claim {
  const plain = withoutComplaints(text, index);
  const words = new Map<number, ClaimWord>();
  let unknown = 0;
  for (const { word, at } of tokensOf(plain)) {
    const form = toKey(word);
    if (form === "") continue;
    // A word that nobody said weighs in the sentence, each time.
    const known = index.keyIn(word) ?? -1;
    const key = known < 0 ? --unknown : known;
    const weight = Math.max(weightOf(plain, word, at), words.get(key)?.weight ?? 0);
    words.set(key, { key, weight, common: COMMON.has(form) });
  }
  return toWeighed(text.trim(), words);
}

function toWeighed(text: string, words: Map<number, ClaimWord>): Claim {
  const list = [...words.values()];
  return { text, words: list, weight: list.reduce((sum, { weight }) => sum + weight, 0) };
}

/** What cannot be said otherwise weighs more than what can: names, numbers, options, what stands between backticks. */
function weightOf(text: string, word: string, at: number): number {
  const raw = text.slice(at, at + word.length);
  if (/\p{N}/u.test(raw) && raw.length > 1) return EXACT_WEIGHT;
  if (/\p{Ll}\p{Lu}/u.test(raw) || /(?:^|[\s`"'(])--?[\w-]*$/.test(text.slice(Math.max(0, at - 40), at)))
    return EXACT_WEIGHT;
  const isInside = (text.slice(0, at).split("`").length - 1) % 2 === 1;
  const begins = /^[\s\W]*$/u.test(text.slice(0, at));
  if (isInside || (!begins && /^\p{Lu}/u.test(raw))) return MARKED_WEIGHT;
  return COMMON_WORDS.has(word) ? COMMON_WEIGHT : 1;
}

/** A complaint that is quoted to be known again says nothing of what is to be done. */
function withoutComplaints(text: string, index: TaintIndex): string {
  return text.replace(/`([^`\n]{4,160})`|"([^"\n]{4,160})"|“([^”\n]{4,160})”/g, (quoted, ...inner: string[]) => {
    const phrase = inner.slice(0, 3).find((one) => one !== undefined) ?? "";
    const isWords = phrase.split(/\s+/).length <= MAX_QUOTED_WORDS && !/(?:^|\s)-|[|<>$=/\\@]/.test(phrase);
    return isWords && index.isComplaint(toSearchable(phrase).trim()) ? " ".repeat(quoted.length) : quoted;
  });
}

function join(claims: Claim[]): Claim {
  // What nobody said has a number in its own claim only.
  const keyIn = (word: ClaimWord, n: number) => (word.key < 0 ? word.key - n * MAX_CLAIM_WORDS : word.key);
  const words = new Map(claims.flatMap((claim, n) => claim.words.map((word) => [keyIn(word, n), word] as const)));
  return toWeighed(claims.map(({ text }) => text).join(" "), words);
}
