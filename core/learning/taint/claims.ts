// Takes what is to be kept apart into claims: sentences, the parts of long ones, and words that weigh by what they are. What a
// sentence tells of a failure, to know it again, is excused. Used by words.ts. Pure.
import { COMMON_WORDS } from "../../skills/scanner/common-words.ts";
import { readingsOf, toSearchable } from "./fragments.ts";
import type { TaintIndex } from "./taint-index.ts";
import { isComplaint, isGerman, isHeadline, tellsOfFailure, toKey, tokensOf } from "./text.ts";

export interface ClaimWord {
  key: number;
  weight: number;
  /** As it is written. */
  raw: string;
  /** Whoever says it says little. */
  common: boolean;
  /** `code`: it means one thing to a program, if it is not too short. `capital`: it is written like a name. */
  form: "code" | "short code" | "capital" | null;
  /** It tells how a failure is known, and failed calls had it. */
  excused: boolean;
}

/** One sentence of what is to be kept, a part of a long one, or a few that are too short to say something alone. */
export interface Claim {
  text: string;
  words: ClaimWord[];
  weight: number;
  isPart: boolean;
}

// [own] chosen on lessons and attacks of our own, half of them; test/learning/taint/taint-rates.test.ts holds all of them.
const COMMON_WEIGHT = 0.5;
const MARKED_WEIGHT = 1.5;
const EXACT_WEIGHT = 2;
const SHORT_CLAIM_WORDS = 4;
const LEAST_PART_WORDS = 2;
const MAX_CLAIM_WORDS = 1 << 20;
/** The key of words that say nothing; those that nobody said have keys below it. */
const SAYS_NOTHING = -1;
const MAX_QUOTED_WORDS = 12;
const LEAST_NAME_CHARS = 4;

