// The checks of POST /v1/doctor, with each thing broken in turn, on doubles of the stores, the queue and the models.
import { describe, expect, it } from "vitest";
import type { Model, ModelEvent } from "../../../core/agent/contract.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import type { DoctorLine, DoctorPing } from "../../../core/schemas/doctor.ts";
import type { ModelProbe } from "../../../core/models/routing.ts";
import { answerPing } from "../../../workers/review/answer-ping.ts";
import { checkModel } from "../../../workers/api/doctor/check-models.ts";
import {
  checkExecHost,
  checkMcpServer,
  checkObjects,
  checkOutbound,
} from "../../../workers/api/doctor/check-services.ts";
import {
  type DoctorStores,
  checkBucket,
  checkCron,
  checkKv,
  checkQueue,
} from "../../../workers/api/doctor/check-stores.ts";
import { guard } from "../../../workers/api/doctor/lines.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import packageJson from "../../../package.json" with { type: "json" };

const PINGS = ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW"];
const NOW = 1_700_000_000_000;

function createStores(more: Partial<DoctorStores> = {}) {
  const bucket = createMemoryBucket();
  const kv = new Map<string, string>();
  let now = NOW;
  const pings = [...PINGS];
  const stores: DoctorStores = {
    bucket,
    kv: {
      put: async (key, value) => void kv.set(key, value),
      get: async (key) => kv.get(key) ?? null,
      delete: async (key) => void kv.delete(key),
    },
    queue: { send: async (message) => void (await answerPing(message, { bucket, model: "m", now })) },
    now: () => now,
    wait: async (ms) => void (now += ms),
    version: packageJson.version,
    newPing: () => pings.shift()!,
    ...more,
  };
  const left = async () => [...kv.keys(), ...(await bucket.list({ prefix: "doctor/" })).objects.map(({ key }) => key)];
  return { bucket, stores, left };
}

/** `check: state`; every line but a good one must say how to fix it. */
function show(lines: DoctorLine | DoctorLine[]): string[] {
  const all = [lines].flat();
  for (const { state, fix } of all) expect(fix !== undefined).toBe(state !== "ok");
  return all.map(({ check, state }) => `${check}: ${state}`);
}

const fix = { check: "c", fix: "f", ms: 20 };

describe("the check of R2", () => {
  it("writes, reads and removes a probe", async () => {
    const { stores, left } = createStores();
    expect(show(await checkBucket(stores))).toContain("R2: ok");
    expect(await left()).toEqual([]);
  });

  it("fails for a bucket that refuses, and for one that overwrites where it must not", async () => {
    const { bucket, stores } = createStores();
    const broken = { ...bucket, put: () => Promise.reject(new Error("no such bucket")), delete: async () => {} };
    expect(show(await guard({ ...fix, check: "R2" }, () => checkBucket({ ...stores, bucket: broken })))).toEqual([
      "R2: fail",
    ]);
    const lax = { ...bucket, put: (key: string, body: string | Uint8Array) => bucket.put(key, body) };
    expect(show(await checkBucket({ ...createStores().stores, bucket: lax }))).toEqual(["R2: fail"]);
  });
});

describe("the check of KV", () => {
  it("writes, reads and removes a probe", async () => {
    const { stores, left } = createStores();
    expect(show(await checkKv(stores))).toEqual(["KV: ok"]);
    expect(await left()).toEqual([]);
  });

  it("warns of a value that is late and fails for a wrong one", async () => {
    const { stores } = createStores();
    const late = { ...stores.kv, get: async () => null };
    expect(show(await checkKv({ ...stores, kv: late }))).toEqual(["KV: warn"]);
    const wrong = { ...stores.kv, get: async () => "other" };
    expect(show(await checkKv({ ...createStores().stores, kv: wrong }))).toEqual(["KV: fail"]);
  });
});

describe("the check of the queue", () => {
  it("sends a message that the review Worker answers, and removes the answer", async () => {
    const { stores, left } = createStores();
    expect(show(await checkQueue(stores, 1_000))).toEqual(["queue: ok", "version of talaria-review: ok"]);
    expect(await left()).toEqual([]);
  });

  it("fails when nothing comes back, and when the Worker is of another version", async () => {
    const silent = { send: async () => {} };
    expect(show(await checkQueue(createStores({ queue: silent }).stores, 1_000))).toEqual(["queue: fail"]);
    expect(show(await checkQueue(createStores({ version: "0.0.1" }).stores, 1_000))).toEqual([
      "queue: ok",
      "version of talaria-review: fail",
    ]);
  });

  it("leaves no answer to a message that came too late, and takes no other message for one", async () => {
    const { bucket, left } = createStores();
    const ping: DoctorPing = { v: 1, kind: "ping", ping: PINGS[0]!, until: NOW };
    expect(await answerPing(ping, { bucket, model: "m", now: NOW })).toBe(true);
    expect(await left()).toEqual([]);
    expect(await answerPing({ v: 1, review: "r" }, { bucket, model: "m", now: NOW })).toBe(false);
  });
});

describe("the check of cron", () => {
  const ranAt = async (at: number) => {
    const { bucket, stores } = createStores();
    await bucket.put("cron", JSON.stringify({ v: 1, version: packageJson.version, at, model: "m" }));
    return show(await checkCron(stores));
  };

  it("warns before the first run, and fails when two runs were left out", async () => {
    expect(show(await checkCron(createStores().stores))).toEqual(["cron: warn"]);
    expect(await ranAt(NOW - 60_000)).toEqual(["cron: ok", "version of talaria-curator: ok"]);
    expect(await ranAt(NOW - 3 * 3_600_000)).toEqual(["cron: fail", "version of talaria-curator: ok"]);
  });
});

