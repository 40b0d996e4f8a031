// Extracts the loaded texts as the model read them, from skill_view results and notes. tried-words.ts and unfollowed.ts compare them
// with the turn's calls. Called by observe.ts. Pure.
import * as z from "zod";
import type { Entry, NoteEntry, ToolEntry } from "../../schemas/entry.ts";
import type { LoadedText } from "../../schemas/learning/learning.ts";
import { readOutcome } from "../tool-facts.ts";
import { wordsIn } from "./call-words.ts";

/** Begins a companion's text, which follows its base's in one result. */
const COMPANION = "# Learned here, in ";

/** A text as the model read it in `entry`. */
export interface ShownText extends LoadedText {
  entry: number;
  piece: string;
  words: Set<string>;
  /** Words with which calls of earlier turns failed; shown to the model with the text. */
  failedWords: string[];
}

/** `loadedTexts`: the texts that an entry brought. */
export function shownTexts(entries: Entry[], loadedTexts: (entry: Entry) => LoadedText[]): ShownText[] {
  return entries.flatMap((entry) => {
    const loaded = loadedTexts(entry);
    if (loaded.length === 0) return [];
    if (entry.kind === "note") return shownByNote(entry);
    if (entry.kind === "tool") return shownByView(entry, loaded);
    return [];
  });
}

/** One result may show a base and its companion. Each gets its own piece. */
function shownByView(entry: ToolEntry, loaded: LoadedText[]): ShownText[] {
  const content = ownText(entry);
  const outcome = readOutcome(entry);
  const main = String(outcome.name ?? "");
  const at = content.lastIndexOf(`\n${COMPANION}`);
  return loaded.map(({ skill, text }) => {
    const part = skill === main ? content.slice(0, at) : content.slice(at);
    const piece = at < 0 ? content : part;
    const facts = skill === main ? outcome : outcome.companion;
    return { skill, text, entry: entry.n, piece, words: wordsIn(piece), failedWords: failedWordsIn(facts) };
  });
}

const ViewFacts = z.object({ failed_words: z.array(z.string()) });

function failedWordsIn(facts: unknown): string[] {
  return ViewFacts.safeParse(facts).data?.failed_words ?? [];
}

/** A note names each skill before its text. A companion's text follows its base's. */
function shownByNote(entry: NoteEntry): ShownText[] {
  const whole = entry.parts
    .filter(({ source }) => source !== "principal")
    .map(({ text }) => text)
    .join("");
  return (entry.skills ?? []).map(({ skill, text, failedWords = [] }) => {
    const own = pieceOf(whole, `<skill name="${skill}">`, "</skill>");
    const piece = own?.split(`\n${COMPANION}`)[0] ?? pieceOf(whole, `${COMPANION}${skill}\n`, "</skill>") ?? "";
    return { skill, text, entry: entry.n, piece, words: wordsIn(piece), failedWords };
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
        return text; // an old result, not JSON
      }
    })
    .join("\n");
}
