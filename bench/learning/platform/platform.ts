// The product in one process: its session engine, review and curation over in-memory stores, on a simulated clock. The clock
// stops while work runs. Queue messages and alarms fire in the order of their times, when the clock reaches them.
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
import type { AccountPort } from "../../../core/session/context.ts";
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
import { createTestClock } from "../../../test/support/clock.ts";
import { createMemoryKv } from "../../../test/support/bindings/memory-kv.ts";
import { createSeededRandom } from "../../../test/support/seeded-random.ts";
import { type DeliverOptions, deliverReview } from "../../../workers/review/deliver.ts";
import { createOverlay } from "../../../workers/review/overlay.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../../durable-objects/account-ledger.ts";
import { createBenchBucket } from "./bucket.ts";
import { type Curator, createCurator } from "./curator.ts";
import { createKillableStores } from "./faults.ts";
import { createBenchSql } from "./sql.ts";

export interface PlatformOptions {
  settings: Settings;
  worker: Model;
  reviewer: Model;
  policy?: ReviewPolicy;
  /** Whether the curator's cron fires. */
  curates: boolean;
  /** The fault of one delivery: the message arrives twice, or the delivery dies at a store call. Called once per delivery. */
  faultOf?(message: ReviewMessage, delivery: number): DeliveryFault;
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

interface Event {
  at: number;
  order: number;
  run(): Promise<void>;
}

/** Redelivery delay after a delivery died. Cloudflare's is longer. */
const VISIBLE_AGAIN_MS = 60_000;
const SECOND_COPY_MS = 3_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export function createPlatform(options: PlatformOptions) {
  const { settings } = options;
  const clock = createTestClock();
  const bucket = createBenchBucket(clock);
  const kv = createMemoryKv({ clock });
  const random = createSeededRandom(7);
  const blobs = createBlobCache();
  const indexes = createIndexCache();
  const sessions = new Map<string, { profile: ProfileId; alarmAt: number | null; wake(): Promise<void> }>();
  const accounts = new Map<ProfileId, AccountPort>();
  const archives = new Map<ProfileId, TurnRecords>();
  const events: Event[] = [];
  const sent: ReviewMessage[] = [];
  const reports: string[] = [];
  const deliveries = new Map<string, number>();
  let order = 0;

  const curator: Curator = createCurator({ bucket, clock, settings, model: options.reviewer, schedule });

  function schedule(delayMs: number, run: () => Promise<void>): void {
    events.push({ at: clock.now() + delayMs, order: order++, run });
  }

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

  /** The profile's real ledger, over an in-memory database. */
  function account(profile: ProfileId): AccountPort {
    const known = accounts.get(profile);
    if (known) return known;
    const sql = createBenchSql();
    for (const statement of LEDGER_SCHEMA) sql.run(statement);
    const ledger = createAccountLedger(sql);
    const port: AccountPort = {
      reserveReview: async (request) => ledger.reserveReview(request),
      reserveTurn: async (request) => ledger.reserveTurn(request),
      book: async (booking) => void ledger.book(booking),
    };
    accounts.set(profile, port);
    return port;
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
        models: [observeRequests(message.profile, options.reviewer)] as ModelChain,
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

  async function openSession(
    profile: ProfileId,
    id: SessionId,
    { learning = true, tools = [] as Tool[], reviewed = true } = {},
  ): Promise<OpenSession> {
    const sql = createBenchSql();
    const stores = openStores(profile);
    const background = new Set<Promise<void>>();
    const settled = async () => {
      while (background.size > 0) await Promise.allSettled(background);
    };
    const place = {
      profile,
      alarmAt: null as number | null,
      async wake() {
        place.alarmAt = null;
        await engine.alarm();
        await settled();
      },
    };
    const key = `${profile}/${id}`;
    const own = reviewed ? settings : { ...settings, review: { ...settings.review, enabled: false } };
    const engine = createSessionEngine({
      profile,
      session: id,
      sql,
      alarm: { set: async (at) => void (place.alarmAt = at) },
      clock,
      random,
      settings: own,
      token: () => "k3f9x2m7q1w8e5r4",
      models: () => ok([observeRequests(profile, options.worker)]),
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
      account: account(profile),
      background(work) {
        background.add(work);
        void work.finally(() => background.delete(work));
      },
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
    });
    await engine.create({ learning: learning ? "on" : "off", title: "" });
    sessions.set(key, place);
    return {
      id,
      engine,
      settled,
      async say(text) {
        const accepted = await engine.post({ text });
        if (!accepted.ok) throw new Error(accepted.failure.message);
        await settled();
      },
      close() {
        sessions.delete(key);
        sql.close();
      },
    };
  }

  /** Runs everything that is due up to `time`, in order, and moves the clock there. */
  async function advanceTo(time: number): Promise<void> {
    for (;;) {
      const alarm = earliestAlarm();
      const event = events.reduce<Event | null>(
        (first, one) => (!first || one.at < first.at || (one.at === first.at && one.order < first.order) ? one : first),
        null,
      );
      const at = Math.min(alarm?.alarmAt ?? Infinity, event?.at ?? Infinity);
      if (at > time) break;
      if (at > clock.now()) clock.advance(at - clock.now());
      if (event && event.at <= (alarm?.alarmAt ?? Infinity)) {
        events.splice(events.indexOf(event), 1);
        await event.run();
      } else await alarm!.wake();
    }
    if (time > clock.now()) clock.advance(time - clock.now());
  }

  function earliestAlarm() {
    let first: { alarmAt: number | null; wake(): Promise<void> } | null = null;
    for (const place of sessions.values()) {
      if (place.alarmAt !== null && (!first || place.alarmAt < first.alarmAt!)) first = place;
    }
    return first;
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
    openStores,
    openSession,
    advanceTo,
    scheduleCuration,
  };
}
