// MCP servers in a session: what a turn costs, what changes between turns, servers that do not answer, crashes in a call.
import { describe, expect, test } from "vitest";
import type { ToolEntry } from "../../../core/schemas/entry.ts";
import { createFakeServer } from "../../support/mcp/fake-server.ts";
import { toListedTool } from "../../support/mcp/json-server.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

async function setUp(
  script: ScriptLine[],
  tools = [toListedTool("act"), toListedTool("look", { annotations: { readOnlyHint: true } })],
) {
  const fake = createFakeServer(tools, () => harness.clock.now());
  const model = createScriptedModel(script);
  const harness = createSessionHarness({
    model,
    readProfileSettings: async () => structuredClone(fake.settings),
    mcp: fake.port,
  });
  let life = harness.boot();
  await life.engine.create({ learning: "off", title: "t" });
  return {
    ...fake,
    model,
    harness,
    life: () => life,
    restart: () => (life = harness.boot()),
    async say(text: string) {
      await life.engine.post({ text, settingsRev: fake.settings.rev });
      await life.settled();
    },
    async results(): Promise<ToolEntry[]> {
      const entries = await life.engine.entries(0);
      return entries.ok ? entries.value.filter((entry): entry is ToolEntry => entry.kind === "tool") : [];
    },
    offered: (request = -1) => model.requests.at(request)!.tools.filter(({ name }) => /^(mcp|tool)_/.test(name)),
  };
}

const call = (name: string, args = {}): ScriptLine => ({ calls: [{ name, args }] });
const done: ScriptLine = { text: "Done." };

