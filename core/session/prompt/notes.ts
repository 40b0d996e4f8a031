// News: what changed while a prompt is frozen. That is skills and memory changed by others (collect-news.ts), results of
// reviews, and decisions on approvals. `takeNotes` turns the news into a note after the next turn's input, without any
// request. Each change is reported once, and never when a new prompt already holds it.
import { fitNewest, selectLimit } from "../../memory/rules.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { NoteEntry } from "../../schemas/entry.ts";
import { type MemoryEntry, MemoryStoreName } from "../../schemas/memory.ts";
import type { ReviewResult } from "../../schemas/learning/review.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";
import {
  mapTextHashes,
  putKnownMemory,
  putKnownSkills,
  readKnownMemory,
  settledUpTo,
  toShownFacts,
} from "./known-content.ts";
import { type RestoreNews, type UnreportedNews, toLine, toParts } from "./news-text.ts";
import { isSilent } from "./notices.ts";

/** Of one kind of news, until it is reported. Further ones are only counted. */
const MAX_NEWS = 100;
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
    const now = host.clock.now();
    putKnownSkills(log, learned.index, { upTo, now }, mapTextHashes(learned.lines));
    const dueAt = now + host.settings.memory.overlayMs;
    const shown = MemoryStoreName.options.flatMap((store) => {
      const entries = learned.memory.filter((entry) => entry.store === store);
      return fitNewest(entries, selectLimit(store, host.settings.memory));
    });
    putKnownMemory(log, { upTo, dueAt, told: toShownFacts(shown) }, learned.memory);
  }
  if (log.meta<UnreportedNews>("news"))
    changeNews(log, ({ reviews, decisions, restores }) => ({
      ...NO_NEWS,
      reviews,
      decisions,
      ...(restores && { restores }),
    }));
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

/** Call inside the transaction that restores the files. `undo`: the checkpoint that the restore began. */
export function addRestoreNews(log: Log, undo: number, restore: RestoreNews): void {
  changeNews(log, (news) => ({ ...news, restores: { ...news.restores, [undo]: restore } }));
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

export function changeNews(log: Log, change: (news: UnreportedNews) => UnreportedNews): void {
  const news = boundNews(change(log.meta<UnreportedNews>("news") ?? NO_NEWS));
  const { skills, memory, reviews, decisions, restores = {} } = news;
  const kinds = [skills, memory, reviews, decisions, restores];
  const count = kinds.reduce((sum, kind) => sum + Object.keys(kind).length, 0);
  log.setMeta("news", count > 0 ? news : null);
}

/** Keeps the newest of each kind: longer notes are not useful, and the row has a size limit. */
function boundNews(news: UnreportedNews): UnreportedNews {
  const { skills, memory, reviews, decisions, restores = {}, more = 0 } = news;
  const kept = {
    skills: Object.fromEntries(Object.entries(skills).slice(-MAX_NEWS)),
    memory: Object.fromEntries(Object.entries(memory).slice(-MAX_NEWS)),
    reviews: reviews.slice(-MAX_NEWS),
    decisions: decisions.slice(-MAX_NEWS),
    restores: Object.fromEntries(Object.entries(restores).slice(-MAX_NEWS)),
  };
  const count = (kinds: typeof kept) => Object.values(kinds).reduce((sum, kind) => sum + Object.keys(kind).length, 0);
  const left = more + count({ skills, memory, reviews, decisions, restores }) - count(kept);
  const { restores: keptRestores, ...others } = kept;
  const ofRestores = Object.keys(keptRestores).length > 0 && { restores: keptRestores };
  return { v: 1, ...others, ...ofRestores, ...(left > 0 && { more: left }) };
}
