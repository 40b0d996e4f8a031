// The Archive object of a profile: a searchable copy of its skills and of its sessions' messages, and records of its turns. Called by
// the profile's sessions and by the API. The shell of core/archive/. Reads R2, and writes only its own tables. Messages of later years
// are in objects of the same class named `<profile>/<year>`; callers ask this one, which asks them.
import { DurableObject } from "cloudflare:workers";
import { type ErasedPieces, type PutAnswer, toMatcher } from "../core/archive/messages/split-archive.ts";
import {
  type FoundSkills,
  type SkillArchive,
  type SkillSource,
  createSkillArchive,
} from "../core/archive/skill-archive.ts";
import { type ArchiveRow, exportArchive, importArchive } from "../core/archive/move-archive.ts";
import { openTurnTables } from "../core/archive/schema.ts";
import { createSkillVectors } from "../core/archive/skill-vectors.ts";
import {
  type SimilarTurns,
  type SkillLift,
  type TurnRecords,
  createTurnRecords,
} from "../core/archive/turn-archive.ts";
import { eraseSkillRows, eraseTurnsOfSession, eraseTurnsWhere } from "../core/archive/turn-erasure.ts";
import { type Result, messageOf } from "../core/errors.ts";
import type { SkillStore } from "../core/ports.ts";
import type {
  ArchivedTurn,
  IndexedMessage,
  MessageQuery,
  MessageSearch,
  PurgedPiece,
  TextPurge,
} from "../core/schemas/archived-message.ts";
import type { TablePlace } from "../core/schemas/moving/lines.ts";
import { ProfileId, type SessionId, type SkillName, type TurnId } from "../core/schemas/ids.ts";
import type { Neighbourhood, TaskKind, TurnSignature } from "../core/schemas/learning/learning.ts";
import { toIndexLine } from "../core/schemas/skill.ts";
import { REQUESTS_FILE } from "../core/schemas/skill-requests.ts";
import { SKILL_MD } from "../core/skills/format/format.ts";
import { type Seeds, createLibrary, followsBundle } from "../core/skills/library.ts";
import { createWordsCache, wordsKeyOf } from "../core/skills/search/skill-words.ts";
import { seeds } from "../skills-seed/index.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { toSimilarity } from "../stores/platform/workers-ai.ts";
import { createBlobCache } from "../stores/skills/caches/blob-cache.ts";
import { readSettings } from "../wiring/settings.ts";
import { openBucket, openSkillStore } from "../wiring/stores.ts";
import { type ArchiveMessages, createArchiveMessages } from "./archive-messages.ts";
import { toSql } from "./sql.ts";

export interface ArchiveEnv {
  SKILLS: R2Bucket;
  ARCHIVE: DurableObjectNamespace<Archive>;
  TALARIA_SETTINGS?: string;
  /** Workers AI, if the operator has bound it: skills are then also searched by meaning. */
  AI?: Ai;
}

/** Skills that a search reads before it answers. Each costs two reads of R2. */
const READS_A_SEARCH = 16;
/** Skills per alarm. [own] Keeps an alarm short, and far from the 10,000 calls of an invocation. */
const READS_AN_ALARM = 400;
/** Between two alarms. */
const REST_MS = 100;
/** Pages of 4 KB in one step of a merge, and steps of an erasure before it answers, and of an alarm. */
const MERGED_PAGES = 250;
const MERGE_STEPS = 2;

const wordsMemory = createWordsCache(16 << 20);

export class Archive extends DurableObject<ArchiveEnv> {
  #opened: SkillArchive | null = null;
  #records: TurnRecords | null = null;
  #messages: ArchiveMessages | null = null;

  /** Matching skills, best first. An empty query finds none. */
  async searchSkills(query: string): Promise<FoundSkills> {
    const found = await this.#skills().search(query, READS_A_SEARCH);
    if (found.unread > 0 || (found.withoutVector ?? 0) > 0) await this.#wakeSoon();
    return found;
  }

  /** Records a turn, idempotently, and returns what is known of similar turns. */
  async observeTurn(signature: TurnSignature): Promise<Neighbourhood> {
    return this.#turns().observe(signature);
  }

