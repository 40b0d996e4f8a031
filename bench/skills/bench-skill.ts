// A skill of the bench's library, read from a file or generated. Types only.

export interface BenchSkill {
  name: string;
  description: string;
  body: string;
  /** The skill's request file, if it has one. */
  requests?: string;
}
