// Options and the values they are given, as they stand in arguments of calls and in texts: what a lesson prescribes and what the
// work did can be held against each other by them. Used by review/rules/grounding.ts, refuted.ts and
// the rules of observe/. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import { leavesOf } from "./tool-facts.ts";

/** `--name value` and `--name=value` on one line. */
const OPTION = /(?<![\w-])(--[a-z][\w-]*)(?:=|[ \t]+)(?!-)("[^"\n]{1,80}"|'[^'\n]{1,80}'|[^\s"'`,;()|&<>]{1,80})/giu;
/** A setting of the environment, or a name with a quoted value; in the midst of a program, `n=NR` is neither. */
const ASSIGNMENT =
  /(?<![^\s"'`(])(?:([A-Z_][A-Z0-9_]{1,40})=([^\s"'`,;()|&<>]{1,80})|(\w{2,40})=("[^"\n]{1,80}"|'[^'\n]{1,80}'))/gu;
/** What varies is no value. */
const PLACEHOLDER = /\{\{|\$\{?\w|<\w|^\[|^\.\.\.|…/u;
/** Figures, paths, and names of files: another task has others, and none of them is a choice. */
const BY_TASK =
  /^[\d.,:%-]+$|^(?:\.{0,2}|~)[/\\]|[/\\][^/\\]*\.\w+$|\.(?:csv|tsv|txt|json|jsonl|ya?ml|toml|xml|html?|md|pdf|docx?|xlsx?|png|jpe?g|svg|gz|tar|zip|log|db|sqlite|sql|parquet|py|js|ts|sh)$/iu;
/** An option that stands alone between code marks has its value there. */
const ALONE = /`(--[a-z][\w-]*(?:=|[ \t]+)[^`\s]{1,80})`/giu;

export interface Pair {
  name: string;
  value: string;
}

export function pairsIn(text: string): Pair[] {
  return [...text.matchAll(OPTION), ...text.matchAll(ASSIGNMENT)].flatMap(([, first, bare, second, quoted]) => {
    const [name, given] = [first ?? second ?? "", bare ?? quoted ?? ""];
    const value = given.replace(/^["']|["']$/g, "").replace(/(?<![.:!?])[.:!?]+$/u, "");
    // `--encoding ENCODING`, and what only separates: `--delimiter ;`.
    const isNone = !/[\p{L}\p{N}]/u.test(value) || value.toLowerCase() === name.replace(/^-+/, "").toLowerCase();
    return isNone || PLACEHOLDER.test(value) ? [] : [{ name, value: value.toLowerCase() }];
  });
}

/** Those of a text that are surely a choice: `--global typescript` in the midst of a command may be a flag before a word. */
export function choicesIn(text: string): Pair[] {
  const alone = [...text.matchAll(ALONE)].map(([, option = ""]) => option);
  const assigned = text.match(/(?<![\w-])--[a-z][\w-]*=\S+/giu) ?? [];
  const settings = [...text.matchAll(ASSIGNMENT)].map(([all]) => all);
  return [...alone, ...assigned, ...settings].flatMap(pairsIn);
}

/** Of a call's arguments: the options in its strings. */
export function pairsOf(args: JsonObject): Pair[] {
  return leavesOf(args).flatMap(pairsIn);
}

export function toKey({ name, value }: Pair): string {
  return `${name} ${value}`;
}

export function variesByTask(value: string): boolean {
  return BY_TASK.test(value);
}
