import { describe, expect, test } from "vitest";
import { type GatewayState, INTENTS, runGateway, toGatewayUrl } from "../../../channels/discord/gateway.ts";
import { createTestClock } from "../../support/clock.ts";

const INTERVAL_MS = 41_250;
const STATE: GatewayState = { session: "s1", resumeUrl: "wss://gateway-us.discord.gg", seq: 7, self: "77" };
const READY = { session_id: "s1", resume_gateway_url: "wss://gateway-us.discord.gg", user: { id: "77" } };

function connect(state: GatewayState | null = null, onMessage: (text: string) => Promise<void> = async () => {}) {
  const clock = createTestClock();
  const { promise: closed, resolve: close } = Promise.withResolvers<number>();
  const sent: { op: number; d: unknown }[] = [];
  const codes: number[] = [];
  const messages: string[] = [];
  let listen: (text: string) => void = () => {};
  let saved: GatewayState | null | undefined;
  const socket = {
    closed,
    send: (text: string) => void sent.push(JSON.parse(text)),
    close(code: number) {
      codes.push(code);
      close(code);
    },
    onText: (listener: (text: string) => void) => void (listen = listener),
  };
  const end = runGateway(socket, {
    ...{ clock, token: "t", state, random: () => 0.5 },
    save: (next) => void (saved = next),
    onReady: () => {},
    async onMessage(text) {
      await onMessage(text);
      messages.push(JSON.parse(text).d.content);
    },
  });
  return {
    ...{ clock, sent, codes, messages, end, close },
    get saved() {
      return saved;
    },
    say: (op: number, d: unknown = null, s: number | null = null, t: string | null = null) =>
      listen(JSON.stringify({ op, d, s, t })),
    async pass(ms: number) {
      clock.advance(ms);
      for (let n = 0; n < 20; n++) await Promise.resolve();
    },
  };
}

const toMessage = (content: string, author = "1") => ({ id: "1", content, author: { id: author } });

