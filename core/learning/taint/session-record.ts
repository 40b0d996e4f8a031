// What was said and read in a session: sentences of content and of others, and who had a word, a name or an address first. Filled
// with entries by taint.ts and asked by judge.ts; grows with a session.
import { toOneLine } from "../../clip.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { SentMessage } from "../../schemas/learning/review.ts";
import { type SaidPiece, piecesOf, piecesOfMessage, stringsIn } from "./entries.ts";
import { type Lead, holds, isPublisher, leadsOf, numbersIn, readingsOf, toLocalNumber, toSearchable } from "./leads.ts";
import { addToList } from "./list-map.ts";
import { type Meaning, type Topic, foldText, languageOf, meaningOf } from "./meaning.ts";
import { type Budget, SentenceIndex, type Sought, type Weights } from "./sentence-index.ts";
import { cutInPieces, sentencesIn } from "../sentences.ts";

interface SaidSentence extends Meaning {
  /** Its place among all pieces; -1 for the person's, whenever they said it. */
  at: number;
}

export interface ReadSentence extends SaidSentence {
  entry: number;
  /** It binds its readers, was written for them, or is of grave consequence. */
  isWish: boolean;
}

/** Acts that a line of a few words, or a name alone, may stand for. */
const GRAVE: readonly Topic[] = ["trust", "weaken", "disable", "dismiss", "obey", "hide", "permit"];

export function isGrave(meaning: Pick<Meaning, "topics">): boolean {
  return graveIn(meaning).length > 0;
}

export function graveIn({ topics }: Pick<Meaning, "topics">): Topic[] {
  return GRAVE.filter((topic) => topics.has(topic));
}

/** What a second judge found of a sentence: whether only content wanted it. */
export interface Opinion {
  sentence: string;
  isWanted: boolean;
}

interface Piece {
  isContent: boolean;
  isPersons: boolean;
  entry: number;
  searchable: string;
  numbers: Set<string>;
}

/** Longer ones are lists or data; they are taken in as pieces, which overlap by a clause. */
const MAX_SENTENCE_CHARS = 1_000;
const OVERLAP_CHARS = 200;

/** In a searchable text. */
const PLAIN_WORD = /(?<![\p{L}\p{N}_.@/:-])\p{L}{4,40}(?![\p{L}\p{N}_@/:-]|\.\p{L})/gu;

/** Leads that are looked for; more of them count as content's. [own] A long skill has some dozens. */
const MAX_LEADS = 500;

/** Sentences after an order to agents that are a part of it. */
const ORDERED_AFTER = 2;

/** Of those that are found whatever they share: beyond, they are found like others. */
const MAX_STANDING = 300;

/** A note that the agent wrote down tries nothing. */
const PROSE = /^\s{0,9}\p{Lu}(?:[^\s|<>]{1,60}\s{1,3}){4,300}[^\s|<>]{1,60}[.!?…]\s{0,9}$/u;

/** Of a part of a host's name: shorter ones are words. */
const LEAST_PART = 8;

/** `bootsregister-offen` and `bootsregister` of `bootsregister-offen.example`. */
function namesOf(host: string): string[] {
  const [label = ""] = host.split(".");
  return [label, ...label.split("-").filter((part) => part.length >= LEAST_PART)];
}

