// What was said and read in a session, in its order, so that it can be asked of a word or a passage who had it first. Filled
// with entries by the taint rules; grows with a session. Keeps numbers for words, so that a megabyte takes a few of them.
import type { Entry } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import type { SentMessage } from "../schemas/review.ts";
import { asksForWrite } from "./demands.ts";
import { type Fragment, holds, readingsOf, toSearchable } from "./fragments.ts";
import { FENCE, FENCED, findRuns, orderAt, readPart, stringsIn, tokensOf, toKey, toPlain } from "./taint-text.ts";

/**
 * `known`: the principal's, whenever they say it, and what was kept under the model's own label. `own`: what the model and
 * the harness say, which counts from where it stands on: after content both may only repeat it.
 */
type Stream = "known" | "own" | "content";

interface Piece {
  stream: Stream;
  /** Its place among all pieces. */
  order: number;
  entry: number;
  searchable: string;
  /** What a call that failed answered. */
  failed: boolean;
}

/** A sentence of content: its words from `from` to `to` in `words`. */
export interface ReadSentence {
  entry: number;
  from: number;
  to: number;
  asks: boolean;
  /** A call that failed answered so. */
  failed: boolean;
}

const NEVER = Number.MAX_SAFE_INTEGER;
/** Words that go on without an end are no sentence. */
const MAX_SENTENCE_WORDS = 40;
/** Sentences around one that asks for a write which say what is to be written. */
const ASKED_BEFORE = 1;
const ASKED_AFTER = 2;
/** A call that puts a failed one right shares so much of it, and has so few words that are new. */
const SAME_CALL = 0.5;
const MAX_REPAIR_WORDS = 12;
const REMEMBERED_FAILURES = 8;
/** Tools whose success proves nothing about the world. */
const PROVE_NOTHING = new Set(["skills_list", "skill_view", "skill_manage", "memory", "write_file", "todo"]);
const WRITING = new Set(["skill_manage", "memory", "write_file"]);
export class TaintIndex {
  /** The words of content one after the other; sentences point into it. */
  readonly content: number[] = [];
  readonly sentences: ReadSentence[] = [];
  readonly #pieces: Piece[] = [];
  readonly #words = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #keyOf: number[] = [];
  readonly #runs: Record<"known" | "own", { words: number[]; orders: number[] }> = {
    known: { words: [], orders: [] },
    own: { words: [], orders: [] },
  };
  readonly #contentOrders: number[] = [];
  // By key.
  readonly #firstRead: number[] = [];
  readonly #firstSaid: number[] = [];
  readonly #isKnown: boolean[] = [];
  readonly #isProved: boolean[] = [];
  readonly #isAsked: boolean[] = [];
  readonly #failures = new Map<string, Set<number>[]>();
  /** Where content asked for a write first. */
  #askedAt = NEVER;

  add(entry: Entry): void {
    switch (entry.kind) {
      case "assistant":
        for (const { text } of entry.parts) this.#put("own", text, entry.n);
        for (const { args, malformed } of entry.answer.calls) this.#put("own", malformed ?? stringsIn(args), entry.n);
        return;
      case "tool":
        if (entry.state === "done") this.#weighCall(entry);
        for (const part of entry.parts) {
          // A tool that writes quotes what it was asked to write.
          const isEcho = part.source === "own" && WRITING.has(entry.call.name);
          this.#put(isEcho ? "own" : streamOf(part.source), readPart(part), entry.n, entry.failed);
        }
        return;
      case "user":
      case "note":
        break;
      // A summary says again what was said before, in the model's words.
      case "compaction":
        for (const { source, text } of entry.parts) this.#put(source === "content" ? "content" : "own", text, entry.n);
        return;
      // A notice that the agent's own change waits shows that very change.
      case "notice":
        if (entry.code === "pending") return;
    }
    for (const part of entry.parts) this.#put(streamOf(part.source), part.text, entry.n);
  }

  /** What stood in content before everything else. */
  addRead(text: string): void {
    this.#put("content", text, 0);
  }

  /** A message of the conversation as it was sent, which has no labels but the fence around what was read. */
  addMessage(message: SentMessage): void {
    switch (message.role) {
      case "assistant":
        this.#put("own", [message.text, ...message.calls.map(({ args }) => stringsIn(args))].join("\n"), 0);
        return;
      case "tool": {
        const at = message.text.indexOf(FENCE);
        const isWhole = message.text.startsWith("{");
        if (at > 0 && isWhole) this.#put("own", message.text.slice(0, at), 0);
        const read = isWhole ? message.text.slice(at < 0 ? message.text.length : at) : message.text;
        this.#put("content", toPlain(read), 0, message.failed);
        return;
      }
      case "user":
        // What the person says there, the entries say as well.
        if (FENCED.test(message.text)) this.#put("content", message.text, 0);
    }
  }

  get isEmpty(): boolean {
    return this.content.length === 0;
  }

  get hasDemand(): boolean {
    return this.#askedAt < NEVER;
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
    if (this.#isProved[key] && !this.#isAsked[key]) return false;
    const read = this.#firstRead[key] ?? NEVER;
    return read < NEVER && (this.#firstSaid[key] ?? NEVER) >= read;
  }

  /** The person, the harness or the agent had it, and content had not asked for anything before. */
  isGrounded(key: number): boolean {
    if (key < 0) return false;
    if (this.#isKnown[key] || (this.#isProved[key] && !this.#isAsked[key])) return true;
    const said = this.#firstSaid[key] ?? NEVER;
    return said < this.#askedAt && said < (this.#firstRead[key] ?? NEVER);
  }

  /** The entry in which a fragment stands that only content had, or had first; `null` for any other. */
  whoseFragment(fragment: Fragment): number | null {
    let read: Piece | null = null;
    let said = NEVER;
    for (const piece of this.#pieces) {
      if (piece.stream === "content" && read) continue;
      if (!holds(piece.searchable, fragment)) continue;
      if (piece.stream === "known") return null;
      if (piece.stream === "content") read = piece;
      else said = Math.min(said, piece.order);
    }
    return read && said >= read.order ? read.entry : null;
  }

  /** Of these runs of words those that only content had, or had first, with the entry where they stand. */
  *readRuns(runs: number[][]): Generator<{ run: number[]; entry: number }> {
    const byLength = new Map<number, Map<string, number[]>>();
    for (const run of runs) {
      if (run.includes(-1)) continue;
      const same = byLength.get(run.length) ?? new Map<string, number[]>();
      byLength.set(run.length, same.set(run.join(" "), run));
    }
    const { known, own } = this.#runs;
    for (const [length, wanted] of byLength) {
      const read = findRuns(this.content, length, wanted);
      if (read.size === 0) continue;
      const hits = new Map([...read.keys()].map((key) => [key, wanted.get(key)!]));
      const isKnown = findRuns(known.words, length, hits);
      const said = findRuns(own.words, length, hits);
      for (const [key, run] of hits) {
        const order = orderAt(this.#contentOrders, read.get(key)!);
        const at = said.get(key);
        if (isKnown.has(key) || (at !== undefined && orderAt(own.orders, at) < order)) continue;
        yield { run, entry: this.#pieces[order]!.entry };
      }
    }
  }

  /** Whether what failed calls answered holds a phrase, given as it is searched for. */
  isComplaint(phrase: string): boolean {
    const wanted = { kind: "command", text: phrase } as const;
    return this.#pieces.some(
      ({ stream, failed, searchable }) => failed && stream === "content" && holds(searchable, wanted),
    );
  }

  contentOf(entry: number): string[] {
    return this.#pieces
      .filter((piece) => piece.entry === entry && piece.stream === "content")
      .map((piece) => piece.searchable);
  }

  asksIn(entry: number): boolean {
    return this.sentences.some((sentence) => sentence.entry === entry && sentence.asks);
  }

  #put(stream: Stream, text: string, entry: number, failed = false): void {
    if (text.trim() === "") return;
    const readings = readingsOf(text);
    for (const reading of stream === "content" ? readings : readings.slice(0, 1)) {
      const order = this.#pieces.length;
      this.#pieces.push({ stream, order, entry, searchable: toSearchable(reading), failed });
      if (stream === "content") this.#read(reading, order, entry, failed);
      else this.#hear(stream, reading, order);
    }
  }

  #hear(stream: "known" | "own", text: string, order: number): void {
    const { words, orders } = this.#runs[stream];
    for (const token of tokensOf(text)) {
      if (token.word === "") continue;
      const word = this.#number(token.word);
      const key = this.#keyOf[word]!;
      words.push(word);
      if (key < 0) continue;
      if (stream === "known") this.#isKnown[key] = true;
      else this.#firstSaid[key] = Math.min(this.#firstSaid[key] ?? NEVER, order);
    }
    words.push(-1);
    orders.push(words.length, order);
  }

  #read(text: string, order: number, entry: number, failed: boolean): void {
    const first = this.sentences.length;
    const texts: string[] = [];
    let from = this.content.length;
    let start = 0;
    const close = (end: number) => {
      if (this.content.length > from) {
        this.sentences.push({ entry, from, to: this.content.length, asks: false, failed });
        texts.push(text.slice(start, end).trim().toLowerCase());
      }
      from = this.content.length;
      start = end;
    };
    for (const token of tokensOf(text)) {
      if (token.word === "" || this.content.length - from >= MAX_SENTENCE_WORDS) close(token.at);
      if (token.word === "") continue;
      const word = this.#number(token.word);
      const key = this.#keyOf[word]!;
      this.content.push(word);
      if (key >= 0) this.#firstRead[key] = Math.min(this.#firstRead[key] ?? NEVER, order);
    }
    close(text.length);
    this.content.push(-1);
    this.#contentOrders.push(this.content.length, order);
    this.#findDemands(first, texts, order);
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

  /** What a call had that an earlier, failed one of its kind lacked, is shown by its success. */
  #weighCall({ call, failed }: Extract<Entry, { kind: "tool" }>): void {
    if (PROVE_NOTHING.has(call.name)) return;
    const text = stringsIn(call.args);
    const keysIn = (piece: string) =>
      [...tokensOf(piece)].map(({ word }) => this.#keyOf[this.#number(word)]!).filter((key) => key >= 0);
    const keys = new Set(keysIn(text));
    const failures = this.#failures.get(call.name) ?? [];
    if (failed) {
      this.#failures.set(call.name, [...failures.slice(1 - REMEMBERED_FAILURES), keys]);
      return;
    }
    for (const before of failures) {
      const fresh = [...keys].filter((key) => !before.has(key));
      const shared = keys.size - fresh.length;
      if (fresh.length > MAX_REPAIR_WORDS || shared < SAME_CALL * Math.min(keys.size, before.size)) continue;
      for (const key of fresh) this.#isProved[key] = true;
    }
    // An option that was taken from a program's own help, and was taken by the program.
    for (const [option] of text.matchAll(/(?<=^|\s)--?[a-z][\w-]*/gi)) {
      for (const key of keysIn(option)) this.#isProved[key] = true;
    }
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

/** Of what is no answer of the model: its own words there carry the label under which they were kept. */
function streamOf(source: Source): Stream {
  return source === "content" ? "content" : source === "outcome" ? "own" : "known";
}
