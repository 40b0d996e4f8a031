// A session engine over node:sqlite and the stores' doubles. It can crash at any write and be booted again on what was stored.
// Each lifetime has its own wrapper around the ports, so that a dead engine cannot reach a store.
import type { CodeSandbox } from "../../../core/sandbox/code-sandbox.ts";
import type { Model, ModelChain, ModelSlot, Tool } from "../../../core/agent/contract.ts";
import { createTurnRecords } from "../../../core/archive/turn-archive.ts";
import { ok } from "../../../core/errors.ts";
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { MemoryProvider } from "../../../core/memory/provider.ts";
import type { Bucket, KeyValue, SessionList, Sql } from "../../../core/ports.ts";
import type { SessionInfo } from "../../../core/schemas/api.ts";
import { createArchiveParts } from "../archive-parts.ts";
import type { ArchivedTurn } from "../../../core/schemas/archived-message.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import type { ReviewMessage } from "../../../core/schemas/learning/review.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import type { AccountPort, ApprovalPort, ChildPort, SessionHost } from "../../../core/session/context.ts";
import type { Booking } from "../../../core/schemas/usage.ts";
import type { RunChecks } from "../../../core/skills/checks.ts";
import { type SessionEngine, createSessionEngine } from "../../../core/session/engine.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { guardWrites } from "../../../stores/deleted.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { type Counter, countBucket, countCall, countKv } from "../bindings/counted.ts";
import { createSeededRandom } from "../seeded-random.ts";
import { type TestClock, createTestClock } from "../clock.ts";
import { createMemoryBucket } from "../bindings/memory-bucket.ts";
import { createMemoryKv } from "../bindings/memory-kv.ts";
import { createNodeSql } from "../bindings/node-sql.ts";

export const PROFILE = "0123456789abcdefghjkmnpqrs";
export const SESSION = "01J00000000000000000000000";

/** A simulated power cut. Code that catches it still cannot write. */
export class Crash extends Error {
  override name = "Crash";
}

export interface SessionLife {
  engine: SessionEngine;
  /** What its engine was made with. */
  host: SessionHost;
  /** Resolves when no background work is left. */
  settled(): Promise<void>;
  /** Fires the alarm if it is due, as the platform would. */
  wake(): Promise<void>;
  /** From now on, this lifetime writes nothing. */
  kill(): void;
  /** The first moment at which it crashes, counted from 1 from now on: see `crashPoints`. */
  crashIn(points: number): void;
  isDead(): boolean;
  reports: string[];
}

export interface HarnessOptions {
  model: Model;
  /** Default: `SESSION`, with a clock of its own. */
  session?: string;
  clock?: TestClock;
  /** The profile's Archive, where sessions share it. Default: one of its own. */
  archive?: { records: ReturnType<typeof createTurnRecords>; parts: ReturnType<typeof createArchiveParts> };
  /** The sessions that this one begins. Absent: the agent cannot delegate. */
  children?: ChildPort;
  /** Asked at each moment at which a crash may come, of any port. True: this lifetime ends with it. */
  isCut?(): boolean;
  /** Models by slot. The other slots use `model`. */
  models?: Partial<Record<ModelSlot, ModelChain>>;
  tools?: Tool[];
  memoryProvider?: MemoryProvider;
  imageMaker?: SessionHost["imageMaker"];
  outbound?: SessionHost["outbound"];
  runChecks?: RunChecks;
  sandbox?: CodeSandbox;
  settings?: Partial<{ [Key in keyof Settings]: Partial<Settings[Key]> }>;
  /** The profile's Account. Default: grants every reservation in full and accepts every booking. */
  account?: Partial<AccountPort>;
  /** Runs before the profile's Archive answers. It may throw, or never resolve. */
  onArchive?(signature: TurnSignature): void | Promise<void>;
  /** Runs before the profile's Archive stores the messages of a turn. It may throw, or never resolve. */
  onMessages?(turn: ArchivedTurn): void | Promise<void>;
  /** What the profile allows all its sessions. Absent: nothing. */
  approvals?: ApprovalPort;
  isUnattended?(): boolean;
  /** What the profile's owner has set. Absent: nothing can be set. */
  readProfileSettings?: SessionHost["readProfileSettings"];
  /** The way to the profile's MCP servers. Absent: none has tools. */
  mcp?: SessionHost["mcp"];
  /** The profile's webhooks. Absent: there are none. */
  hooks?: SessionHost["hooks"];
  /** Where deliveries for chats go. Absent: there are no chats. */
  channels?: SessionHost["channels"];
  /** The size of the Archive's database. */
  archiveBytes?(): number;
  /** The profile's sessions, oldest first. Absent: the agent has no tool that searches them. */
  sessions?: SessionInfo[];
  /** Counts requests as the platform does, including the checks for tombstones before a write. */
  counter?: Counter;
  /** Other ports of the host, or others in place of these. */
  host?: Partial<SessionHost>;
  /** Runs while a message is being sent to the queue. */
  onSend?(message: ReviewMessage): Promise<void>;
}

