// The Worker that bench:board runs in workerd: an object for each world, whose storage counts rows. Its calls: `/build` makes the world,
// `/do` does one of its operations.
import { DurableObject } from "cloudflare:workers";
import { toSql } from "../../durable-objects/sql.ts";
import { meterStorage } from "../support/storage-meter.ts";
import { createWorld } from "./create-world.ts";
import type { World, WorldSize } from "./world.ts";

export interface DoneWork {
  rowsRead: number;
  rowsWritten: number;
}

const KEEP_MS = 10 * 60_000;

export class BoardBench extends DurableObject {
  readonly #meter = meterStorage(this.ctx.storage);
  #world: World | null = null;

  override async fetch(request: Request): Promise<Response> {
    if (request.url.endsWith("/build")) {
      // Ten seconds without a request would end the object, and the largest world takes longer to make.
      this.ctx.waitUntil(new Promise((done) => setTimeout(done, KEEP_MS)));
      this.#world = await createWorld(toSql(this.ctx.storage), await request.json<WorldSize>());
      return Response.json(this.#world.ops.map(({ op }) => op));
    }
    const { place, n } = await request.json<{ place: number; n: number }>();
    const before = this.#meter.counts();
    await this.#world!.ops[place]!.work(n);
    const { rowsRead, rowsWritten } = this.#meter.counts();
    return Response.json({
      rowsRead: rowsRead - before.rowsRead,
      rowsWritten: rowsWritten - before.rowsWritten,
    } satisfies DoneWork);
  }
}

// eslint-disable-next-line import/no-default-export
export default {
  async fetch(request: Request, env: { BOARD_BENCH: DurableObjectNamespace }): Promise<Response> {
    return env.BOARD_BENCH.getByName(request.headers.get("x-world")!).fetch(request);
  },
};
