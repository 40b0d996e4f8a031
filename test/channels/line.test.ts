import { describe, expect, test } from "vitest";
import { line } from "../../channels/line.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { createRecord, createShelf, macOf, postTo, serveRoutes, type ApiCall } from "../support/channels/api-double.ts";
import type {
  PlatformFixture,
  PlatformWorld,
  Refusal,
  Said,
  SaidMessage,
  Signing,
} from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/line/p1";
const SELF = "Uself0000";
const fields = { channelSecret: "test_secret", channelAccessToken: "line-access-token" };
const DIRECT_SAID: SaidMessage = {
  kind: "message",
  event: "e1",
  message: "m1",
  text: "hi",
  from: { word: "ada" },
  in: { word: "ada", kind: "direct" },
};

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const replyTokens = new Map<string, string>();
  const quoteTokens = new Map<string, string>();

  function sign(body: string, { forged }: Signing = {}): ChannelRequest {
    return postTo(ADDRESS, body, {
      "x-line-signature": macOf("sha256", forged ? "another" : fields.channelSecret, body, "base64"),
    });
  }

  function toEvent(said: Said): object {
    const source = {
      userId: `U${said.from.word}`,
      ...(said.in.kind === "group" ? { type: "group", groupId: `C${said.in.word}` } : { type: "user" }),
    };
    const replyToken = `reply-${said.event}`;
    replyTokens.set(replyToken, said.in.kind === "group" ? `C${said.in.word}` : `U${said.from.word}`);
    const base = {
      webhookEventId: `01H${said.event}`,
      timestamp: clock.now(),
      mode: "active",
      source,
      replyToken,
      deliveryContext: { isRedelivery: false },
    };
    if (said.kind === "press") return { ...base, type: "postback", postback: { data: said.token } };
    const [file] = said.files ?? [];
    const quoteToken = `quote-${said.message}`;
    const id = file ? shelf.add(file) : `id-${said.message}`;
    quoteTokens.set(quoteToken, id);
    if (file)
      return {
        ...base,
        type: "message",
        message: {
          id,
          quoteToken,
          type: file.kind === "voice" ? "audio" : file.kind,
          fileName: file.name,
          fileSize: file.bytes.length,
        },
      };
    const mention = said.mentions
      ? { mention: { mentionees: [{ index: 0, length: 8, type: "user", userId: SELF, isSelf: true }] } }
      : {};
    const text = said.mentions ? `@Talaria ${said.text}` : said.text;
    return { ...base, type: "message", message: { id, quoteToken, type: "text", text, ...mention } };
  }

  function post(chat: string, { json }: ApiCall) {
    const [message] = json.messages;
    if (message.type !== "text" || message.text.length > 5_000)
      return Response.json({ message: "bad" }, { status: 400 });
    const items: { action: { label: string; data: string } }[] = message.quickReply?.items ?? [];
    if (items.length > 13) return Response.json({ message: "too many" }, { status: 400 });
    const id = `out${record.messages.length}`;
    const buttons = items.map(({ action }) => ({ label: action.label, token: action.data }));
    record.messages.push({ id, chat, text: message.text, buttons, replyTo: quoteTokens.get(message.quoteToken) });
    return { sentMessages: [{ id, quoteToken: "q" }] };
  }

  const serve = serveRoutes(
    {
      "POST /v2/bot/message/reply": (call) => {
        const chat = replyTokens.get(call.json.replyToken);
        if (!chat) return Response.json({ message: "Invalid reply token" }, { status: 400 });
        replyTokens.delete(call.json.replyToken);
        return post(chat, call);
      },
      "POST /v2/bot/message/push": (call) => post(call.json.to, call),
      "POST /v2/bot/chat/loading/start": () => {
        record.typingSigns += 1;
        return new Response("{}", { status: 202 });
      },
      "GET /v2/bot/info": () => ({ userId: SELF, basicId: "@talaria", displayName: "Talaria" }),
      "GET /v2/bot/profile/:user": ({ at }) => ({ userId: at["user"], displayName: `Name of ${at["user"]!.slice(1)}` }),
      "GET /v2/bot/group/:group/member/:user": ({ at }) => ({ displayName: `Member ${at["user"]!.slice(1)}` }),
      "PUT /v2/bot/channel/webhook/endpoint": ({ json }) => {
        record.registered = json.endpoint;
        return {};
      },
      "GET https://api-data.line.me/v2/bot/message/:id/content": ({ at }) => shelf.answer(at["id"]!),
    },
    ({ headers }) =>
      headers.get("authorization") === `Bearer ${fields.channelAccessToken}` ? null : refusal("auth_failed"),
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) =>
      sign(JSON.stringify({ destination: SELF, events: [toEvent(said)] }), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return Response.json({ message: "Too fast" }, { status: 429, headers: { "retry-after": String(retryAfterS) } });
  if (kind === "auth_failed") return Response.json({ message: "Authentication failed" }, { status: 401 });
  return kind === "refused" ? Response.json({ message: "The property, 'to', is invalid" }, { status: 400 }) : null;
}

