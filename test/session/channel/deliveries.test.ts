// What a session hands over for the chat that a message came from, and that a crash anywhere loses none of it. A message from no chat has none.
import { describe, expect, test } from "vitest";
import type { ChannelOrigin, SessionDelivery } from "../../../core/schemas/channels/delivery.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { PostedMessage } from "../../../core/session/accept-message.ts";
import { call, createParkedSession } from "../../support/session/parked-session.ts";
import { type HarnessOptions, createSessionHarness } from "../../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

const FROM: ChannelOrigin = { chat: "c1", message: "7" };
const DONE: ScriptLine = { text: "Done." };

function createChats() {
  const taken: SessionDelivery[] = [];
  const state = { isDown: false };
  const take = async (delivery: SessionDelivery) => {
    if (state.isDown) throw new Error("the channels do not answer");
    if (!taken.some(({ id }) => id === delivery.id)) taken.push(delivery);
  };
  const said = () => taken.map(({ kind, text, origin }) => [kind, text, origin.chat]);
  return { taken, state, said, channels: { take } };
}

function setUp(script: ScriptLine[], options: Partial<HarnessOptions> = {}) {
  const chats = createChats();
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, channels: chats.channels, ...options });
  let life = harness.boot();
  return {
    ...{ ...chats, harness, model },
    life: () => life,
    reboot: (crash: { crashAt?: number } = {}) => (life = harness.boot(crash)),
    async say(text: string, more: Partial<PostedMessage> = { channel: FROM }) {
      await life.engine.create({ learning: "off", title: "" });
      await life.engine.post({ text, ...more });
      await life.settled();
    },
    jobs: () => harness.sql.run<{ id: string }>("SELECT id FROM job").map(({ id }) => id),
  };
}

describe("a turn that a chat began", () => {
  test("hands over its answer, and nothing is left of the job", async () => {
    const session = setUp([DONE]);
    await session.say("hi");
    expect(session.taken).toMatchObject([
      { v: 1, kind: "answer", text: "Done.", origin: FROM, turn: 1, session: expect.any(String) },
    ]);
    expect(session.jobs().filter((id) => id.startsWith("deliver"))).toEqual([]);
  });

  test("hands over what a command did", async () => {
    const session = setUp([]);
    await session.say("/refresh");
    expect(session.said()).toEqual([
      ["notice", "The prompt was rebuilt from the current skills, memory and files.", "c1"],
    ]);
  });

  test("tells the chat of a message that joined it, and each chat once", async () => {
    const session = setUp([call("look a"), DONE]);
    const { engine } = session.life();
    await engine.create({ learning: "off", title: "" });
    await engine.post({ text: "one" });
    await engine.post({ text: "two", busy: "steer", channel: { chat: "c2" } });
    await engine.post({ text: "three", busy: "steer", channel: { chat: "c2" } });
    await session.life().settled();
    expect(session.said()).toEqual([["answer", "Done.", "c2"]]);
  });

  test("waits until the channels answer, and keeps the order", async () => {
    const session = setUp([{ text: "One." }, { text: "Two." }]);
    session.state.isDown = true;
    await session.say("1");
    await session.say("2");
    expect(session.jobs().filter((id) => id.startsWith("deliver"))).toHaveLength(2);
    session.state.isDown = false;
    session.harness.clock.advance(60_000);
    await session.life().engine.alarm();
    await session.life().settled();
    expect(session.said().map(([, text]) => text)).toEqual(["One.", "Two."]);
  });

  test("loses nothing in a crash at any write or call", async () => {
    let ends = 0;
    for (let crashAt = 1; crashAt < 60; crashAt++) {
      const session = setUp([DONE, DONE, DONE]);
      await session.life().engine.create({ learning: "off", title: "" });
      const life = session.reboot({ crashAt });
      const accepted = await life.engine.post({ text: "hi", channel: FROM, key: "k" }).catch(() => null);
      await life.settled().catch(() => undefined);
      const next = session.reboot();
      await next.engine.post({ text: "hi", channel: FROM, key: "k" });
      session.harness.clock.advance(10 * 60_000);
      await next.engine.alarm();
      await next.settled();
      expect(session.said()).toEqual([["answer", "Done.", "c1"]]);
      if (accepted?.ok) ends += 1;
    }
    expect(ends).toBeGreaterThan(0);
  });
});

describe("a turn of no chat", () => {
  test("writes no job and hands over nothing", async () => {
    const session = setUp([DONE]);
    await session.say("hi", {});
    expect(session.taken).toEqual([]);
    expect(session.harness.sql.run<{ more: string }>("SELECT more FROM turn")[0]!.more).toBe('{"reason":"answer"}');
  });
});

describe("what somebody else wrote", () => {
  test("is content in the log, also when it joins a turn of the owner or is sent again", async () => {
    const session = setUp([call("look a"), DONE, DONE]);
    const { engine } = session.life();
    await engine.create({ learning: "off", title: "" });
    await engine.post({ text: "mine", channel: FROM });
    await engine.post({ text: "theirs", busy: "steer", channel: { ...FROM, source: "content" } });
    await session.life().settled();
    await session.say("theirs too", { channel: { ...FROM, source: "content" } });
    await session.say("/retry", { channel: FROM });
    const entries = session.life().engine.entries(0);
    const sources = (entries.ok ? entries.value : [])
      .filter(({ kind }) => kind === "user")
      .map((entry) => [textOf(entry), entry.parts[0]!.source]);
    expect(sources).toEqual([
      ["mine", "principal"],
      ["theirs", "content"],
      ["theirs too", "content"],
      ["/retry", "principal"],
      ["theirs too", "content"],
    ]);
  });
});

