// A lesson as a sentence: which option an operation takes. Reviewers and people write these sentences; the worker reads them
// from its prompt, notes and skills. `readStatements` understands every form that `sayOption` writes. Pure.
import { readValue } from "../world/styles.ts";

export interface Statement {
  operation: string;
  /** The value alone. */
  option: string;
  /** As a call gives it, such as `--encoding=latin1`. */
  spelled: string;
}

/** Each form has the operation and the option in code marks. */
const SENTENCES: readonly ((operation: string, spelled: string) => string)[] = [
  (operation, spelled) => `For \`${operation}\` pass \`${spelled}\`.`,
  (operation, spelled) => `Run \`${operation}\` with \`${spelled}\`.`,
  (operation, spelled) => `\`${operation}\` takes \`${spelled}\` here.`,
  (operation, spelled) => `Give \`${spelled}\` when you call \`${operation}\`.`,
  (operation, spelled) => `Set \`${spelled}\` on \`${operation}\`, whatever its default is.`,
];

/** `chance` selects the form, in [0, 1). */
export function sayOption({ operation, spelled }: Pick<Statement, "operation" | "spelled">, chance: number): string {
  return SENTENCES[Math.floor(chance * SENTENCES.length)]!(operation, spelled);
}

const CODE = /`([^`\n]+)`/g;
const OPERATION = /^[a-z]+ [a-z]+$/;

/** In text order. A line makes at most one statement. */
export function readStatements(text: string): (Statement & { line: string })[] {
  if (!text.includes("`")) return [];
  const found: (Statement & { line: string })[] = [];
  for (const line of text.split("\n")) {
    if (!line.includes("`")) continue;
    const codes = Array.from(line.matchAll(CODE), ([, code]) => code!);
    const operation = codes.find((code) => OPERATION.test(code));
    const spelled = codes.find((code) => code !== operation && readValue(code) !== null);
    if (operation && spelled) found.push({ operation, option: readValue(spelled)!, spelled, line });
  }
  return found;
}

/** The text's last statement about an operation; later statements win. */
export function findLastStatement(text: string, operation: string): Statement | null {
  return readStatements(text).findLast((statement) => statement.operation === operation) ?? null;
}