const CALL = { id: "c", name: "ping", args: { word: "pong" } };
const answer = (calls: object[]) =>
  ({
    type: "done",
    answer: { text: "", calls, stop: "end", usage: { ...NO_USAGE, input: 7, output: 2 }, model: "m" },
  }) as unknown as ModelEvent;
const failure = (code: string, message = "The provider says no: sk-abcdefghijklmnopqrstuvwxyz0123456789.") =>
  ({
    type: "failed",
    failure: { code, message, retry: false, compact: false, rotateKey: false, fallBack: false },
  }) as ModelEvent;

async function tryModel(events: ModelEvent[], more: Partial<ModelProbe> = {}, window = 200_000) {
  const model: Model = {
    name: "p:m",
    contextWindow: window,
    async *stream() {
      yield* events;
    },
  };
  const spent = { modelCalls: 0, tokens: 0, usd: 0 };
  const probe: ModelProbe = { name: "p:m", variable: "P_KEY", nth: 1, of: 1, model, ...more };
  const lines = await checkModel(probe, new AbortController().signal, spent);
  return { lines, shown: show(lines), spent };
}

describe("the check of a model's key", () => {
  it("tells that the key is accepted, that the model calls a tool, and its window", async () => {
    const { shown, spent } = await tryModel([answer([CALL])]);
    expect(shown).toEqual(["key P_KEY (p:m): ok", "tools of p:m: ok", "window of p:m: ok"]);
    expect(spent).toEqual({ modelCalls: 1, tokens: 9, usd: 0 });
  });

  it("warns of a model without tools and of a small window", async () => {
    expect((await tryModel([answer([])], {}, 8_000)).shown).toEqual([
      "key P_KEY (p:m): ok",
      "tools of p:m: warn",
      "window of p:m: warn",
    ]);
  });

  it("says nothing again of the model for its second key", async () => {
    expect((await tryModel([answer([CALL])], { nth: 2, of: 2 })).shown).toEqual(["key 2 of 2 in P_KEY (p:m): ok"]);
  });

  it.each([
    ["auth", /P_KEY/],
    ["billing", /Top up/],
    ["rate_limit", /Wait/],
    ["model_missing", /TALARIA_MODEL/],
    ["network", /can be reached/],
    ["tools_unsupported", /supports tool calls/],
    ["stream_malformed", /base URL/],
  ])("fails with %s, says what to do, and never tells a key", async (code, advice) => {
    const { lines, shown } = await tryModel([failure(code)]);
    expect(shown).toEqual(["key P_KEY (p:m): fail"]);
    expect(lines[0]!.fix).toMatch(advice);
    expect(JSON.stringify(lines)).not.toContain("sk-abc");
  });
});

describe("the other checks", () => {
  it("fail when they throw or hang", async () => {
    expect(show(await guard(fix, () => Promise.reject(new Error("x"))))).toEqual(["c: fail"]);
    expect(await guard(fix, () => new Promise(() => {}))).toEqual([
      { check: "c", state: "fail", found: "no answer within 0.02 seconds", fix: "f" },
    ]);
  });

  it("tell whether the exec host answers", async () => {
    const host = (result: object) => ({ listFolder: async () => result }) as never;
    const { signal } = new AbortController();
    expect(show(await checkExecHost(host({ ok: true, value: {} }), signal))).toEqual(["exec host: ok"]);
    const refused = host({ ok: false, failure: { code: "host_unreachable", message: "It does not answer." } });
    expect(show(await checkExecHost(refused, signal))).toEqual(["exec host: fail"]);
  });

  it("tell whether an MCP server answers", async () => {
    const server = (catalog: object) => {
      const entry = { name: "s", catalog } as never;
      return checkMcpServer(entry, async () => entry);
    };
    expect(show(await server({ listing: { tools: [] }, failure: null }))).toEqual(["MCP server s: ok"]);
    const failed = { listing: { tools: [] }, failure: { code: "mcp_unreachable", message: "no" } };
    expect(show(await server(failed))).toEqual(["MCP server s: fail"]);
  });

  it("tell whether requests to private networks are refused", async () => {
    const refuse = { fetch: () => Promise.reject(new Error("This address is refused: it is private.")) };
    expect(show(await checkOutbound(refuse, 0))).toEqual(["outbound: ok"]);
    expect(show(await checkOutbound({ fetch: async () => new Response() }, 0))).toEqual(["outbound: fail"]);
  });

  it("tell that a newer version wrote the account or the newest session", async () => {
    const objects = { readAccount: async () => 1, newestSession: async () => "s", readSession: async () => 1 };
    const newer = () => Promise.reject(new Error("state_newer: a newer version wrote it"));
    expect(show(await checkObjects(objects))).toEqual([
      "tables of the account: ok",
      "tables of the newest session: ok",
    ]);
    expect(show(await checkObjects({ ...objects, readSession: newer }))).toContain(
      "tables of the newest session: fail",
    );
    const lines = await checkObjects({ ...objects, readAccount: newer, newestSession: newer });
    expect(lines).toMatchObject([{ state: "fail", fix: expect.stringContaining("newest version") }]);
  });
});
