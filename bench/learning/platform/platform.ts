// The product in one process: its session engine, review, curation and experiments over in-memory stores, on a simulated clock.
// Used by run-stream.ts and two-profiles.ts.
import type { Model, ModelChain, ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { type TurnRecords, createTurnRecords } from "../../../core/archive/turn-archive.ts";
import { ok } from "../../../core/errors.ts";
import { type ReviewEnd, runReview } from "../../../core/learning/review/review.ts";
import type { ReviewPolicy } from "../../../core/learning/review/rules/policy.ts";
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import type { Bucket, KeyValue, MemoryStore, SkillStore } from "../../../core/ports.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { ReviewJob, ReviewMessage } from "../../../core/schemas/learning/review.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import type { SessionHost } from "../../../core/session/context.ts";
import { type SessionEngine, createSessionEngine } from "../../../core/session/engine.ts";
import type { Seeds } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createBlobCache } from "../../../stores/skills/caches/blob-cache.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createIndexCache } from "../../../stores/skills/caches/index-cache.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createMemoryKv } from "../../../test/support/bindings/memory-kv.ts";
import { createSeededRandom } from "../../../test/support/seeded-random.ts";
import { type DeliverOptions, deliverReview } from "../../../workers/review/deliver.ts";
import { createOverlay } from "../../../workers/review/overlay.ts";
import { createAccounts } from "./accounts.ts";
import { createBenchBucket } from "./bucket.ts";
import { type Curator, createCurator } from "./curator.ts";
import { createKillableStores } from "./faults.ts";
import { type Laboratory, createLaboratory } from "./laboratory.ts";
import { createBenchSql } from "./sql.ts";
import { createBackground, createTimeline } from "./timeline.ts";
import { createTokenCount } from "./token-count.ts";

export interface PlatformOptions {
  settings: Settings;
  worker: Model;
  reviewer: Model;
  policy?: ReviewPolicy;
  /** Whether the curator's cron fires. */
  curates: boolean;
  /** The fault of one delivery: the message arrives twice, or the delivery dies at a store call. Called once per delivery. */
  faultOf?(message: ReviewMessage, delivery: number): DeliveryFault;
  /** Tools of a replay, which begin as those of a new session do. Without them nothing can be run again. */
  newReplayTools?(): Tool[];
  /** Wraps the skill store that a session sees. */
  wrapSkills?(skills: SkillStore): SkillStore;
  /** Sees every request to a model before it is sent. */
  onRequest?(profile: ProfileId, request: ModelRequest): void;
  /** Called after each delivery, whatever its result. */
  onDelivered?(message: ReviewMessage): Promise<void>;
}

export interface DeliveryFault {
  isRepeated: boolean;
  /** The store call at which the delivery dies; `null` if it survives. */
  killAt: { atCall: number; afterwards: boolean } | null;
}

export interface OpenSession {
  id: SessionId;
  engine: SessionEngine;
  /** Sends a message and waits for the turn and its background work. */
  say(text: string): Promise<void>;
  /** Waits until no background work runs. */
  settled(): Promise<void>;
  close(): void;
}

export interface ProfileStores {
  skills: SkillStore;
  memory: MemoryStore;
  reviews: ReturnType<typeof createReviewStore>;
  pending: ReturnType<typeof createPendingStore>;
  evidence: ReturnType<typeof createEvidenceStore>;
}

export type Platform = ReturnType<typeof createPlatform>;

/** A session's object. Closed sessions stay readable where experiments run their turns again. */
interface OpenEngine {
  engine: SessionEngine;
  sql: ReturnType<typeof createBenchSql>;
}

