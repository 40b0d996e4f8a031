// What was said and read in a session, in its order, so that it can be asked of a word or a passage who had it first. Filled
// with entries by the taint rules; grows with a session. Keeps numbers for words, so that a megabyte takes a few of them.
import type { Entry } from "../../schemas/entry.ts";
import type { SentMessage } from "../../schemas/review.ts";
import { asksForWrite, revokes, withdraws } from "./demands.ts";
import { type Fragment, readingsOf } from "./fragments.ts";
import { type SaidPiece, piecesOf, piecesOfMessage } from "./entries.ts";
import { TaintForms, formAt } from "./forms.ts";
import { TaintPieces } from "./pieces.ts";
import { TaintProofs } from "./proofs.ts";
import { TaintRuns } from "./runs.ts";
import { isComplaint, stringsIn, toKey, tokensOf } from "./text.ts";

/** A sentence of content: its words from `from` to `to` in `content`. */
export interface ReadSentence {
  entry: number;
  from: number;
  to: number;
  asks: boolean;
  /** It says that something holds no longer. */
  takesBack: boolean;
  /** What a call that failed complained of. */
  complains: boolean;
}

const NEVER = Number.MAX_SAFE_INTEGER;
/** Words that go on without an end are no sentence. */
const MAX_SENTENCE_WORDS = 40;
/** Sentences around one that asks for a write which say what is to be written. */
const ASKED_BEFORE = 1;
const ASKED_AFTER = 2;
/** Tools whose success proves nothing about the world. */
const PROVE_NOTHING = new Set(["skills_list", "skill_view", "skill_manage", "memory", "write_file", "todo"]);
export class TaintIndex {
  readonly sentences: ReadSentence[] = [];
  readonly #pieces = new TaintPieces();
  readonly #runs = new TaintRuns();
  readonly #proofs = new TaintProofs();
  readonly #forms = new TaintForms();
  /** The words of content one after the other; sentences point into it. */
  readonly content = this.#runs.wordsOf("content");
  readonly #words = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #keyOf: number[] = [];
  // By key.
  readonly #firstRead: number[] = [];
  readonly #firstSaid: number[] = [];
  readonly #isKnown: boolean[] = [];
  readonly #isAsked: boolean[] = [];
  readonly #isComplained: boolean[] = [];
  /** Where content asked for a write first. */
  #askedAt = NEVER;

  add(entry: Entry): void {
    if (entry.kind === "tool" && entry.state === "done") this.#weighCall(entry);
    if (entry.kind === "user" || entry.kind === "note") {
      for (const { source, text } of entry.parts) if (source === "principal") this.#pieces.addSaid(text);
    }
    for (const piece of piecesOf(entry)) this.#put(piece, entry.n);
  }

  /** What stood in content before everything else. */
  addRead(text: string): void {
    this.#put({ stream: "content", text }, 0);
  }

  addMessage(message: SentMessage): void {
    for (const piece of piecesOfMessage(message)) this.#put(piece, 0);
  }

  get isEmpty(): boolean {
    return this.content.length === 0;
  }

  get hasDemand(): boolean {
    return this.#askedAt < NEVER;
  }

  /** The entry in which content asked for a write first. */
  get askedIn(): number {
    return this.hasDemand ? this.#pieces.entryAt(this.#askedAt) : 0;
  }

  isInContent(key: number): boolean {
    return key >= 0 && this.#firstRead[key] !== undefined;
  }

  /** The number of a word, or -1 for one that never stood anywhere. */
  wordOf(word: string): number {
    return this.#words.get(word) ?? -1;
  }

