// The texts of a session in their order, each as it is searched: who had an address, a path, a command or a number first. Filled
// and asked by taint-index.ts. Pure.
import { type Fragment, foldersOf, holds, isSameNumber, numbersIn, toSearchable } from "./fragments.ts";

/**
 * `known`: the principal's, whenever they say it, and what was kept under the model's own label. `own`: what the model and
 * the harness say, which counts from where it stands on: after content both may only repeat it.
 */
export type Stream = "known" | "own" | "content";

interface Piece {
  stream: Stream;
  entry: number;
  searchable: string;
  /** What a call that failed answered. */
  failed: boolean;
  /** Found when they are first asked for. */
  numbers?: string[];
}

export class TaintPieces {
  readonly #pieces: Piece[] = [];
  readonly #said: string[] = [];

  /** The place of the next one among all. */
  get next(): number {
    return this.#pieces.length;
  }

  add(stream: Stream, reading: string, { entry, failed }: Pick<Piece, "entry" | "failed">): void {
    this.#pieces.push({ stream, entry, searchable: toSearchable(reading), failed });
  }

  entryAt(place: number): number {
    return this.#pieces[place]!.entry;
  }

  /**
   * The entry in which a fragment stands that only content had, or had first; `null` for any other. A path that nobody had
   * is whose the folder is that it lies in.
   */
  whose(fragment: Fragment): number | null {
    const { entry, isHeard } = this.#find(fragment);
    if (isHeard || fragment.kind !== "path") return entry;
    for (const folder of foldersOf(fragment.text)) {
      const found = this.#find({ kind: "path", text: folder });
      if (found.isHeard) return found.entry;
    }
    return null;
  }

  /** Nobody had it, as far as a text can tell. */
  isUnheard(fragment: Fragment): boolean {
    return !this.#find(fragment).isHeard;
  }

  #find(fragment: Fragment): { entry: number | null; isHeard: boolean } {
    let read = -1;
    let said = -1;
    for (const [place, piece] of this.#pieces.entries()) {
      if (piece.stream === "content" ? read >= 0 : piece.stream === "own" && said >= 0) continue;
      if (!this.#has(piece, fragment)) continue;
      if (piece.stream === "known") return { entry: null, isHeard: true };
      if (piece.stream === "content") read = place;
      else said = place;
    }
    const isRead = read >= 0 && (said < 0 || said >= read);
    return { entry: isRead ? this.#pieces[read]!.entry : null, isHeard: read >= 0 || said >= 0 };
  }

  #has(piece: Piece, fragment: Fragment): boolean {
    if (fragment.kind !== "number") return holds(piece.searchable, fragment);
    piece.numbers ??= numbersIn(piece.searchable);
    return piece.numbers.some((number) => isSameNumber(number, fragment.text));
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

  addSaid(text: string): void {
    this.#said.push(text);
  }

  /** What the person said, in lower case. */
  saidByPerson(): string[] {
    return this.#said.map((text) => text.toLowerCase());
  }
}
