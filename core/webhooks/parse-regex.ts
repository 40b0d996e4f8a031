// Reads a regular expression into a tree, for linear-regex.ts. Back references, looking around and named groups are refused: they have no
// linear time, or nothing here uses them. Pure.
import { type Result, err, ok } from "../errors.ts";

export type Node =
  | { kind: "char"; matches(char: string): boolean }
  | { kind: "assert"; at: "start" | "end" | "word" | "notWord" }
  | { kind: "sequence"; items: Node[] }
  | { kind: "choice"; items: Node[] }
  | { kind: "repeat"; item: Node; min: number; max: number | null };

const MAX_REPEAT = 200;
const MAX_DEPTH = 50;

type Test = (char: string) => boolean;

const isDigit: Test = (char) => char >= "0" && char <= "9";
const isWord: Test = (char) => /^\w$/.test(char);
const isSpace: Test = (char) => /^\s$/.test(char);
const CLASSES: Record<string, Test> = {
  d: isDigit,
  D: (char) => !isDigit(char),
  w: isWord,
  W: (char) => !isWord(char),
  s: isSpace,
  S: (char) => !isSpace(char),
};
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" };

class Refused extends Error {}

/** `(?i)` at the beginning: case does not count. Failure: `regex_invalid`. */
export function parseRegex(pattern: string): Result<Node> {
  const isCaseless = pattern.startsWith("(?i)");
  const reader = { chars: [...(isCaseless ? pattern.slice(4) : pattern)], at: 0, isCaseless, depth: 0 };
  try {
    const node = readChoice(reader);
    if (reader.at < reader.chars.length) throw new Refused("a bracket is closed that was never opened");
    return ok(node);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return err("regex_invalid", `The regular expression cannot be used: ${error.message}.`);
  }
}

interface Reader {
  chars: string[];
  at: number;
  isCaseless: boolean;
  depth: number;
}

function readChoice(reader: Reader): Node {
  if (++reader.depth > MAX_DEPTH) throw new Refused("its groups are nested too deep");
  const items = [readSequence(reader)];
  while (reader.chars[reader.at] === "|") {
    reader.at++;
    items.push(readSequence(reader));
  }
  reader.depth--;
  return items.length === 1 ? items[0]! : { kind: "choice", items };
}

function readSequence(reader: Reader): Node {
  const items: Node[] = [];
  for (;;) {
    const char = reader.chars[reader.at];
    if (char === undefined || char === "|" || char === ")") return { kind: "sequence", items };
    items.push(readRepeat(reader, readAtom(reader)));
  }
}

function readAtom(reader: Reader): Node {
  const char = reader.chars[reader.at++]!;
  switch (char) {
    case "(":
      return readGroup(reader);
    case "[":
      return readSet(reader);
    case "^":
      return { kind: "assert", at: "start" };
    case "$":
      return { kind: "assert", at: "end" };
    case ".":
      return { kind: "char", matches: (one) => one !== "\n" };
    case "\\":
      return readEscape(reader);
    case "*":
    case "+":
    case "?":
      throw new Refused(`\`${char}\` has nothing to repeat`);
    default:
      return toChar(reader, (one) => one === char, char);
  }
}

function readGroup(reader: Reader): Node {
  if (reader.chars[reader.at] === "?") {
    if (reader.chars[reader.at + 1] !== ":")
      throw new Refused("looking around, flags and names of groups are not supported");
    reader.at += 2;
  }
  const node = readChoice(reader);
  if (reader.chars[reader.at++] !== ")") throw new Refused("a bracket is not closed");
  return node;
}

function readEscape(reader: Reader): Node {
  const char = reader.chars[reader.at++];
  if (char === undefined) throw new Refused("it ends in a backslash");
  if (char === "b" || char === "B") return { kind: "assert", at: char === "b" ? "word" : "notWord" };
  const known = CLASSES[char];
  if (known) return { kind: "char", matches: known };
  const literal = readLiteral(char);
  return toChar(reader, (one) => one === literal, literal);
}

/** The character that stands after a backslash. */
function readLiteral(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  if (/^[A-Za-z0-9]$/.test(char)) throw new Refused(`\`\\${char}\` is not supported`);
  return char;
}

function readSet(reader: Reader): Node {
  const isNegated = reader.chars[reader.at] === "^";
  if (isNegated) reader.at++;
  const tests: Test[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const char = reader.chars[reader.at++];
    if (char === undefined) throw new Refused("a set is not closed");
    if (char === "]" && !isFirst) break;
    tests.push(readMember(reader, char));
  }
  const { isCaseless } = reader;
  const isIn: Test = (one) =>
    tests.some((test) => test(one) || (isCaseless && (test(one.toLowerCase()) || test(one.toUpperCase()))));
  return { kind: "char", matches: (one) => isIn(one) !== isNegated };
}

function readMember(reader: Reader, first: string): Test {
  const from = readSetChar(reader, first);
  if (typeof from !== "string") return from;
  if (reader.chars[reader.at] !== "-" || (reader.chars[reader.at + 1] ?? "]") === "]") return (one) => one === from;
  reader.at++;
  const to = readSetChar(reader, reader.chars[reader.at++]!);
  if (typeof to !== "string" || codeOf(to) < codeOf(from)) throw new Refused("a range in a set is in the wrong order");
  return (one) => codeOf(one) >= codeOf(from) && codeOf(one) <= codeOf(to);
}

function readSetChar(reader: Reader, char: string): string | Test {
  if (char !== "\\") return char;
  const escaped = reader.chars[reader.at++];
  if (escaped === undefined) throw new Refused("a set is not closed");
  return CLASSES[escaped] ?? readLiteral(escaped);
}

function readRepeat(reader: Reader, item: Node): Node {
  const bounds = readBounds(reader);
  if (!bounds) return item;
  if (item.kind === "assert") throw new Refused("a place cannot be repeated");
  if (reader.chars[reader.at] === "?") reader.at++; // how much is taken does not matter here
  if (/^[*+?]$/.test(reader.chars[reader.at] ?? "")) throw new Refused("a repetition is repeated");
  return { kind: "repeat", item, ...bounds };
}

function readBounds(reader: Reader): { min: number; max: number | null } | null {
  const char = reader.chars[reader.at];
  if (char === "*" || char === "+" || char === "?") {
    reader.at++;
    return { min: char === "+" ? 1 : 0, max: char === "?" ? 1 : null };
  }
  const written =
    char === "{" && /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(reader.chars.slice(reader.at, reader.at + 12).join(""));
  if (!written) return null;
  reader.at += written[0].length;
  const min = Number(written[1]);
  const max = written[2] === undefined ? min : written[3] === "" ? null : Number(written[3]);
  if (min > MAX_REPEAT || (max !== null && (max > MAX_REPEAT || max < min))) {
    throw new Refused(`a repetition has bounds in order, at most ${MAX_REPEAT}`);
  }
  return { min, max };
}

function toChar({ isCaseless }: Reader, matches: Test, char: string): Node {
  if (!isCaseless || char.toLowerCase() === char.toUpperCase()) return { kind: "char", matches };
  return { kind: "char", matches: (one) => one.toLowerCase() === char.toLowerCase() };
}

function codeOf(char: string): number {
  return char.codePointAt(0)!;
}
