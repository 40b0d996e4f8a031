// Which loaded text a turn proved wrong: a call took a word from the text and failed, and the call that succeeded in its
// place had another word, or none. Called by observe.ts. Pure, for the arguments of any tool; the same arguments tried
// again prove nothing, because what went away by itself was never in the text.
import type { Entry, JsonObject, NoteEntry, ToolEntry } from "../../schemas/entry.ts";
import type { LoadedText, Observation } from "../../schemas/learning.ts";
import { readOutcome } from "../tool-facts.ts";

/** Less alike, and the second call was another deed, not the first one put right. */
const SAME_DEED = 0.5;
const MIN_TOKEN_CHARS = 2;
/** Longer is data, which nobody takes from a text by its words. */
const MAX_TOKEN_CHARS = 1_000;
/** A turn that read many texts and failed often is told by its first proofs. */
const MAX_PROOFS = 100;
/** In the arguments of any call, and in any text. */
const GENERIC = new Set(
  (
    "a all an and any are as at be by do false file files for from get has if in is it name no none not null of on or out path read " +
    "run set so text that the then this to true undefined up use value when which with write yes you"
  ).split(" "),
);
/** How a companion's text begins behind its base's, in one result. */
const COMPANION = "# Learned here, in ";

type Recoveries = Observation["recoveries"];
type Proof = NonNullable<Observation["provedWrong"]>[number];

/** A text as the model had it, from `entry` on. */
export interface ShownText extends LoadedText {
  entry: number;
  piece: string;
  words: Set<string>;
}

/** What the turn's entries show of loaded texts. `loadedBy`: the texts that an entry brought. */
export function shownTexts(entries: Entry[], loadedBy: (entry: Entry) => LoadedText[]): ShownText[] {
  return entries.flatMap((entry) => {
    const loaded = loadedBy(entry);
    if (loaded.length === 0) return [];
    if (entry.kind === "note") return ofNote(entry, loaded);
    if (entry.kind === "tool") return ofView(entry, loaded);
    return [];
  });
}

export function findProvedWrong(tools: ToolEntry[], recoveries: Recoveries, shown: ShownText[]): Proof[] {
  const byEntry = new Map(tools.map((tool) => [tool.n, tool]));
  const proofs = recoveries.flatMap(({ failed, succeeded }) => {
    const [before, after] = [byEntry.get(failed), byEntry.get(succeeded)];
    if (!before || !after || !isSameDeed(before.call.args, after.call.args)) return [];
    const [tried, worked] = [tokensOf(before.call.args), tokensOf(after.call.args)];
    const given = [...tried].filter((token) => !worked.has(token));
    const instead = [...worked].filter((token) => !tried.has(token));
    return shown
      .filter(({ entry, words }) => {
        const isFrom = given.some((token) => words.has(token));
        const isReplaced = instead.length === 0 || instead.some((token) => !words.has(token));
        return entry < failed && isFrom && isReplaced;
      })
      .map(({ skill, text }) => ({ skill, text, failed, succeeded }));
  });
  const each = new Map(proofs.map((proof) => [`${proof.skill} ${proof.text} ${proof.failed}`, proof]));
  return [...each.values()].slice(0, MAX_PROOFS);
}

/** Of a base and its companion, each has its own piece of what was shown. */
function ofView(entry: ToolEntry, loaded: LoadedText[]): ShownText[] {
  const content = ownText(entry);
  const main = String(readOutcome(entry).name ?? "");
  const at = content.lastIndexOf(`\n${COMPANION}`);
  return loaded.map(({ skill, text }) => {
    const piece = at < 0 ? content : skill === main ? content.slice(0, at) : content.slice(at);
    return { skill, text, entry: entry.n, piece, words: wordsIn(piece) };
  });
}

/** A note names each skill before its text; a companion's stands with its base's. */
function ofNote(entry: NoteEntry, loaded: LoadedText[]): ShownText[] {
  const whole = entry.parts
    .filter(({ source }) => source !== "principal")
    .map(({ text }) => text)
    .join("");
  return loaded.map(({ skill, text }) => {
    const own = pieceOf(whole, `<skill name="${skill}">`, "</skill>");
    const piece = own?.split(`\n${COMPANION}`)[0] ?? pieceOf(whole, `${COMPANION}${skill}\n`, "</skill>") ?? "";
    return { skill, text, entry: entry.n, piece, words: wordsIn(piece) };
  });
}

function pieceOf(text: string, open: string, close: string): string | undefined {
  const from = text.indexOf(open);
  if (from < 0) return undefined;
  const to = text.indexOf(close, from);
  return text.slice(from + open.length, to < 0 ? undefined : to);
}

function ownText(entry: ToolEntry): string {
  return entry.parts
    .filter(({ source }) => source === "own")
    .map(({ text }) => {
      try {
        const value = JSON.parse(text) as { content?: unknown };
        return typeof value.content === "string" ? value.content : text;
      } catch {
        return text; // written before results were JSON
      }
    })
    .join("\n");
}

/** The names of the arguments count here: two calls that give one path each are alike, whatever the paths. */
function isSameDeed(a: JsonObject, b: JsonObject): boolean {
  const [left, right] = [withNames(a), withNames(b)];
  const shared = [...left].filter((token) => right.has(token)).length;
  return left.size + right.size > 0 && (2 * shared) / (left.size + right.size) >= SAME_DEED;
}

function withNames(args: JsonObject): Set<string> {
  return new Set([...Object.keys(args).map((name) => `${name}:`), ...tokensOf(args)]);
}

function tokensOf(args: JsonObject): Set<string> {
  return new Set(leavesOf(args).flatMap(tokenise));
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(leavesOf);
}

function wordsIn(text: string): Set<string> {
  return new Set(tokenise(text));
}

/** Options, paths, names and numbers stay whole; quotes, brackets and what ends a sentence do not belong to them. */
function tokenise(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>|=]+/u)
    .filter((token) => token.length <= MAX_TOKEN_CHARS)
    .map((token) => token.replace(/(?<![.:!?])[.:!?]+$/u, "").replace(/^[*_]+|(?<![*_])[*_]+$/gu, ""))
    .filter((token) => token.length >= MIN_TOKEN_CHARS && !GENERIC.has(token.toLowerCase()));
}
