// The api Worker for benches: the product's, with a meter on each object's storage and on a Session's R2 and KV. It adds a route
// `/bench/<profile>/<session>`: GET reads the meters, DELETE evicts the object. PUT `/bench/<profile>/index` stores a skill index
// in R2. GET `/bench/lives/<profile>` says how often the profile's Agenda and board were built, without waking them. Bundled only for benches.
import api from "../../../workers/api/index.ts";
import type { Env } from "../../../workers/api/env.ts";
import type { SessionEnv } from "../../../durable-objects/session/host.ts";
import { Session as ProductSession } from "../../../durable-objects/session/session.ts";
import { Account as ProductAccount } from "../../../durable-objects/account.ts";
import { Agenda as ProductAgenda } from "../../../durable-objects/agenda/agenda.ts";
import { Board as ProductBoard } from "../../../durable-objects/board/board.ts";
import { Archive as ProductArchive, type ArchiveEnv } from "../../../durable-objects/archive.ts";
import { type CallCounts, meterCalls } from "../call-meter.ts";
import { type StorageCounts, type StorageMeter, meterStorage } from "../storage-meter.ts";

export { Experiments } from "../../../durable-objects/experiments/experiments.ts";
export { Replay } from "../../../durable-objects/replay/replay.ts";
export { Channels } from "../../../durable-objects/channels/channels.ts";
export { DiscordSocket } from "../../../durable-objects/channels/discord-socket.ts";
export { Webhooks } from "../../../durable-objects/webhooks/webhooks.ts";

export interface MeterReading extends StorageCounts {
  /** The time of the object's next alarm. */
  alarmAt: number | null;
  /** Costs outside the Session's storage: rows of the profile's Account and Archive, the Session's calls to R2 and KV. */
  beside?: Record<string, number>;
}

export class Account extends ProductAccount {
  readonly #meter: StorageMeter;
  constructor(ctx: DurableObjectState, env: unknown) {
    const meter = meterStorage(ctx.storage);
    super(ctx, env as never);
    this.#meter = meter;
  }
  readMeter(): StorageCounts {
    return this.#meter.counts();
  }
}

export class Archive extends ProductArchive {
  readonly #meter: StorageMeter;
  constructor(ctx: DurableObjectState, env: ArchiveEnv) {
    const meter = meterStorage(ctx.storage);
    super(ctx, env);
    this.#meter = meter;
  }
  readMeter(): StorageCounts {
    return this.#meter.counts();
  }
}

export class Session extends ProductSession {
  readonly #meter: StorageMeter;
  readonly #r2: CallCounts;
  readonly #kv: CallCounts;
  constructor(ctx: DurableObjectState, env: SessionEnv) {
    const meter = meterStorage(ctx.storage);
    const [r2, kv] = [
      { calls: 0, bytes: 0 },
      { calls: 0, bytes: 0 },
    ];
    super(ctx, { ...env, SKILLS: meterCalls(env.SKILLS, r2), MEMORY: meterCalls(env.MEMORY, kv) });
    this.#meter = meter;
    this.#r2 = r2;
    this.#kv = kv;
  }
  async readMeter(): Promise<MeterReading> {
    const profile = this.ctx.id.name!.split("/")[0]!;
    const [account, archive] = await Promise.all(
      [this.env.ACCOUNT, this.env.ARCHIVE].map((objects) =>
        (objects.getByName(profile) as unknown as Pick<Account, "readMeter">).readMeter(),
      ),
    );
    const beside = {
      accountRowsRead: account!.rowsRead,
      accountRowsWritten: account!.rowsWritten,
      archiveRowsRead: archive!.rowsRead,
      archiveRowsWritten: archive!.rowsWritten,
      r2Calls: this.#r2.calls,
      r2Bytes: this.#r2.bytes,
      kvCalls: this.#kv.calls,
      kvBytes: this.#kv.bytes,
    };
    return { ...this.#meter.counts(), alarmAt: await this.ctx.storage.getAlarm(), beside };
  }
  async evict(): Promise<void> {
    await this.ctx.storage.sync();
    this.ctx.abort("evicted by the bench");
  }
}

/** How often an object was built, and how often its alarm fired. */
export interface ObjectLife {
  births: number;
  alarms: number;
}
/** Of the isolate, so that reading it wakes no object. */
const lives = new Map<string, ObjectLife>();
function lifeOf(name: string): ObjectLife {
  const life = lives.get(name) ?? { births: 0, alarms: 0 };
  lives.set(name, life);
  return life;
}

export class Agenda extends ProductAgenda {
  readonly life = lifeOf(this.ctx.id.name!);
  readonly born = this.life.births++;
  override async alarm(): Promise<void> {
    this.life.alarms++;
    await super.alarm();
  }
  async alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
}

export class Board extends ProductBoard {
  readonly life = lifeOf(this.ctx.id.name!);
  readonly born = this.life.births++;
  override async alarm(): Promise<void> {
    this.life.alarms++;
    await super.alarm();
  }
  async alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
}

/** `null`: it is no route of these. */
async function answerLives(request: Request, env: Env): Promise<Response | null> {
  const [what, profile] =
    /^\/bench\/(lives|live|board|agenda)\/([^/]+)$/.exec(new URL(request.url).pathname)?.slice(1) ?? [];
  if (profile === undefined) return null;
  if (what === "lives") return Response.json({ board: lifeOf(`${profile}/main`), agenda: lifeOf(profile) });
  const board = env.BOARD.getByName(`${profile}/main`) as unknown as Pick<Board, "alarmAt"> & { fetch: typeof fetch };
  if (what === "live") return board.fetch(request);
  const agenda = env.AGENDA.getByName(profile) as unknown as Pick<Agenda, "alarmAt">;
  return Response.json({ at: await (what === "board" ? board : agenda).alarmAt() });
}

const METER = /^https?:\/\/[^/]+\/bench\/([^/]+\/[^/]+)$/;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const answered = await answerLives(request, env);
    if (answered) return answered;
    const name = METER.exec(request.url)?.[1];
    if (!name) return api.fetch(request, env, ctx);
    if (request.method === "PUT") {
      await env.SKILLS.put(`p/${name}`, await request.text());
      return new Response(null, { status: 204 });
    }
    const session = env.SESSION.getByName(name) as unknown as Pick<Session, "readMeter" | "evict">;
    if (request.method !== "DELETE") return Response.json(await session.readMeter());
    await session.evict().catch(() => undefined); // the call ends with its object
    return new Response(null, { status: 204 });
  },
};
