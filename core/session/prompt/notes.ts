// News: what changed while a prompt is frozen. That is skills and memory changed by others, results of reviews, and
// decisions on approvals. `collectNews` runs after a turn, when no person waits. `takeNotes` turns the news into a note after
// the next turn's input, without any request. Each change is reported once, and never when a new prompt already holds it.
import { clip, toOneLine } from "../../clip.ts";
import { readTargets } from "../../memory/plan.ts";
import { fitNewest, selectLimit } from "../../memory/rules.ts";
import { toShown } from "../../memory/shown.ts";
import { escapeTags, fence } from "../../prompt-block.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { Entry, JsonObject, NoteEntry, Part } from "../../schemas/entry.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import { type MemoryEntry, MemoryStoreName } from "../../schemas/memory.ts";
import type { ReviewResult } from "../../schemas/learning/review.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { mergeLines, offeredLines } from "../../skills/library.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";
import { isSilent } from "./notices.ts";
import { readScene } from "./scene.ts";

/** Changes of a larger library are not tracked: the model finds its skills by search. Keeps the row under a megabyte. */
const MAX_KNOWN_SKILLS = 10_000;
/** Changes of a larger memory are not tracked. Each id takes twelve bytes. */
const MAX_KNOWN_FACTS = 20_000;
/** Facts whose text is kept, so that their removal can be reported: the ones reported to the model last. */
const MAX_SHOWN_FACTS = 300;
/** A prefix of a SHA-256 that suffices to see a difference. */
const HASH_CHARS = 12;
/** Of one kind of news, until it is reported. Further ones are only counted. */
const MAX_NEWS = 100;
/** Of one kind of news in one note. */
const MAX_LINES = 20;
const MAX_LINE_CHARS = 240;
/** KV may take this long to list the writes of a review. */
const KV_LAG_MS = 60_000;

