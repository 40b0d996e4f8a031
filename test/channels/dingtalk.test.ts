import { describe, expect, test } from "vitest";
import { dingtalk } from "../../channels/dingtalk.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import {
  type ApiCall,
  bytesOf,
  createRecord,
  createShelf,
  macOf,
  postTo,
  serveRoutes,
} from "../support/channels/api-double.ts";
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

const ADDRESS = "https://talaria.test/channels/dingtalk/p1";
const HOUR_MS = 60 * 60_000;
const fields = { appKey: "dingoeabc", appSecret: "this is a secret of dingtalk", robotCode: "dingrobot" };
const SAID: SaidMessage = {
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
  const uploads: { name: string; bytes: Uint8Array }[] = [];

  function sign(body: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    const key = forged ? "other" : fields.appSecret;
    return postTo(ADDRESS, body, { timestamp: String(at), sign: macOf("sha256", key, `${at}\n${key}`, "base64") });
  }

  function toPosted(said: Said): object {
    if (said.kind === "press") throw new Error("there are no buttons");
    const isDirect = said.in.kind === "direct";
    const chat = `cid-${said.in.kind}-${said.in.word}`;
    const [file] = said.files ?? [];
    const type = file ? { image: "picture", voice: "audio", file: "file" }[file.kind] : "text";
    return {
      msgId: `msg-${said.event}`,
      conversationId: chat,
      conversationType: isDirect ? "1" : "2",
      conversationTitle: isDirect ? undefined : said.in.word,
      createAt: clock.now(),
      senderId: `$:LWCP_v1:$${said.from.word}`,
      senderStaffId: `staff-${said.from.word}`,
      senderNick: said.from.word,
      isInAtList: !isDirect,
      robotCode: fields.robotCode,
      sessionWebhook: `https://oapi.dingtalk.com/robot/sendBySession/${chat}`,
      sessionWebhookExpiredTime: clock.now() + HOUR_MS,
      msgtype: type,
      ...(file
        ? { content: { downloadCode: shelf.add(file), fileName: file.name } }
        : { text: { content: isDirect ? said.text : ` ${said.text} ` } }),
    };
  }

  function receiveApi(chat: string, { json }: ApiCall) {
    const param = JSON.parse(json.msgParam);
    if (json.msgKey === "sampleFile")
      record.files.push({ chat, name: param.fileName, bytes: uploads[Number(param.mediaId)]!.bytes });
    else record.messages.push({ id: `q${record.messages.length}`, chat, text: param.text, buttons: [] });
    return { processQueryKey: `q${record.messages.length - 1}` };
  }

  const serve = serveRoutes(
    {
      "POST https://api.dingtalk.com/v1.0/oauth2/accessToken": ({ json }) =>
        json.appSecret === fields.appSecret ? { accessToken: "ding-token", expireIn: 7_200 } : refusal("auth_failed"),
      "POST https://oapi.dingtalk.com/robot/sendBySession/:chat": ({ at, json }) => {
        if (json.msgtype !== "markdown" || !json.markdown.title) return { errcode: 40035, errmsg: "no title" };
        record.messages.push({ id: null, chat: at["chat"]!, text: json.markdown.text, buttons: [] });
        return { errcode: 0, errmsg: "ok" };
      },
      "POST /v1.0/robot/oToMessages/batchSend": (call) =>
        receiveApi(`cid-direct-${call.json.userIds[0].slice("staff-".length)}`, call),
      "POST /v1.0/robot/groupMessages/send": (call) => receiveApi(call.json.openConversationId, call),
      async "POST https://oapi.dingtalk.com/media/upload"(call) {
        uploads.push(await bytesOf((await call.form()).get("media")));
        return { errcode: 0, media_id: String(uploads.length - 1) };
      },
      "POST /v1.0/robot/messageFiles/download": ({ json }) => ({
        downloadUrl: `https://files.dingtalk.test/${json.downloadCode}`,
      }),
      "GET https://files.dingtalk.test/:id": ({ at }) => shelf.answer(at["id"]!),
    },
    ({ headers, url }) => {
      const isOpen = /accessToken$|^\/robot\/sendBySession|^\/file-/.test(url.pathname);
      return isOpen || headers.get("x-acs-dingtalk-access-token") === "ding-token" ? null : refusal("auth_failed");
    },
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toPosted(said)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return Response.json(
      { errcode: 130101, errmsg: "send too fast" },
      { headers: { "retry-after": String(retryAfterS) } },
    );
  if (kind === "auth_failed")
    return Response.json({ code: "InvalidAuthentication", message: "bad token" }, { status: 400 });
  return kind === "refused" ? Response.json({ errcode: 310000, errmsg: "keywords not in content" }) : null;
}

const fixture: PlatformFixture<{ appKey: string; appSecret: string; robotCode?: string }> = {
  platform: dingtalk,
  fields,
  others: [
    { ...fields, appSecret: "other" },
    { ...fields, robotCode: "another" },
  ],
  self: { id: "dingrobot", name: "DingTalk robot" },
  api: "https://api.dingtalk.com",
  proof: { kind: "hmac", carriers: ["timestamp", "sign"], covers: [], toleranceMs: { past: HOUR_MS, future: HOUR_MS } },
  callsEverybody: (body) => /"at"|isAtAll/.test(body),
  lacks: {
    edits: "DingTalk does not tell robots of edits.",
    unaddressed: "A robot gets only what mentions it.",
    replies: "A message does not say what it answers.",
    bots: "Robots do not hear each other.",
    own: "The robot's own messages do not arrive.",
    fileText: "A message is a file or a text.",
    apiBase: "Messages are answered at addresses that DingTalk names.",
  },
  createWorld,
};

describePlatform(fixture);

describe("DingTalk", () => {
  async function openChat(said: SaidMessage = SAID) {
    const channel = openTestChannel(fixture);
    const event = (await channel.receive(await channel.world.request(said)))!.events[0]!;
    channel.seen.length = 0;
    return { ...channel, event, to: { ...event.chat, context: event.context } };
  }

  test("the robot API is used when the callback's address has ended", async () => {
    for (const where of [SAID.in, { word: "garden", kind: "group" } as const]) {
      const { client, clock, to, world, seen } = await openChat({ ...SAID, in: where });
      expect(await client.send(to, { text: "one" })).toEqual({ ok: true, value: { id: null } });
      clock.advance(HOUR_MS);
      expect(await client.send(to, { text: "two" })).toMatchObject({ ok: true, value: { id: "q1" } });
      expect(world.messages.map(({ chat }) => chat)).toEqual([to.id, to.id]);
      expect(seen[0]!.url).toContain("sendBySession");
      expect(seen).toHaveLength(3);
    }
  });

  test("only DingTalk's own addresses are called", async () => {
    const { client, to, seen } = await openChat();
    for (const webhook of [
      "https://evil.test/robot",
      "https://oapi.dingtalk.com.evil.test/x",
      "http://oapi.dingtalk.com/x",
    ]) {
      await client.send({ ...to, context: { ...to.context, webhook } }, { text: "x" });
    }
    expect(seen.map(({ url }) => new URL(url).host)).toEqual(Array(4).fill("api.dingtalk.com"));
  });

  test("somebody from outside the organisation cannot be written to later", async () => {
    const { client, to } = await openChat();
    expect(await client.send({ ...to, context: {} }, { text: "x" })).toMatchObject({
      ok: false,
      failure: { code: "channel_refused" },
    });
  });

  test("a voice message has the words that DingTalk heard; a rich text its words and pictures", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const posted = JSON.parse(Buffer.from(request.body).toString());
    const read = async (more: object) =>
      (await receive(await world.resign(request, JSON.stringify({ ...posted, text: undefined, ...more }))))!.events[0];
    expect(await read({ msgtype: "audio", content: { downloadCode: "d", recognition: "How much?" } })).toMatchObject({
      text: "How much?",
      files: [],
    });
    expect(
      await read({
        msgtype: "richText",
        content: { richText: [{ text: "Look: " }, { type: "picture", downloadCode: "p" }, { text: "rain" }] },
      }),
    ).toMatchObject({
      text: "Look: rain",
      files: [{ kind: "image", ref: "p" }],
    });
  });
});
