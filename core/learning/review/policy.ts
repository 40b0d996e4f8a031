// Which of a review's rules are enforced in code. The product enforces all of them; a bench leaves one out at a time to see
// what it is worth. What the rules say in words stands in core/prompts/.

export interface ReviewPolicy {
  /** Every write cites parts of entries that can carry it. */
  citations: boolean;
  /** What occurs in content only waits for a person. */
  taint: boolean;
  /** A skill is read in the review before it is changed. */
  readFirst: boolean;
  /** What nearly exists is not made again. */
  duplicates: boolean;
  /** A lesson for a protected skill goes to its companion, instead of being refused. */
  companions: boolean;
  /** Names that are a session's artefacts are refused. */
  names: boolean;
  /** Negative claims about tools, and transient failures, are refused. */
  claims: boolean;
  /** The story of one session is refused: its day, its tickets, its files, quotations. */
  stories: boolean;
  /** Values that the work saw fail, or never saw where it saw another one work, are refused. */
  values: boolean;
  /** Checks that a skill brings along run before it is accepted. */
  checks: boolean;
}

export const POLICY: ReviewPolicy = {
  citations: true,
  taint: true,
  readFirst: true,
  duplicates: true,
  companions: true,
  names: true,
  claims: true,
  stories: true,
  values: true,
  checks: true,
};
