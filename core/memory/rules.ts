// Rules for memory entries: what an entry may be, how one is found by a piece of its text, and how full a store is.
// Called by the memory tool, the API and the block. Pure. Two spellings of a fact are one entry: see normaliseMemory in
// schemas/memory.ts.
import { clip } from "../clip.ts";
import { type Failure, type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import { type MemoryEntry, type MemoryStoreName, normaliseMemory } from "../schemas/memory.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Origin } from "../schemas/skill.ts";
import { type Finding, decide, scanText } from "../skills/scanner/scanner.ts";
import { SHORT_ID_CHARS, type ShownEntry, reasonToHide, toShown } from "./shown.ts";

const PREVIEW_CHARS = 80;
const MAX_PREVIEWS = 50;
const MAX_REASONS = 5;

/** Characters an entry takes in the prompt in addition to its text: `- ` and the line's end. */
const LINE_CHARS = 3;

/** Removes control characters, then normalises the fact as the store does. */
export function normaliseFact(content: string): string {
  return normaliseMemory(content.replace(/\p{Cc}/gu, " "));
}

/** The fact as it is stored. Failures: `empty_content`, `too_long`, `several_facts`, `bad_text`. */
export function parseFact(content: string): Result<string> {
  const text = normaliseFact(content);
  if (text === "") return err("empty_content", "content is empty: say the fact in one sentence.");
  if (!text.isWellFormed()) return err("bad_text", "content contains half of a surrogate pair: write it again.");
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

/**
 * Scans a fact that a model wants to keep for orders to the agent, since every later prompt would contain them.
 * Failures: `scan_refused`, and `scan_doubtful`, which a person may approve. A person's own words are not scanned.
 */
export function scanFact(text: string, origin: Origin): Failure | null {
  const findings = scanText(text, "note");
  const decision = decide(findings, origin);
  if (decision === "allow") return null;
  const reasons = findings.slice(0, MAX_REASONS).map(({ reason }: Finding) => reason);
  const advice = "Keep the plain fact, without anything that orders the agent about, or leave it out.";
  const [code, verb] = decision === "block" ? ["scan_refused", "is"] : ["scan_doubtful", "may be"];
  return err(code!, `content ${verb} harmful as memory: it ${reasons.join("; ")}. ${advice}`, { findings: reasons })
    .failure;
}

/**
 * Finds the one entry that contains `piece`. An entry that equals it wins over one that contains it, and so does the id
 * shown in a placeholder. Failures: `empty_old_text`, `no_match`, `several_matches`.
 */
export function findEntry<Entry extends ShownEntry>(entries: Entry[], piece: string): Result<Entry> {
  const wanted = normaliseFact(piece);
  if (wanted === "") {
    return err("empty_old_text", "old_text is empty: give a piece of the entry that only it has.", {
      entries: toPreviews(entries),
    });
  }
  const named = findById(entries, wanted);
  const matches = entries.filter((entry) => entry.text.includes(wanted));
  const whole = matches.find((entry) => entry.text === wanted);
  const found = whole ?? named ?? (new Set(matches.map(({ text }) => text)).size === 1 ? matches[0] : undefined);
  if (found) return ok(found);
  if (matches.length > 1) {
    return err(
      "several_matches",
      `${matches.length} entries contain old_text: give a longer piece of the one you mean.`,
      {
        candidates: toPreviews(matches),
      },
    );
  }
  return err("no_match", "No entry contains old_text: copy a piece from one of the entries.", {
    entries: toPreviews(entries),
  });
}

/** The model cannot see a hidden entry's text, so it names the entry by its id. */
function findById<Entry extends ShownEntry>(entries: Entry[], wanted: string): Entry | undefined {
  const id = wanted.toLowerCase().replace(/^id\s*:?\s*/, "");
  if (id.length < SHORT_ID_CHARS || !/^[0-9a-f]+$/.test(id)) return undefined;
  const found = entries.filter((entry) => entry.id.startsWith(id));
  return found.length === 1 ? found[0] : undefined;
}

export interface MemoryUsage {
  chars: number;
  limit: number;
  percent: number;
  /** All entries, and how many of them are too old to fit into the prompt. */
  entries: number;
  outside: number;
}

export function measureUsage(entries: MemoryEntry[], limit: number): MemoryUsage {
  const chars = entries.reduce((sum, { text }) => sum + text.length + LINE_CHARS, 0);
  const outside = entries.length - fitNewest(entries, limit).length;
  return { chars, limit, percent: Math.round((100 * chars) / limit), entries: entries.length, outside };
}

/** The newest entries that fit together as shown, oldest first. `entries` must be oldest first too. */
export function fitNewest(entries: MemoryEntry[], limit: number): MemoryEntry[] {
  let chars = 0;
  const first = entries.findLastIndex((entry) => (chars += countPromptChars(entry)) > limit);
  return entries.slice(first + 1);
}

/** How many characters each store may hold, or show. */
export type StoreLimits = Pick<Settings["memory"], "memoryChars" | "userChars">;

export function selectLimit(store: MemoryStoreName, limits: StoreLimits): number {
  return store === "memory" ? limits.memoryChars : limits.userChars;
}

/** A hidden entry costs the characters of its placeholder. */
function countPromptChars(entry: MemoryEntry): number {
  return (reasonToHide(entry) === null ? entry.text : toShown(entry)).length + LINE_CHARS;
}

function toPreviews(entries: ShownEntry[]): string[] {
  return entries.slice(-MAX_PREVIEWS).map((entry) => clip(toShown(entry), PREVIEW_CHARS));
}
