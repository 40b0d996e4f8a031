// A skill of the bench's library, from a file or made up. Types only.

export interface BenchSkill {
  name: string;
  description: string;
  body: string;
  /** Its file of requests. Absent: it has none. */
  requests?: string;
}
