// Where regular expressions may stay that recheck does not call safe, each with the bound in code that makes them harmless. Read
// by regexes.ts. An exception is for such a bound, never for "nobody sends that".

export interface RegexException {
  /** A path from the root, or the beginning of one. */
  under: string;
  /** What keeps the input short, and where. */
  bound: string;
}

export const EXCEPTIONS: readonly RegexException[] = [
  {
    under: "core/models/rehearsal/",
    bound:
      "the model that ships reads 64,000 characters of a message, 16,000 of a text and 600 of a sentence (MAX_READ_CHARS)",
  },
];
