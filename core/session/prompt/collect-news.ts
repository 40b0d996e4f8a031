// Finds what others have changed in skills and memory since the model last read of them. Runs after a turn, when no person
// waits. Changes that the session's own calls made are not news.
import { readTargets } from "../../memory/plan.ts";
import type { Entry, JsonObject } from "../../schemas/entry.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { mergeLines, offeredLines } from "../../skills/library.ts";
import type { EngineContext } from "../context.ts";
import {
  HASH_CHARS,
  type KnownSkills,
  mapTextHashes,
  own,
  putKnownMemory,
  putKnownSkills,
  readKnownMemory,
  settledUpTo,
  toHashes,
  toShownFacts,
} from "./known-content.ts";
import { type UnreportedNews, toLine } from "./news-text.ts";
import { changeNews } from "./notes.ts";
import { readScene } from "./scene.ts";

/** KV may take this long to list the writes of a review. */
const KV_LAG_MS = 60_000;

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

async function collectSkills({ host, log }: EngineContext): Promise<void> {
  const index = await host.skills.index();
  // Read after the await, with no await below: a new prompt may have been stored meanwhile, made from a newer index.
  const known = log.meta<KnownSkills>("known_skills");
  const now = host.clock.now();
  const { dueAt = Infinity } = known ?? {};
  if (!known || (index.seq <= known.seq && now < dueAt)) return;
  const shown = offeredLines(mergeLines(index, host.seeds), readScene({ host, log }));
  const lines = new Map(shown.map((line) => [line.name, line]));
  const texts = { ...mapTextHashes([...lines.values()]), ...keepHeld(index, now, known.texts) };
  const names = [...new Set([...Object.keys(known.texts), ...Object.keys(texts)])];
  const changed = names.filter((name) => own(texts, name) !== own(known.texts, name));
  if (changed.length === 0) return;
  const written = ownSkills(log.entries(known.upTo + 1));
  const news = changed.filter((name) => !written.has(name) || written.get(name) !== lines.get(name)?.text);
  host.sql.transaction(() => {
    putKnownSkills(log, index, { upTo: settledUpTo(log), now }, texts);
    if (news.length > 0) changeNews(log, (before) => ({ ...before, skills: addSkills(before.skills, news) }));
  });

  function addSkills(before: UnreportedNews["skills"], fresh: string[]): UnreportedNews["skills"] {
    const changes = fresh.map((name) => {
      const isKnown = own(before, name)?.known ?? own(known!.texts, name) !== undefined;
      const description = own(texts, name) === undefined ? null : toLine(lines.get(name)!.description);
      return [name, { known: isKnown, description }] as const;
    });
    // A skill that appeared and vanished before it was reported is not news.
    const all = Object.entries({ ...before, ...Object.fromEntries(changes) });
    return Object.fromEntries(all.filter(([, skill]) => skill.known || skill.description !== null));
  }
}

/** A text that is held back is no news yet: until then the model knows of the skill what it has read. */
function keepHeld({ skills }: SkillIndex, now: number, texts: KnownSkills["texts"]): KnownSkills["texts"] {
  const held = Object.keys(texts).filter((name) => (own(skills, name)?.heldUntil ?? 0) > now);
  return Object.fromEntries(held.map((name) => [name, texts[name]!]));
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