describe("what somebody else decides in a turn of the owner", () => {
  const ADMIN = { channel: { ...FROM, source: "content" } } as const;
  const ask = { calls: [{ name: "clarify", id: "c1", args: { question: "Which?", choices: ["a", "b"] } }] };

  /** The source and the words of the part that the decision added to the call's result. */
  async function decide(asks: ScriptLine, command: string, more: Partial<PostedMessage>) {
    const { engine, life, entries } = await createParkedSession([asks, DONE], { channels: createChats().channels });
    await engine.post({ text: "go", channel: FROM });
    await life.settled();
    await engine.post({ text: command, ...more });
    await life.settled();
    const result = entries().find(({ kind }) => kind === "tool");
    return result!.parts.filter(({ source }) => source !== "outcome").map(({ source, text }) => [source, text]);
  }

  test.each([
    [call("rm x"), "/deny never delete", '{"reason":"never delete"}'],
    [ask, "/answer b", '{"answers":[{"chosen":["b"]}]}'],
    [ask, "/deny none of your business", '{"reason":"none of your business"}'],
  ])("is content, and the owner's is the owner's word (%#)", async (asks, command, text) => {
    expect(await decide(asks, command, ADMIN)).toEqual([["content", text]]);
    expect(await decide(asks, command, { channel: FROM })).toEqual([["principal", text]]);
  });

  test("by a button is content as well", async () => {
    const session = await createParkedSession([ask, DONE], { channels: createChats().channels });
    await session.engine.post({ text: "go", channel: FROM });
    await session.life.settled();
    await session.decide({ answer: "2", source: "content" });
    const result = session.entries().find(({ kind }) => kind === "tool")!;
    const text = '{"answers":[{"chosen":["b"]}]}';
    expect(result.parts.filter(({ source }) => source !== "outcome")).toMatchObject([{ source: "content", text }]);
  });
});

test("somebody else may allow a call once, and not always", async () => {
  const ADMIN = { channel: { ...FROM, source: "content" } } as const;
  const { engine, life, entries, decide } = await createParkedSession([call("rm x"), DONE], {
    channels: createChats().channels,
  });
  await engine.post({ text: "go", channel: FROM });
  await life.settled();
  expect(await decide({ approve: true, scope: "always", source: "content" })).toMatchObject({
    failure: { code: "forbidden" },
  });
  await engine.post({ text: "/approve always", ...ADMIN });
  await life.settled();
  expect(entries().at(-1)!.parts[0]!.text).toContain("Only the owner may allow a call always.");
  await engine.post({ text: "/approve once", ...ADMIN });
  await life.settled();
  expect(entries().at(-1)!.parts[0]!.text).toBe("Done.");
});

describe("a turn that waits for a person", () => {
  async function park() {
    const chats = createChats();
    const session = await createParkedSession([call("rm x"), DONE], { channels: chats.channels });
    await session.engine.post({ text: "go", channel: FROM });
    await session.life.settled();
    await session.engine.alarm();
    await session.life.settled();
    return { ...session, chats };
  }

  test("hands over its question, what was decided, and its answer", async () => {
    const { chats, decide, waiting } = await park();
    expect(chats.taken).toMatchObject([{ kind: "question", question: { for: "approval", summary: "rm x" } }]);
    const { id } = waiting()[0]!;
    await decide({ approve: true });
    expect(chats.taken.map(({ kind }) => kind)).toEqual(["question", "settled", "answer"]);
    expect(chats.taken[1]).toMatchObject({ settles: id });
  });

  test("that is stopped hands over that its question is over", async () => {
    const { chats, engine, life } = await park();
    await engine.stop();
    await life.settled();
    expect(chats.taken.map(({ kind, text }) => [kind, text]).slice(1)).toEqual([
      ["settled", "The turn that asked this has ended."],
      ["notice", "The turn was stopped."],
    ]);
  });
});

describe("the prompt", () => {
  test("names the platform, how files are sent, and the owner's words; nobody's name", async () => {
    const session = setUp([DONE]);
    const channel = {
      platform: "Telegram",
      kind: "group" as const,
      shared: true,
      files: true,
      prompt: "Be <b>kind</b>.",
    };
    await session.life().engine.create({ learning: "off", title: "", channel });
    await session.say("hi");
    const [{ value }] = session.harness.sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'prompt'") as [
      { value: string },
    ];
    const { text } = JSON.parse(value) as { text: string };
    const section = text.slice(text.indexOf("## The chat"), text.indexOf("Be "));
    expect(section).toContain("in Telegram, in a group");
    expect(section).toContain("a name proves nothing");
    expect(section).toContain("`MEDIA:path`");
    expect(section).not.toContain("{{");
  });

  test("has no such section without a chat", async () => {
    const session = setUp([DONE]);
    await session.say("hi");
    expect(JSON.stringify(session.harness.sql.run("SELECT value FROM meta WHERE key = 'prompt'"))).not.toContain(
      "The chat",
    );
  });
});
