// The skills and facts that the model of a session has read of: in its prompt, or in a note. Stored under two meta keys. Used
// by notes.ts, and by collect-news.ts to see what is new.
import { toShown } from "../../memory/shown.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import type { MemoryEntry, MemoryStoreName } from "../../schemas/memory.ts";
import type { Log } from "../log.ts";
import { toLine } from "./news-text.ts";

/** Changes of a larger library are not tracked: the model finds its skills by search. Keeps the row under a megabyte. */
const MAX_KNOWN_SKILLS = 10_000;
/** Changes of a larger memory are not tracked. Each id takes twelve bytes. */
const MAX_KNOWN_FACTS = 20_000;
/** Facts whose text is kept, so that their removal can be reported: the ones reported to the model last. */
const MAX_SHOWN_FACTS = 300;
/** A prefix of a SHA-256 that suffices to see a difference. */
export const HASH_CHARS = 12;

/** Under the meta key `known_skills`: the texts that the prompt or a note has shown to the model. */
export interface KnownSkills {
  v: 1;
  /** Sequence number of the index that listed them. */
  seq: number;
  /** Later entries may hold the session's own changes of skills. */
  upTo: number;
  texts: Record<string, string>;
  /** When the first skill that is held back may be offered, so that it is news without a change of the index. Absent: none is held. */
  dueAt?: number;
}

/** Under the meta key `known_memory`; `null` for more than MAX_KNOWN_FACTS facts. */
interface KnownMemory {
  v: 2;
  upTo: number;
  /** Time of the next listing. A listing takes two requests, so it does not follow every turn. */
  dueAt: number;
  /** Facts that the prompt or a note has shown to the model, in the words it read. */
  told: Record<Sha256, ShownFact>;
  /** Joined id prefixes of the other known facts: the prompt had no room for them, and they are not news. */
  others: string;
}

interface ShownFact {
  store: MemoryStoreName;
  text: string;
}

/** Version 1 kept the text of every fact, without a limit. */
type StoredKnownMemory = KnownMemory | { v: 1; upTo: number; dueAt: number; entries: KnownMemory["told"] };

export function readKnownMemory(log: Log): KnownMemory | null {
  const known = log.meta<StoredKnownMemory>("known_memory");
  if (known?.v !== 1) return known;
  const { upTo, dueAt, entries } = known;
  return { v: 2, upTo, dueAt, told: entries, others: "" };
}

export function putKnownMemory(
  log: Log,
  known: Pick<KnownMemory, "upTo" | "dueAt" | "told">,
  living: MemoryEntry[],
): void {
  const told = Object.fromEntries(Object.entries(known.told).slice(-MAX_SHOWN_FACTS));
  const others = living.filter(({ id }) => !Object.hasOwn(told, id)).map(({ id }) => id.slice(0, HASH_CHARS));
  const next: KnownMemory = { v: 2, ...known, told, others: others.join("") };
  log.setMeta("known_memory", living.length > MAX_KNOWN_FACTS ? null : next);
}

export function toHashes(joined: string): Set<string> {
  const hashes = new Set<string>();
  for (let at = 0; at < joined.length; at += HASH_CHARS) hashes.add(joined.slice(at, at + HASH_CHARS));
  return hashes;
}

/** `index`: the one that listed the texts. */
export function putKnownSkills(
  log: Log,
  index: SkillIndex,
  { upTo, now }: Pick<KnownSkills, "upTo"> & { now: number },
  texts: Record<string, string>,
): void {
  const held = Object.values(index.skills).flatMap(({ heldUntil = 0 }) => (heldUntil > now ? [heldUntil] : []));
  const dueAt = held.length > 0 && { dueAt: Math.min(...held) };
  const known: KnownSkills = { v: 1, seq: index.seq, upTo, texts, ...dueAt };
  log.setMeta("known_skills", Object.keys(texts).length > MAX_KNOWN_SKILLS ? null : known);
}

/** The last entry before the running turn, whose calls may still change skills and memory. */
export function settledUpTo(log: Log): number {
  return (log.openTurns()[0]?.input ?? log.nextEntry()) - 1;
}

export function mapTextHashes(lines: SkillLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ name, text }) => [name, text.slice(0, HASH_CHARS)]));
}

export function toShownFacts(entries: MemoryEntry[]): KnownMemory["told"] {
  return Object.fromEntries(entries.map((entry) => [entry.id, { store: entry.store, text: toLine(toShown(entry)) }]));
}

/** A skill may have the name `constructor`. */
export function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