/** Redelivery delay after a delivery died. Cloudflare's is longer. */
const VISIBLE_AGAIN_MS = 60_000;
const SECOND_COPY_MS = 3_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export function createPlatform(options: PlatformOptions) {
  const { settings } = options;
  const { clock, schedule, addPlace, advanceTo } = createTimeline();
  const bucket = createBenchBucket(clock);
  const kv = createMemoryKv({ clock });
  const random = createSeededRandom(7);
  const replayRandom = createSeededRandom(13);
  const blobs = createBlobCache();
  const indexes = createIndexCache();
  const sessions = new Map<string, OpenEngine>();
  const laboratories = new Map<ProfileId, Laboratory>();
  const accounts = createAccounts(settings);
  const archives = new Map<ProfileId, TurnRecords>();
  const sent: ReviewMessage[] = [];
  const reports: string[] = [];
  const deliveries = new Map<string, number>();
  const tokens = createTokenCount();
  const models = {
    worker: tokens.count("turns", options.worker),
    reviewer: tokens.count("reviews", options.reviewer),
    replay: tokens.count("replays", options.worker),
  };
  const canExperiment = settings.review.replayTokens > 0;

  const curator: Curator = createCurator({
    ...{ bucket, clock, settings, schedule },
    model: tokens.count("curation", options.reviewer),
  });

  function openStores(profile: ProfileId, on: { bucket: Bucket; kv: KeyValue } = { bucket, kv }): ProfileStores {
    const given = { ...on, profile, clock, random };
    return {
      skills: createSkillStore({ ...given, swapMs: settings.skills.swapMs, cache: blobs, indexes }),
      memory: createMemoryStore({
        kv: on.kv,
        profile,
        clock,
        overlayMs: settings.memory.overlayMs,
        overlay: createOverlay(),
      }),
      reviews: createReviewStore(given),
      pending: createPendingStore(given),
      evidence: createEvidenceStore({ ...given, judge: toJudge(settings.learning) }),
    };
  }

  /** The profile's turn records, as its Archive object stores them. */
  function archive(profile: ProfileId): TurnRecords {
    const known = archives.get(profile);
    if (known) return known;
    const records = createTurnRecords({ sql: createBenchSql(), discount: settings.learning.discount });
    archives.set(profile, records);
    return records;
  }

  /** The model, with each of this profile's requests reported to the observer. */
  function observeRequests(profile: ProfileId, model: Model): Model {
    const { onRequest } = options;
    if (!onRequest) return model;
    return { ...model, stream: (request, signal) => (onRequest(profile, request), model.stream(request, signal)) };
  }

  async function deliver(message: ReviewMessage): Promise<void> {
    const delivery = (deliveries.get(message.review) ?? 0) + 1;
    deliveries.set(message.review, delivery);
    const fault = options.faultOf?.(message, delivery) ?? { isRepeated: false, killAt: null };
    if (fault.isRepeated) schedule(SECOND_COPY_MS, () => deliver(message));
    const process = fault.killAt ? createKillableStores({ bucket, kv }, fault.killAt) : null;
    const stores = openStores(message.profile, process ?? { bucket, kv });
    const run = (job: ReviewJob): Promise<ReviewEnd> =>
      runReview({
        ...stores,
        job,
        seeds,
        models: [observeRequests(message.profile, models.reviewer)] as ModelChain,
        clock,
        random,
        settings,
        ...(options.policy && { policy: options.policy }),
        signal: new AbortController().signal,
      });
    const wiring: DeliverOptions = {
      reviews: () => stores.reviews,
      memory: () => stores.memory,
      pending: () => stores.pending,
      run,
      clock,
      settings,
      log: (line) => {
        if (line.event === "review_failed" || line.event === "review_buried") reports.push(JSON.stringify(line));
      },
    };
    const delivered = deliverReview(message, wiring);
    const verdict = process ? await Promise.race([delivered, process.killed]) : await delivered;
    if (verdict === "killed") schedule(VISIBLE_AGAIN_MS, () => deliver(message));
    else if (verdict.act === "retry") schedule(Math.max(1, verdict.delaySeconds) * 1_000, () => deliver(message));
    await options.onDelivered?.(message);
  }

  /** What a session's engine needs, and a replay's. */
  function toHost(
    profile: ProfileId,
    {
      session,
      sql,
      alarm,
      model,
      tools,
      isReviewed = true,
      background,
    }: Pick<SessionHost, "sql" | "alarm" | "background"> & {
      session: SessionId;
      model: Model;
      tools: Tool[];
      isReviewed?: boolean;
    },
  ): SessionHost {
    const stores = openStores(profile);
    return {
      ...{ profile, session, sql, alarm, clock, background },
      // Replays draw from a sequence of their own, so that the sessions of all arms draw alike.
      random: model === models.replay ? replayRandom : random,
      settings: isReviewed ? settings : { ...settings, review: { ...settings.review, enabled: false } },
      token: () => "k3f9x2m7q1w8e5r4",
      models: () => ok([observeRequests(profile, model)]),
      seeds: seeds as Seeds,
      moreTools: tools,
      skills: options.wrapSkills?.(stores.skills) ?? stores.skills,
      memory: (overlay) => createMemoryStore({ kv, profile, clock, overlayMs: settings.memory.overlayMs, overlay }),
      evidence: stores.evidence,
      archive: {
        observe: async (signature) => archive(profile).observe(signature),
        name: async (turns) => archive(profile).putKinds(turns),
      },
      pending: stores.pending,
      reviews: stores.reviews,
      queue: {
        async send(message) {
          sent.push(message);
          schedule(0, () => deliver(message));
        },
      },
      account: accounts.forSession(profile),
      ...(canExperiment && { experiments: laboratory(profile).experiments }),
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
    };
  }

  async function openSession(
    profile: ProfileId,
    id: SessionId,
    { learning = true, tools = [] as Tool[], reviewed = true } = {},
  ): Promise<OpenSession> {
    const sql = createBenchSql();
    const background = createBackground();
    const key = `${profile}/${id}`;
    const { alarm, remove } = addPlace(async () => {
      await engine.alarm();
      await background.settled();
    });
    const engine = createSessionEngine(
      toHost(profile, {
        ...{ session: id, sql, alarm, tools, model: models.worker },
        isReviewed: reviewed,
        background: background.add,
      }),
    );
    await engine.create({ learning: learning ? "on" : "off", title: "" });
    if (canExperiment) sessions.set(key, { engine, sql });
    return {
      id,
      engine,
      settled: background.settled,
      async say(text) {
        const accepted = await engine.post({ text });
        if (!accepted.ok) throw new Error(accepted.failure.message);
        await background.settled();
      },
      close() {
        remove();
        if (!canExperiment) sql.close();
      },
    };
  }

  /** The profile's experiments. Only where settings grant them something. */
  function laboratory(profile: ProfileId): Laboratory {
    const known = laboratories.get(profile);
    if (known) return known;
    const { skills, evidence } = openStores(profile);
    const background = createBackground();
    const made = createLaboratory({
      ...{ settings, clock, random: replayRandom, skills, evidence },
      archive: archive(profile),
      budget: accounts.forExperiments(profile),
      model: models.replay,
      newTools: options.newReplayTools ?? (() => []),
      findSession: (session) => sessions.get(`${profile}/${session}`)?.engine,
      toHost: (place) => toHost(profile, { ...place, background: background.add }),
      addAlarm: (wake) =>
        addPlace(async () => {
          await wake();
          await background.settled();
        }),
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
    });
    laboratories.set(profile, made);
    return made;
  }

  /** Nothing of the platform may be used afterwards. */
  function end(): void {
    for (const { sql } of sessions.values()) sql.close();
    for (const one of laboratories.values()) one.close();
  }

  /** Schedules the curator's cron at one o'clock on each of the next days, when the previous day's markers are due. */
  function scheduleCuration(days: number): void {
    if (!options.curates) return;
    const midnight = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    for (let day = 1; day <= days; day++) {
      schedule(midnight + day * DAY_MS + HOUR_MS - clock.now(), () => curator.fire());
    }
  }

  return {
    clock,
    bucket,
    kv,
    sent,
    reports,
    /** Of all model calls so far. */
    tokens: tokens.used,
    openStores,
    openSession,
    advanceTo,
    scheduleCuration,
    /** `null`: nothing is granted to them. */
    experiments: (profile: ProfileId) => (canExperiment ? laboratory(profile).experiments : null),
    end,
  };
}