const fixture: PlatformFixture<{ channelSecret: string; channelAccessToken: string }> = {
  platform: line,
  fields,
  others: [{ ...fields, channelSecret: "other" }],
  self: { id: SELF, name: "Talaria" },
  api: "https://api.line.me",
  proof: { kind: "hmac", carriers: ["x-line-signature"], covers: ["body"], toleranceMs: null },
  callsEverybody: (body) => /"mention|textV2/.test(body),
  lacks: {
    edits: "LINE has no edits.",
    replies: "A quote names a message that the bot cannot look up.",
    bots: "Bots do not hear each other.",
    own: "The bot's own messages do not arrive.",
    pressMessage: "A postback does not say to which message its button belongs.",
    fileText: "A message is a file or a text.",
  },
  createWorld,
};

describePlatform(fixture);

describe("LINE", () => {
  test("the signature is that of LINE's own library", async () => {
    const { channel } = openTestChannel(fixture);
    const signature = "t7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM=";
    const body = '{"hello":"world"}';
    expect(await line.verify(postTo(ADDRESS, body, { "x-line-signature": signature }), channel)).toEqual({
      text: body,
    });
  });

  test("a request for another bot is refused, once the own one is known", async () => {
    const { channel, world } = openTestChannel(fixture);
    const request = await world.resign(await world.request(DIRECT_SAID), '{"destination":"Uother","events":[]}');
    expect(await line.verify(request, channel)).toBeNull();
    expect(await line.verify(request, { ...channel, self: null })).not.toBeNull();
  });

  test("people have the names that LINE says, and their id where it does not answer", async () => {
    const { world, receive, setFault } = openTestChannel(fixture);
    const nameOf = async (said: SaidMessage) => (await receive(await world.request(said)))?.events[0]?.from.name;
    expect(await nameOf(DIRECT_SAID)).toBe("Name of ada");
    expect(await nameOf({ ...DIRECT_SAID, in: { word: "garden", kind: "group" } })).toBe("Member ada");
    setFault(() => new Response("no", { status: 500 }));
    expect(await nameOf({ ...DIRECT_SAID, from: { word: "bob" } })).toBe("Ubob");
  });

  test("the reply token is used once and in time; later messages are pushed", async () => {
    const { world, receive, client, clock, seen } = openTestChannel(fixture);
    const event = (await receive(await world.request(DIRECT_SAID)))!.events[0]!;
    const to = { ...event.chat, context: event.context };
    seen.length = 0;
    await client.send(to, { text: "one" });
    await client.send(to, { text: "two" });
    clock.advance(60_000);
    await client.send(to, { text: "three" });
    const paths = seen.map(({ url }) => url.split("/").at(-1));
    expect(paths).toEqual(["reply", "reply", "push", "push"]);
    expect(world.messages.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  test("a used-up month is refused, and not waited for", async () => {
    const { client, setFault } = openTestChannel(fixture);
    setFault(() => Response.json({ message: "You have reached your monthly limit." }, { status: 429 }));
    expect(await client.send({ id: "U1", kind: "direct" }, { text: "x" })).toMatchObject({
      ok: false,
      failure: { code: "channel_refused" },
    });
  });

  test("images that were sent together belong together, of one chat only", async () => {
    const { world, receive } = openTestChannel(fixture);
    const albumOf = async (said: SaidMessage, image: object) => {
      const request = await world.request(said);
      const body = JSON.parse(Buffer.from(request.body).toString());
      body.events[0].message = { id: "1", type: "image", ...image };
      const event = (await receive(await world.resign(request, JSON.stringify(body))))!.events[0]!;
      return event.kind === "message" ? event.album : null;
    };
    const [first, second] = [1, 2].map((index) => ({ imageSet: { id: "S1", index, total: 2 } }));
    const album = await albumOf(DIRECT_SAID, first!);
    expect(album).toContain("S1");
    expect(await albumOf({ ...DIRECT_SAID, event: "e2" }, second!)).toBe(album);
    expect(await albumOf({ ...DIRECT_SAID, in: { word: "garden", kind: "group" } }, second!)).not.toBe(album);
    expect(await albumOf(DIRECT_SAID, { imageSet: "nonsense" })).toBeUndefined();
  });

  test("a bot that is on standby says nothing", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(DIRECT_SAID);
    const body = JSON.parse(Buffer.from(request.body).toString());
    body.events[0].mode = "standby";
    expect((await receive(await world.resign(request, JSON.stringify(body))))?.events).toEqual([]);
  });
});
