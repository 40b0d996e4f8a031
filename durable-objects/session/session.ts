// The Session object: the shell around core/session/engine.ts. One of the places where things are wired: bindings become
// ports here and nowhere below. Its name is `<profile>/<session>`, built by workers/api from the principal.
import { DurableObject } from "cloudflare:workers";
import { type Result, assert, messageOf, ok } from "../../core/errors.ts";
import { parseSettings } from "../../core/limits.ts";
import { createRehearsalModel } from "../../core/models/rehearsal.ts";
import { type ModelEnv, createModel } from "../../core/models/routing.ts";
import type { Alarm, Sql, SqlValue } from "../../core/ports.ts";
import type { Accepted, FileInfo, Learning, SessionDetail, SessionInfo } from "../../core/schemas/api.ts";
import type { Entry } from "../../core/schemas/entry.ts";
import { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { ReviewMessage } from "../../core/schemas/review.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import type { SessionHost } from "../../core/session/context.ts";
import { type SessionEngine, createSessionEngine } from "../../core/session/engine.ts";
import { seeds } from "../../skills-seed/index.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { toKeyValue } from "../../stores/kv.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { toBucket } from "../../stores/r2.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createSkillStore } from "../../stores/skill-store.ts";
import { systemClock } from "../../stores/system-clock.ts";
import type { Account } from "../account.ts";

export interface SessionEnv extends ModelEnv {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
  REVIEWS: Queue<ReviewMessage>;
  ACCOUNT: DurableObjectNamespace<Account>;
  TALARIA_SETTINGS?: string;
}

const WRONG_SETTINGS_MS = 60_000;

export class Session extends DurableObject<SessionEnv> {
  readonly #opened: Result<SessionEngine>;

  constructor(ctx: DurableObjectState, env: SessionEnv) {
    super(ctx, env);
    const settings = parseSettings(env.TALARIA_SETTINGS);
    this.#opened = settings.ok ? ok(createSessionEngine(toHost(ctx, env, settings.value))) : settings;
  }

  get #engine(): SessionEngine {
    assert(this.#opened.ok, this.#opened.ok ? "" : this.#opened.failure.message);
    return this.#opened.value;
  }

  async create(input: { learning: Learning; title: string }): Promise<SessionInfo> {
    return this.#engine.create(input);
  }
  async detail(): Promise<SessionDetail | null> {
    return this.#engine.detail();
  }
  async post(input: { text: string; key?: string }): Promise<Result<Accepted>> {
    return this.#engine.post(input);
  }
  async events(from: { after?: string; turn?: number }): Promise<Result<ReadableStream<Uint8Array>>> {
    return this.#engine.events(from);
  }
  async entries(after: number): Promise<Result<Entry[]>> {
    return this.#engine.entries(after);
  }
  async stop(): Promise<Result<{ stopped: string[] }>> {
    return this.#engine.stop();
  }
  async putFile(path: string, body: Uint8Array): Promise<Result<{ path: string; size: number }>> {
    return this.#engine.putFile(path, body);
  }
  async getFile(path: string): Promise<Result<Uint8Array>> {
    return this.#engine.getFile(path);
  }
  async deleteFile(path: string): Promise<Result<null>> {
    return this.#engine.deleteFile(path);
  }
  async listFiles(): Promise<Result<FileInfo[]>> {
    return this.#engine.listFiles();
  }
  /** With wrong settings it comes again until the operator has put them right: a throw would end it after six times. */
  override async alarm(): Promise<void> {
    if (this.#opened.ok) return this.#opened.value.alarm();
    console.error(this.#opened.failure.message);
    await this.ctx.storage.setAlarm(systemClock.now() + WRONG_SETTINGS_MS);
  }
}

function toHost(ctx: DurableObjectState, env: SessionEnv, settings: Settings): SessionHost {
  const [profilePart, sessionPart] = (ctx.id.name ?? "").split("/");
  const profile = ProfileId.parse(profilePart);
  const session = SessionId.parse(sessionPart);
  const clock = systemClock;
  const bucket = toBucket(env.SKILLS);
  return {
    profile,
    session,
    sql: toSql(ctx.storage),
    alarm: toAlarm(ctx.storage),
    clock,
    random: Math.random,
    settings,
    model: createModel(env, {
      fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init),
      rehearsal: createRehearsalModel,
    }),
    seeds,
    skills: createSkillStore({ bucket, profile, clock, random: Math.random, swapMs: settings.skills.swapMs }),
    memory: (overlay) =>
      createMemoryStore({ kv: toKeyValue(env.MEMORY), profile, clock, overlayMs: settings.memory.overlayMs, overlay }),
    evidence: createEvidenceStore({ bucket, profile }),
    reviews: createReviewStore({ bucket, profile }),
    queue: { send: async (message) => void (await env.REVIEWS.send(message)) },
    reserveReview: (request) => env.ACCOUNT.getByName(profile).reserveReview(request),
    background: (work) => ctx.waitUntil(work),
    report: (what, error) => console.error(`session ${session}: ${what}: ${messageOf(error)}`),
  };
}

function toSql(storage: DurableObjectStorage): Sql {
  return {
    run: <Row>(query: string, ...values: SqlValue[]) => storage.sql.exec(query, ...values).toArray() as Row[],
    transaction: (work) => storage.transactionSync(work),
  };
}

function toAlarm(storage: DurableObjectStorage): Alarm {
  return {
    get: () => storage.getAlarm(),
    set: (at) => (at === null ? storage.deleteAlarm() : storage.setAlarm(at)),
  };
}
