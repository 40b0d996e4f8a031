// The views of a text: the text in plain letters, and everything encoded in it (invisible letters, base64, hexadecimal,
// percent-encoding, rot13, reversed, spaced letters). Each view maps its characters to places in the original. Pure;
// linear; decodes to a depth of two.
import { fromBase64 as toBytes } from "../../schemas/base64.ts";
import { COMMON_WORDS } from "./common-words.ts";
import { LEXICON } from "./lexicon.ts";

export interface View {
  text: string;
  /** Maps an offset in the view to one in the original text. */
  toOrigin: (at: number) => number;
  /** How it was hidden; `""` for the text itself. */
  how: string;
}

/** A sign of hiding, whatever the hidden text says. */
interface HidingTrace {
  pattern: string;
  at: number;
  isStrong: boolean;
}

interface ViewsAndTraces {
  views: View[];
  traces: HidingTrace[];
}

const MAX_DEPTH = 2;
/** Maximum number of decoded pieces of one text. More are data rather than hidden orders. */
const MAX_DECODED = 24;
const MAX_BLOB_CHARS = 8_000;

export function toViews(text: string): ViewsAndTraces {
  const { view: main, traces } = toPlainView(text);
  const views = [main];
  const invisible = isAscii(text) ? [] : [...decodeTags(text), ...decodeBidiOverrides(text)];
  views.push(...invisible, ...toRereadings(main, traces));
  let edge: View[] = [main, ...invisible];
  for (let depth = 0; depth < MAX_DEPTH && edge.length > 0; depth++) {
    edge = edge.flatMap((view) => [...decodePieces(view)]).slice(0, MAX_DECODED);
    views.push(...edge);
  }
  return { views, traces };
}

function isAscii(text: string): boolean {
  return /^[\0-\x7F]*$/.test(text);
}

const INVISIBLE =
  /\u00AD|\u034F|\u061C|\u115F|\u1160|\u17B4|\u17B5|\u180E|[\u200B-\u200F]|[\u202A-\u202E]|[\u2060-\u206F]|\u3164|\uFEFF|\uFFA0|[\u{E0000}-\u{E01EF}]/u;
const LETTERS_APART = /[\u2018\u2019\u02BC\u201B]/g;

/**
 * Applies NFKC letter by letter, drops invisible letters, and replaces look-alikes by Latin letters in words that mix
 * scripts.
 */
function toPlainView(text: string): { view: View; traces: HidingTrace[] } {
  if (isAscii(text)) return { view: { text, toOrigin: (at) => at, how: "" }, traces: [] };
  const traces = findTraces(text);
  const map = new Uint32Array(text.length * MAX_LENGTHENED + 1);
  let out = "";
  const letters = new Map<string, string>();
  for (const { 0: run, index } of text.matchAll(/[\0-\x7F]+|[^\0-\x7F]/gu)) {
    const plain = run > "\x7F" ? (letters.get(run) ?? toPlainLetter(run)) : run;
    if (run > "\x7F") letters.set(run, plain);
    const step = plain === run ? 1 : 0;
    for (let unit = 0; unit < plain.length; unit++) map[out.length + unit] = index + unit * step;
    out += plain;
  }
  map[out.length] = text.length;
  let folded = 0;
  let firstFolded = -1;
  const latinLetters = (out.match(/[a-z]/gi) ?? []).length;
  const isLatinText = latinLetters > out.length / 4;
  const folding = out.replace(/[\p{L}\p{N}]+/gu, (word, start: number) => {
    const like = foldWord(word, isLatinText);
    if (like !== word && /[A-Za-z]/.test(word) && word.length > 2) {
      folded++;
      if (firstFolded < 0) firstFolded = map[start]!;
    }
    return like;
  });
  if (folded >= 3) traces.push({ pattern: "mixed_letters", at: firstFolded, isStrong: true });
  return {
    view: { text: folding.replace(LETTERS_APART, "'"), toOrigin: (place) => map[place] ?? text.length, how: "" },
    traces,
  };
}

/** Letters that expand to a whole phrase are kept. */
const MAX_LENGTHENED = 4;

/** Empty for an invisible letter. */
function toPlainLetter(letter: string): string {
  if (INVISIBLE.test(letter)) return "";
  const plain = letter.normalize("NFKC");
  return letter === "\u2026" || plain.length > MAX_LENGTHENED * letter.length ? letter : plain;
}

