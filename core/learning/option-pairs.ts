// Options and the values they are given, as they stand in arguments of calls and in texts: what a lesson prescribes and what the
// work did can be held against each other by them. Used by grounding.ts and unfollowed.ts. Pure.
import type { JsonObject } from "../schemas/entry.ts";

/** `--name value`, `--name=value` and `NAME=value`, wherever they stand. */
const OPTION = /(?<![\w-])(--[a-z][\w-]*)(?:=|\s+)(?!-)("[^"\n]{1,80}"|'[^'\n]{1,80}'|[^\s"'`,;()|&<>]{1,80})/giu;
const ASSIGNMENT = /(?<![\w$./-])([A-Za-z_]\w{1,40})=("[^"\n]{1,80}"|'[^'\n]{1,80}'|[^\s"'`,;()|&<>]{1,80})/gu;
/** What varies is no value. */
const PLACEHOLDER = /\{\{|\$\{?\w|<\w|^\.\.\.|…/u;
/** Numbers that differ are figures of a task, seldom a choice. */
const FIGURE = /^[\d.,:%/-]+$/u;

export interface Pair {
  name: string;
  value: string;
}

export function pairsIn(text: string): Pair[] {
  return [...text.matchAll(OPTION), ...text.matchAll(ASSIGNMENT)].flatMap(([, name = "", given = ""]) => {
    const value = given.replace(/^["']|["']$/g, "").replace(/[.:!?]+$/u, "");
    return value === "" || PLACEHOLDER.test(value) ? [] : [{ name, value: value.toLowerCase() }];
  });
}

/** Of a call's arguments: the options in its strings. */
export function pairsOf(args: JsonObject): Pair[] {
  return leavesOf(args).flatMap(pairsIn);
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value as JsonObject).flatMap(leavesOf);
}

export function toKey({ name, value }: Pair): string {
  return `${name} ${value}`;
}

export function isFigure({ value }: Pair): boolean {
  return FIGURE.test(value);
}
