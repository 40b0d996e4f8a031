// What a lexicon of replies holds: phrases by the kind of evidence they are. One file a language beside this one; read by
// ../phrases.ts. Data only: which evidence counts, and how much, is decided by ../judge-message.ts.

/**
 * Each value is a list of phrases, parted by commas. A phrase is a row of words: `a|b` is either, `run*` any word that begins
 * so (three letters at least), `_` any one word, `#` a figure, `..` up to three words. Chinese and Japanese are read a character a word.
 */
export interface Lexicon {
  /** Strong praise, also of a person who understands now. */
  praise: string;
  /** Mild praise: enough alone, not enough in a longer clause. */
  liked: string;
  thanks: string;
  /** The result may go out, stays, or sets the pattern for the next ones. */
  approval: string;
  /** A check that came out well, a good effect. */
  effect: string;
  /** The person has used the result. */
  used: string;
  complaint: string;
  /** Mild complaint. */
  grumble: string;
  /** A bad effect, a check that came out badly. */
  harm: string;
  /** Doubt of a fact. Counts in a question too. */
  doubt: string;
  undo: string;
  giveUp: string;
  /** How it should be or have been. */
  wish: string;
  /** What may be a wish, or a new task. */
  hint: string;
  /** A wish for the next time, which judges nothing. */
  nextTime: string;
  /** The person has not looked yet, waits, does not know, or cancels for a reason of their own. */
  idle: string;
  /** After praise: what follows is not as it should be. */
  exception: string;
  /** What follows is not as it should be. */
  but: string;
  /** It was otherwise before: what follows counts. */
  now: string;
  /** Work that is to follow. */
  more: string;
  /** Passed over at the beginning of a clause. */
  fillers: string;
  /** It was so before: no complaint of the answer. */
  past: string;
  /** Turns what follows within three words. */
  negation: string;
  /** At the beginning of a clause: a supposition. */
  supposes: string;
  /** At the beginning of a clause: a question or a task. */
  asks: string;
  /** At the beginning of a clause: it is about somebody else. */
  others: string;
  /** At the beginning of a clause: it is about the thing that follows. */
  thing: string;
  /** At the beginning of a clause: what follows is set against what it should be. */
  contrast: string;
  /** Words for an agent's work. */
  work: string;
  /** No evidence, although a word in it would be. */
  plain: string;
}