/** Under the meta key `known_skills`: the texts that the prompt or a note has shown to the model. */
interface KnownSkills {
  v: 1;
  /** Sequence number of the index that listed them. */
  seq: number;
  /** Later entries may hold the session's own changes of skills. */
  upTo: number;
  texts: Record<string, string>;
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

/** Under the meta key `news`; `null` without unreported news. `known`: the model has read of it before. */
interface UnreportedNews {
  v: 1;
  skills: Record<string, { known: boolean; description: string | null }>;
  memory: Record<Sha256, { known: boolean; lives: boolean; store: MemoryStoreName; text: string }>;
  reviews: string[];
  decisions: { path: string; approved: boolean }[];
  /** How many more there were, of all kinds; absent: none. */
  more?: number;
}

const NO_NEWS: UnreportedNews = { v: 1, skills: {}, memory: {}, reviews: [], decisions: [] };

/** The skills and facts that a new prompt was made from. */
export interface PromptKnowledge {
  index: SkillIndex;
  /** The skills that the prompt may show. */
  lines: SkillLine[];
  memory: MemoryEntry[];
}

/** Call inside the transaction that stores a new prompt. Its content is no longer news. `null`: the session does not learn. */
export function beginEpoch(context: Pick<EngineContext, "host" | "log">, learned: PromptKnowledge | null): void {
  const { log, host } = context;
  if (learned) {
    const upTo = settledUpTo(log);
    putKnownSkills(log, learned.index.seq, upTo, mapTextHashes(learned.lines));
    const dueAt = host.clock.now() + host.settings.memory.overlayMs;
    const shown = MemoryStoreName.options.flatMap((store) => {
      const entries = learned.memory.filter((entry) => entry.store === store);
      return fitNewest(entries, selectLimit(store, host.settings.memory));
    });
    putKnownMemory(log, { upTo, dueAt, told: toShownFacts(shown) }, learned.memory);
  }
  if (log.meta<UnreportedNews>("news"))
    changeNews(log, ({ reviews, decisions }) => ({ ...NO_NEWS, reviews, decisions }));
}

/** Call inside the transaction that records a review's result. */
export function addReviewNews(log: Log, { summary, lessons }: Pick<ReviewResult, "summary" | "lessons">): void {
  if (lessons.length === 0) return;
  changeNews(log, (news) => ({ ...news, reviews: [...news.reviews, toLine(summary)] }));
  const known = readKnownMemory(log);
  if (known && lessons.some((lesson) => lesson.kind === "memory")) log.setMeta("known_memory", { ...known, dueAt: 0 });
}

/** Call inside the transaction that records a person's decision. */
export function addDecisionNews(log: Log, decision: UnreportedNews["decisions"][number]): void {
  changeNews(log, (news) => ({ ...news, decisions: [...news.decisions, decision] }));
}

/** Call after a turn and after a review's result. Reads R2 each time, and KV when a listing is due. Never rejects. */
export async function collectNews(context: EngineContext): Promise<void> {
  if (context.meta().learning !== "on") return;
  try {
    await collectSkills(context);
    await collectMemory(context);
  } catch (error) {
    context.host.report("news", error);
  }
}

/**
 * Moves the news into a note of the turn and returns it; `null` without news. After the turn's first model call no note
 * is written, because earlier messages of a conversation must not change.
 */
export function takeNotes({ host, log, hub }: EngineContext, turn: Pick<TurnRow, "n" | "input">): NoteEntry | null {
  const news = log.meta<UnreportedNews>("news");
  if (!news || turn.input === null) return null;
  if (log.entries(turn.input + 1).some((entry) => entry.kind !== "notice" || !isSilent(entry))) return null;
  const note: NoteEntry = {
    v: 1,
    n: log.nextEntry(),
    turn: turn.n,
    at: host.clock.now(),
    kind: "note",
    code: "news",
    parts: toParts(news),
  };
  host.sql.transaction(() => {
    log.put(note);
    log.setMeta("news", null);
  });
  hub.emit(placeNotice(note));
  return note;
}

async function collectSkills({ host, log }: EngineContext): Promise<void> {
  const index = await host.skills.index();
  // Read after the await, with no await below: a new prompt may have been stored meanwhile, made from a newer index.
  const known = log.meta<KnownSkills>("known_skills");
  if (!known || index.seq <= known.seq) return;
  const shown = offeredLines(mergeLines(index, host.seeds), readScene({ host, log }));
  const lines = new Map(shown.map((line) => [line.name, line]));
  const texts = mapTextHashes([...lines.values()]);
  const names = [...new Set([...Object.keys(known.texts), ...Object.keys(texts)])];
  const changed = names.filter((name) => own(texts, name) !== own(known.texts, name));
  if (changed.length === 0) return;
  const written = ownSkills(log.entries(known.upTo + 1));
  const news = changed.filter((name) => !written.has(name) || written.get(name) !== lines.get(name)?.text);
  host.sql.transaction(() => {
    putKnownSkills(log, index.seq, settledUpTo(log), texts);
    if (news.length > 0) changeNews(log, (before) => ({ ...before, skills: addSkills(before.skills, news) }));
  });

  function addSkills(before: UnreportedNews["skills"], fresh: string[]): UnreportedNews["skills"] {
    const changes = fresh.map((name) => {
      const known_ = own(before, name)?.known ?? own(known!.texts, name) !== undefined;
      const description = own(texts, name) === undefined ? null : toLine(lines.get(name)!.description);
      return [name, { known: known_, description }] as const;
    });
    // A skill that appeared and vanished before it was reported is not news.
    const all = Object.entries({ ...before, ...Object.fromEntries(changes) });
    return Object.fromEntries(all.filter(([, skill]) => skill.known || skill.description !== null));
  }
}

async function collectMemory({ host, log, overlay }: EngineContext): Promise<void> {
  const seen = readKnownMemory(log);
  const now = host.clock.now();
  if (!seen || seen.dueAt > now) return;
  const store = host.memory(overlay);
  const living = [...(await store.list("user")), ...(await store.list("memory"))];
  const known = readKnownMemory(log);
  if (!known || known.dueAt !== seen.dueAt) return; // a new prompt was stored meanwhile
  const entries = new Map(living.map((entry) => [entry.id, entry]));
  const others = toHashes(known.others);
  const isKnown = (id: Sha256) => Object.hasOwn(known.told, id) || others.has(id.slice(0, HASH_CHARS));
  const come = living.filter(({ id }) => !isKnown(id));
  const gone = Object.keys(known.told).filter((id) => !entries.has(id));
  const changed = [...gone, ...come.map(({ id }) => id)];
  const written = changed.length > 0 ? ownMemory(log.entries(known.upTo + 1)) : new Set();
  const news = changed.filter((id) => !written.has(id));
  const dueAt = now + (known.dueAt === 0 ? KV_LAG_MS : host.settings.memory.overlayMs);
  const told = {
    ...Object.fromEntries(Object.entries(known.told).filter(([id]) => entries.has(id))),
    ...toShownFacts(come),
  };
  host.sql.transaction(() => {
    putKnownMemory(log, { upTo: settledUpTo(log), dueAt, told }, living);
    if (news.length > 0) changeNews(log, (before) => ({ ...before, memory: addMemory(before.memory, news) }));
  });

  function addMemory(before: UnreportedNews["memory"], fresh: Sha256[]): UnreportedNews["memory"] {
    const news = fresh.map((id) => {
      const lives = entries.has(id);
      return [id, { known: before[id]?.known ?? !lives, lives, ...(told[id] ?? known!.told[id]!) }] as const;
    });
    const all = Object.entries({ ...before, ...Object.fromEntries(news) });
    return Object.fromEntries(all.filter(([, entry]) => entry.known !== entry.lives));
  }
}

function changeNews(log: Log, change: (news: UnreportedNews) => UnreportedNews): void {
  const news = boundNews(change(log.meta<UnreportedNews>("news") ?? NO_NEWS));
  const { skills, memory, reviews, decisions } = news;
  const count = Object.keys(skills).length + Object.keys(memory).length + reviews.length + decisions.length;
  log.setMeta("news", count > 0 ? news : null);
}

/** Keeps the newest of each kind: longer notes are not useful, and the row has a size limit. */
function boundNews(news: UnreportedNews): UnreportedNews {
  const { skills, memory, reviews, decisions, more = 0 } = news;
  const kept = {
    skills: Object.fromEntries(Object.entries(skills).slice(-MAX_NEWS)),
    memory: Object.fromEntries(Object.entries(memory).slice(-MAX_NEWS)),
    reviews: reviews.slice(-MAX_NEWS),
    decisions: decisions.slice(-MAX_NEWS),
  };
  const count = (kinds: typeof kept) => Object.values(kinds).reduce((sum, kind) => sum + Object.keys(kind).length, 0);
  const left = more + count({ skills, memory, reviews, decisions }) - count(kept);
  return { v: 1, ...kept, ...(left > 0 && { more: left }) };
}

function readKnownMemory(log: Log): KnownMemory | null {
  const known = log.meta<StoredKnownMemory>("known_memory");
  if (known?.v !== 1) return known;
  const { upTo, dueAt, entries } = known;
  return { v: 2, upTo, dueAt, told: entries, others: "" };
}

function putKnownMemory(log: Log, known: Pick<KnownMemory, "upTo" | "dueAt" | "told">, living: MemoryEntry[]): void {
  const told = Object.fromEntries(Object.entries(known.told).slice(-MAX_SHOWN_FACTS));
  const others = living.filter(({ id }) => !Object.hasOwn(told, id)).map(({ id }) => id.slice(0, HASH_CHARS));
  const next: KnownMemory = { v: 2, ...known, told, others: others.join("") };
  log.setMeta("known_memory", living.length > MAX_KNOWN_FACTS ? null : next);
}

function toHashes(joined: string): Set<string> {
  const hashes = new Set<string>();
  for (let at = 0; at < joined.length; at += HASH_CHARS) hashes.add(joined.slice(at, at + HASH_CHARS));
  return hashes;
}

function putKnownSkills(log: Log, seq: number, upTo: number, texts: Record<string, string>): void {
  const known: KnownSkills = { v: 1, seq, upTo, texts };
  log.setMeta("known_skills", Object.keys(texts).length > MAX_KNOWN_SKILLS ? null : known);
}

/** The last entry before the running turn, whose calls may still change skills and memory. */
function settledUpTo(log: Log): number {
  return (log.openTurns()[0]?.input ?? log.nextEntry()) - 1;
}

function mapTextHashes(lines: SkillLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ name, text }) => [name, text.slice(0, HASH_CHARS)]));
}

