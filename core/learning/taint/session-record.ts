// What was said and read in a session: the sentences of content that may want something, the person's own, and who had a word, a
// name or an address first. Filled with entries by taint.ts and asked by judge.ts; grows with a session.
import type { Entry } from "../../schemas/entry.ts";
import type { SentMessage } from "../../schemas/review.ts";
import { type Meaning, languageOf, meaningOf } from "./consequences.ts";
import { type SaidPiece, piecesOf, piecesOfMessage } from "./entries.ts";
import { type Lead, holds, isSameNumber, numbersIn, readingsOf, toSearchable } from "./leads.ts";
import { sentencesIn } from "./sentences.ts";
import { stringsIn } from "./text.ts";
import { foldText } from "./vocabulary.ts";

export interface ReadSentence extends Meaning {
  entry: number;
  /** Its place among all pieces. */
  at: number;
  /** It stands in what a program says of its use. */
  isUsage: boolean;
}

interface Piece {
  isContent: boolean;
  isPersons: boolean;
  entry: number;
  searchable: string;
}

/** Longer ones are lists or data; they are cut. */
const MAX_SENTENCE_CHARS = 1_000;

/** Sentences behind an order to agents that are a part of it. */
const ORDERED_AFTER = 2;

export class SessionRecord {
  /** Sentences of content that bind, or speak of something of consequence. */
  readonly read: ReadSentence[] = [];
  /** What the person said, whenever it was (at -1), and what the agent said. */
  readonly said: (Meaning & { at: number })[] = [];
  /** Where content first ordered agents about. */
  demand: ReadSentence | null = null;
  /** The first sentence of content in a language that the lists do not have. */
  unread: ReadSentence | null = null;
  /** The place of the first piece of content: what was said before cannot come from any. */
  readFrom = Infinity;
  readonly #pieces: Piece[] = [];
  /** Places at which words and names were read first, and said first by the agent; the person's are -1. */
  readonly #firstRead = new Map<string, number>();
  readonly #firstSaid = new Map<string, number>();
  /** What a call that succeeded was made with. */
  readonly #used = new Set<string>();
  readonly #usedTerms = new Set<string>();
  /** Names, by the first sentence of content that might want something of them. */
  readonly #named = new Map<string, ReadSentence>();

  add(entry: Entry): void {
    if (entry.kind === "tool" && !entry.failed) {
      const { words, names, terms } = meaningOf(stringsIn(entry.call.args));
      for (const name of [...words, ...names]) this.#used.add(name);
      for (const term of terms) this.#usedTerms.add(term);
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

  get isEmpty(): boolean {
    return this.readFrom === Infinity;
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

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  /** Of a word as `terms` have it. */
  wasCalledWith(term: string): boolean {
    return this.#usedTerms.has(term);
  }

  /** As `isForeign`, of one that content may have repeated: whether it was said before the place `at`. */
  wasSaidBefore(term: string, at: number): boolean {
    return (this.#firstSaid.get(term) ?? Infinity) < at;
  }

  /** The entry of content that had a lead, and had it first; `null` for any other. */
  whoseLead(lead: Lead): number | null {
    let read: Piece | null = null;
    for (const piece of this.#pieces) {
      if ((piece.isContent && read) || !hasLead(piece, lead)) continue;
      if (piece.isPersons) return null;
      if (piece.isContent) read = piece;
      else if (!read) return null;
    }
    return read ? read.entry : null;
  }

  /** Whether a phrase stands in what a program reported. */
  isReported(phrase: string): boolean {
    const wanted = phrase.toLowerCase();
    return this.read.some(
      ({ isReport, isTerse, text }) => (isReport || isTerse) && text.toLowerCase().includes(wanted),
    );
  }

  #put({ stream, text, failed, wanted = false }: SaidPiece & { wanted?: boolean }, entry: number): void {
    if (text.trim() === "") return;
    const isContent = stream === "content";
    const readings = readingsOf(text);
    for (const reading of isContent ? readings : readings.slice(0, 1)) {
      const at = this.#pieces.length;
      if (isContent) this.readFrom = Math.min(this.readFrom, at);
      this.#pieces.push({ isContent, isPersons: stream === "known", entry, searchable: toSearchable(reading) });
      const language = languageOf(foldText(reading.slice(0, MAX_SENTENCE_CHARS)));
      const isUsage = /^\s*(?:usage|aufruf|uso)\s*:/i.test(reading);
      let ordered = 0;
      for (const sentence of sentencesIn(reading)) {
        const meaning = meaningOf(sentence.text.slice(0, MAX_SENTENCE_CHARS), language, failed);
        const first = isContent ? this.#firstRead : this.#firstSaid;
        for (const term of [...meaning.terms, ...meaning.names, ...meaning.words]) {
          if (stream === "known") first.set(term, -1);
          else if (!first.has(term)) first.set(term, at);
        }
        if (!isContent) this.said.push({ ...meaning, at: stream === "known" ? -1 : at });
        if (!isContent) continue;
        // What is to be kept is often said in the next sentence.
        ordered = meaning.isDemand ? ORDERED_AFTER : ordered - 1;
        const isDemand = meaning.isDemand || ordered >= 0;
        const read = { ...meaning, isDemand, isUsage, entry, at, ...(wanted && { binds: true, isReport: false }) };
        this.read.push(read);
        if (read.isDemand) this.demand ??= read;
        if (read.isUnread) this.unread ??= read;
        if (read.isReport) continue;
        for (const name of meaning.names) if (!this.#named.has(name)) this.#named.set(name, read);
      }
    }
  }
}

function hasLead({ searchable }: Piece, lead: Lead): boolean {
  if (lead.kind === "address") return holds(searchable, lead);
  return numbersIn(searchable).some((number) => isSameNumber(number, lead.text));
}
