// The Worker that bench:board runs in workerd: an object whose storage counts rows, in which the operations of cards and of jobs are measured.
import { DurableObject } from "cloudflare:workers";
import { toSql } from "../../durable-objects/sql.ts";
import { meterStorage } from "../support/storage-meter.ts";
import { measureCards } from "./measure-cards.ts";
import { measureJobs } from "./measure-jobs.ts";

export class BoardBench extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const { what, sizes } = await request.json<{ what: "cards" | "jobs"; sizes: number[] }>();
    const meter = meterStorage(this.ctx.storage);
    const deps = { sql: toSql(this.ctx.storage), counts: () => meter.counts(), elapsedMs: () => 0 };
    return Response.json(what === "cards" ? measureCards(deps, sizes) : measureJobs(deps, sizes));
  }
}

// eslint-disable-next-line import/no-default-export
export default {
  async fetch(request: Request, env: { BOARD_BENCH: DurableObjectNamespace }): Promise<Response> {
    return env.BOARD_BENCH.getByName(new URL(request.url).pathname).fetch(request);
  },
};