function toShownFacts(entries: MemoryEntry[]): KnownMemory["told"] {
  return Object.fromEntries(entries.map((entry) => [entry.id, { store: entry.store, text: toLine(toShown(entry)) }]));
}

/** A skill may have the name `constructor`. */
function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The texts that the session's own calls wrote, by skill. The model has seen these. */
function ownSkills(entries: Entry[]): Map<string, string> {
  const calls = doneCalls(entries, "skill_manage").map(({ outcome }) => [String(outcome.name), String(outcome.text)]);
  return new Map(calls as [string, string][]);
}

function ownMemory(entries: Entry[]): Set<string> {
  return new Set(
    doneCalls(entries, "memory").flatMap(({ outcome, prepared }) => {
      const results = Array.isArray(outcome.results) ? (outcome.results as JsonObject[]) : [outcome];
      return [...results, ...readTargets(prepared)].map(({ id }) => String(id));
    }),
  );
}

function doneCalls(entries: Entry[], tool: string): { outcome: JsonObject; prepared: JsonObject }[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== "tool" || entry.call.name !== tool || entry.state !== "done" || entry.failed) return [];
    const outcome = entry.parts.find((part) => part.source === "outcome");
    return outcome ? [{ outcome: JSON.parse(outcome.text) as JsonObject, prepared: entry.prepared }] : [];
  });
}

