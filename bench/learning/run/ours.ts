// The api Worker of bench:learning: the product's, with the bench's tools in its sessions and two more routes. One dumps what is
// stored for a profile; the other counts a session's open jobs. Bundled by stack.ts only.
import type { SessionHost } from "../../../core/session/context.ts";
import type { Env } from "../../../workers/api/env.ts";
import api from "../../../workers/api/index.ts";
import { Replay as ProductReplay } from "../../../durable-objects/replay/replay.ts";
import { Session as ProductSession } from "../../../durable-objects/session/session.ts";
import type { Parameters } from "../world/parameters.ts";
import { createBenchTools, newProgress } from "../world/tools.ts";
import type { Surfaces } from "../world/surfaces.ts";
import type { World } from "../world/tasks.ts";
import { createWorlds } from "../world/world.ts";

export { Account } from "../../../durable-objects/account.ts";
export { Archive } from "../../../durable-objects/archive.ts";
export { Channels } from "../../../durable-objects/channels/channels.ts";
export { DiscordSocket } from "../../../durable-objects/channels/discord-socket.ts";
export { Webhooks } from "../../../durable-objects/webhooks/webhooks.ts";
export { Agenda } from "../../../durable-objects/agenda/agenda.ts";
export { Board } from "../../../durable-objects/board/board.ts";
export { Experiments } from "../../../durable-objects/experiments/experiments.ts";

/** Lives as long as the isolate, which is as long as a run. */
const PROGRESS = newProgress();
let worldByJob: ((job: string) => World) | null = null;

export interface BenchWorld {
  parameters: Parameters;
  surfaces: Surfaces;
}

interface BenchEnv {
  TALARIA_BENCH: string;
}

function addTools(env: unknown, product: SessionHost): SessionHost {
  const { parameters, surfaces } = JSON.parse((env as BenchEnv).TALARIA_BENCH) as BenchWorld;
  worldByJob ??= createWorlds(parameters, surfaces);
  return { ...product, moreTools: createBenchTools(worldByJob, parameters, surfaces, PROGRESS) };
}

export class Replay extends ProductReplay {
  protected override adapt(product: SessionHost): SessionHost {
    return addTools(this.env, product);
  }
}

export class Session extends ProductSession {
  protected override adapt(product: SessionHost): SessionHost {
    return addTools(this.env, product);
  }

  async openJobs(): Promise<OpenJobs> {
    const { jobs } = this.ctx.storage.sql.exec<{ jobs: number }>("SELECT count(*) AS jobs FROM job").one();
    return { jobs };
  }
}

export interface OpenJobs {
  jobs: number;
}

export interface StoredObjects {
  objects: { key: string; text: string }[];
  facts: { key: string; value: string }[];
}

const DUMP = /^https?:\/\/[^/]+\/bench-stored\/([^/]+)$/;
const JOBS = /^https?:\/\/[^/]+\/bench-jobs\/([^/]+\/[^/]+)$/;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const session = JOBS.exec(request.url)?.[1];
    if (session) {
      const object = env.SESSION.getByName(session) as unknown as Pick<Session, "openJobs">;
      return Response.json(await object.openJobs());
    }
    const profile = DUMP.exec(request.url)?.[1];
    return profile ? Response.json(await dump(env, `p/${profile}/`)) : api.fetch(request, env, ctx);
  },
};

async function dump(env: Env, prefix: string): Promise<StoredObjects> {
  const found: StoredObjects = { objects: [], facts: [] };
  for (const part of ["heads/", "blobs/", "evidence/"]) {
    let cursor: string | undefined;
    do {
      const page = await env.SKILLS.list({ prefix: `${prefix}${part}`, cursor });
      for (const { key } of page.objects) {
        found.objects.push({ key, text: (await (await env.SKILLS.get(key))?.text()) ?? "" });
      }
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  }
  let cursor: string | undefined;
  do {
    const page = await env.MEMORY.list({ prefix, cursor });
    for (const { name } of page.keys) found.facts.push({ key: name, value: (await env.MEMORY.get(name)) ?? "" });
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor !== undefined);
  return found;
}
