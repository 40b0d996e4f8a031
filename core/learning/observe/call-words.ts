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

/** Where a reader began to see less of what is printed: it changes nothing of what is done. */
const SHORTENED = /\s2>&1|\s\|\s{0,3}(?:head|tail|cat|less|wc)(?![\w-])/;

interface Changes {
  /** Pieces between blanks that the first call has and the second has not. */
  gone: string[];
  put: string[];
  /** The word behind the program is another one: `status` and `start`. */
  isSubcommand: boolean;
}

/** More is data, of which no piece is told from another. */
const MAX_PIECES = 300;

/** Of calls that are too long to be compared, everything has changed. */
export function changesOf(before: JsonObject, after: JsonObject): Changes {
  const [was, is] = [rawPieces(before), rawPieces(after)];
  if (was.length > MAX_PIECES || is.length > MAX_PIECES) return { gone: was, put: is, isSubcommand: false };
  const [gone, put] = [without(was, is), without(is, was)];
  const second = rawPieces({ command: before.command ?? "" })[1];
  const [only, ...others] = gone;
  const isSubcommand = only !== undefined && others.length === 0 && only === second && !only.startsWith("-");
  return { gone, put, isSubcommand };
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

function rawPieces(args: JsonObject): string[] {
  return leavesOf(args).flatMap((leaf) =>
    leaf
      .split(SHORTENED, 1)[0]!
      .split(/\s+/)
      .filter((piece) => piece !== ""),
  );
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
