// The form of a reply lexicon: phrases by the kind of evidence they are. Each language has one file next to this one. Read by
// ../phrases.ts. Data only: ../weigh-phrase.ts decides which evidence counts, and how much.

/**
 * Each value is a list of phrases, separated by commas. A phrase is a sequence of words: `a|b` matches either, `run*` any word with
 * that prefix (three letters at least), `_` any one word, `#` a number, `..` up to three words. In Chinese and Japanese each character
 * is a word.
 */
export interface Lexicon {
  /** Strong praise. Includes "now I understand". */
  praise: string;
  /** Mild praise: enough alone, too little in a longer clause. */
  liked: string;
  thanks: string;
  /** The result is released, kept, or used as a pattern. */
  approval: string;
  /** A good effect, or a check that passed. */
  effect: string;
  /** The person has used the result. */
  used: string;
  complaint: string;
  /** Mild complaint. */
  grumble: string;
  /** A bad effect, or a check that failed. */
  harm: string;
  /** Doubt about a fact. Counts in a question too. */
  doubt: string;
  undo: string;
  giveUp: string;
  /** Says how the answer should be or should have been. */
  wish: string;
  /** A wish or a new task. */
  hint: string;
  /** A wish for the next time, which does not judge the answer. */
  nextTime: string;
  /** The person has not looked yet, waits, does not know, or cancels for another reason. */
  idle: string;
  /** After praise, introduces what is wrong. */
  exception: string;
  /** Introduces what is wrong. */
  but: string;
  /** Says that the answer was different before. What follows counts. */
  now: string;
  /** More work follows. */
  more: string;
  /** Ignored at the beginning of a clause. */
  fillers: string;
  /** The clause is about the past, so it is not a complaint about the answer. */
  past: string;
  /** Negates what follows within three words. */
  negation: string;
  /** At the beginning of a clause: a supposition. */
  supposes: string;
  /** At the beginning of a clause: a question or a task. */
  asks: string;
  /** At the beginning of a clause: the clause is about somebody else. */
  others: string;
  /** At the beginning of a clause: the clause is about the thing that follows. */
  thing: string;
  /** At the beginning of a clause: a contrast, such as "not first name". */
  contrast: string;
  /** Words for the agent's work. */
  work: string;
  /** No evidence, although one of its words alone would be. */
  plain: string;
}
