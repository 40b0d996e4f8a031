// The words of a session one after the other, so that what follows each other in a text is found where it was read or said
// before. Filled and asked by taint-index.ts, with words as numbers. Pure.
import type { Stream } from "./pieces.ts";

/** More words than a session has. */
const PAIR = 1 << 24;

interface Track {
  words: number[];
  /** Pairs: where a piece ends, and its place among all pieces. */
  ends: number[];
}

export class TaintRuns {
  readonly #tracks: Record<Stream, Track> = {
    known: { words: [], ends: [] },
    own: { words: [], ends: [] },
    content: { words: [], ends: [] },
  };

  wordsOf(stream: Stream): number[] {
    return this.#tracks[stream].words;
  }

  /** Behind the last word of a piece. */
  end(stream: Stream, place: number): void {
    const { words, ends } = this.#tracks[stream];
    words.push(-1);
    ends.push(words.length, place);
  }

  /** Of these runs those that only content had, or had first, with the piece where they stand. */
  *read(runs: number[][]): Generator<{ run: number[]; place: number }> {
    const byLength = new Map<number, Map<string, number[]>>();
    for (const run of runs) {
      if (run.includes(-1)) continue;
      const same = byLength.get(run.length) ?? new Map<string, number[]>();
      byLength.set(run.length, same.set(run.join(" "), run));
    }
    const { known, own, content } = this.#tracks;
    for (const [length, wanted] of byLength) {
      const read = findRuns(content.words, length, wanted);
      if (read.size === 0) continue;
      const hits = new Map([...read.keys()].map((key) => [key, wanted.get(key)!]));
      const isKnown = findRuns(known.words, length, hits);
      const said = findRuns(own.words, length, hits);
      for (const [key, run] of hits) {
        const place = placeAt(content.ends, read.get(key)!);
        const at = said.get(key);
        if (isKnown.has(key) || (at !== undefined && placeAt(own.ends, at) < place)) continue;
        yield { run, place };
      }
    }
  }
}

function startOf([first = 0, second = 0]: number[]): number {
  return first * PAIR + second;
}

/** First places of runs of one length, which is at least two. */
function findRuns(words: number[], length: number, wanted: Map<string, number[]>): Map<string, number> {
  const found = new Map<string, number>();
  const starts = new Set([...wanted.values()].map(startOf));
  for (let at = 0; at + length <= words.length; at++) {
    if (!starts.has(words[at]! * PAIR + words[at + 1]!)) continue;
    const key = words.slice(at, at + length).join(" ");
    if (wanted.has(key) && !found.has(key)) found.set(key, at);
  }
  return found;
}

function placeAt(ends: number[], at: number): number {
  let [low, high] = [0, ends.length / 2 - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle * 2]! > at) high = middle;
    else low = middle + 1;
  }
  return ends[low * 2 + 1]!;
}