export type SessionHarness = ReturnType<typeof createSessionHarness>;

export function createSessionHarness(options: HarnessOptions) {
  const sql = createNodeSql();
  const { session = SESSION, clock = createTestClock() } = options;
  const bucket = createMemoryBucket({ clock });
  const kv = createMemoryKv({ clock });
  const { archive } = options;
  const records = archive?.records ?? createTurnRecords({ sql: createNodeSql(), discount: DEFAULTS.learning.discount });
  const parts = archive?.parts ?? createArchiveParts({ clock, readBytes: () => options.archiveBytes?.() ?? 0 });
  const { first: messages, firstSql: archiveSql } = parts;
  const sent: ReviewMessage[] = [];
  const booked: Booking[] = [];
  let alarmAt: number | null = null;
  let writes = 0;
  let crashPoints = 0;

  /** `crashAt`: the moment of this lifetime at which it crashes, counted from 1. */
  function boot({ crashAt = Infinity }: { crashAt?: number } = {}): SessionLife {
    let alive = true;
    let count = 0;
    let lastPoint = crashAt;
    /** Whether this transaction has written. A crash later in it leaves the same, since everything is rolled back. */
    let hasWritten: boolean | null = null;
    const background = new Set<Promise<void>>();
    const reports: string[] = [];
    const step = (write: boolean) => {
      if (!alive) throw new Crash("dead");
      if (!write) return;
      if (hasWritten !== true) {
        if (hasWritten === false) hasWritten = true;
        if (++count >= lastPoint || options.isCut?.()) {
          alive = false;
          throw new Crash(`at ${count}`);
        }
        crashPoints++;
      }
      writes++;
    };
    const mortal: Sql = {
      run: (query, ...values) => {
        step(!/^\s*SELECT/i.test(query));
        return sql.run(query, ...values);
      },
      transaction(work) {
        step(false);
        hasWritten = false;
        try {
          return sql.transaction(work);
        } finally {
          hasWritten = null;
        }
      },
    };
    const profile = PROFILE;
    // Off, because a title needs a model call that tests' scripts do not contain.
    const settings = merge({ ...options.settings, turn: { titles: false, ...options.settings?.turn } });
    const { counter } = options;
    const stores = {
      bucket: mortalBucket(counter ? guardWrites(countBucket(bucket, counter)) : bucket, step),
      kv: mortalKv(counter ? countKv(kv, counter) : kv, step),
    };
    const ask = (kind: string) => {
      step(true);
      if (counter) countCall(counter, kind);
    };
    const host: SessionHost = {
      profile,
      session,
      ...(options.children && { children: options.children }),
      sql: mortal,
      alarm: {
        set: async (at) => {
          step(true);
          alarmAt = at;
        },
      },
      clock,
      random: () => 0.5,
      settings,
      token: () => "k3f9x2m7q1w8e5r4",
      models: (slot) => ok(options.models?.[slot] ?? [options.model]),
      seeds,
      moreTools: options.tools ?? [],
      ...(options.approvals && { approvals: mortalApprovals(options.approvals, step) }),
      ...(options.readProfileSettings && { readProfileSettings: options.readProfileSettings }),
      ...(options.mcp && { mcp: options.mcp }),
      ...(options.hooks && {
        hooks: {
          take: async (event) => {
            ask("account");
            await options.hooks!.take(event);
          },
        },
      }),
      ...(options.channels && {
        channels: {
          take: async (delivery) => {
            ask("channels");
            await options.channels!.take(delivery);
          },
        },
      }),
      ...(options.isUnattended && { isUnattended: options.isUnattended }),
      memoryProvider: options.memoryProvider,
      imageMaker: options.imageMaker,
      ...(options.outbound && { outbound: options.outbound }),
      runChecks: options.runChecks,
      sandbox: options.sandbox,
      skills: createSkillStore({
        bucket: stores.bucket,
        profile,
        clock,
        random: () => 0.5,
        swapMs: settings.skills.swapMs,
      }),
      memory: (overlay) =>
        createMemoryStore({ kv: stores.kv, profile, clock, overlayMs: settings.memory.overlayMs, overlay }),
      evidence: createEvidenceStore({ bucket: stores.bucket, profile, judge: toJudge(settings.learning) }),
      archive: {
        async observe(signature) {
          ask("archive");
          await options.onArchive?.(signature);
          return records.observe(signature);
        },
        async name(turns) {
          ask("archive");
          records.putKinds(turns);
        },
      },
      ...(options.sessions && { sessions: listSessions(options.sessions) }),
      messages: {
        async put(turn, year) {
          ask("archive");
          await options.onMessages?.(turn);
          const put = await parts.put(turn, year);
          if (!put.ok) throw new Error(`${put.failure.code}: ${put.failure.message}`);
          return put.value.stored ? null : put.value.year;
        },
        search: (query) => parts.split.search(query),
        around: (session, n, before, after) => parts.split.around(session, n, before, after),
        rename: (session, title) => parts.split.rename(session, title),
      },
      pending: createPendingStore({ bucket: stores.bucket, profile, clock, random: createSeededRandom(5) }),
      reviews: createReviewStore({ bucket: stores.bucket, profile }),
      queue: {
        async send(message) {
          ask("queue");
          await options.onSend?.(message);
          sent.push(message);
        },
      },
      account: {
        reserveReview: async (request) => {
          ask("account");
          return options.account?.reserveReview?.(request) ?? { granted: true, grant: request.grant };
        },
        reserveTurn: async (request) => {
          ask("account");
          return options.account?.reserveTurn?.(request) ?? request.day;
        },
        book: async (booking) => {
          ask("account");
          await options.account?.book?.(booking);
          booked.push(booking);
        },
      },
      background(work) {
        background.add(work);
        void work.catch(() => {}).finally(() => background.delete(work)); // rejected by a crash, which ended this lifetime
      },
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
      ...options.host,
    };
    const engine = createSessionEngine(host);
    return {
      engine,
      host,
      reports,
      kill() {
        alive = false;
      },
      crashIn(points) {
        lastPoint = count + points;
      },
      isDead: () => !alive,
      async settled() {
        while (background.size > 0) await Promise.allSettled(background);
      },
      async wake() {
        if (alarmAt === null) return;
        const firedAt = alarmAt;
        if (alarmAt > clock.now()) clock.advance(alarmAt - clock.now());
        alarmAt = null;
        await engine.alarm().catch((error: unknown) => {
          alarmAt ??= firedAt; // the platform repeats an alarm whose handler failed
          throw error;
        });
        await this.settled();
      },
    };
  }

  const memory = () => createMemoryStore({ kv, profile: PROFILE, clock, overlayMs: 0 });
  return {
    boot,
    clock,
    sent,
    booked,
    bucket,
    kv,
    records,
    memory,
    messages,
    archiveSql,
    parts,
    sql,
    alarmAt: () => alarmAt,
    writes: () => writes,
    /** The moments at which a crash leaves something else than at the one before: each write, but of a transaction only the first one. */
    crashPoints: () => crashPoints,
  };
}