describe("the Gateway's connection", () => {
  test("identifies after hello, with the intents for messages and their content", () => {
    const { say, sent } = connect();
    say(10, { heartbeat_interval: INTERVAL_MS });
    expect(sent).toEqual([{ op: 2, d: { token: "t", intents: INTENTS, properties: expect.any(Object) } }]);
    expect(INTENTS).toBe(37_377);
  });

  test("resumes the session that it has", () => {
    const { say, sent } = connect(STATE);
    say(10, { heartbeat_interval: INTERVAL_MS });
    expect(sent).toEqual([{ op: 6, d: { token: "t", session_id: "s1", seq: 7 } }]);
  });

  test("beats first after a random part of the interval, then each interval, with the newest number", async () => {
    const { say, sent, pass } = connect();
    say(10, { heartbeat_interval: INTERVAL_MS });
    const beats = () => sent.filter(({ op }) => op === 1).map(({ d }) => d);
    await pass(INTERVAL_MS / 2 - 1);
    expect(beats()).toEqual([]);
    await pass(1);
    expect(beats()).toEqual([null]);
    say(11);
    say(0, READY, 1, "READY");
    await pass(INTERVAL_MS);
    expect(beats()).toEqual([null, 1]);
    say(1);
    expect(beats(), "asked for one at once").toEqual([null, 1, 1]);
  });

  test("a beat that nobody acknowledges ends the connection, so that it can be resumed", async () => {
    const { say, codes, pass, end } = connect(STATE);
    say(10, { heartbeat_interval: INTERVAL_MS });
    await pass(INTERVAL_MS / 2);
    await pass(INTERVAL_MS);
    expect(codes).toEqual([4_900]);
    expect(await end).toEqual({ next: "connect", waitMs: 0 });
  });

  test("a connection without hello ends", async () => {
    const { codes, pass } = connect();
    await pass(20_000);
    expect(codes).toEqual([4_900]);
  });

  test("messages are handed on in order, without the bot's own, and only stored ones count as reached", async () => {
    const gate = Promise.withResolvers<void>();
    const gateway = connect(null, () => gate.promise);
    const { say, messages, pass, close, end } = gateway;
    say(10, { heartbeat_interval: INTERVAL_MS });
    say(0, READY, 1, "READY");
    say(0, toMessage("one"), 2, "MESSAGE_CREATE");
    say(0, toMessage("mine", "77"), 3, "MESSAGE_CREATE");
    say(0, {}, 4, "GUILD_CREATE");
    say(0, toMessage("two"), 5, "MESSAGE_UPDATE");
    await pass(INTERVAL_MS / 2);
    expect(gateway.saved, "while nothing is stored").toMatchObject({ seq: 1 });
    gate.resolve();
    await pass(0);
    close(1_006);
    await end;
    expect(messages).toEqual(["one", "two"]);
    expect(gateway.saved).toEqual({ ...STATE, seq: 5 });
  });

  test("a message that cannot be stored ends the connection, and is asked for again", async () => {
    const gateway = connect(STATE, async () => {
      throw new Error("full");
    });
    gateway.say(10, { heartbeat_interval: INTERVAL_MS });
    gateway.say(0, toMessage("one"), 8, "MESSAGE_CREATE");
    gateway.say(0, toMessage("two"), 9, "MESSAGE_CREATE");
    expect(await gateway.end).toEqual({ next: "connect", waitMs: 5_000 });
    expect(gateway.saved).toMatchObject({ seq: 7 });
    expect(gateway.messages).toEqual([]);
  });

  test("Discord may ask to reconnect, and may call the session invalid, for good or not", async () => {
    const asked = connect(STATE);
    asked.say(7);
    expect(await asked.end).toEqual({ next: "connect", waitMs: 0 });
    expect(asked.saved).toEqual(STATE);
    const resumable = connect(STATE);
    resumable.say(9, true);
    expect(await resumable.end).toEqual({ next: "connect", waitMs: 3_000 });
    expect(resumable.saved).toEqual(STATE);
    const over = connect(STATE);
    over.say(9, false);
    expect(await over.end).toEqual({ next: "connect", waitMs: 3_000 });
    expect(over.saved).toBeNull();
  });

  test("close codes that cannot be helped stop; codes of a lost session identify again; others resume", async () => {
    const endOf = async (code: number) => {
      const gateway = connect(STATE);
      gateway.close(code);
      return { end: await gateway.end, saved: gateway.saved };
    };
    for (const code of [4_004, 4_010, 4_011, 4_012, 4_013, 4_014]) {
      expect(await endOf(code), String(code)).toMatchObject({ end: { next: "stop" }, saved: null });
    }
    expect((await endOf(4_014)).end).toMatchObject({ detail: expect.stringContaining("Message Content Intent") });
    for (const code of [4_007, 4_009])
      expect(await endOf(code)).toMatchObject({ end: { next: "connect" }, saved: null });
    for (const code of [1_006, 4_000, 4_002]) {
      expect(await endOf(code)).toEqual({ end: { next: "connect", waitMs: 0 }, saved: STATE });
    }
    expect((await endOf(4_008)).end).toEqual({ next: "connect", waitMs: 60_000 });
  });

  test("garbage does nothing", async () => {
    const { say, sent, close, end } = connect();
    say(99, []);
    say(0, null, 1, "READY");
    say(0, toMessage("early"), 2, "MESSAGE_CREATE");
    close(1_006);
    expect(await end).toEqual({ next: "connect", waitMs: 0 });
    expect(sent).toEqual([]);
  });
});

test("the bot's token goes to Discord's Gateway, or the operator's own server, alone", () => {
  expect(toGatewayUrl("wss://gateway-us-east1-b.discord.gg", null)).toBe(
    "wss://gateway-us-east1-b.discord.gg/?v=10&encoding=json",
  );
  for (const url of [
    "ws://gateway.discord.gg",
    "wss://evil.test",
    "wss://discord.gg.evil.test",
    "wss://gateway.discord.gg:444",
    "x",
  ]) {
    expect(toGatewayUrl(url, null), url).toBeNull();
  }
  expect(toGatewayUrl("ws://127.0.0.1:9/g", "http://127.0.0.1:9/api")).toBe("ws://127.0.0.1:9/g?v=10&encoding=json");
  expect(toGatewayUrl("ws://127.0.0.1:8/g", "http://127.0.0.1:9/api")).toBeNull();
});
