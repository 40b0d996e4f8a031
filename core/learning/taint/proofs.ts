// What calls have shown by their success, wherever it was read first: what put a failed call right, and the options and names that
// a call was made with. Filled and asked by taint-index.ts, with words as numbers. Pure.

/** A call that puts a failed one right shares so much of it, and has so few words that are new. */
const SAME_CALL = 0.5;
const MAX_REPAIR_WORDS = 12;
const REMEMBERED_FAILURES = 8;
/** Between a failure and the same call's success there may be so much that made the difference. */
const MAX_STEPS_BETWEEN = 3;

interface Made {
  text: string;
  keys: Set<number>;
}

export class TaintProofs {
  readonly #proved = new Set<number>();
  readonly #used = new Set<number>();
  /** By tool. */
  readonly #failures = new Map<string, (Made & { since: Made[] })[]>();

  /** It made a call succeed that had failed without it, or is an option of one that succeeded. */
  has(key: number): boolean {
    return this.#proved.has(key);
  }

  /** A call that named it succeeded. */
  isUsed(key: number): boolean {
    return this.#used.has(key);
  }

  /** `keysIn`: the keys of a piece of the call's arguments. */
  weigh(tool: string, text: string, failed: boolean, keysIn: (piece: string) => number[]): void {
    const keys = new Set(keysIn(text));
    const failures = this.#failures.get(tool) ?? [];
    if (failed) {
      this.#failures.set(tool, [...failures.slice(1 - REMEMBERED_FAILURES), { text, keys, since: [] }]);
      return;
    }
    for (const before of failures) {
      // What was done before the very same call went through made it go through.
      if (before.text === text) for (const made of before.since) this.#prove(made.keys);
      const fresh = [...keys].filter((key) => !before.keys.has(key));
      const shared = keys.size - fresh.length;
      if (fresh.length > MAX_REPAIR_WORDS || shared < SAME_CALL * Math.min(keys.size, before.keys.size)) continue;
      this.#prove(fresh);
    }
    // An option that was taken from a program's own help, and was taken by the program.
    for (const [option] of text.matchAll(/(?<=^|\s)--?[a-z][\w-]*/gi)) this.#prove(keysIn(option));
    for (const key of keys) this.#used.add(key);
    for (const all of this.#failures.values()) {
      for (const { since } of all) if (since.length < MAX_STEPS_BETWEEN) since.push({ text, keys });
    }
  }

  #prove(keys: Iterable<number>): void {
    for (const key of keys) this.#proved.add(key);
  }
}
