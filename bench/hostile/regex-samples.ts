// Creates strings that a regular expression matches or nearly matches, by random walks through its parts. Texts that slow an
// expression down consist of such pieces. The parser is approximate; samples need not match exactly. Pure.

/** 0 ≤ result < 1. */
type Random = () => number;

/** Samples from `count` random walks: each whole, as a prefix, and as a single part. */
export function sampleRegex(pattern: string, count: number, random: Random): string[] {
  const samples = new Set<string>();
  for (let n = 0; n < count; n++) {
    const reader = { source: pattern, at: 0, random };
    const parts = readAlternatives(reader);
    const whole = parts.join("");
    samples.add(whole);
    samples.add(parts.slice(0, 1 + Math.floor(random() * parts.length)).join(""));
    samples.add(parts[Math.floor(random() * parts.length)] ?? "");
  }
  return [...samples].filter((sample) => sample !== "" && sample.length <= 80);
}

interface Reader {
  source: string;
  at: number;
  random: Random;
}

/** Parts of one alternative, chosen at random. */
function readAlternatives(reader: Reader): string[] {
  const alternatives: string[][] = [[]];
  while (reader.at < reader.source.length && reader.source[reader.at] !== ")") {
    if (reader.source[reader.at] === "|") {
      reader.at++;
      alternatives.push([]);
      continue;
    }
    alternatives.at(-1)!.push(readRepeated(reader));
  }
  return alternatives[Math.floor(reader.random() * alternatives.length)]!;
}

function readRepeated(reader: Reader): string {
  const from = reader.at;
  const once = readAtom(reader);
  const quantifier = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/.exec(reader.source.slice(reader.at, reader.at + 16));
  if (!quantifier) return once;
  const to = reader.at;
  reader.at += quantifier[0].length;
  const end = reader.at;
  const least = quantifier[1] ? Number(quantifier[1]) : quantifier[0].startsWith("+") ? 1 : 0;
  const times = Math.min(least + Math.floor(reader.random() * 3), 40);
  let text = "";
  for (let n = 0; n < times; n++) {
    reader.at = from;
    text += readAtom(reader);
  }
  reader.at = Math.max(to, end);
  return text;
}

function readAtom(reader: Reader): string {
  const { source, random } = reader;
  const char = source[reader.at++]!;
  if (char === "(") {
    const lead = /^\?(?:[:=!]|<[=!]|<\w+>|[a-z]*-?[a-z]*:)/.exec(source.slice(reader.at, reader.at + 40));
    if (lead) reader.at += lead[0].length;
    const parts = readAlternatives(reader);
    reader.at++;
    return lead?.[0].endsWith("!") ? "" : parts.join("");
  }
  if (char === "[") return readClass(reader);
  if (char === "\\") return readEscape(reader);
  if (char === ".") return pick("a 1-", random);
  return char === "^" || char === "$" ? "" : char;
}

function readClass(reader: Reader): string {
  const { source, random } = reader;
  const isNegated = source[reader.at] === "^";
  if (isNegated) reader.at++;
  const members: string[] = [];
  while (reader.at < source.length && source[reader.at] !== "]") {
    const char = source[reader.at++]!;
    members.push(char === "\\" ? readEscape(reader) : char);
  }
  reader.at++;
  return isNegated ? pick("a 0.-/x", random) : (members[Math.floor(random() * members.length)] ?? "");
}

const ESCAPED: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  s: " ",
  S: "a",
  d: "1",
  D: "a",
  w: "a",
  W: " ",
  b: "",
  B: "",
};

function readEscape(reader: Reader): string {
  const { source, random } = reader;
  const char = source[reader.at++] ?? "";
  const code = /^(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4}))/.exec(
    source.slice(reader.at - 1, reader.at + 10),
  );
  if (code) {
    reader.at += code[0].length - 1;
    return String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3]!, 16));
  }
  if (char === "p" || char === "P") {
    const name = /^\{[^}]*\}/.exec(source.slice(reader.at, reader.at + 40));
    if (name) reader.at += name[0].length;
    return pick("aé1漢", random);
  }
  if (/\d/.test(char)) return "";
  return ESCAPED[char] ?? char;
}

function pick(chars: string, random: Random): string {
  return chars[Math.floor(random() * chars.length)]!;
}
