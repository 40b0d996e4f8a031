// The words of a call's arguments and of a text, as they are compared to tell what a call took from a text. Pure.
import type { JsonObject } from "../../schemas/entry.ts";
import { leavesOf } from "../tool-facts.ts";

/** Less alike, and the second call was another deed, not the first one put right. */
const SAME_DEED = 0.5;
const MIN_TOKEN_CHARS = 2;
/** Longer is data, which nobody takes from a text by its words. */
const MAX_TOKEN_CHARS = 1_000;
/** In the arguments of any call, and in any text. */
const GENERIC = new Set(
  (
    "a all an and any are as at be by do false file files for from get has if in is it name no none not null of on or out path read " +
    "run set so text that the then this to true undefined up use value when which with write yes you"
  ).split(" "),
);

/** Of the words of two calls with the names of their arguments. */
export function isSameDeed(left: Set<string>, right: Set<string>): boolean {
  const shared = [...left].filter((token) => right.has(token)).length;
  return left.size + right.size > 0 && (2 * shared) / (left.size + right.size) >= SAME_DEED;
}

/** The names count where calls are compared: two that give one path each are alike, whatever the paths. */
export function wordsWithNames(args: JsonObject): Set<string> {
  return new Set([...Object.keys(args).map((name) => `${name}:`), ...wordsOfCall(args)]);
}

export interface Changes {
  /** Pieces between blanks that the first call has and the second has not. */
  gone: string[];
  put: string[];
}

/** Of the pieces of two calls. */
export function changesOf(before: string[], after: string[]): Changes {
  return { gone: without(before, after), put: without(after, before) };
}

/** Each as often as the others have it less often. */
function without(pieces: string[], others: string[]): string[] {
  const left = new Map<string, number>();
  for (const piece of others) left.set(piece, (left.get(piece) ?? 0) + 1);
  return pieces.filter((piece) => {
    const count = left.get(piece) ?? 0;
    left.set(piece, count - 1);
    return count <= 0;
  });
}

/** What stands between blanks. */
export function piecesOf(args: JsonObject): string[] {
  return leavesOf(args).flatMap((leaf) => splitAtBlanks(withoutPager(leaf)));
}

function splitAtBlanks(text: string): string[] {
  return text.split(/\s+/).filter((piece) => piece !== "");
}

const SHOWS_LESS = /^\s*(?:head|tail|cat|less|wc)(?![\w-])[^;&]*$/;

/** What a line of commands does, without how much of it is printed. */
function withoutPager(line: string): string {
  const at = line.lastIndexOf("|");
  const isPaged = at > 0 && SHOWS_LESS.test(line.slice(at + 1));
  const rest = (isPaged ? line.slice(0, at) : line).trimEnd();
  return rest.endsWith(" 2>&1") ? rest.slice(0, -" 2>&1".length) : rest;
}

/** What stands before a program and runs it. */
const RUNS_ANOTHER = new Set("sudo doas env time nohup exec command npx bunx".split(" "));

/** After a program: the next word says what is done, as in `npm run lint`. */
const RUNS_SCRIPT = new Set("run exec compose -m".split(" "));

/**
 * Of each command of a line its program and the word after it: `docker start` and `docker logs` are two deeds. Empty for
 * calls without a line of commands.
 */
export function deedsOf({ command }: JsonObject): string {
  if (typeof command !== "string") return "";
  const unquoted = withoutPager(command).replace(/'[^']*'|"[^"]*"/g, '""');
  const commands = unquoted.split(/&&|\|\|?|[;\n]/);
  return commands
    .map((one) => {
      const pieces = splitAtBlanks(one);
      const at = pieces.findIndex((piece) => !RUNS_ANOTHER.has(piece) && !/^[A-Za-z_]\w*=/.test(piece));
      const [program = "", next = "-", script = ""] = at < 0 ? [] : pieces.slice(at);
      if (RUNS_SCRIPT.has(next) && !script.startsWith("-")) return `${program} ${next} ${script}`;
      return /^\w[\w-]*$/.test(next) ? `${program} ${next}` : program;
    })
    .join("; ");
}

/** More is data, which nobody takes from a text by its words. */
const MAX_CALL_CHARS = 4_000;

export function isData(args: JsonObject): boolean {
  return leavesOf(args).reduce((sum, { length }) => sum + length, 0) > MAX_CALL_CHARS;
}

export function wordsOfCall(args: JsonObject): Set<string> {
  return new Set(leavesOf(args).flatMap(tokenise));
}

export function wordsIn(text: string): Set<string> {
  return new Set(tokenise(text));
}

function tokenise(text: string): string[] {
  return tokensOf(text).filter((token) => !GENERIC.has(token.toLowerCase()));
}

/**
 * The words of a text with those that stand in any text, each as often as it comes. Options, paths, names and numbers stay whole;
 * quotes, brackets and what ends a sentence do not belong to them.
 */
export function tokensOf(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>|=]+/u)
    .filter((token) => token.length <= MAX_TOKEN_CHARS)
    .map((token) => token.replace(/(?<![.:!?])[.:!?]+$/u, "").replace(/^[*_]+|(?<![*_])[*_]+$/gu, ""))
    .filter((token) => token.length >= MIN_TOKEN_CHARS);
}