/** Decisions are the harness's words. Every quotation of a model's words has the source `own` and is fenced. */
function toParts({ skills, memory, reviews, decisions, more = 0 }: UnreportedNews): Part[] {
  const skillLines = Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1));
  const ofSkills = (title: string, takes: (skill: UnreportedNews["skills"][string]) => boolean) =>
    section(
      title,
      skillLines
        .filter(([, skill]) => takes(skill))
        .map(([name, { description }]) => `${name}${description === null ? "" : `: ${description}`}`),
    );
  const ofMemory = (title: string, lives: boolean) =>
    section(
      title,
      Object.values(memory)
        .filter((entry) => entry.lives === lives)
        .map(({ store, text }) => `(${store}) ${text}`),
    );
  const quoted = [
    section("Reviews of earlier work ended:", reviews),
    ofSkills("New skills:", (skill) => !skill.known),
    ofSkills(
      "Changed skills, to be loaded again before they are followed:",
      (skill) => skill.known && skill.description !== null,
    ),
    ofSkills("Withdrawn skills, not to be followed any more:", (skill) => skill.description === null),
    ofMemory("New in memory:", true),
    ofMemory("No longer in memory:", false),
  ].filter((text) => text !== "");
  const told = ["Since your prompt was written, this has changed.", ...decisions.map(describeDecision)].join("\n");
  if (more > 0) quoted.push(`And ${more} more changes, not listed here.`);
  if (quoted.length === 0) return [{ source: "outcome", text: told }];
  return [
    { source: "outcome", text: `${told}\n` },
    { source: "own", text: fence("news", quoted.join("\n")) },
  ];
}

function section(title: string, lines: string[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${toLine(line)}`);
  const more = lines.length > MAX_LINES ? [`- and ${lines.length - MAX_LINES} more`] : [];
  return [title, ...shown, ...more].join("\n");
}

function describeDecision({ path, approved }: UnreportedNews["decisions"][number]): string {
  return approved
    ? `- The person approved your change of ${toLine(path)}: the file holds it, and it counts from the next new prompt on.`
    : `- The person refused your change of ${toLine(path)}: the file stays as it is. Do not ask for the same again.`;
}

function toLine(text: string): string {
  return clip(escapeTags(toOneLine(text)), MAX_LINE_CHARS);
}
