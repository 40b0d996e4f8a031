// One statement of the conformance kit: a title and a function that throws if the platform does not hold it. The kit is data, so that
// kit.test.ts can run it against broken platforms and see it fail.
export interface Check {
  (title: string, run: () => Promise<void> | void): void;
  /** The statement is made of platforms for which it means something. */
  if(condition: boolean): (title: string, run: () => Promise<void> | void) => void;
}

export interface Statement {
  title: string;
  run: () => Promise<void> | void;
}

/** Adds what is checked to `list`. */
export function createCheck(list: Statement[]): Check {
  const add = (title: string, run: () => Promise<void> | void) => void list.push({ title, run });
  return Object.assign(add, { if: (condition: boolean) => (condition ? add : () => {}) });
}
