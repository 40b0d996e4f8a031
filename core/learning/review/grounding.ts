// Whether the values that a lesson gives were seen to work. Asked of what a review adds to skills and to memory: where the work
// tried an option with one value, which failed, and with another, which worked, a text that gives a third one, or the first,
// is a slip of the pen that the next turn would follow. So is a value that a review of the person's correction gives, and that
// neither they nor a call had. Pure; who tried nothing else is not held to what was tried.
import { type Failure, err } from "../../errors.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import type { AddedText } from "../added-text.ts";
import { type Pair, pairsIn, pairsOf, toKey, variesByTask } from "../option-pairs.ts";
import { isSelfTool } from "../tool-facts.ts";

/** The sentence says what is not to be given, or what failed. */
const AVOIDS =
  /\b(?:not|never|no|avoid|instead|rather than|without|unless|except|fail(?:s|ed|ing)?|refused?|refuses|reject(?:s|ed)?|wrong|nicht|kein|keine|nie|statt|anstelle|vermeid\w*)\b|n['’]t\b/iu;

/** What became of the values of one option. By value: the last entry it was seen in. */
interface Tried {
  worked: Map<string, number>;
  failed: Map<string, number>;
}

/**
 * A check of what is added: `null` when no value in it was seen to be otherwise. `standing`: what the skill says already. Failure:
 * `unproved_value`. Reads the entries once, when it is first asked.
 */
export function createGrounding({ entries, trigger }: Pick<ReviewJob, "entries" | "trigger">) {
  const isCorrection = trigger === "correction" || trigger === "rating";
  let read: { tried: Map<string, Tried>; said: string } | null = null;
  return ({ prose, code }: AddedText, standing: string): Failure | null => {
    read ??= { tried: triedIn(entries), said: saidIn(entries) };
    if (read.tried.size === 0 && !isCorrection) return null;
    const kept = new Set(pairsIn(standing).map(toKey));
    for (const sentence of [...prose.flatMap(sentencesIn), ...code]) {
      if (AVOIDS.test(sentence)) continue;
      for (const pair of pairsIn(sentence)) {
        const tried = read.tried.get(pair.name) ?? { worked: new Map(), failed: new Map() };
        if (!(isCorrection || isContested(tried)) || kept.has(toKey(pair)) || variesByTask(pair)) continue;
        if (tried.worked.has(pair.value) || isSaid(pair.value, read.said)) continue;
        return refuse(pair, tried, isCorrection);
      }
    }
    return null;
  };
}

/** One value failed, and another one worked, or none did. The same one that worked later only failed for a moment. */
function isContested({ worked, failed }: Tried): boolean {
  return [...failed.keys()].some((value) => !worked.has(value));
}

function triedIn(entries: Entry[]): Map<string, Tried> {
  const tried = new Map<string, Tried>();
  for (const entry of entries) {
    if (entry.kind !== "tool" || entry.state !== "done" || isSelfTool(entry)) continue;
    for (const { name, value } of pairsOf(entry.call.args)) {
      const values = tried.get(name) ?? { worked: new Map(), failed: new Map() };
      (entry.failed ? values.failed : values.worked).set(value, entry.n);
      tried.set(name, values);
    }
  }
  return tried;
}

/** Sentences of a paragraph: code marks end none. */
function sentencesIn(paragraph: string): string[] {
  return paragraph.split(/(?<=[.;!?])\s+(?=\p{Lu}|`)/u);
}

/** What the person typed, as words between blanks. */
function saidIn(entries: Entry[]): string {
  const parts = entries.flatMap((entry) => entry.parts.filter(({ source }) => source === "principal"));
  const words = parts
    .map(({ text }) => text)
    .join(" ")
    .toLowerCase();
  return ` ${words.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ")} `;
}

function isSaid(value: string, said: string): boolean {
  const plain = value.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ").trim();
  return plain !== "" && (said.includes(` ${plain} `) || said.includes(` ${plain}.`));
}

function refuse({ name, value }: Pair, { worked, failed }: Tried, isCorrection: boolean): Failure {
  const given = `${name} ${value}`;
  const failedAt = failed.get(value);
  const own = failedAt === undefined ? "no call used it" : `the call with it failed (entry ${failedAt})`;
  if (isCorrection) {
    const said = "write what the person said was right, in their words, and nothing that nobody gave.";
    return err("unproved_value", `The text gives \`${given}\`, but ${own} and the person did not say it: ${said}`)
      .failure;
  }
  const [good] = [...worked].sort(([, a], [, b]) => b - a);
  const instead = good
    ? `${name} ${good[0]} worked (entry ${good[1]}): write what was seen to work, or say what is to be avoided as such.`
    : `no other value worked either: what was not solved is no lesson.`;
  return err("unproved_value", `The text gives \`${given}\`, but ${own}; ${instead}`).failure;
}
