// The api Worker as a bench runs it: the product's own, with a meter under each Session's storage and one more route,
// `/bench/<profile>/<session>`: GET reads it, DELETE ends the object as an eviction does; PUT `/bench/<profile>/index` puts an
// index of skills into R2. Bundled by bundle.ts for benches only.
import api from "../../workers/api/index.ts";
import type { Env } from "../../workers/api/env.ts";
import { Session as ProductSession, type SessionEnv } from "../../durable-objects/session/session.ts";
import { type StorageCounts, type StorageMeter, meterStorage } from "./storage-meter.ts";

export { Account } from "../../durable-objects/account.ts";
export { Archive } from "../../durable-objects/archive.ts";

export interface MeterReading extends StorageCounts {
  /** When the object will wake next. */
  alarmAt: number | null;
}

export class Session extends ProductSession {
  readonly #meter: StorageMeter;
  constructor(ctx: DurableObjectState, env: SessionEnv) {
    const meter = meterStorage(ctx.storage);
    super(ctx, env);
    this.#meter = meter;
  }
  async readMeter(): Promise<MeterReading> {
    return { ...this.#meter.counts(), alarmAt: await this.ctx.storage.getAlarm() };
  }
  async evict(): Promise<void> {
    await this.ctx.storage.sync();
    this.ctx.abort("evicted by the bench");
  }
}

const METER = /^https?:\/\/[^/]+\/bench\/([^/]+\/[^/]+)$/;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
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
