// Splits a call's arguments and a text into words, to tell what a call took from the text and how two calls differ. Used by the
// files beside it and by the rules of a review. Pure.
import type { JsonObject } from "../../schemas/entry.ts";
import { leavesOf } from "../tool-facts.ts";

/** Dice similarity of two calls' words. Below it, the second call is a new action, not a corrected first one. */
const SAME_ACTION = 0.5;
const MIN_TOKEN_CHARS = 2;
/** Maximum length of a token. Longer ones are data, which nobody copies word by word from a text. */
const MAX_TOKEN_CHARS = 1_000;
/** Calls with longer arguments carry data. */
const MAX_CALL_CHARS = 4_000;
/** Too common in arguments and texts to show that one came from the other. */
const GENERIC = new Set(
  (
    "a all an and any are as at be by do false file files for from get has if in is it name no none not null of on or out path read " +
    "run set so text that the then this to true undefined up use value when which with write yes you"
  ).split(" "),
);

/** `left` and `right`: the `wordsWithNames` of two calls. */
export function isSameAction(left: Set<string>, right: Set<string>): boolean {
  const shared = [...left].filter((token) => right.has(token)).length;
  return left.size + right.size > 0 && (2 * shared) / (left.size + right.size) >= SAME_ACTION;
}

/** Includes the argument names, so that two calls with one path each are alike even if the paths differ. */
export function wordsWithNames(args: JsonObject): Set<string> {
  return new Set([...Object.keys(args).map((name) => `${name}:`), ...wordsOfCall(args)]);
}

/** How a call differs from an earlier one, in pieces between blanks. */
export interface CallChanges {
  removed: string[];
  added: string[];
}

/** `before` and `after`: the `piecesOf` two calls. */
export function changesOf(before: string[], after: string[]): CallChanges {
  return { removed: without(before, after), added: without(after, before) };
}

/** The difference of two multisets. */
function without(pieces: string[], others: string[]): string[] {
  const left = new Map<string, number>();
  for (const piece of others) left.set(piece, (left.get(piece) ?? 0) + 1);
  return pieces.filter((piece) => {
    const count = left.get(piece) ?? 0;
    left.set(piece, count - 1);
    return count <= 0;
  });
}

/** The arguments split at blanks, without a pager at the end. */
export function piecesOf(args: JsonObject): string[] {
  return leavesOf(args).flatMap((leaf) => splitAtBlanks(withoutPager(leaf)));
}

function splitAtBlanks(text: string): string[] {
  return text.split(/\s+/).filter((piece) => piece !== "");
}

const PAGER = /^\s*(?:head|tail|cat|less|wc)(?![\w-])[^;&]*$/;

/** A command line without a final pipe to a pager, which changes only how much is printed. */
function withoutPager(line: string): string {
  const at = line.lastIndexOf("|");
  const isPaged = at > 0 && PAGER.test(line.slice(at + 1));
  const rest = (isPaged ? line.slice(0, at) : line).trimEnd();
  return rest.endsWith(" 2>&1") ? rest.slice(0, -" 2>&1".length) : rest;
}

/** Commands that run the program named after them. */
const RUNS_ANOTHER = new Set("sudo doas env time nohup exec command npx bunx".split(" "));

/** Subcommands whose next word says what is done, as in `npm run lint`. */
const RUNS_SCRIPT = new Set("run exec compose -m".split(" "));

/**
 * The program and its subcommand, for each command of a command line: `docker start` and `docker logs` are two actions. "" for a
 * call without a command line.
 */
export function actionsOf({ command }: JsonObject): string {
  if (typeof command !== "string") return "";
  const unquoted = withoutPager(command).replace(/'[^']*'|"[^"]*"/g, '""');
  const commands = unquoted.split(/&&|\|\|?|[;\n]/);
  return commands.map(actionOf).join("; ");
}

function actionOf(command: string): string {
  const pieces = splitAtBlanks(command);
  const at = pieces.findIndex((piece) => !RUNS_ANOTHER.has(piece) && !/^[A-Za-z_]\w*=/.test(piece));
  const [program = "", next = "-", script = ""] = at < 0 ? [] : pieces.slice(at);
  if (RUNS_SCRIPT.has(next) && !script.startsWith("-")) return `${program} ${next} ${script}`;
  return /^\w[\w-]*$/.test(next) ? `${program} ${next}` : program;
}

/** The arguments carry data, which is not copied word by word from a text. */
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
 * All words of a text in order, common ones included. Options, paths, names and numbers stay whole; quotes, brackets, emphasis and
 * final punctuation are removed.
 */
export function tokensOf(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>|=]+/u)
    .filter((token) => token.length <= MAX_TOKEN_CHARS)
    .map((token) => token.replace(/(?<![.:!?])[.:!?]+$/u, "").replace(/^[*_]+|(?<![*_])[*_]+$/gu, ""))
    .filter((token) => token.length >= MIN_TOKEN_CHARS);
}