const LOOK_ALIKES = new Map(
  Array.from(
    (
      "аaеeоoрpсcхxуyіiїiјjѕsԁdһhӏlкkмmтtнhвbԛqԝwѵvгrпnАAВBЕEКKМMНHОOРPСCТTХXУYІIЅSЈJҮYԌG" +
      "αaοoνvρpτtιiκkυuεeηnχxγyωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" +
      "օoոnսuհhցgզqաwյjԚQ" +
      "ᎠDᎡRᎢTᎪAᎫJᎬEᎳWᎷMᎻHᏀGᏃZᏚSᏢPᏟCᏙVᏞLᏦKᏴBᎥiᏔWᏕSᏒR" +
      "ıiɑaɡgɩiʏyᴀaʙbᴄcᴅdᴇeɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwᴢz"
    ).matchAll(/(.)(.)/gu),
    (pair) => [pair[1]!, pair[2]!],
  ),
);

/** The Latin form of a word of mixed scripts, or of look-alikes alone in a Latin text; else the word itself. */
function foldWord(word: string, isLatinText: boolean): string {
  if (isAscii(word)) return word;
  const isMixed = /[A-Za-z]/.test(word);
  if (!isMixed && !isLatinText) return word;
  let like = "";
  for (const letter of word) {
    const latin = LOOK_ALIKES.get(letter);
    if (latin === undefined && !isMixed && letter > "\x7F") return word;
    like += latin ?? letter;
  }
  return like;
}

function findTraces(text: string): HidingTrace[] {
  const traces: HidingTrace[] = [];
  for (const [pattern, form] of TRACES) {
    const at = text.search(form);
    if (at >= 0) traces.push({ pattern, at, isStrong: true });
  }
  return traces;
}

export const TRACE_REASONS: Record<string, string> = {
  tag_characters: "holds a text in characters that nobody sees",
  zero_width_text: "is cut up by characters without width",
  zero_width_run: "holds a run of characters without width",
  selector_run: "holds a run of variation selectors, which can carry a text",
  bidi_override: "turns the direction of reading round",
  mixed_letters: "mixes look-alike letters of other scripts into words",
  spaced_letters: "is written letter by letter",
  digits_for_letters: "is written with digits for letters",
  rotated_text: "is written in rot13",
  reversed_text: "is written backwards",
};

const TRACES: [string, RegExp][] = [
  ["tag_characters", /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,8})[\u{E0001}-\u{E007E}]{2,}/u],
  ["zero_width_text", /(?:[\p{L}\p{N}\p{P}](?:[\u200B-\u200D]|[\u2060\uFEFF\u00AD])+){5,}/u],
  ["zero_width_run", /(?:[\u200B-\u200D]|[\u2060-\u2064]){8,}/u],
  ["selector_run", /[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]{4,}/u],
  ["bidi_override", /[\u202D\u202E]/],
];

function* decodeTags(text: string): Generator<View> {
  for (const match of text.matchAll(/[\u{E0020}-\u{E007E}]{4,}/gu)) {
    const letters = Array.from(match[0], (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000)).join("");
    yield pieceOf(letters, match.index, "in invisible letters");
  }
  for (const match of text.matchAll(/[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]{8,}/gu)) {
    const bytes = Array.from(match[0], (mark) => {
      const code = mark.codePointAt(0)!;
      return code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16;
    });
    const letters = toText(Uint8Array.from(bytes));
    if (letters !== null) yield pieceOf(letters, match.index, "in invisible letters");
  }
}

/** The text that a direction override displays forwards. */
function* decodeBidiOverrides(text: string): Generator<View> {
  for (const match of text.matchAll(/\u202E([^\u202C\u202E\n]{8,4000})/g)) {
    yield pieceOf(Array.from(match[1]!).reverse().join(""), match.index, "backwards");
  }
}

/** In a shorter text, one word with digits is enough to read the whole text without them. */
const FEW_CHARS = 1_000;
/** Letters for the digits and signs that may stand for them. */
const DELEET: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
};
const LEET_WORD = /[A-Za-z0-9@$]{2,24}/g;

/** Other readings of the whole text: spaced letters, lines cut inside words, digits for letters, rot13, reversed. */
function* toRereadings(view: View, traces: HidingTrace[]): Generator<View> {
  yield* joinSpacedLetters(view, traces);
  const { text, toOrigin } = view;
  const cut = findCutLines(text);
  if (cut !== null) yield { text: cut.text, toOrigin: () => toOrigin(cut.at), how: "cut within words" };
  const { leet, rotated, reversed } = findDisguisedWords(text);
  if (leet.words.size >= (text.length > FEW_CHARS ? 3 : 1)) {
    if (leet.words.size >= 3) traces.push({ pattern: "digits_for_letters", at: toOrigin(leet.first), isStrong: true });
    // The digit 1 may be either letter.
    for (const letter of ["i", "l"]) {
      yield { text: withoutDigits(text, letter), toOrigin, how: "with digits for letters" };
    }
  }
  if (rotated.words.size >= 2) {
    if (rotated.words.size > 4) traces.push({ pattern: "rotated_text", at: toOrigin(rotated.first), isStrong: true });
    yield { text: rotate(text), toOrigin, how: "in rot13" };
  }
  if (reversed.words.size >= 2) {
    if (reversed.words.size > 4) {
      traces.push({ pattern: "reversed_text", at: toOrigin(reversed.first), isStrong: true });
    }
    yield { text: Array.from(text).reverse().join(""), toOrigin: () => toOrigin(reversed.first), how: "backwards" };
  }
}

