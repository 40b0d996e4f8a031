// The host of a replay: the model is offered the tools that the turn had, and no port that reaches outside is ever called, whatever the model
// calls, and even where a tool that should not run would run.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { ok } from "../../../core/errors.ts";
import type { MemoryProvider } from "../../../core/memory/provider.ts";
import type { ApprovalPort, SessionHost } from "../../../core/session/context.ts";
import { toReplayHost } from "../../../core/session/replay/replay-host.ts";
import type { ReplayPart } from "../../../core/session/replay/replay-part.ts";
import { createScriptedSession } from "../../support/session/scripted-session.ts";
import { createReplayRun, toOrder } from "../../support/session/replay-run.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

/** Answers nothing and notes each call. */
function createSpies() {
  const called: string[] = [];
  const spy = <Port extends object>(name: string, more: Partial<Port> = {}): Port =>
    new Proxy(more, {
      get: (_, key) =>
        key in more || key === "then"
          ? more[key as keyof Port]
          : async () => {
              called.push(`${name}.${String(key)}`);
              return { ok: false, failure: { code: "spied", message: "A spy answers nothing." } };
            },
    }) as Port;
  return { called, spy };
}

/** A host with all that a deployment may have. */
function createPorts() {
  const { called, spy } = createSpies();
  const sends: Tool = {
    ...{ name: "provider_note", effect: "unkeyed", description: "Notes.", toolset: "memory" },
    parameters: z.strictObject({}),
    run: async () => (called.push("provider_note"), succeed({})),
  };
  const ports: Partial<SessionHost> = {
    exec: spy("exec"),
    outbound: spy("outbound"),
    imageMaker: spy("imageMaker"),
    memoryProvider: spy<MemoryProvider>("memoryProvider", { name: "spied", tools: () => [sends] }),
    messages: spy("messages"),
    sessions: spy("sessions"),
    web: { outbound: spy("web"), search: null, browser: spy("browser") },
    mcp: { dialer: spy("mcp"), storeCatalog: async () => void called.push("mcp.storeCatalog") },
    children: spy("children"),
    board: { open: () => spy("board") },
    goals: spy("goals"),
    profileJobs: spy("profileJobs"),
    hooks: spy("hooks"),
    channels: spy("channels"),
    experiments: spy("experiments"),
    archive: spy("archive"),
    evidence: spy("evidence"),
    reviews: spy("reviews"),
    queue: spy("queue"),
    approvals: spy<ApprovalPort>("approvals", { read: async () => ({ mode: null, allowances: [] }) }),
  };
  return { called, ports };
}

const calls = [
  ["web_extract", { urls: ["https://example.com/"] }],
  ["browser_navigate", { url: "https://example.com/" }],
  ["browser_click", { ref: "e1" }],
  ["vision_analyze", { image: "a.png", question: "What?" }],
  ["image_generate", { prompt: "A cat." }],
  ["session_search", { query: "rain" }],
  ["delegate_task", { goal: "Do it." }],
  ["cronjob", { action: "list" }],
  ["memory", { action: "add", store: "memory", content: "A fact." }],
  [
    "skill_manage",
    { action: "create", name: "a-skill", content: "---\nname: a-skill\ndescription: It is.\n---\nDo.\n" },
  ],
  ["provider_note", {}],
].map(([name, args]) => ({ name: name as string, args: args as Record<string, unknown> }));

describe("a replay in a deployment that has everything", () => {
  async function runAgain(script: ScriptLine[]) {
    const { called, ports } = createPorts();
    const model = createScriptedModel([{ text: "Hello." }], { sees: true });
    const session = await createScriptedSession([], { host: ports, model });
    await session.say("Hello.");
    const { bucket, kv, life, engine } = session;
    const stored = async () => [
      ...(await bucket.list({ prefix: "" })).objects.map(({ key, etag }) => `${key} ${etag}`),
      ...(await kv.list({ prefix: "" })).keys.map(({ name }) => name),
    ];
    const before = await stored();
    called.length = 0;
    const again = createScriptedModel(script, { sees: true });
    const host = { ...life.host, models: () => ok([again] as const) };
    const replay = createReplayRun({ host, source: engine, order: { arm: "without" } });
    const next = replay.boot();
    await next.begin();
    await next.run();
    expect(await stored()).toEqual(before);
    return { called, replay, entries: next.entries(), recorded: model.requests[0]!, again: again.requests[0]! };
  }

  test("offers the tools of the recorded turn, in the same words", async () => {
    const { recorded, again } = await runAgain([{ text: "Hello." }]);
    expect(again.tools).toEqual(recorded.tools);
    const names = again.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(calls.map(({ name }) => name)));
  });

  test("reaches nothing, whatever the model calls", async () => {
    const { called, entries, replay } = await runAgain([{ calls }, { text: "Done." }]);
    expect(called).toEqual([]);
    const results = entries.filter((entry) => entry.kind === "tool");
    const codes = results.map(({ call, parts }) => [
      call.name,
      /left_recording|not_in_replay/.exec(JSON.stringify(parts))?.[0],
    ]);
    const reads = ["web_extract", "browser_navigate", "vision_analyze", "session_search"];
    const expected = calls.map(({ name }) => [name, reads.includes(name) ? "left_recording" : "not_in_replay"]);
    expect(codes.toSorted()).toEqual(expected.toSorted());
    expect(replay.reports).toMatchObject([{ end: "left_recording" }]);
  });
});

