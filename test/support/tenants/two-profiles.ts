// Starts the three real Workers with every tool that a session can have, and makes tenants who talk to them. The model, the search
// service, the pages and the browser are doubles; the exec host is the real one. Used by test/flows/two-profiles.stack.test.ts.
import { join } from "node:path";
import { expect } from "vitest";
import type { Accepted, CreatedProfile, CreatedSession, SessionDetail, TurnInfo } from "../../../core/schemas/api.ts";
import type { Entry, JsonObject, ToolEntry } from "../../../core/schemas/entry.ts";
import type { WorkerOptions } from "../../../scripts/stack/bundle.ts";
import type { WorkerName } from "../../../scripts/stack/wrangler.ts";
import { EXEC_TOKEN, startExecHost } from "../exec-host.ts";
import { type Product, startProduct } from "../product.ts";
import { startLocalSite } from "../web/local-site.ts";
import type { Asked } from "./api-sweep.ts";
import { SERVER } from "./facts.ts";
import { answerMcp } from "./mcp-double.ts";
import { type Call, startObedientModel, toMessage } from "./obedient-model.ts";

const OPERATOR = "operator-token-for-tests";
const fixtures = join(import.meta.dirname, "../../fixtures");
const BROWSER: WorkerOptions = {
  name: "browser-double",
  modules: [{ type: "ESModule", path: join(fixtures, "browser-double.js") }],
  modulesRoot: fixtures,
  compatibilityDate: "2026-10-01",
};

export type World = Awaited<ReturnType<typeof startWorld>>;

/** `toPage`: what the search service and every page say, by the number of the request. */
export async function startWorld(toPage: (nth: number) => string) {
  const model = await startObedientModel();
  const exec = await startExecHost();
  const site = await startLocalSite((path, nth) => {
    const answer = answerMcp(site.origin, site.requests[nth - 1]!);
    if (answer) return answer;
    if (!path.startsWith("/brave/")) return { headers: { "content-type": "text/plain" }, body: toPage(nth) };
    const results = [{ title: "Found", url: `${site.origin}/page`, description: toPage(nth) }];
    return { headers: { "content-type": "application/json" }, body: JSON.stringify({ web: { results } }) };
  });
  const settings = {
    turn: { titles: false },
    guardrails: { hardStops: "never", fruitless: 1_000, unvaried: 1_000, unusable: 1_000 },
    review: { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000 },
    approvals: { mode: "off" },
    models: { vision: { "openai-chat:scripted": true } },
    images: { model: "openai-chat:image" },
    outbound: { allow: [site.origin] },
    web: { brave: { apiBase: `${site.origin}/brave` } },
  };
  const vars = {
    TALARIA_OPERATOR_TOKEN: OPERATOR,
    TALARIA_SETTINGS: JSON.stringify(settings),
    TALARIA_MODEL: "openai-chat:scripted",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "k",
    BRAVE_API_KEY: "brave-key",
    TALARIA_EXEC_URL: exec.url,
    TALARIA_EXEC_TOKEN: EXEC_TOKEN,
    TALARIA_EXEC_PROFILES: "*",
  };
  const configure = (toml: string) => `${toml}\n[[services]]\nbinding = "BROWSER"\nservice = "browser-double"\n`;
  const names: WorkerName[] = ["api", "review", "curator"];
  const product = await startProduct({ vars, names, configure, beside: [BROWSER] });

  return {
    ...{ model, site, deployment: product.url },
    createTenant: () => createTenant(product.fetch, site.origin),
    async close() {
      await product.close();
      model.close();
      await Promise.all([site.close(), exec.end()]);
    },
  };
}

const GOOD_ENDS: TurnInfo["state"][] = ["done", "parked"];

export type Tenant = Awaited<ReturnType<typeof createTenant>>;

async function createTenant(fetchServer: Product["fetch"], site: string) {
  /** All that the API ever answered. */
  const heard: string[] = [];
  const created: CreatedProfile = JSON.parse((await ask({ method: "POST", path: "/v1/profiles" }, OPERATOR)).text);

  async function ask({ method, path, body, type, headers = {} }: Asked, bearer = created.key) {
    const reply = await fetchServer(path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(type && { "content-type": type }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = Buffer.from(await reply.arrayBuffer()).toString("latin1");
    heard.push(text);
    return { status: reply.status, text };
  }

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const asked = { method, path, ...(body && { body: JSON.stringify(body), type: "application/json" }) };
    const { status, text } = await ask(asked);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return (text ? JSON.parse(text) : null) as T;
  }

  /** Sends a message and waits until its turn has ended, or waits for a person. Returns what it waits for. */
  async function say(session: string, message: object, ends = GOOD_ENDS): Promise<TurnInfo["parked"]> {
    const { turn } = await call<Accepted>("POST", `/v1/sessions/${session}/messages`, message);
    return settle(session, turn, ends);
  }

  async function settle(session: string, turn: string, ends = GOOD_ENDS): Promise<TurnInfo["parked"]> {
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      const { turns } = await call<SessionDetail>("GET", `/v1/sessions/${session}`);
      const { state, parked } = turns.find((each) => each.turn === turn)!;
      if (state !== "queued" && state !== "running" && parked?.for !== "children") {
        expect(ends).toContain(state);
        return parked;
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    throw new Error("the turn did not end");
  }

  /** The results of the calls that the model makes in these steps, in order. A question of the model is declined. */
  async function work(session: string, steps: Call[][], message: object = {}): Promise<ToolEntry[]> {
    const { turn } = await call<Accepted>("POST", `/v1/sessions/${session}/messages`, {
      ...message,
      text: toMessage(steps),
    });
    for (let wait = await settle(session, turn); wait?.for === "clarify"; wait = await settle(session, turn)) {
      await call("POST", `/v1/sessions/${session}/approvals/${wait.id}`, { approve: false });
    }
    const { entries } = await call<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`);
    return entries.filter((entry): entry is ToolEntry => entry.kind === "tool").slice(-steps.flat().length);
  }

  /** Sets the MCP servers that both tenants have, and waits until their tools are known. */
  async function setServers(headers: Record<string, string> = {}): Promise<void> {
    for (const [server, path] of [
      [SERVER, "notes"],
      ["many", "many"],
    ]) {
      await call("PUT", `/v1/mcp/servers/${server}`, { url: `${site}/mcp/${path}`, headers });
      expect(await call("POST", `/v1/mcp/servers/${server}/test`)).toMatchObject({ state: "ready" });
    }
  }

  const createSession = async (fields: object = {}) =>
    (await call<CreatedSession>("POST", "/v1/sessions", fields)).session;

  return { ...created, heard, ask, call, say, work, createSession, setServers };
}

/** A result's fields, whatever part they are in. */
export function fieldsOf({ parts }: ToolEntry): JsonObject {
  return Object.assign({}, ...parts.map(({ text }) => JSON.parse(text) as JsonObject)) as JsonObject;
}