function* joinSpacedLetters({ text, toOrigin }: View, traces: HidingTrace[]): Generator<View> {
  // At least fourteen letters, each followed by a blank.
  const spaced =
    text.length >= 28 && /(?:(?<!\S)\S(?: {1,3}|[.\-_*|/](?=[A-Za-z][.\-_*|/\s]|[A-Za-z]$))){14,}/.exec(text);
  if (spaced && isSpelledOut(spaced[0])) {
    traces.push({ pattern: "spaced_letters", at: toOrigin(spaced.index), isStrong: true });
    const joined = text.replace(/(?<!\S)(\S)(?: |[.\-_*|/])(?=\S(?:\s|[.\-_*|/]|$))/g, "$1").replace(/ {2,}/g, " ");
    yield { text: joined, toOrigin: () => toOrigin(spaced.index), how: "letter by letter" };
  }
}

interface DisguisedWords {
  words: Set<string>;
  /** Offset of the first one; -1 for none. */
  first: number;
}

/** Known words that are written with digits for letters (`leet`), in rot13 or reversed. */
function findDisguisedWords(text: string): Record<"leet" | "rotated" | "reversed", DisguisedWords> {
  const found = {
    leet: { words: new Set<string>(), first: -1 },
    rotated: { words: new Set<string>(), first: -1 },
    reversed: { words: new Set<string>(), first: -1 },
  };
  for (const match of text.matchAll(LEET_WORD)) {
    const word = match[0].toLowerCase();
    const disguise = disguiseOf(word);
    if (disguise === null) continue;
    if (found[disguise].first < 0) found[disguise].first = match.index;
    found[disguise].words.add(word);
  }
  return found;
}

function disguiseOf(word: string): "leet" | "rotated" | "reversed" | null {
  if (COMMON_WORDS.has(word)) return null;
  if (/[0-9@$]/.test(word)) {
    if (word.length <= 3 || !/[a-z]/.test(word)) return null;
    return KNOWN_WORDS.has(word.replace(/[0-9@$]/g, (sign) => DELEET[sign] ?? sign)) ? "leet" : null;
  }
  if (ROTATED.has(word)) return "rotated";
  return REVERSED.has(word) ? "reversed" : null;
}

/** `letterForOne`: the letter that the digit 1 is read as. */
function withoutDigits(text: string, letterForOne: string): string {
  const toLetter = (digit: string) => (digit === "1" ? letterForOne : (DELEET[digit] ?? digit));
  return text.replace(LEET_WORD, (word) => (/[a-z]/i.test(word) ? word.replace(/[0-9]/g, toLetter) : word));
}

/** Whether the run is a spelled-out text rather than an alphabet, a table or a drawing. */
function isSpelledOut(run: string): boolean {
  const letters = run.replace(/[^\p{L}]/gu, "").toLowerCase();
  return letters.length >= 24 && new Set(letters).size >= 8 && !/abcde|qwert|01234/.test(letters);
}