function listSessions(sessions: SessionInfo[]): SessionList {
  return {
    recent: async (limit) => sessions.toReversed().slice(0, limit),
    find: async (asked) => sessions.filter(({ session }) => asked.includes(session)),
  };
}

function merge(patch: HarnessOptions["settings"] = {}): Settings {
  const { publicUrl, ...groups } = DEFAULTS;
  const entries = Object.entries(groups).map(([key, value]) => [
    key,
    { ...value, ...patch[key as keyof typeof groups] },
  ]);
  return { publicUrl, ...Object.fromEntries(entries) } as Settings;
}

function mortalApprovals(port: ApprovalPort, step: (write: boolean) => void): ApprovalPort {
  return {
    read: async () => (step(false), port.read()),
    allow: async (allowance) => (step(true), port.allow(allowance)),
    revoke: async (id) => (step(true), port.revoke(id)),
  };
}

function mortalBucket(bucket: Bucket, step: (write: boolean) => void): Bucket {
  return {
    get: async (key) => (step(false), bucket.get(key)),
    getUnless: async (key, unless) => (step(false), bucket.getUnless(key, unless)),
    put: async (key, body, putOptions) => (step(true), bucket.put(key, body, putOptions)),
    list: async (listOptions) => (step(false), bucket.list(listOptions)),
    delete: async (keys) => (step(true), bucket.delete(keys)),
  };
}

function mortalKv(kv: KeyValue, step: (write: boolean) => void): KeyValue {
  return {
    get: async (key) => (step(false), kv.get(key)),
    getMany: async (keys) => (step(false), kv.getMany(keys)),
    put: async (key, value, putOptions) => (step(true), kv.put(key, value, putOptions)),
    delete: async (key) => (step(true), kv.delete(key)),
    list: async (listOptions) => (step(false), kv.list(listOptions)),
  };
}