describe("a session with MCP servers", () => {
  test("asks a server nothing while nobody calls it, and shows its tools", async () => {
    const { say, set, server, offered } = await setUp([done]);
    set();
    await say("hello");
    expect(offered().map(({ name }) => name)).toEqual(["mcp_fake_act", "mcp_fake_look"]);
    expect([server.opened, server.asked]).toEqual([0, []]);
  });

  test("gives what a call returns as content, and closes the connection with the turn", async () => {
    const { say, set, server, results } = await setUp([call("mcp_fake_act", { a: "1" }), done]);
    set();
    await say("do it");
    const [result] = await results();
    expect(result).toMatchObject({
      failed: false,
      parts: [{ source: "outcome" }, { source: "content", text: '{"text":"act says yes"}' }],
    });
    expect(server.asked).toEqual(["tools/list", "tools/call"]);
    expect([server.opened, server.closed]).toEqual([1, 1]);
  });

  test("keeps the definitions of an epoch byte for byte, and begins a new epoch when a server's have changed", async () => {
    const { say, set, server, offered, model } = await setUp([done, done, done]);
    set();
    await say("one");
    await say("two");
    expect(JSON.stringify(model.requests[1]!.tools)).toBe(JSON.stringify(model.requests[0]!.tools));
    expect(model.requests[1]!.system).toBe(model.requests[0]!.system);
    server.tools = [toListedTool("act", { description: "Acts otherwise." })];
    set();
    await say("three");
    expect(offered()).toMatchObject([{ name: "mcp_fake_act", description: "[MCP server fake] Acts otherwise." }]);
  });

  test("refuses a tool that changed in the middle of an epoch, and shows its new form in the next turn", async () => {
    const { say, set, server, results, offered, model } = await setUp([call("mcp_fake_act"), done, done]);
    set();
    server.tools = [toListedTool("act", { description: "Acts on everything." })];
    await say("one");
    expect(JSON.parse((await results())[0]!.parts[0]!.text)).toMatchObject({ code: "mcp_tool_changed" });
    expect(server.asked).not.toContain("tools/call");
    expect(JSON.stringify(model.requests[1]!.tools)).toBe(JSON.stringify(model.requests[0]!.tools));
    await say("two");
    expect(offered()).toMatchObject([{ description: "[MCP server fake] Acts on everything." }]);
  });

  test("asks for the list again when the server says in a turn that it has changed", async () => {
    const { say, set, server, results } = await setUp([call("mcp_fake_act"), call("mcp_fake_act", { a: "2" }), done]);
    set();
    server.answer = () => {
      server.tools = [];
      server.notify();
      return { content: [] };
    };
    await say("one");
    const codes = (await results()).map(({ parts }) => JSON.parse(parts[0]!.text).code);
    expect(codes).toEqual([undefined, "mcp_tool_gone"]);
    expect(server.asked.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("never waits for a server that hangs: the turn ends, and the prompt says that it does not answer", async () => {
    const { life, settings, set, server, model, harness } = await setUp([done]);
    server.state = "hangs";
    set({ failure: { code: "mcp_timed_out", message: "The server did not answer in time." } });
    harness.clock.advance(10 * 60_000);
    await life().engine.post({ text: "hello", settingsRev: settings.rev });
    for (let tick = 0; model.requests.length === 0 && tick < 2_000; tick++) await Promise.resolve();
    expect(model.requests).toHaveLength(1);
    expect(server.opened).toBe(1);
    expect(model.requests[0]!.system).toContain("- fake: it does not answer");
    expect(model.requests[0]!.tools.some(({ name }) => name.startsWith("mcp_"))).toBe(false);
  });

  test("asks a server that failed again in the background, and has its tools from the next turn on", async () => {
    const { say, set, offered, harness, model } = await setUp([done, done]);
    set({ failure: { code: "mcp_unreachable", message: "The server cannot be reached." } });
    harness.clock.advance(10 * 60_000);
    await say("one");
    await say("two");
    expect(offered().map(({ name }) => name)).toEqual(["mcp_fake_act", "mcp_fake_look"]);
    expect(model.requests[1]!.system).not.toContain("fake: it does not answer");
  });

  test("tells a call to a server that is down that nothing was done", async () => {
    const { say, set, server, results } = await setUp([call("mcp_fake_act"), done]);
    set();
    server.state = "down";
    await say("one");
    expect(JSON.parse((await results())[0]!.parts[0]!.text)).toMatchObject({
      code: "mcp_unreachable",
      error: expect.stringContaining("The call was not made"),
    });
  });

  for (const [tool, calls, outcome] of [
    ["act", 1, "unknown"],
    ["look", 2, "repeated"],
  ] as const) {
    test(`after a crash in a call of '${tool}' its outcome is ${outcome}`, async () => {
      const { say, set, server, life, restart, results, harness } = await setUp([call(`mcp_fake_${tool}`), done, done]);
      set();
      let made = 0;
      server.answer = () => {
        if (++made === 1) life().kill();
        return { content: [{ type: "text", text: "yes" }] };
      };
      await say("one");
      restart();
      harness.clock.advance(600_000);
      await life().wake();
      await life().settled();
      expect(made).toBe(calls);
      const [result] = await results();
      if (outcome === "unknown") expect(JSON.parse(result!.parts[0]!.text)).toMatchObject({ code: "outcome_unknown" });
      else expect(result!.failed).toBe(false);
    });
  }

  test("with definitions beyond their share of the window searches, reads and calls them by three bridges", async () => {
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field_${at}`, { type: "string" }]));
    const many = Array.from({ length: 60 }, (_, at) =>
      toListedTool(`tool_${at}`, { inputSchema: { type: "object", properties } }),
    );
    const { say, set, results, offered, model } = await setUp(
      [
        call("tool_search", { query: "tool_42" }),
        call("tool_describe", { name: "mcp_fake_tool_42" }),
        call("tool_call", { name: "mcp_fake_tool_42", arguments: { field_0: "x" } }),
        call("tool_call", { name: "mcp_fake_nothing", arguments: {} }),
        done,
      ],
      many,
    );
    set();
    await say("one");
    expect(offered().map(({ name }) => name)).toEqual(["tool_call", "tool_describe", "tool_search"]);
    expect(JSON.stringify(offered()).length).toBeLessThan(4 * 4_000);
    const [found, described, called, unknown] = await results();
    expect(JSON.parse(found!.parts[1]!.text).tools[0].name).toBe("mcp_fake_tool_42");
    expect(JSON.parse(described!.parts[1]!.text).parameters.properties).toHaveProperty("field_19");
    expect(JSON.parse(called!.parts[1]!.text)).toEqual({ text: "tool_42 says yes" });
    expect(JSON.parse(unknown!.parts[0]!.text)).toMatchObject({ code: "unknown_tool" });
    expect(JSON.stringify(model.requests[4]!.tools)).toBe(JSON.stringify(model.requests[0]!.tools));
  });

  test("stops showing a server that was removed or switched off", async () => {
    const { say, set, settings, offered, config } = await setUp([done, done, done]);
    set();
    await say("one");
    settings.sections.mcp.fake = { ...config, enabled: false };
    settings.rev++;
    await say("two");
    expect(offered()).toEqual([]);
    delete settings.sections.mcp.fake;
    settings.rev++;
    await say("three");
    expect(offered()).toEqual([]);
  });
});
