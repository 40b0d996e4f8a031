// A lesson as a sentence: which option an operation takes. Written by reviewers and by people, read by the worker out of
// whatever stands in front of it. What is written in any of these ways is read again. Pure.

export interface Statement {
  operation: string;
  flag: string;
  option: string;
}

/** `operation` and `flag value` in code marks, whatever is around them. */
const SENTENCES: readonly ((operation: string, option: string) => string)[] = [
  (operation, option) => `For \`${operation}\` pass \`${option}\`.`,
  (operation, option) => `Run \`${operation}\` with \`${option}\`.`,
  (operation, option) => `\`${operation}\` takes \`${option}\` here.`,
  (operation, option) => `Give \`${option}\` when you call \`${operation}\`.`,
  (operation, option) => `Set \`${option}\` on \`${operation}\`, whatever its default is.`,
];

/** `chance`: which of the ways, in [0, 1). */
export function sayOption({ operation, flag, option }: Statement, chance: number): string {
  return SENTENCES[Math.floor(chance * SENTENCES.length)]!(operation, `${flag} ${option}`);
}

const CODE = /`([^`\n]+)`/g;
const OPTION = /^(--[a-z]+) ([a-z0-9-]+)$/;
const OPERATION = /^[a-z]+ [a-z]+$/;

/** In the order they stand in; a line says one thing. */
export function readStatements(text: string): (Statement & { line: string })[] {
  if (!text.includes("`--")) return [];
  const found: (Statement & { line: string })[] = [];
  for (const line of text.split("\n")) {
    if (!line.includes("`--")) continue;
    const codes = Array.from(line.matchAll(CODE), ([, code]) => code!);
    const operation = codes.find((code) => OPERATION.test(code));
    const option = codes.map((code) => OPTION.exec(code)).find((match) => match !== null);
    if (operation && option) found.push({ operation, flag: option[1]!, option: option[2]!, line });
  }
  return found;
}

/** What a text finally says of an operation: the later of two statements wins. */
export function lastStatement(text: string, operation: string): Statement | null {
  return readStatements(text).findLast((statement) => statement.operation === operation) ?? null;
}