  async nameTurns(turns: { turn: TurnId; kind: TaskKind }[]): Promise<void> {
    this.#turns().putKinds(turns);
  }

  /** Newest first. */
  async turnsOf(asked: { since?: number; limit: number; own?: boolean }): Promise<TurnSignature[]> {
    return this.#turns().turns(asked);
  }

  /** Newest first. */
  async findSimilarTurns(asked: SimilarTurns): Promise<TurnId[]> {
    return this.#turns().findSimilarTurns(asked);
  }

  /** How work of a skill's kind ended before the skill existed and since. `words`: the skill's description of itself. */
  async liftOf(skill: SkillName, words: string, createdAt: number): Promise<SkillLift> {
    return this.#turns().lift(skill, words, createdAt);
  }

  // ---- messages ----
  /**
   * Indexes the messages of a finished turn, once, or says which year's object takes them. Failures: `archive_full`, `archive_erased` after
   * the profile was deleted.
   */
  async putMessages(turn: ArchivedTurn): Promise<Result<PutAnswer>> {
    return this.#index().put(turn);
  }

  /** A query without words finds nothing. */
  async searchMessages(query: MessageQuery): Promise<MessageSearch> {
    return this.#index().split().search(query);
  }

  /**
   * Messages of a session in their order, from `before` before the entry `n` (or the next entry, or the last one) to `after` after it.
   * Throws if some of them may be in an object that is out of reach.
   */
  async messagesAround(session: SessionId, n: number, before: number, after: number): Promise<IndexedMessage[]> {
    return this.#index().split().around(session, n, before, after);
  }

  /** Gives all messages of a session another title. */
  async renameSession(session: SessionId, title: string): Promise<void> {
    await this.#index().split().rename(session, title);
    await this.#mergeErased();
  }

  // ---- calls between the objects of a profile; see archive-messages.ts ----
  async askPart(call: Parameters<ArchiveMessages["ask"]>[0], args: unknown[]): Promise<unknown> {
    const answer = this.#index().ask(call, args);
    if (call === "eraseSession" || call === "rename") await this.#mergeErased();
    return answer;
  }
  async erasePart(pieces: ErasedPieces, after: number): Promise<number | null> {
    const next = this.#index().erasePieces(pieces, after);
    await this.#mergeErased();
    return next;
  }

  // ---- whole profiles out and in ----
  async exportPage(place: TablePlace | null, maxChars: number) {
    return exportArchive(toSql(this.ctx.storage), { place, maxChars, salt: this.ctx.id.name! });
  }
  async importPage(rows: ArchiveRow[]): Promise<Result<null>> {
    return importArchive(toSql(this.ctx.storage), rows);
  }

  // ---- deletion ----
  /** Returns how many turns and messages it erased. */
  async eraseSession(session: SessionId): Promise<number> {
    const messages = await this.#index().split().eraseSession(session);
    await this.#mergeErased();
    return eraseTurnsOfSession(toSql(this.ctx.storage), session) + messages;
  }
  async eraseSkill(skill: SkillName): Promise<void> {
    eraseSkillRows(toSql(this.ctx.storage), skill);
    this.#opened = null;
  }
  /**
   * A person purges a text. From now on no message of an earlier session that holds it is indexed. Call before anything is erased: throws if
   * a newer version wrote the tables.
   */
  async beginPurge(purge: TextPurge): Promise<void> {
    openTurnTables(toSql(this.ctx.storage));
    await this.#index().split().putPurge(purge);
  }
  /** What is known of an earlier purge of the same thing, whose text is gone. */
  async purgedPieces(subject: string): Promise<PurgedPiece[]> {
    return this.#index()
      .own()
      .purges(subject)
      .flatMap(({ pieces }) => pieces);
  }
  /**
   * Erases turns whose request, and messages whose text, contains one of these pieces; see core/skills/search/text-pieces.ts. Messages go
   * too, although their sessions' logs keep them: no other session may find a purged text. One call reads a part of the messages.
   * Returns what to pass as `after` to continue; `null` at the end.
   */
  async eraseTexts(pieces: ErasedPieces, after = 0): Promise<number | null> {
    if (after === 0) eraseTurnsWhere(toSql(this.ctx.storage), toMatcher(pieces, this.ctx.id.name!));
    const next = await this.#index().split().erasePieces(pieces, after);
    await this.#mergeErased();
    return next;
  }
  /** The profile was deleted: erases everything but a mark, which refuses late messages. */
  async erase(): Promise<void> {
    await this.#index().erase();
    this.#opened = null;
    this.#records = null;
    this.#messages = null;
  }

