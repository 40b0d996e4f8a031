// What was said and read in a session: sentences of content and of other sources, and which source had a word, a name or a
// destination first. Filled with entries by taint.ts, queried by judge.ts; grows with the session. No I/O.
import { toOneLine } from "../../clip.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { SentMessage } from "../../schemas/learning/review.ts";
import { type SaidPiece, piecesOf, piecesOfMessage, stringsIn } from "./entries.ts";
import {
  type Destination,
  containsDestination,
  isPublisher,
  destinationsIn,
  numbersIn,
  decodeReadings,
  toLocalNumber,
  toSearchable,
} from "./destinations.ts";
import { addToList } from "./list-map.ts";
import { type Meaning, type Topic, foldText, languageOf, meaningOf } from "./meaning.ts";
import { type ComparisonBudget, SentenceIndex, type SentenceQuery, type Weights } from "./sentence-index.ts";
import { cutInPieces, sentencesIn } from "../sentences.ts";

interface SaidSentence extends Meaning {
  /** The position of the sentence's piece in the session; -1 for trusted pieces, which count as if said first. */
  at: number;
}

export interface ReadSentence extends SaidSentence {
  entry: number;
  /** The author may want something of the reader: the sentence binds, is written as prose, or has a grave topic. */
  isWish: boolean;
}

/** Topics with consequences so grave that a terse line, or a name alone, is enough to act on. */
const GRAVE: readonly Topic[] = ["trust", "weaken", "disable", "dismiss", "obey", "hide", "permit"];

export function isGrave(meaning: Pick<Meaning, "topics">): boolean {
  return graveTopicsIn(meaning).length > 0;
}

export function graveTopicsIn({ topics }: Pick<Meaning, "topics">): Topic[] {
  return GRAVE.filter((topic) => topics.has(topic));
}

/** The second judge's answer for one sentence. `isWanted`: content asked for it and nobody else did. */
export interface Opinion {
  sentence: string;
  isWanted: boolean;
}

interface RecordedPiece {
  isContent: boolean;
  isTrusted: boolean;
  entry: number;
  searchable: string;
  numbers: Set<string>;
}

/** A longer sentence is a list or data. The record adds it in pieces, which overlap by about a clause. */
const MAX_SENTENCE_CHARS = 1_000;
const OVERLAP_CHARS = 200;

/** A word that is not part of an address or a name. For texts in the spelling of `toSearchable`. */
const PLAIN_WORD = /(?<![\p{L}\p{N}_.@/:-])\p{L}{4,40}(?![\p{L}\p{N}_@/:-]|\.\p{L})/gu;

/** Destinations that are searched for; any beyond count as content's. [own] A long skill has some dozens. */
const MAX_DESTINATIONS = 500;

/** Sentences after an order to agents that count as part of it. */
const ORDERED_AFTER = 2;

/** Standing instructions compared with everything that is written; any beyond are found by shared words only. */
const MAX_STANDING = 300;

/** A sentence of prose. In arguments of a call it is a note, which proves nothing about the words in it. */
const PROSE = /^\s{0,9}\p{Lu}(?:[^\s|<>]{1,60}\s{1,3}){4,300}[^\s|<>]{1,60}[.!?…]\s{0,9}$/u;

/** Minimum length of a part of a host's name. Shorter parts are ordinary words. */
const MIN_PART = 8;

/** `bootsregister-offen` and `bootsregister` of `bootsregister-offen.example`. */
function namesOf(host: string): string[] {
  const [label = ""] = host.split(".");
  return [label, ...label.split("-").filter((part) => part.length >= MIN_PART)];
}

export class SessionRecord {
  readonly read: ReadSentence[] = [];
  readonly said: SaidSentence[] = [];
  /** No content was read, so nothing can be tainted. */
  isEmpty = true;
  /** Content had a sentence with a topic that may be a wish. */
  mayHoldWish = false;
  /** Names of hosts in content: `relay` and `plattner` of `relay.plattner.example`. */
  readonly hosts = new Set<string>();
  /** Cache of the words that occur outside addresses and names; `null` after something was added. */
  #plainWords: Set<string> | null = null;
  /** Entries whose content gives orders to agents, in the order of the log. */
  readonly agentOrders = new Set<number>();
  readonly #pieces: RecordedPiece[] = [];
  /** For the text of each sentence read, a bit mask of the combinations of traits seen. */
  readonly #seenTraits = new Map<string, number>();
  /** Sentences of content that may be wishes, and for each word the first such sentence. */
  readonly #wishes = new SentenceIndex<ReadSentence>();
  readonly #wishesByWord = new Map<string, ReadSentence>();
  /** Wishes that are compared with every written sentence, whether or not they share a word. */
  readonly #orders: ReadSentence[] = [];
  readonly #backingIndex = new SentenceIndex<SaidSentence>();
  /** For each word, the indexes in `read` of program output and data. */
  readonly #reportsByWord = new Map<string, number[]>();
  /** Cache of `findOrigin`; cleared when something is added. */
  readonly #origins = new Map<string, number | null>();
  /** Positions at which words and names first occurred, in content and elsewhere; -1 for trusted pieces. */
  readonly #firstRead = new Map<string, number>();
  readonly #firstSaid = new Map<string, number>();
  /** Words in the arguments of successful calls, with the position of the first. */
  readonly #used = new Map<string, number>();
  /** Names in successful install calls: that a package could be installed does not make it trustworthy. */
  readonly #installed = new Set<string>();
  /** For each name, the first binding sentence of content with it, or the first sentence if none binds. */
  readonly #named = new Map<string, ReadSentence>();
  #opinions: Opinion[] = [];

