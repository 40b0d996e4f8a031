// The product in one process: its session engine, its review and its curation over doubles of the platform's stores, on a
// clock that is moved. Time stands still while something works; queues and alarms fire when the clock comes to them, in the
// order of their times. Used by run-stream.ts and two-profiles.ts.
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
import { createBlobCache } from "../../../stores/skills/blob-cache.ts";
import { createEvidenceStore } from "../../../stores/evidence-store.ts";
import { createIndexCache } from "../../../stores/skills/index-cache.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../../test/support/clock.ts";
import { createMemoryKv } from "../../../test/support/bindings/memory-kv.ts";
import { createSeededRandom } from "../../../test/support/seeded-random.ts";
import { type DeliverOptions, deliverReview } from "../../../workers/review/deliver.ts";
import { createOverlay } from "../../../workers/review/overlay.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../../durable-objects/account-ledger.ts";
import { createBenchBucket } from "./bucket.ts";
import { type Curator, createCurator } from "./curator.ts";
import { mortal } from "./faults.ts";
import { createBenchSql } from "./sql.ts";

export interface PlatformOptions {
  settings: Settings;
  worker: Model;
  reviewer: Model;
  policy?: ReviewPolicy;
  /** Whether the curator's cron fires. */
  curates: boolean;
  /** What happens to a message: it comes twice, or its delivery dies at a call. Asked once a delivery. */
  fault?(message: ReviewMessage, delivery: number): DeliveryFault;
  /** Puts itself between a session and its skills. */
  showing?(skills: SkillStore): SkillStore;
  /** Sees every request to a model before it is sent. */
  asked?(profile: ProfileId, request: ModelRequest): void;
  /** Called when a delivery has ended, however it ended. */
  delivered?(message: ReviewMessage): Promise<void>;
}

export interface DeliveryFault {
  again: boolean;
  /** The call to a store at which it dies; `null`: it lives. */
  killAt: { atCall: number; afterwards: boolean } | null;
}

export interface OpenSession {
  id: SessionId;
  engine: SessionEngine;
  /** Sends a message and waits until the turn is over and nothing runs behind it. */
  say(text: string): Promise<void>;
  /** Nothing runs in the background any more. */
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

/** A message whose delivery died comes again after this; the platform's own is longer. */
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

  const curator: Curator = createCurator({ bucket, clock, settings, model: options.reviewer, later });

  function later(delayMs: number, run: () => Promise<void>): void {
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

  /** The profile's memory of its turns, as its Archive keeps it. */
  function archive(profile: ProfileId): TurnRecords {
    const known = archives.get(profile);
    if (known) return known;
    const records = createTurnRecords({ sql: createBenchSql(), discount: settings.learning.discount });
    archives.set(profile, records);
    return records;
  }

  /** The profile's ledger itself, over a database in memory. */
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

  /** The model, as a profile's work asks it. */
  function forProfile(profile: ProfileId, model: Model): Model {
    const { asked } = options;
    if (!asked) return model;
    return { ...model, stream: (request, signal) => (asked(profile, request), model.stream(request, signal)) };
  }

  async function deliver(message: ReviewMessage): Promise<void> {
    const delivery = (deliveries.get(message.review) ?? 0) + 1;
    deliveries.set(message.review, delivery);
    const fault = options.fault?.(message, delivery) ?? { again: false, killAt: null };
    if (fault.again) later(SECOND_COPY_MS, () => deliver(message));
    const process = fault.killAt ? mortal({ bucket, kv }, fault.killAt) : null;
    const stores = openStores(message.profile, process ?? { bucket, kv });
    const run = (job: ReviewJob): Promise<ReviewEnd> =>
      runReview({
        ...stores,
        job,
        seeds,
        models: [forProfile(message.profile, options.reviewer)] as ModelChain,
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
    if (verdict === "killed") later(VISIBLE_AGAIN_MS, () => deliver(message));
    else if (verdict.act === "retry") later(Math.max(1, verdict.delaySeconds) * 1_000, () => deliver(message));
    await options.delivered?.(message);
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
      models: () => ok([forProfile(profile, options.worker)]),
      seeds: seeds as Seeds,
      moreTools: tools,
      skills: options.showing?.(stores.skills) ?? stores.skills,
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
          later(0, () => deliver(message));
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

  /** Everything that is due up to then, in its order. */
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

  /** The hour after midnight, when the curator's cron finds the day before. */
  function scheduleCuration(days: number): void {
    if (!options.curates) return;
    const midnight = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    for (let day = 1; day <= days; day++) {
      later(midnight + day * DAY_MS + HOUR_MS - clock.now(), () => curator.fire());
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
