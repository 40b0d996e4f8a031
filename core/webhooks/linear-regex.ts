// Regular expressions whose time is linear in the text, whatever the text is: an automaton that follows all ways at once, without going
// back. For owners' patterns over other people's payloads. Takes the usual syntax without back references and without looking around.
// Called by filters.ts. Pure.
import { type Result, err, ok } from "../errors.ts";
import { type Node, parseRegex } from "./parse-regex.ts";

export interface LinearRegex {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** [own] Steps of one character: with 20,000 characters of text at most 20 million. */
const MAX_INSTRUCTIONS = 1_000;
/** Patterns of an isolate's routes. */
const MAX_CACHED = 200;

type Instruction =
  | { op: "char"; matches(char: string): boolean }
  | { op: "split"; to: number[] }
  | { op: "assert"; at: "start" | "end" | "word" | "notWord" }
  | { op: "match" };

const cache = new Map<string, Result<LinearRegex>>();

/** Failure: `regex_invalid`. */
export function compileRegex(pattern: string): Result<LinearRegex> {
  const known = cache.get(pattern);
  if (known) return known;
  const parsed = parseRegex(pattern);
  const compiled = parsed.ok ? compile(parsed.value) : parsed;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(node: Node): Result<LinearRegex> {
  const program: Instruction[] = [];
  if (!emit(node, program)) return err("regex_invalid", "The regular expression is too large. Write a shorter one.");
  program.push({ op: "match" });
  return ok({ test: (text) => run(program, [...text]) });
}

/** False: the program grew too large. */
function emit(node: Node, program: Instruction[]): boolean {
  if (program.length > MAX_INSTRUCTIONS) return false;
  switch (node.kind) {
    case "char":
      program.push({ op: "char", matches: node.matches });
      return true;
    case "assert":
      program.push({ op: "assert", at: node.at });
      return true;
    case "sequence":
      return node.items.every((item) => emit(item, program));
    case "choice":
      return emitChoice(node.items, program);
    case "repeat":
      return emitRepeat(node, program);
  }
}

function emitChoice(items: Node[], program: Instruction[]): boolean {
  const ends: { op: "split"; to: number[] }[] = [];
  const split = { op: "split" as const, to: [] as number[] };
  program.push(split);
  for (const item of items) {
    split.to.push(program.length);
    if (!emit(item, program)) return false;
    const end = { op: "split" as const, to: [] as number[] };
    program.push(end);
    ends.push(end);
  }
  for (const end of ends) end.to.push(program.length);
  return true;
}

function emitRepeat({ item, min, max }: Extract<Node, { kind: "repeat" }>, program: Instruction[]): boolean {
  for (let n = 0; n < min; n++) if (!emit(item, program)) return false;
  if (max === null) {
    const loop = { op: "split" as const, to: [program.length + 1] };
    const from = program.push(loop) - 1;
    if (!emit(item, program)) return false;
    program.push({ op: "split", to: [from] });
    loop.to.push(program.length);
    return true;
  }
  const skips: { op: "split"; to: number[] }[] = [];
  for (let n = min; n < max; n++) {
    const skip = { op: "split" as const, to: [program.length + 1] };
    program.push(skip);
    skips.push(skip);
    if (!emit(item, program)) return false;
  }
  for (const skip of skips) skip.to.push(program.length);
  return true;
}

/** All places of the program where a match may be, one character after the other. */
function run(program: Instruction[], chars: string[]): boolean {
  let now: number[] = [];
  const seen = new Int32Array(program.length).fill(-1);
  for (let at = 0; at <= chars.length; at++) {
    if (follow(program, [...now, 0], { seen, at, chars }, (now = []))) return true;
    const char = chars[at];
    if (char === undefined) return false;
    const next: number[] = [];
    for (const place of now) {
      const instruction = program[place]!;
      if (instruction.op === "char" && instruction.matches(char)) next.push(place + 1);
    }
    now = next;
  }
  return false;
}

/** Goes on from `places` without reading a character; puts those that need one into `into`. True: the pattern has matched. */
function follow(
  program: Instruction[],
  places: number[],
  { seen, at, chars }: { seen: Int32Array; at: number; chars: string[] },
  into: number[],
): boolean {
  while (places.length > 0) {
    const place = places.pop()!;
    if (seen[place] === at) continue;
    seen[place] = at;
    const instruction = program[place]!;
    if (instruction.op === "match") return true;
    if (instruction.op === "char") into.push(place);
    else if (instruction.op === "split") places.push(...instruction.to);
    else if (holds(instruction.at, chars, at)) places.push(place + 1);
  }
  return false;
}

function holds(what: "start" | "end" | "word" | "notWord", chars: string[], at: number): boolean {
  if (what === "start") return at === 0;
  if (what === "end") return at === chars.length;
  const isBoundary = isWord(chars[at - 1]) !== isWord(chars[at]);
  return isBoundary === (what === "word");
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}
