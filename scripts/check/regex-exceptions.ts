// Files whose regular expressions may stay although recheck does not call them safe. Each entry names the bound in code that makes
// them harmless; "nobody sends such input" is not a reason. Read by regexes.ts.

export interface RegexException {
  /** A path relative to the root, or a prefix of one. */
  under: string;
  /** The bound on the input's length, and where it is enforced. */
  bound: string;
}

export const EXCEPTIONS: readonly RegexException[] = [
  {
    under: "core/models/rehearsal/",
    bound:
      "the model that ships reads 64,000 characters of a message, 16,000 of a text and 600 of a sentence (MAX_READ_CHARS)",
  },
];
