// The replicas over HTTP on 127.0.0.1, for tests of the whole stack: `/github`, `/skills-sh`, `/clawhub`, and a site of its own on another port.
// Give `settings` to the deployment: it names the servers, and lets requests reach the site.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SettingsPatch } from "../../../core/schemas/settings.ts";
import { createGithubReads } from "./github-read.ts";
import { createClawhub, createSkillsSh } from "./registries.ts";
import { type Replica, createSite } from "./world.ts";

export interface HubReplica {
  github: ReturnType<typeof createGithubReads>;
  skillsSh: ReturnType<typeof createSkillsSh>;
  clawhub: ReturnType<typeof createClawhub>;
  /** What the site answers by path; may be changed while it runs. */
  pages: Parameters<typeof createSite>[0];
  /** `http://127.0.0.1:<port>` of the site. */
  site: string;
  settings: Required<Pick<SettingsPatch, "hub" | "outbound">>;
  stop(): Promise<void>;
}

export async function startHubReplica(): Promise<HubReplica> {
  const github = createGithubReads();
  const skillsSh = createSkillsSh();
  const clawhub = createClawhub();
  const pages: HubReplica["pages"] = {};
  const places: [prefix: string, replica: Replica][] = [
    ["/github", github.both],
    ["/skills-sh", skillsSh.handle],
    ["/clawhub", clawhub.handle],
  ];
  const sources = await listen((request) => {
    const url = new URL(request.url);
    const [prefix, replica] = places.find(([each]) => url.pathname.startsWith(`${each}/`)) ?? [];
    if (prefix === undefined || !replica) return new Response("Not found", { status: 404 });
    url.pathname = url.pathname.slice(prefix.length);
    return replica(new Request(url, request));
  });
  const site = await listen(createSite(pages));
  const apiBase = (name: string) => ({ apiBase: `${sources.origin}/${name}` });
  return {
    ...{ github, skillsSh, clawhub, pages, site: site.origin },
    settings: {
      hub: { github: apiBase("github"), skillsSh: apiBase("skills-sh"), clawhub: apiBase("clawhub"), trusted: [] },
      outbound: { allow: [site.origin] },
    },
    async stop() {
      await Promise.all([close(sources.server), close(site.server)]);
    },
  };
}

async function listen(replica: Replica): Promise<{ server: Server; origin: string }> {
  const server = createServer((request, response) => {
    answer(replica, request, response).catch(() => response.destroy()); // the client went away
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function answer(replica: Replica, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const reply = await replica(
    new Request(`http://${request.headers.host}${request.url}`, { method: request.method ?? "GET", headers }),
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  for await (const piece of reply.body ?? []) {
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    if (response.destroyed) return;
  }
  response.end();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