  override async alarm(): Promise<void> {
    await this.#mergeErased().catch((error: unknown) => reportAlarm("merging the message index", error));
    if (isFirstPart(this.ctx)) await this.#fillSkills().catch((error: unknown) => reportAlarm("reading skills", error));
  }

  async #fillSkills(): Promise<void> {
    const { unread, read } = await this.#skills().fill(READS_AN_ALARM);
    if (unread > 0 && read > 0) await this.#wakeSoon();
  }

  /** Removes words of erased messages from the indexes; alarms continue where they are many. */
  async #mergeErased(): Promise<void> {
    const own = this.#index().own();
    // The first step begins a merge, and a last one finds that nothing is left of it.
    for (let steps = 0; own.isMergeDue() && steps < MERGE_STEPS; steps++) own.merge(MERGED_PAGES);
    if (own.isMergeDue()) await this.#wakeSoon();
  }

  async #wakeSoon(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(systemClock.now() + REST_MS);
  }

  #turns(): TurnRecords {
    return (this.#records ??= createTurnRecords({
      sql: toSql(this.ctx.storage),
      discount: readSettings(this.env).learning.discount,
    }));
  }

  #index(): ArchiveMessages {
    return (this.#messages ??= createArchiveMessages(this.ctx, {
      openObject: (name) => this.env.ARCHIVE.getByName(name),
      wake: () => this.ctx.waitUntil(this.#wakeSoon()),
    }));
  }

  #skills(): SkillArchive {
    const sql = toSql(this.ctx.storage);
    const { AI } = this.env;
    const similarity = AI && toSimilarity(AI);
    return (this.#opened ??= createSkillArchive({
      sql,
      ...(similarity && { vectors: createSkillVectors({ sql, similarity, clock: systemClock }) }),
      source: toSource(openStore(this.env, ProfileId.parse(this.ctx.id.name)), seeds),
      memory: wordsMemory,
    }));
  }
}

/** Not thrown: the platform's six quick retries would fail the same way. The next search or erasure starts again, and the object's next start. */
function reportAlarm(what: string, error: unknown): void {
  console.error(`archive: ${what} failed: ${messageOf(error)}`);
}

function isFirstPart({ id }: DurableObjectState): boolean {
  return ProfileId.safeParse(id.name).success;
}

/** Uses a separate cache: the Archive reads every skill once, which would evict what the isolate's sessions need. */
function openStore(env: ArchiveEnv, profile: ProfileId): SkillStore {
  const place = { bucket: openBucket(env.SKILLS), profile, settings: readSettings(env) };
  return openSkillStore(place, { cache: createBlobCache() });
}

/** Two reads per skill, three for one with requests: the head, and the contents of these files. `open` could write, so it is not used. */
function toSource(store: SkillStore, bundled: Seeds): SkillSource {
  const library = createLibrary({ store, seeds: bundled });
  return {
    lines: library.lines,
    async read(line) {
      const seed = followsBundle(line) ? bundled[line.name]?.[SKILL_MD] : undefined;
      if (seed !== undefined) return { key: wordsKeyOf(line), skillMd: seed, requests: "" };
      const head = await store.head(line.name);
      if (!head) return null;
      const [body, requests] = await Promise.all(
        [SKILL_MD, REQUESTS_FILE].map(async (path) => {
          const file = Object.hasOwn(head.files, path) ? head.files[path] : undefined;
          return file ? store.blob(file.sha256) : null;
        }),
      );
      if (typeof body !== "string") return null;
      return {
        key: wordsKeyOf(toIndexLine(head)),
        skillMd: body,
        requests: typeof requests === "string" ? requests : "",
      };
    },
  };
}