export class SessionRecord {
  readonly read: ReadSentence[] = [];
  readonly said: SaidSentence[] = [];
  isEmpty = true;
  /** Something of consequence was read that may have wanted anything. */
  mayWant = false;
  /** What hosts that were read are called: `relay` and `plattner` of `relay.plattner.example`. */
  readonly hosts = new Set<string>();
  /** Words that stand by themselves somewhere, in no address and no name; `null`: not looked for since something was added. */
  #plain: Set<string> | null = null;
  /** Entries of content that order agents about, in their order. */
  readonly demands = new Set<number>();
  readonly #pieces: Piece[] = [];
  /** Sentences that were read, and as what: a bit for each way. */
  readonly #known = new Map<string, number>();
  /** Those that may have wanted something, and the first of them with a word. */
  readonly #wishes = new SentenceIndex<ReadSentence>();
  readonly #wishesByWord = new Map<string, ReadSentence>();
  /** Those that may want something whatever they share with what is written. */
  readonly #orders: ReadSentence[] = [];
  readonly #backing = new SentenceIndex<SaidSentence>();
  /** Places in `read` of what programs reported, and of data, by word. */
  readonly #reportsByWord = new Map<string, number[]>();
  /** Whose a lead is, as far as it was asked since something was added. */
  readonly #leads = new Map<string, number | null>();
  /** Places at which words and names were read first, and said first by the agent; the person's are -1. */
  readonly #firstRead = new Map<string, number>();
  readonly #firstSaid = new Map<string, number>();
  /** What a call that succeeded was made with. */
  readonly #used = new Map<string, number>();
  /** That it could be installed shows nothing about a package. */
  readonly #installed = new Set<string>();
  /** Names, by the first sentence of content that binds its reader, else by the first. */
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
    for (const piece of piecesOf(entry)) this.#put(piece, entry.n);
  }

  /** What was wanted by content that nobody sees any more, before everything else. */
  addRead(text: string): void {
    this.#put({ stream: "content", text, wanted: true }, 0);
  }

  addMessage(message: SentMessage): void {
    for (const piece of piecesOfMessage(message)) this.#put(piece, 0);
  }

  note(opinions: Opinion[]): void {
    const said = opinions.map((opinion) => ({ ...opinion, sentence: toOneLine(opinion.sentence) }));
    this.#opinions = [...said, ...this.#opinions];
  }

  /**
   * Whether only content wanted a text; `null` where nobody was asked. What was found of a part of it, or of more, counts against it.
   * For it counts only what was found of the whole: a harmless part says nothing of the rest.
   */
  opinionOf(text: string): boolean | null {
    if (this.#opinions.length === 0) return null;
    const whole = toOneLine(text);
    const found = this.#opinions.filter(({ sentence }) => whole.includes(sentence) || sentence.includes(whole));
    if (found.some(({ isWanted }) => isWanted)) return true;
    return found.some(({ sentence }) => sentence === whole) ? false : null;
  }

  /** A host that is called like what the session speaks of: `layers`, where there are layers. */
  isPlain(label: string): boolean {
    const plain = (this.#plain ??= new Set(
      this.#pieces.flatMap(({ searchable }) => searchable.match(PLAIN_WORD) ?? []),
    ));
    return [label, `${label}s`, label.replace(/s$/, "")].some((word) => plain.has(word));
  }

  /** Content had the word or name, and had it first; the person never did. */
  isForeign(term: string): boolean {
    const read = this.#firstRead.get(term);
    return read !== undefined && read <= (this.#firstSaid.get(term) ?? Infinity);
  }

  /** The sentence of content that has a name which nobody else had before. */
  whoNamed(name: string): ReadSentence | null {
    const named = this.#named.get(name);
    return named && this.isForeign(name) ? named : null;
  }

  /** Of a word, a term or a name: whether a call that succeeded was made with it. */
  isUsed(name: string): boolean {
    return this.#used.has(name) && !this.#installed.has(name);
  }

  /** Whether a phrase stands in what a program reported, or in data. */
  isReported(phrase: string, budget: Budget): boolean {
    // The last word may be cut.
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

  /** The first sentence of content that may have wanted something and has the word. */
  whoWished(word: string): ReadSentence | null {
    return this.#wishesByWord.get(word) ?? null;
  }

  /** Sentences of content that order agents about, and those that may have wanted something and share enough with what is written. */
  likely(sought: Sought, weights: Weights, budget: Budget): ReadSentence[] {
    return [...this.#orders, ...this.#wishes.find(sought, weights, budget)];
  }

  /** Sentences of others that share enough with what is written. */
  backing(sought: Sought, weights: Weights, budget: Budget): SaidSentence[] {
    return this.#backing.find(sought, weights, budget);
  }

  /** Those of the terms that nobody else had said before the place `at`, and no call that succeeded was made with. */
  novelAt(terms: string[], at: number, isObeyed = false): string[] {
    return terms.filter(
      (term) =>
        (this.#firstSaid.get(term) ?? Infinity) >= at &&
        !(isObeyed ? (this.#used.get(term) ?? Infinity) <= at : this.isUsed(term)),
    );
  }

  /** The entry of content that had a lead, and had it first; `null` for any other. */
  whoseLead(lead: Lead): number | null {
    const key = `${lead.kind} ${lead.text}`;
    let entry = this.#leads.get(key);
    if (entry === undefined) {
      entry = this.#leads.size < MAX_LEADS ? this.#findLead(lead) : 0;
      this.#leads.set(key, entry);
    }
    return entry;
  }

  #findLead(lead: Lead): number | null {
    let read: Piece | null = null;
    for (const piece of this.#pieces) {
      if ((piece.isContent && read) || !hasLead(piece, lead)) continue;
      if (piece.isPersons) return null;
      if (piece.isContent) read = piece;
      else if (!read) return null;
    }
    return read ? read.entry : null;
  }

  #put({ stream, text, failed, wanted = false }: SaidPiece & { wanted?: boolean }, entry: number): void {
    if (text.trim() === "") return;
    this.#leads.clear();
    this.#plain = null;
    const isContent = stream === "content";
    const isPersons = stream === "known";
    if (isContent) this.isEmpty = false;
    const readings = isContent ? readingsOf(text) : [text];
    for (const lead of isContent ? leadsOf(text, readings) : [])
      if (lead.isHost && !isPublisher(lead.text)) for (const name of namesOf(lead.text)) this.hosts.add(name);
    for (const reading of readings) {
      const place = this.#pieces.length;
      const at = isPersons ? -1 : place;
      const searchable = toSearchable(reading);
      const numbers = new Set(numbersIn(searchable).map(toLocalNumber));
      this.#pieces.push({ isContent, isPersons, entry, searchable, numbers });
      const language = languageOf(foldText(reading.slice(0, MAX_SENTENCE_CHARS)));
      const first = isContent ? this.#firstRead : this.#firstSaid;
      let ordered = 0;
      const meanings = new Map<string, Meaning>();
      const sentences = sentencesIn(reading);
      for (const cut of sentences.flatMap(({ text: whole }) => cutInPieces(whole, MAX_SENTENCE_CHARS, OVERLAP_CHARS))) {
        const meaning = meanings.get(cut) ?? meaningOf(cut, language, failed);
        meanings.set(cut, meaning);
        for (const words of [meaning.terms, meaning.names, meaning.words]) {
          for (const word of words) if (isPersons || !first.has(word)) first.set(word, at);
        }
        if (!isContent) {
          const said = { ...meaning, at };
          this.said.push(said);
          this.#backing.add(said);
          continue;
        }
        // What is to be kept is often said in the next sentence.
        ordered = meaning.isDemand ? ORDERED_AFTER : ordered - 1;
        const isDemand = meaning.isDemand || ordered >= 0;
        const isReport = !wanted && meaning.isReport;
        const binds = wanted || meaning.binds;
        const isWish = binds || (!isReport && (!meaning.isTerse || isGrave(meaning)));
        const way = 1 << (Number(isDemand) + 2 * Number(isReport) + 4 * Number(binds) + 8 * Number(meaning.isTerse));
        const ways = this.#known.get(meaning.text) ?? 0;
        if ((ways & way) !== 0) continue;
        this.#known.set(meaning.text, ways | way);
        const read = { ...meaning, isDemand, isReport, binds, isWish, entry, at };
        this.#index(read, this.read.push(read) - 1);
        this.mayWant ||= read.topics.size > 0 && (isWish || !read.isTerse);
        if (read.isDemand) this.demands.add(entry);
        if (isReport) continue;
        for (const name of meaning.names) {
          if (!this.#named.has(name) || (read.binds && !this.#named.get(name)!.binds)) this.#named.set(name, read);
        }
      }
    }
  }

  #index(read: ReadSentence, n: number): void {
    if (read.isReport || read.isTerse) for (const word of read.words) addToList(this.#reportsByWord, word, n);
    const isStanding = read.isStanding && read.isWish && this.#orders.length < MAX_STANDING;
    if (read.isDemand || read.language === "other" || isStanding) this.#orders.push(read);
    if (!read.isWish) return;
    for (const word of read.words) if (!this.#wishesByWord.has(word)) this.#wishesByWord.set(word, read);
    this.#wishes.add(read);
  }
}

function hasLead({ searchable, numbers }: Piece, lead: Lead): boolean {
  return lead.kind === "address" ? holds(searchable, lead) : numbers.has(toLocalNumber(lead.text));
}