/** Joins lines of equal width that end inside words. */
function findCutLines(text: string): { text: string; at: number } | null {
  if (text.length > 20_000 || !text.includes("\n")) return null;
  const lines = text.split("\n");
  let at = 0;
  for (let from = 0, to = 0; from < lines.length; from = to) {
    const width = lines[from]!.length;
    while (to < lines.length && lines[to]!.length === width) to++;
    if (width >= 4 && width <= 48 && to - from >= 3) {
      return { text: lines.slice(from, to + 1).join(""), at };
    }
    at += (to - from) * (width + 1);
  }
  // Ragged cuts: many short lines that are not list items.
  const short = lines.filter((line) => line.trim() !== "");
  const isRagged =
    short.length >= 4 &&
    text.length < 3_000 &&
    short.every((line) => line.length <= 32 && !/^\s*(?:[-*#|]|\d+\.)/.test(line));
  return isRagged ? { text: short.join(""), at: 0 } : null;
}

/** Four percent-encoded characters. */
const MIN_DECODED_CHARS = 12;

function* decodePieces(view: View): Generator<View> {
  if (view.text.length < MIN_DECODED_CHARS) return;
  for (const match of view.text.matchAll(/[A-Za-z0-9+/_-]{24,8000}={0,2}/g)) {
    const blob = match[0];
    if (/^[0-9a-fA-F]+$/.test(blob) && blob.length % 2 === 0) {
      const plain = toText(Uint8Array.from(blob.match(/../g)!, (pair) => Number.parseInt(pair, 16)));
      if (plain !== null) yield decodedView(view, plain, match.index, "in hexadecimal");
    }
    const plain = fromBase64(blob.replaceAll("-", "+").replaceAll("_", "/"));
    if (plain !== null) yield decodedView(view, plain, match.index, "in base64");
  }
  for (const [form, read, how] of ESCAPES) {
    for (const match of view.text.matchAll(form)) {
      const plain = read(match[0]);
      if (plain !== null && /[a-z]{3}/i.test(plain)) yield decodedView(view, plain, match.index, how);
    }
  }
}

const ESCAPES: [RegExp, (text: string) => string | null, string][] = [
  [/(?:%[0-9a-fA-F]{2}[\w.,'-]{0,24}){4,400}/g, fromPercent, "in percent signs"],
  [
    /(?:\\x[0-9a-fA-F]{2}[\w ]{0,2}){6,2000}/g,
    (text) => text.replace(/\\x(..)/g, (_, hex: string) => unit(hex, 16)),
    "in escapes",
  ],
  [
    /(?:\\u[0-9a-fA-F]{4}[\w ]{0,2}){4,2000}/g,
    (text) => text.replace(/\\u(....)/g, (_, hex: string) => unit(hex, 16)),
    "in escapes",
  ],
  [
    /(?:&#x?[0-9a-fA-F]{2,5};\s?){6,2000}/g,
    (text) => text.replace(/&#(x?)(\w+);/g, (_, x: string, code: string) => unit(code, x ? 16 : 10)),
    "in character codes",
  ],
  [
    /(?:\b(?:0x)?[0-9a-fA-F]{2}[ ,]{1,2}){12,2000}/g,
    (text) =>
      toText(Uint8Array.from(text.match(/[0-9a-fA-F]{2}(?![x0-9a-fA-F])/g) ?? [], (pair) => Number.parseInt(pair, 16))),
    "in hexadecimal",
  ],
  [
    /(?:\b\d{2,3}[ ,]{1,2}){12,2000}/g,
    (text) => toText(Uint8Array.from(text.match(/\d+/g) ?? [], Number)),
    "in character codes",
  ],
  [
    /(?:\b[01]{8}\s?){6,1000}/g,
    (text) => toText(Uint8Array.from(text.match(/[01]{8}/g) ?? [], (bits) => Number.parseInt(bits, 2))),
    "in binary",
  ],
];

function unit(code: string, base: number): string {
  const value = Number.parseInt(code, base);
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : "";
}

function fromPercent(text: string): string | null {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, "%25"));
  } catch {
    return null; // not UTF-8
  }
}

/** The decoded text; `null` when the blob is not text in base64. */
export function fromBase64(blob: string): string | null {
  const body = blob.replace(/(?<!=)=+$/, "").slice(0, MAX_BLOB_CHARS);
  const whole = body.length % 4 === 1 ? body.slice(0, -1) : body;
  try {
    return toText(toBytes(whole));
  } catch {
    return null; // not base64
  }
}

/** The decoded text; `null` when the bytes are not readable text. */
function toText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.length < 6 || /[\0-\x08\x0E-\x1F]/.test(text) || !/[a-z]{3}/i.test(text) ? null : text;
  } catch {
    return null; // not UTF-8
  }
}

function rotate(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

function pieceOf(text: string, at: number, how: string): View {
  return { text: text.replace(LETTERS_APART, "'"), toOrigin: () => at, how };
}

function decodedView(view: View, text: string, at: number, how: string): View {
  return pieceOf(text, view.toOrigin(at), view.how === "" ? how : `${view.how}, ${how}`);
}

/** English words and the words of the rules. */
const KNOWN_WORDS = new Set([...COMMON_WORDS, ...LEXICON.keys()].filter((word) => /^[a-z]{2,}$/.test(word)));
const ROTATED = new Set([...KNOWN_WORDS].map(rotate).filter(isTelling));
const REVERSED = new Set([...KNOWN_WORDS].map((word) => [...word].reverse().join("")).filter(isTelling));

/** Words that are also words when reversed or rotated say nothing. */
function isTelling(word: string): boolean {
  return (
    word.length > 3 && !KNOWN_WORDS.has(word) && !/^(?:emit|pets|trap|loot|tops|spot|live|jung|reed|peek)$/.test(word)
  );
}