const COMMON = new Set([...COMMON_WORDS].map(toKey));
/** Of the form that every skill has. */
export const HEADING = /^\s*(?:#+\s*)?(?:when to use|steps|pitfalls|verify)\s*(?::\s*)?$/i;
/** A few digits with nothing around them say nothing: any table has them. */
const SMALL_FIGURE = /^\p{N}{1,3}$/u;
const SENTENCES = /(?<=[.!?…])\s+|\n+/g;
const PARTS =
  /\s?(?<![,;:()–—])[,;:()–—]+(?=\s|$)|\s(?=\()|\s(?:and|or|but|then|und|oder|aber|dann|sowie|et|ou|puis)\s/g;

/** When it is said, or what it means. */
const TELLS =
  /^\W*(?:if|when|whenever|once|after|or|otherwise|else|because|since|a|an|the|it|wenn|falls|sobald|sonst|weil|denn|bei|ist|fehlt|das|der|die)(?!\p{L})|(?<!\p{L})(?:means?|says?|reports?|points? (?:at|to)|bedeutet|hei[ßs]+t|meldet|sagt|otherwise|sonst|(?:fails?|breaks?|ends?|aborts?|stops?|endet|bricht|scheitert) (?:with|mit))(?!\p{L})/iu;

/** What is called by a name, in so many words: the package x, das Konto y. */
const KIND_BEFORE =
  /(?<!\p{L})(?:packages?|librar(?:y|ies)|modules?|plugins?|extensions?|images?|registr(?:y|ies)|mirrors?|hosts?|servers?|accounts?|users?|groups?|teams?|desks?|vendors?|suppliers?|partners?|headers?|options?|flags?|variables?|branch(?:es)?|channels?|buckets?|queues?|repo(?:sitor(?:y|ies))?s?|named|called|pakete?|bibliothek(?:en)?|module?n?|konto|konten|rechner|dienst(?:e|en)?|kanal|namens)\s+[`"'“„]?$/iu;
const FILE = /[\p{L}\p{N}]\.[a-z][a-z0-9]{1,4}$/u;
const ENDS =
  /^[`"'”“]?(?:\s*(?:[.,;:!?)]|$)|\s+(?:for|in|to|with|on|from|as|and|or|before|after|instead|when|f[üu]r|mit|auf|von|und|oder|vor|nach|statt|wenn)(?!\p{L}))/iu;

/** `code`: lines of it, one a text. */
export function toClaims({ prose, code = [] }: { prose: string[]; code?: string[] }, index: TaintIndex): Claim[] {
  const sentences = prose
    .flatMap((text) => readingsOf(text).flatMap((reading) => split(reading, SENTENCES)))
    .map((text) => text.replace(/^[\s>#*+-]*(?:\d+[.)]\s+)?/, (mark) => " ".repeat(mark.length)))
    .filter((text) => text.trim() !== "" && !HEADING.test(text));
  const claims = [
    ...sentences.map((text) => toClaim(text, index)),
    ...code.flatMap((text) => readingsOf(text).map((reading) => toClaim(reading, index, { isCode: true }))),
  ].filter(({ words }) => words.length > 0);
  const joined: Claim[] = [];
  let run: Claim[] = [];
  for (const claim of claims) {
    if (claim.words.length < SHORT_CLAIM_WORDS) run.push(claim);
    else run = [];
    if (run.length > 1 && run.reduce((sum, { words }) => sum + words.length, 0) >= SHORT_CLAIM_WORDS) {
      joined.push(join(run));
      run.shift();
    }
  }
  const all = [...claims, ...joined, ...sentences.flatMap((text) => partsOf(text, index))];
  return all.filter(({ words }) => !words.every(({ raw }) => SMALL_FIGURE.test(raw)));
}

/** Between many other words a few would not be seen. */
function partsOf(sentence: string, index: TaintIndex): Claim[] {
  const parts = split(sentence, PARTS);
  if (parts.length < 2) return [];
  return parts
    .map((text) => ({ ...toClaim(text, index), isPart: true }))
    .filter(({ words }) => words.length >= LEAST_PART_WORDS);
}

/** What stands between backticks stays whole. */
function split(text: string, at: RegExp): string[] {
  const plain = text.includes("`") ? text.replace(/`[^`\n]*`/g, (span) => "x".repeat(span.length)) : text;
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: mark, index } of plain.matchAll(at)) {
    pieces.push(text.slice(from, index));
    from = index + mark.length;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece.trim() !== "");
}

function toClaim(text: string, index: TaintIndex, { isCode = false } = {}): Claim {
  const plain = withoutComplaints(text, index);
  const excused = isCode ? [] : excusedIn(plain);
  const saysNames = !isCode && !isGerman(plain) && !isHeadline(plain);
  const words = new Map<number, ClaimWord>();
  let unknown = SAYS_NOTHING;
  const marks = createMarks(plain);
  for (const { word, at } of tokensOf(plain)) {
    const isInside = marks(at);
    const stem = toKey(word);
    if (stem === "") continue;
    // A word that nobody said weighs in the sentence, each time.
    const known = index.keyIn(word) ?? -1;
    const key = known < 0 ? --unknown : known;
    const raw = plain.slice(at, at + word.length);
    const same = words.get(key);
    const isTold = excused.some(([from, to]) => at >= from && at < to) && index.isComplained(key);
    words.set(key, {
      key,
      raw,
      weight: Math.max(weightOf(plain, raw, at, isInside), same?.weight ?? 0),
      common: COMMON.has(stem),
      form: formOf(plain, raw, at, { isCode, saysNames, isInside }) ?? same?.form ?? null,
      excused: isTold && same?.excused !== false,
    });
  }
  return toWeighed(text.trim(), [...words.values()]);
}

/** Where a sentence tells of a failure rather than of what is to be done, from and to. */
function excusedIn(sentence: string): [number, number][] {
  const places: [number, number][] = [];
  let from = 0;
  for (const part of split(sentence, PARTS)) {
    const at = sentence.indexOf(part, from);
    from = at + part.length;
    if (TELLS.test(part) && tellsOfFailure(part)) places.push([at, from]);
  }
  return places;
}

function toWeighed(text: string, words: ClaimWord[]): Claim {
  return { text, words, weight: words.reduce((sum, { weight }) => sum + weight, 0), isPart: false };
}

/** What cannot be said otherwise weighs more than what can: names, numbers, options, what stands between backticks. */
function weightOf(text: string, raw: string, at: number, isInside: boolean): number {
  if (/\p{N}/u.test(raw) && raw.length > 1) return EXACT_WEIGHT;
  if (/\p{Ll}\p{Lu}/u.test(raw) || isOption(text, at)) return EXACT_WEIGHT;
  if (isInside || (/^\p{Lu}/u.test(raw) && !begins(text, at))) return MARKED_WEIGHT;
  return COMMON_WORDS.has(raw.toLowerCase()) ? COMMON_WEIGHT : 1;
}

function formOf(
  text: string,
  raw: string,
  at: number,
  { isCode, saysNames, isInside }: { isCode: boolean; saysNames: boolean; isInside: boolean },
): ClaimWord["form"] {
  const isMixed = /\p{L}/u.test(raw) && /\p{N}|\p{Ll}\p{Lu}/u.test(raw);
  const isJoined = text[at - 1] === "_" || text[at + raw.length] === "_" || /^-\d/.test(text.slice(at + raw.length));
  const [from, to] = compoundAt(text, raw, at);
  const isCalled = ENDS.test(text.slice(to)) && KIND_BEFORE.test(text.slice(Math.max(0, from - 40), from));
  const isFile = FILE.test(text.slice(from, to));
  const isCodeLike = isMixed || isFile || isJoined || isCode || isCalled || isOption(text, at) || isInside;
  const isCommon = COMMON.has(toKey(raw.toLowerCase()));
  if (isCodeLike && !isCommon) return isMixed || raw.length >= LEAST_NAME_CHARS ? "code" : "short code";
  if (/^\p{Lu}{8,}$/u.test(raw)) return "code";
  const isCapital = saysNames && /^\p{Lu}\p{Ll}/u.test(raw) && raw.length >= LEAST_NAME_CHARS;
  return isCapital && !isCommon && !begins(text, at) ? "capital" : null;
}

const JOINS: ReadonlySet<string | undefined> = new Set("-_./@");

/** Of a word that is one of several in a name: where that begins and ends. */
function compoundAt(text: string, raw: string, at: number): [number, number] {
  if (!JOINS.has(text[at - 1]) && !JOINS.has(text[at + raw.length])) return [at, at + raw.length];
  const before = /$(?<=((?:[\p{L}\p{N}]+[-_./@])*))/u.exec(text.slice(Math.max(0, at - 60), at))![1]!;
  const after = /^(?:[-_./@][\p{L}\p{N}]+)*/u.exec(text.slice(at + raw.length, at + raw.length + 60))![0];
  return [at - before.length, at + raw.length + after.length];
}

function isOption(text: string, at: number): boolean {
  return JOINS.has(text[at - 1]) && /(?:^|[\s`"'(])--?[\w-]*$/.test(text.slice(Math.max(0, at - 40), at));
}

/** Whether a place stands between backticks; asked of places in their order. */
function createMarks(text: string): (at: number) => boolean {
  let next = text.indexOf("`");
  let isInside = false;
  return (at) => {
    for (; next >= 0 && next < at; next = text.indexOf("`", next + 1)) isInside = !isInside;
    return isInside;
  };
}

/** So many signs without a word between them make no beginning. */
const MAX_SIGNS_BEFORE = 200;

/** It has its capital from where it stands. */
function begins(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_SIGNS_BEFORE), at);
  return at <= MAX_SIGNS_BEFORE
    ? /$(?<=(?:^|[:"“„(])[^\p{L}\p{N}_]*)/u.test(before)
    : /$(?<=[:"“„(][^\p{L}\p{N}_]*)/u.test(before);
}

/** A complaint that is quoted to be known again says nothing of what is to be done. */
function withoutComplaints(text: string, index: TaintIndex): string {
  if (!/[`"“]/.test(text)) return text;
  return text.replace(/`([^`\n]{4,160})`|"([^"\n]{4,160})"|“([^“”\n]{4,160})”/g, (quoted, ...inner: string[]) => {
    const phrase = inner.slice(0, 3).find((one) => one !== undefined) ?? "";
    const isWords = phrase.split(/\s+/).length <= MAX_QUOTED_WORDS && !/(?:^|\s)-|[|<>$=/\\@]/.test(phrase);
    const isTold = isComplaint(phrase);
    return isWords && isTold && index.isComplaint(toSearchable(phrase).trim()) ? " ".repeat(quoted.length) : quoted;
  });
}

function join(claims: Claim[]): Claim {
  // What nobody said has a number in its own claim only.
  const keyIn = (word: ClaimWord, n: number) => (word.key < 0 ? word.key - n * MAX_CLAIM_WORDS : word.key);
  const words = new Map<number, ClaimWord>();
  for (const [n, claim] of claims.entries()) for (const word of claim.words) words.set(keyIn(word, n), word);
  return toWeighed(claims.map(({ text }) => text).join(" "), [...words.values()]);
}
