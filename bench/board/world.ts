// A board or an agenda of a given size, with the operations that bench:board and its test measure. Types only.
/** Cards or jobs: the other is 0. */
export interface WorldSize {
  cards: number;
  jobs: number;
}

export interface World {
  /** To be done in their order, each as often as the others. `n`: how often it was done before. */
  ops: { op: string; work(n: number): unknown }[];
}
