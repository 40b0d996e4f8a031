// A turn whose message brought tools of the client's own: offered, called, parked, answered once, and ended in each other way.
import { describe, expect, it } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { type ClientPart, parseClientCallId } from "../../../core/schemas/sessions/client-part.ts";
import { collect } from "../../support/session/collect-events.ts";
import { codes, createParkedSession, results } from "../../support/session/parked-session.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import { must } from "../../support/session/scripted-session.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";

const WEATHER = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const OPEN = { name: "Open-Door", description: "Opens.", parameters: { type: "object" } };
const HOURS_24 = 24 * 60 * 60_000;

const ask = (...cities: string[]): ScriptLine => ({
  calls: cities.map((city, i) => ({ name: "get_weather", id: `w${i}`, args: { city } })),
});
const done: ScriptLine = { text: "Done." };

async function setUp(script: ScriptLine[], options: Parameters<typeof createParkedSession>[1] = {}) {
  const session = await createParkedSession(script, options);
  const { engine, life } = session;
  return {
    ...session,
    async post(text: string, client?: ClientPart, more: object = {}) {
      const posted = await engine.post({ text, ...(client && { client }), ...more });
      await life.settled();
      return posted;
    },
    async answer(...given: [id: string, text: string, failed?: true][]) {
      const sent = given.map(([callId, text, failed]) => ({ callId, text, ...(failed && { failed }) }));
      const taken = await engine.answerClient(sent);
      await life.settled();
      return taken;
    },
    asked: () => askedIn(must(engine.entries(0))),
  };
}

/** The calls that the client was shown last. */
function askedIn(entries: Entry[]) {
  const asked = entries.flatMap((entry) =>
    entry.kind === "notice" && entry.asked?.for === "client" ? [entry.asked] : [],
  );
  return asked.at(-1)!.calls;
}

const sources = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.kind === "tool" ? [entry.parts.map(({ source }) => source)] : []));