  wordsOf(numbers: number[]): string {
    const names = [...this.#words.keys()];
    return numbers.map((number) => names[number] ?? "").join(" ");
  }

  /** What forms of one word have in common; -1 for a word that says nothing. */
  keyOf(word: number): number {
    return word < 0 ? -1 : this.#keyOf[word]!;
  }

  /** As `keyOf`, for a word as it is written: -1 if no form of it stood anywhere, `null` for one that says nothing. */
  keyIn(word: string): number | null {
    const form = toKey(word);
    return form === "" ? null : (this.#keys.get(form) ?? -1);
  }

  /** It stood in content first, and nothing has shown it to be true since. */
  isRead(key: number): boolean {
    if (key < 0 || this.#isKnown[key]) return false;
    if (this.#proofs.has(key) && !this.#isAsked[key]) return false;
    const read = this.#firstRead[key] ?? NEVER;
    return read < NEVER && (this.#firstSaid[key] ?? NEVER) >= read;
  }

  /** The person, the harness or the agent had it, and content had not asked for anything before. */
  isGrounded(key: number): boolean {
    if (key < 0) return false;
    if (this.#isKnown[key] || (this.#proofs.has(key) && !this.#isAsked[key])) return true;
    const said = this.#firstSaid[key] ?? NEVER;
    return said < this.#askedAt && said < (this.#firstRead[key] ?? NEVER);
  }

  /**
   * What content had first and leads somewhere by itself: a `code` that no call has used since, a `capital` that is never
   * written small, a `name` that content gave to something.
   */
  isForeign(key: number, form: "code" | "capital" | "name"): boolean {
    if (!this.isRead(key)) return false;
    if (form === "code") return !this.isUsed(key);
    return this.#forms.isHost(key) || this.#forms.isName(key, form === "capital" ? "never small" : "named");
  }

  /** A call that named it succeeded, and nothing had asked for it. */
  isUsed(key: number): boolean {
    return this.#proofs.isUsed(key) && !this.#isAsked[key];
  }

  /** A failed call's answer had it, where it did not ask for anything. */
  isComplained(key: number): boolean {
    return this.#isComplained[key] === true;
  }

  whoseFragment(fragment: Fragment): number | null {
    return this.#pieces.whose(fragment);
  }

  isUnheard(fragment: Fragment): boolean {
    return this.#pieces.isUnheard(fragment);
  }

  /** The first entry of content with one of these words; 0 where none is left. */
  whoseWord(key: number): number {
    const found = this.sentences.find(({ from, to }) => {
      for (let at = from; at < to; at++) if (this.keyOf(this.content[at]!) === key) return true;
      return false;
    });
    return found?.entry ?? 0;
  }

  /** Of these runs of words those that only content had, or had first, with the entry where they stand. */
  *readRuns(runs: number[][]): Generator<{ run: number[]; entry: number }> {
    for (const { run, place } of this.#runs.read(runs)) yield { run, entry: this.#pieces.entryAt(place) };
  }

  isComplaint(phrase: string): boolean {
    return this.#pieces.isComplaint(phrase);
  }

  contentOf(entry: number): string[] {
    return this.#pieces.contentOf(entry);
  }

  /** Whether the person took back, in one sentence, what these words are about. */
  isTakenBack(keys: number[]): boolean {
    const wanted = new Set(keys.filter((key) => key >= 0));
    for (const text of this.#pieces.saidByPerson()) {
      for (const sentence of text.split(/[.!?;](?=\s|$)|\n/)) {
        if (!withdraws(sentence.trim())) continue;
        const said = new Set([...tokensOf(sentence)].map(({ word }) => this.keyIn(word)));
        const shared = [...wanted].filter((key) => said.has(key)).length;
        if (shared > 0 && shared >= wanted.size / 3) return true;
      }
    }
    return false;
  }

  asksIn(entry: number): boolean {
    return this.sentences.some((sentence) => sentence.entry === entry && sentence.asks);
  }

  #put({ stream, text, failed = false }: SaidPiece, entry: number): void {
    if (text.trim() === "") return;
    const readings = readingsOf(text);
    for (const reading of stream === "content" ? readings : readings.slice(0, 1)) {
      const order = this.#pieces.next;
      this.#pieces.add(stream, reading, { entry, failed });
      if (stream === "content") this.#read(reading, order, entry, failed);
      else this.#hear(stream, reading, order);
    }
    if (stream === "content") this.#forms.noteHosts(text, (word) => this.keyIn(word));
  }

  #hear(stream: "known" | "own", text: string, order: number): void {
    const words = this.#runs.wordsOf(stream);
    for (const token of tokensOf(text)) {
      if (token.word === "") continue;
      const word = this.#number(token.word);
      const key = this.#keyOf[word]!;
      words.push(word);
      if (key < 0) continue;
      if (stream === "known") this.#isKnown[key] = true;
      else this.#firstSaid[key] = Math.min(this.#firstSaid[key] ?? NEVER, order);
      if (formAt(text, token, key).isLower) this.#forms.noteLower(key);
    }
    this.#runs.end(stream, order);
  }

  #read(text: string, order: number, entry: number, failed: boolean): void {
    const first = this.sentences.length;
    const texts: string[] = [];
    let forms: ReturnType<typeof formAt>[] = [];
    let from = this.content.length;
    let start = 0;
    const close = (end: number) => {
      if (this.content.length > from) {
        const sentence = text.slice(start, end);
        const lower = sentence.trim().toLowerCase();
        this.sentences.push({
          ...{ entry, from, to: this.content.length, asks: false },
          takesBack: revokes(lower),
          complains: failed && isComplaint(lower),
        });
        texts.push(lower);
        this.#forms.noteSentence(forms, sentence);
      }
      forms = [];
      from = this.content.length;
      start = end;
    };
    for (const token of tokensOf(text)) {
      if (token.word === "" || this.content.length - from >= MAX_SENTENCE_WORDS) close(token.at);
      if (token.word === "") continue;
      const word = this.#number(token.word);
      const key = this.#keyOf[word]!;
      this.content.push(word);
      if (key < 0) continue;
      this.#firstRead[key] = Math.min(this.#firstRead[key] ?? NEVER, order);
      forms.push(formAt(text, token, key));
    }
    close(text.length);
    this.#runs.end("content", order);
    this.#findDemands(first, texts, order);
    if (failed) this.#noteComplaints(first);
  }

  #noteComplaints(first: number): void {
    for (const { from, to, asks, complains } of this.sentences.slice(first)) {
      for (let at = from; at < to && complains && !asks; at++) {
        const key = this.#keyOf[this.content[at]!] ?? -1;
        if (key >= 0) this.#isComplained[key] = true;
      }
    }
  }

  #findDemands(first: number, texts: string[], order: number): void {
    for (const [n, text] of texts.entries()) {
      if (!asksForWrite(text, texts[n + 1] ?? "")) continue;
      this.#askedAt = Math.min(this.#askedAt, order);
      const to = Math.min(n + ASKED_AFTER, texts.length - 1);
      for (let near = Math.max(0, n - ASKED_BEFORE); near <= to; near++) {
        const sentence = this.sentences[first + near]!;
        sentence.asks = true;
        for (let at = sentence.from; at < sentence.to; at++) {
          const key = this.#keyOf[this.content[at]!]!;
          if (key >= 0) this.#isAsked[key] = true;
        }
      }
    }
  }

  #weighCall({ call, failed }: Extract<Entry, { kind: "tool" }>): void {
    if (PROVE_NOTHING.has(call.name)) return;
    this.#proofs.weigh(call.name, stringsIn(call.args), failed, (piece) =>
      [...tokensOf(piece)].map(({ word }) => this.#keyOf[this.#number(word)]!).filter((key) => key >= 0),
    );
  }

  #number(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const number = this.#words.size;
    this.#words.set(word, number);
    const form = toKey(word);
    let key = form === "" ? -1 : this.#keys.get(form);
    if (key === undefined) this.#keys.set(form, (key = this.#keys.size));
    this.#keyOf.push(key);
    return number;
  }
}