describe("the ports of a replay", () => {
  test("refuse although nothing stood before them", async () => {
    const { called, ports } = createPorts();
    const session = await createScriptedSession([], { host: ports });
    const options = { order: toOrder({ arm: "with" }), shiftMs: () => 0, text: async () => null };
    const host = toReplayHost(session.life.host, { ...options, replay: {} as ReplayPart });
    const signal = new AbortController().signal;
    const asked: (() => unknown)[] = [
      () => host.outbound!.request("https://example.com/", { signal, timeoutMs: 1, maxBytes: 1 }),
      () => host.web!.outbound.request("https://example.com/", { signal, timeoutMs: 1, maxBytes: 1 }),
      () => host.web!.browser!.open(signal),
      () => host.exec!.commands("", signal),
      () => host.imageMaker!.make({ prompt: "A cat.", aspect: "square" }, signal),
      () => host.messages!.search({ query: "rain" } as never),
      () => host.sessions!.recent(1),
      () => host.children!.look("01J00000000000000000000009"),
      () => host.board!.open("main").list({} as never),
      () => host.goals!.newest(),
      () => host.profileJobs!.list({ after: "", limit: 1 }),
      () => host.memoryProvider!.prefetch("rain", signal),
      () => host.memoryProvider!.tools()[0]!.run({}, { op: "o", prepared: {}, signal }),
      () => host.evidence.markActive("2026-01-05"),
      () => host.reviews.outcome("a-review"),
      () => host.queue.send({} as never),
      () => host.mcp!.dialer.open({} as never, { timeoutMs: 1, signal }),
      () => host.memory({} as never).add("memory", "op", {} as never),
    ];
    for (const ask of asked) await expect(Promise.resolve().then(ask)).rejects.toThrow(/repetition/);
    const change = { name: "a-skill", op: "o", since: 0, decide: () => ok({}) };
    expect(await host.skills.change(change)).toMatchObject({ failure: { code: "not_in_replay" } });
    expect(await host.skills.purge("a-skill", 1)).toMatchObject({ failure: { code: "not_in_replay" } });
    expect([host.hooks, host.channels, host.experiments, host.archive, host.approvals]).toEqual(
      Array(5).fill(undefined),
    );
    expect(called).toEqual([]);
  });

  test("show one text under the skill's name, by the models of replays, and book nothing", async () => {
    const { called, ports } = createPorts();
    const session = await createScriptedSession([], { host: ports });
    const [turns, replays] = ["turns", "replays"].map((name) => ({ ...createScriptedModel([]), name }));
    const recorded: SessionHost = {
      ...session.life.host,
      settings: { ...session.life.host.settings, learning: { ...session.life.host.settings.learning, holdOut: 0.5 } },
      seeds: { "a-skill": {}, another: {} },
      search: {} as NonNullable<SessionHost["search"]>,
      models: (slot) => ok([slot === "replay" ? replays! : turns!] as const),
      account: { ...session.life.host.account, book: async () => void called.push("account.book") },
    };
    const toHost = (arm: "with" | "recorded") => {
      const order = toOrder({ arm, skill: "a-skill" });
      return toReplayHost(recorded, { order, shiftMs: () => 0, text: async () => null, replay: {} as ReplayPart });
    };
    const told = (host: SessionHost) => {
      const models = host.models("turn");
      return [models.ok && models.value[0].name, host.settings.learning.holdOut, Object.keys(host.seeds), host.search];
    };
    expect(told(toHost("with"))).toEqual(["replays", 0, ["another"], undefined]);
    expect(told(toHost("recorded"))).toEqual(["turns", 0.5, ["a-skill", "another"], undefined]);
    await toHost("with").account.book({} as never);
    expect(called).toEqual([]);
  });
});