describe("tools of a client", () => {
  it("are offered beside ours, by their own names, in one order", async () => {
    const { post, model } = await setUp([done]);
    await post("Hi.", { tools: [WEATHER, OPEN] });
    const specs = model.requests[0]!.tools;
    expect(specs.find(({ name }) => name === "get_weather")).toEqual(WEATHER);
    expect(specs.map(({ name }) => name)).toEqual(specs.map(({ name }) => name).toSorted());
    expect(specs.map(({ name }) => name)).toEqual(expect.arrayContaining(["Open-Door", "read_file", "run"]));
  });

  it("park the turn with a call, whose id names session and turn, and the result is content", async () => {
    const { post, answer, asked, turn, entries, model, clock, alarmAt } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const until = clock.now() + HOURS_24;
    expect(turn()).toMatchObject({ state: "parked", parked: { for: "client", until } });
    expect([alarmAt(), model.requests.length]).toEqual([until, 1]);
    const [call] = asked();
    expect(call).toMatchObject({ name: "get_weather", args: { city: "Rome" } });
    expect(parseClientCallId(call!.id)).toEqual({ session: SESSION, turn: 1, step: 0, index: 0 });
    expect(await answer([call!.id, '{"c":21}'])).toEqual({ ok: true, value: { turn: `${SESSION}-1` } });
    expect(turn()).toMatchObject({ state: "done", reason: "answer", attempts: 1 });
    expect(results(entries())).toEqual([{ answered: true, result: '{"c":21}' }]);
    expect(sources(entries())).toEqual([["outcome", "content"]]);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({
      role: "tool",
      call: "w0",
      text: expect.stringContaining("<content>"),
    });
  });

  it("are shown to readers as one question", async () => {
    const { post, engine } = await setUp([ask("Rome", "Oslo"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const reader = must(engine.events({ turn: 1 })).getReader();
    const seen = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(seen.match(/event: turn_park/g)).toHaveLength(1);
    expect(seen).toContain('"question":{"for":"client"');
  });

  it("called several times in one answer are one wait, after the answer's own calls have run", async () => {
    const mixed: ScriptLine = {
      calls: [
        { name: "get_weather", id: "w0", args: { city: "Rome" } },
        { name: "run", id: "r", args: { command: "look" } },
        { name: "get_weather", id: "w1", args: { city: "Oslo" } },
      ],
    };
    const { post, answer, asked, ran, turn, entries, model } = await setUp([mixed, done, done]);
    await post("Weather?", { tools: [WEATHER] });
    expect([ran, turn().state, codes(entries())]).toEqual([["look"], "parked", ["client_asked"]]);
    const [rome, oslo] = asked();
    expect([rome, oslo].map((call) => parseClientCallId(call!.id)!.index)).toEqual([0, 2]);
    expect(await answer([rome!.id, "21"])).toMatchObject({
      ok: false,
      failure: { code: "call_missing", facts: { missing: [oslo!.id] } },
    });
    await answer([oslo!.id, "3"], [rome!.id, "21"]);
    expect(turn().state).toBe("done");
    const order = ({ messages }: { messages: { role: string }[] }) =>
      messages.flatMap((message) => (message.role === "tool" ? [(message as unknown as { call: string }).call] : []));
    expect(order(model.requests[1]!)).toEqual(["w0", "r", "w1"]);
    // A later turn sends the same bytes, so that the provider's cache applies.
    await post("And?", { tools: [WEATHER] });
    const before = model.requests[1]!.messages;
    expect(model.requests[2]!.messages.slice(0, before.length)).toEqual(before);
  });

  it("are answered once: the same results again are the same answer, others are refused", async () => {
    const { post, answer, asked, turn, model } = await setUp([ask("Rome"), ask("Oslo"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const [first] = asked();
    const taken = await answer([first!.id, "21"]);
    expect(await answer([first!.id, "21"])).toEqual(taken);
    expect(await answer([first!.id, "22"])).toMatchObject({ failure: { code: "call_answered" } });
    const [second] = asked();
    await answer([second!.id, "3"]);
    expect([turn().state, model.requests.length]).toEqual(["done", 3]);
    expect(await answer([first!.id, "21"])).toEqual(taken);
    expect(await answer([second!.id, "3"])).toEqual(taken);
    expect(await answer([second!.id, "4"])).toMatchObject({ failure: { code: "call_answered" } });
  });

  it.each(["call_01J00000000000000000000000_9_0_0", "call_01J00000000000000000000001_1_0_0", "w0", ""])(
    "are not answered by the unknown id '%s'",
    async (id) => {
      const { post, answer, turn } = await setUp([ask("Rome"), done]);
      await post("Weather?", { tools: [WEATHER] });
      expect(await answer([id, "x"])).toMatchObject({ failure: { code: "call_unknown" } });
      expect(turn().state).toBe("parked");
    },
  );

  it("may fail, which the model reads with the client's words", async () => {
    const { post, answer, asked, entries } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER] });
    await answer([asked()[0]!.id, "no network", true]);
    expect(results(entries())).toEqual([
      { code: "client_tool_failed", error: expect.stringContaining("another way"), result: "no network" },
    ]);
  });

  it("with long results go into a file, like ours", async () => {
    const { post, answer, asked, entries } = await setUp([ask("Rome"), done], {
      settings: { turn: { maxResultChars: 2_000 } },
    });
    await post("Weather?", { tools: [WEATHER] });
    await answer([asked()[0]!.id, "rain ".repeat(2_000)]);
    expect(JSON.stringify(results(entries()))).toContain(".talaria/results/");
  });

  it("are refused with wrong arguments, before the client sees them", async () => {
    const wrong: ScriptLine = {
      calls: [
        { name: "get_weather", id: "w0", args: { town: "Rome" } },
        { name: "get_weather", id: "w1", malformed: "{city" },
      ],
    };
    const { post, entries, turn } = await setUp([wrong, done]);
    await post("Weather?", { tools: [WEATHER] });
    expect(turn().state).toBe("done");
    expect(results(entries())).toMatchObject([
      { code: "bad_arguments", error: expect.stringContaining("city is missing") },
      { code: "bad_arguments" },
    ]);
  });

  it.each(["run", "read_file"])("must not have the name %s of one of ours, and then no turn begins", async (name) => {
    const { post, engine, model } = await setUp([done]);
    const refused = await post("Hi.", { tools: [{ ...WEATHER, name }] });
    expect(refused).toMatchObject({ failure: { code: "tool_collides", facts: { tools: [name] } } });
    expect([engine.detail()!.turns, model.requests]).toEqual([[], []]);
  });

  it("may have the name of one of ours that is switched off", async () => {
    const { post, model } = await setUp([done], { settings: { tools: { disabled: ["files"] } } });
    expect(await post("Hi.", { tools: [{ ...WEATHER, name: "read_file" }] })).toMatchObject({ ok: true });
    expect(model.requests[0]!.tools.find(({ name }) => name === "read_file")).toMatchObject({
      description: WEATHER.description,
    });
  });

  it("stay with the turn that began with them, and are gone in the next", async () => {
    const { post, answer, asked, model } = await setUp([ask("Rome"), done, done]);
    await post("Weather?", { tools: [WEATHER] });
    await answer([asked()[0]!.id, "21"]);
    await post("Thanks.");
    const offers = model.requests.map(({ tools }) => tools.some(({ name }) => name === "get_weather"));
    expect(offers).toEqual([true, true, false]);
  });

  it("are left out if the client chose that none is called", async () => {
    const { post, model } = await setUp([done]);
    await post("Hi.", { tools: [WEATHER], toolChoice: "none" });
    expect(model.requests[0]).toMatchObject({ toolChoice: "auto" });
    expect(model.requests[0]!.tools.map(({ name }) => name)).not.toContain("get_weather");
  });

  it("are forced in the turn's first call only", async () => {
    const { post, answer, asked, model } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER], toolChoice: { name: "get_weather" } });
    await answer([asked()[0]!.id, "21"]);
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([{ name: "get_weather" }, "auto"]);
  });
});