  add(entry: Entry): void {
    if (entry.kind === "tool" && !entry.failed) {
      const tried = stringsIn(entry.call.args)
        .split("\n")
        .filter((line) => !PROSE.test(line));
      const { words, names, terms, topics } = meaningOf(tried.join("\n"));
      for (const name of [...words, ...names, ...terms])
        if (!this.#used.has(name)) this.#used.set(name, this.#pieces.length);
      if (topics.has("install")) for (const name of names) if (!name.startsWith("-")) this.#installed.add(name);
    }
    for (const piece of piecesOf(entry)) this.#addPiece(piece, entry.n);
  }

  /** Adds text that content wanted although that content is no longer visible. Call it before all others. */
  addRead(text: string): void {
    this.#addPiece({ stream: "content", text, wanted: true }, 0);
  }

  addMessage(message: SentMessage): void {
    for (const piece of piecesOfMessage(message)) this.#addPiece(piece, 0);
  }

  note(opinions: Opinion[]): void {
    const said = opinions.map((opinion) => ({ ...opinion, sentence: toOneLine(opinion.sentence) }));
    this.#opinions = [...said, ...this.#opinions];
  }

  /**
   * The second judge's opinion: whether only content wanted the text; `null` if the judge was not asked about it. A bad opinion
   * of a part of the text, or of a longer text, counts too. A good one must be about the whole: a harmless part proves little.
   */
  opinionOf(text: string): boolean | null {
    if (this.#opinions.length === 0) return null;
    const whole = toOneLine(text);
    const found = this.#opinions.filter(({ sentence }) => whole.includes(sentence) || sentence.includes(whole));
    if (found.some(({ isWanted }) => isWanted)) return true;
    return found.some(({ sentence }) => sentence === whole) ? false : null;
  }

  /** Whether the session uses a host's name as an ordinary word: `layers`, in a session about layers. */
  isOrdinaryWord(label: string): boolean {
    const plain = (this.#plainWords ??= new Set(
      this.#pieces.flatMap(({ searchable }) => searchable.match(PLAIN_WORD) ?? []),
    ));
    return [label, `${label}s`, label.replace(/s$/, "")].some((word) => plain.has(word));
  }

  /** Whether content had a word or name first, and no trusted piece has it. */
  isFromContent(term: string): boolean {
    const read = this.#firstRead.get(term);
    return read !== undefined && read <= (this.#firstSaid.get(term) ?? Infinity);
  }

  /** The sentence of content with a name that no other source had before. */
  findNaming(name: string): ReadSentence | null {
    const named = this.#named.get(name);
    return named && this.isFromContent(name) ? named : null;
  }

  /** Whether a successful call used the word, term or name, other than to install it. */
  isUsed(name: string): boolean {
    return this.#used.has(name) && !this.#installed.has(name);
  }

  /** Whether a phrase occurs in the output of a program, or in data. */
  isReported(phrase: string, budget: ComparisonBudget): boolean {
    // Without the last word, which may be cut off.
    const words =
      foldText(phrase)
        .match(/[\p{L}\p{N}]+/gu)
        ?.slice(0, -1) ?? [];
    const places = words.map((word) => this.#reportsByWord.get(word) ?? []);
    const [fewest = []] = places.sort((a, b) => a.length - b.length);
    budget.comparisons -= fewest.length;
    if (budget.comparisons < 0) return false;
    return fewest.some((n) => this.read[n]!.text.toLowerCase().includes(phrase.toLowerCase()));
  }

  /** The first possible wish of content that has the word. */
  findWish(word: string): ReadSentence | null {
    return this.#wishesByWord.get(word) ?? null;
  }

  /** Orders to agents, standing instructions, and possible wishes that share enough with the written sentence. */
  findLikelyWishes(sought: SentenceQuery, weights: Weights, budget: ComparisonBudget): ReadSentence[] {
    return [...this.#orders, ...this.#wishes.find(sought, weights, budget)];
  }

  /** Sentences from sources other than content that share enough with the written sentence. */
  findBacking(sought: SentenceQuery, weights: Weights, budget: ComparisonBudget): SaidSentence[] {
    return this.#backingIndex.find(sought, weights, budget);
  }

  /**
   * The terms that no other source than content had before the position `at`, and that no successful call used. `isObeyed`: a call
   * counts only if it came before `at`, since a later one may have obeyed content.
   */
  findUnsaid(terms: string[], at: number, isObeyed = false): string[] {
    return terms.filter((term) => {
      const firstSaid = this.#firstSaid.get(term) ?? Infinity;
      const firstUsed = this.#used.get(term) ?? Infinity;
      const isUsed = isObeyed ? firstUsed <= at : this.isUsed(term);
      return firstSaid >= at && !isUsed;
    });
  }

  /** The entry of content that had a destination first; `null` if another source did, or nothing has it. */
  findOrigin(destination: Destination): number | null {
    const key = `${destination.kind} ${destination.text}`;
    let entry = this.#origins.get(key);
    if (entry === undefined) {
      entry = this.#origins.size < MAX_DESTINATIONS ? this.#searchOrigin(destination) : 0;
      this.#origins.set(key, entry);
    }
    return entry;
  }

  #searchOrigin(destination: Destination): number | null {
    let read: RecordedPiece | null = null;
    for (const piece of this.#pieces) {
      if ((piece.isContent && read) || !hasDestination(piece, destination)) continue;
      if (piece.isTrusted) return null;
      if (piece.isContent) read = piece;
      else if (!read) return null;
    }
    return read ? read.entry : null;
  }

  #addPiece({ stream, text, failed, wanted = false }: SaidPiece & { wanted?: boolean }, entry: number): void {
    if (text.trim() === "") return;
    this.#origins.clear();
    this.#plainWords = null;
    const isContent = stream === "content";
    const isTrusted = stream === "trusted";
    if (isContent) this.isEmpty = false;
    const readings = isContent ? decodeReadings(text) : [text];
    const hosts = isContent ? destinationsIn(text, readings).filter(({ isHost }) => isHost) : [];
    for (const host of hosts) {
      if (!isPublisher(host.text)) for (const name of namesOf(host.text)) this.hosts.add(name);
    }
    for (const reading of readings) {
      const place = this.#pieces.length;
      const at = isTrusted ? -1 : place;
      const searchable = toSearchable(reading);
      const numbers = new Set(numbersIn(searchable).map(toLocalNumber));
      this.#pieces.push({ isContent, isTrusted, entry, searchable, numbers });
      const language = languageOf(foldText(reading.slice(0, MAX_SENTENCE_CHARS)));
      const first = isContent ? this.#firstRead : this.#firstSaid;
      let orderedLeft = 0;
      const meanings = new Map<string, Meaning>();
      const sentences = sentencesIn(reading);
      for (const cut of sentences.flatMap(({ text: whole }) => cutInPieces(whole, MAX_SENTENCE_CHARS, OVERLAP_CHARS))) {
        const meaning = meanings.get(cut) ?? meaningOf(cut, language, failed);
        meanings.set(cut, meaning);
        for (const words of [meaning.terms, meaning.names, meaning.words]) {
          for (const word of words) if (isTrusted || !first.has(word)) first.set(word, at);
        }
        if (!isContent) {
          const said = { ...meaning, at };
          this.said.push(said);
          this.#backingIndex.add(said);
          continue;
        }
        // The sentence after an order to agents often says what they are to keep.
        orderedLeft = meaning.ordersAgents ? ORDERED_AFTER : orderedLeft - 1;
        const ordersAgents = meaning.ordersAgents || orderedLeft >= 0;
        const isReport = !wanted && meaning.isReport;
        const binds = wanted || meaning.binds;
        const isWish = binds || (!isReport && (!meaning.isTerse || isGrave(meaning)));
        this.#addRead({ ...meaning, ordersAgents, isReport, binds, isWish, entry, at });
      }
    }
  }

  /** Adds a sentence of content, unless it was read before with the same traits. */
  #addRead(read: ReadSentence): void {
    const { text, ordersAgents, isReport, binds, isTerse, isWish } = read;
    const traits = 1 << (Number(ordersAgents) + 2 * Number(isReport) + 4 * Number(binds) + 8 * Number(isTerse));
    const seen = this.#seenTraits.get(text) ?? 0;
    if ((seen & traits) !== 0) return;
    this.#seenTraits.set(text, seen | traits);
    this.#index(read, this.read.push(read) - 1);
    this.mayHoldWish ||= read.topics.size > 0 && (isWish || !isTerse);
    if (ordersAgents) this.agentOrders.add(read.entry);
    if (isReport) return;
    for (const name of read.names) {
      if (!this.#named.has(name) || (binds && !this.#named.get(name)!.binds)) this.#named.set(name, read);
    }
  }

  #index(read: ReadSentence, n: number): void {
    if (read.isReport || read.isTerse) for (const word of read.words) addToList(this.#reportsByWord, word, n);
    const isStanding = read.isStanding && read.isWish && this.#orders.length < MAX_STANDING;
    if (read.ordersAgents || read.language === "other" || isStanding) this.#orders.push(read);
    if (!read.isWish) return;
    for (const word of read.words) if (!this.#wishesByWord.has(word)) this.#wishesByWord.set(word, read);
    this.#wishes.add(read);
  }
}

function hasDestination({ searchable, numbers }: RecordedPiece, destination: Destination): boolean {
  return destination.kind === "address"
    ? containsDestination(searchable, destination)
    : numbers.has(toLocalNumber(destination.text));
}
