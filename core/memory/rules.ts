// What a memory entry may be, how one is found by a piece of it, and how full a store is. Called by the memory tool.
// Pure. Two spellings of a fact are one entry: see normaliseMemory in schemas/memory.ts.
import { type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import { type MemoryEntry, type MemoryStoreName, normaliseMemory } from "../schemas/memory.ts";
import type { Settings } from "../schemas/settings.ts";

const PREVIEW_CHARS = 80;
const MAX_PREVIEWS = 50;

/** Characters an entry takes in the prompt besides its text: `- ` and the line's end. */
const LINE_CHARS = 3;

/** The fact as it is stored. Failures: `empty_content`, `too_long`, `several_facts`, `bad_text`. */
export function parseFact(content: string): Result<string> {
  const text = normaliseMemory(content);
  if (text === "") return err("empty_content", "content is empty: say the fact in one sentence.");
  if (!text.isWellFormed()) return err("bad_text", "content holds half of a surrogate pair: write it again.");
  const bullets = content.split("\n").filter((line) => /^\s*([-*•+]|\d+[.)])\s+\S/u.test(line));
  if (bullets.length > 1) {
    return err("several_facts", `content is a list of ${bullets.length} facts: add them one by one.`);
  }
  if (text.length > FIXED.memoryEntryChars) {
    return err(
      "too_long",
      `content has ${text.length} characters of ${FIXED.memoryEntryChars}: keep the one fact, and put a procedure into a skill.`,
    );
  }
  return ok(text);
}

/** The one entry that `piece` stands in; a full match wins. Failures: `empty_old_text`, `no_match`, `several_matches`. */
export function findEntry(entries: MemoryEntry[], piece: string): Result<MemoryEntry> {
  const wanted = normaliseMemory(piece);
  if (wanted === "") return err("empty_old_text", "old_text is empty: give a piece of the entry that only it has.");
  const matches = entries.filter((entry) => entry.text.includes(wanted));
  const whole = matches.find((entry) => entry.text === wanted);
  if (whole) return ok(whole);
  if (matches.length === 1) return ok(matches[0]!);
  if (matches.length > 1) {
    return err("several_matches", `${matches.length} entries hold old_text: give a longer piece of the one you mean.`, {
      candidates: toPreviews(matches),
    });
  }
  return err("no_match", "No entry holds old_text: copy a piece from one of the entries.", {
    entries: toPreviews(entries),
  });
}

export interface MemoryUsage {
  chars: number;
  limit: number;
  percent: number;
  /** How many entries live, and how many of them are too old to stand in the prompt. */
  entries: number;
  outside: number;
}

export function usageOf(entries: MemoryEntry[], limit: number): MemoryUsage {
  const chars = entries.reduce((sum, entry) => sum + costOf(entry), 0);
  const outside = entries.length - fitNewest(entries, limit).length;
  return { chars, limit, percent: Math.round((100 * chars) / limit), entries: entries.length, outside };
}

/** The newest entries that fit together, oldest first. `entries` are oldest first too. */
export function fitNewest(entries: MemoryEntry[], limit: number): MemoryEntry[] {
  let chars = 0;
  const first = entries.findLastIndex((entry) => (chars += costOf(entry)) > limit);
  return entries.slice(first + 1);
}

export function limitOf(store: MemoryStoreName, settings: Settings["memory"]): number {
  return store === "memory" ? settings.memoryChars : settings.userChars;
}

function costOf(entry: MemoryEntry): number {
  return entry.text.length + LINE_CHARS;
}

function toPreviews(entries: MemoryEntry[]): string[] {
  return entries
    .slice(-MAX_PREVIEWS)
    .map(({ text }) => (text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS - 1)}…`.toWellFormed() : text));
}