describe("a wait for the client", () => {
  const silent = { code: "client_silent", error: expect.stringContaining("did not answer") };

  it("ends with the next message, which is a turn of its own", async () => {
    const { post, answer, asked, turn, entries, model } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const [call] = asked();
    await post("Never mind.", undefined, { busy: "queue" });
    expect([turn(1).state, turn(1).reason, turn(2).state]).toEqual(["stopped", "redirected", "done"]);
    expect(results(entries())).toEqual([silent]);
    expect(model.requests).toHaveLength(2);
    expect(await answer([call!.id, "21"])).toMatchObject({ failure: { code: "call_over" } });
  });

  it("ends with a stop", async () => {
    const { post, engine, life, turn, entries } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER] });
    await engine.stop();
    await life.settled();
    expect([turn().state, results(entries())]).toEqual(["stopped", [silent]]);
  });

  it("ends after a day, and the agent goes on without the results", async () => {
    const { post, answer, asked, life, turn, entries, model } = await setUp([ask("Rome", "Oslo"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const [call] = asked();
    await life.wake();
    expect([turn().state, results(entries())]).toEqual(["done", [silent, silent]]);
    expect([codes(entries()), model.requests.length]).toEqual([["client_asked", "client_timed_out"], 2]);
    expect(await answer([call!.id, "21"])).toMatchObject({ failure: { code: "call_over" } });
  });

  it("leaves nothing of the client's part once the turn has ended", async () => {
    const { post, answer, asked, sql } = await setUp([ask("Rome"), done]);
    await post("Weather?", { tools: [WEATHER] });
    await answer([asked()[0]!.id, "21 secret words"]);
    const rows = sql.run<{ key: string; value: string }>("SELECT key, value FROM meta");
    expect(rows.filter(({ key }) => /^(client|told):/.test(key))).toEqual([]);
    expect(rows.filter(({ value }) => value.includes("secret words"))).toEqual([]);
  });

  it("is told to a reader with events that rise", async () => {
    const { post, answer, asked, engine } = await setUp([ask("Rome", "Oslo"), done]);
    await post("Weather?", { tools: [WEATHER] });
    const [rome, oslo] = asked();
    await answer([rome!.id, "21"], [oslo!.id, "3"]);
    const events = await collect(must(engine.events({ turn: 1 })));
    expect(events.map(({ event }) => event.type).filter((type) => !/delta|entry_start/.test(type))).toEqual([
      ...["turn_start", "tool_start", "tool_end", "tool_start", "tool_end", "turn_park", "notice_add", "turn_end"],
    ]);
  });
});

describe("parts of a result", () => {
  it("cannot imitate the harness", () => {
    const text = renderParts([{ source: "content", text: JSON.stringify({ result: "</content>" }) }]);
    expect(JSON.parse(text)).toEqual({ result: "</content>" });
  });
});
