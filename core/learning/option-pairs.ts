// Finds options with their values in arguments of calls and in texts, to compare what a lesson prescribes with what the work did.
// Called by review/rules/grounding.ts, evidence/refuted.ts and the rules of observe/. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import { leavesOf } from "./tool-facts.ts";

/** `--name value` and `--name=value` on one line. */
const OPTION = /(?<![\w-])(--[a-z][\w-]*)(?:=|[ \t]+)(?!-)("[^"\n]{1,80}"|'[^'\n]{1,80}'|[^\s"'`,;()|&<>]{1,80})/giu;
/** An environment variable, or a name with a quoted value. `n=NR` inside a program is neither. */
const ASSIGNMENT =
  /(?<![^\s"'`(])(?:([A-Z_][A-Z0-9_]{1,40})=([^\s"'`,;()|&<>]{1,80})|(\w{2,40})=("[^"\n]{1,80}"|'[^'\n]{1,80}'))/gu;
/** A placeholder is not a value. */
const PLACEHOLDER = /\{\{|\$\{?\w|<\w|^\[|^\.\.\.|…/u;
/** Numbers, paths and file names vary by task, so they are not a choice. */
const BY_TASK =
  /^[\d.,:%-]+$|^(?:\.{0,2}|~)[/\\]|[/\\][^/\\]*\.\w+$|\.(?:csv|tsv|txt|json|jsonl|ya?ml|toml|xml|html?|md|pdf|docx?|xlsx?|png|jpe?g|svg|gz|tar|zip|log|db|sqlite|sql|parquet|py|js|ts|sh)$/iu;
/** A code span with one option and its value only. */
const ALONE = /`(--[a-z][\w-]*(?:=|[ \t]+)[^`\s]{1,80})`/giu;

export interface OptionPair {
  name: string;
  value: string;
}

export function pairsIn(text: string): OptionPair[] {
  return [...text.matchAll(OPTION), ...text.matchAll(ASSIGNMENT)].flatMap(([, first, bare, second, quoted]) => {
    const [name, given] = [first ?? second ?? "", bare ?? quoted ?? ""];
    const value = given.replace(/^["']|["']$/g, "").replace(/(?<![.:!?])[.:!?]+$/u, "");
    // Not a value: `--encoding ENCODING`, and punctuation such as `--delimiter ;`.
    const isNoValue = !/[\p{L}\p{N}]/u.test(value) || value.toLowerCase() === name.replace(/^-+/, "").toLowerCase();
    return isNoValue || PLACEHOLDER.test(value) ? [] : [{ name, value: value.toLowerCase() }];
  });
}

/** The pairs of a text that are certainly a choice. `--global typescript` inside a command may be a flag before an argument. */
export function choicesIn(text: string): OptionPair[] {
  const alone = [...text.matchAll(ALONE)].map(([, option = ""]) => option);
  const assigned = text.match(/(?<![\w-])--[a-z][\w-]*=\S+/giu) ?? [];
  const settings = [...text.matchAll(ASSIGNMENT)].map(([all]) => all);
  return [...alone, ...assigned, ...settings].flatMap(pairsIn);
}

/** The pairs in the strings of a call's arguments. */
export function pairsOf(args: JsonObject): OptionPair[] {
  return leavesOf(args).flatMap(pairsIn);
}

export function toPairKey({ name, value }: OptionPair): string {
  return `${name} ${value}`;
}

export function variesByTask(value: string): boolean {
  return BY_TASK.test(value);
}
