import { createCipheriv } from "node:crypto";
import { describe, expect, test } from "vitest";
import { feishu } from "../../channels/feishu.ts";
import { decryptBlocks, digest, readBase64, removePadding, toText } from "../../channels/support/crypto.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import {
  type ApiCall,
  bytesOf,
  createRecord,
  createShelf,
  hashOf,
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
  Somebody,
  Somewhere,
} from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/feishu/p1";
const SELF = "ou_self";
const fields = {
  appId: "cli_a1",
  appSecret: "app-secret-of-feishu",
  verificationToken: "verification-token",
  encryptKey: "test key",
};
const SAID: SaidMessage = {
  kind: "message",
  event: "e1",
  message: "m1",
  text: "hi",
  from: { word: "ada" },
  in: { word: "garden", kind: "group" },
  mentions: true,
};
const userOf = ({ word, isSelf }: Somebody) => (isSelf ? SELF : `ou_${word}`);
const chatOf = ({ word, kind }: Somewhere) => `oc_${kind}_${word}`;

function encrypt(text: string, key: string): string {
  const iv = Buffer.from("0123456789abcdef");
  const cipher = createCipheriv("aes-256-cbc", hashOf("sha256", key), iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]).toString("base64");
}

function createWorld(clock: TestClock, plain = false): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const uploads: { name: string; bytes: Uint8Array }[] = [];
  const threads = new Map<string, string>();
  const values = new Map<string, object>();
  const replied = new Map<string, object>();
  /** The first messages of threads, in the chats where they are. */
  const chats = new Map<string, string>();

  function sign(text: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    if (plain) return postTo(ADDRESS, forged ? text.replace(fields.verificationToken, "other") : text);
    const body = JSON.stringify({ encrypt: encrypt(text, fields.encryptKey) });
    const [timestamp, nonce] = [String(Math.floor(at / 1_000)), "nonce"];
    const signature = hashOf("sha256", timestamp + nonce + (forged ? "other" : fields.encryptKey) + body).toString(
      "hex",
    );
    return postTo(ADDRESS, body, {
      "x-lark-request-timestamp": timestamp,
      "x-lark-request-nonce": nonce,
      "x-lark-signature": signature,
    });
  }

  function toPosted(said: Said): object {
    const type = said.kind === "press" ? "card.action.trigger" : "im.message.receive_v1";
    const header = {
      event_id: `ev-${said.event}`,
      event_type: type,
      create_time: String(clock.now()),
      token: fields.verificationToken,
      app_id: fields.appId,
      tenant_key: "t",
    };
    if (said.kind === "press") {
      const context = { open_message_id: said.of, open_chat_id: chatOf(said.in) };
      return {
        schema: "2.0",
        header,
        event: {
          operator: { open_id: userOf(said.from) },
          token: "c-1",
          action: { value: values.get(said.token), tag: "button" },
          context,
        },
      };
    }
    const [file] = said.files ?? [];
    const key = file && shelf.add(file);
    const content = file
      ? file.kind === "image"
        ? { image_key: key }
        : { file_key: key, file_name: file.name }
      : { text: said.mentions ? `@_user_1 ${said.text}` : said.text };
    const parent = said.repliesTo && `om_replied_${said.event}`;
    if (said.repliesTo)
      replied.set(parent!, {
        sender: { id: said.repliesTo.ofBot ? fields.appId : "ou_bob" },
        body: { content: JSON.stringify({ text: said.repliesTo.text }) },
      });
    const message = {
      message_id: `om_${said.message}`,
      parent_id: parent,
      ...(said.in.thread ? { thread_id: `omt_${said.in.thread}`, root_id: `om_root_${said.in.thread}` } : {}),
      create_time: String(clock.now()),
      chat_id: chatOf(said.in),
      chat_type: said.in.kind === "direct" ? "p2p" : "group",
      message_type: file ? (file.kind === "image" ? "image" : "file") : "text",
      content: JSON.stringify(content),
      mentions: said.mentions ? [{ key: "@_user_1", id: { open_id: SELF }, name: "Talaria" }] : [],
    };
    for (const id of [message.message_id, message.root_id]) if (id) chats.set(id, message.chat_id);
    const sender = {
      sender_id: { open_id: userOf(said.from) },
      sender_type: said.from.isBot ? "app" : "user",
      tenant_key: "t",
    };
    return { schema: "2.0", header, event: { sender, message } };
  }

  function readCard(content: string) {
    const { elements } = JSON.parse(content);
    const [markdown, row] = elements;
    if (Buffer.byteLength(content) > 30_000) throw new Error("the card is too large");
    const actions: { text: { content: string }; value: { token: string } }[] = row?.actions ?? [];
    const buttons = actions.map(({ text, value }) => {
      values.set(value.token, value);
      return { label: text.content, token: value.token };
    });
    return { text: markdown.content, buttons };
  }

  function receiveMessage({ json }: ApiCall, chat: string, answered?: string) {
    const id = `om_out${record.messages.length + record.files.length}`;
    const thread = json.reply_in_thread ? answered : undefined;
    chats.set(id, chat);
    if (json.msg_type === "interactive") {
      const card = readCard(json.content);
      record.messages.push({ id, chat, thread, ...card, replyTo: answered });
      threads.set(id, card.text);
    } else {
      const { image_key: image, file_key: file } = JSON.parse(json.content);
      record.files.push({ chat, thread, ...uploads[Number(image ?? file)]! });
    }
    return { code: 0, msg: "success", data: { message_id: id } };
  }

  async function upload(call: ApiCall, field: "image" | "file") {
    uploads.push(await bytesOf((await call.form()).get(field)));
    return { code: 0, data: { [`${field}_key`]: String(uploads.length - 1) } };
  }

  const messages = "/open-apis/im/v1/messages";
  const serve = serveRoutes(
    {
      "POST /open-apis/auth/v3/tenant_access_token/internal": ({ json }) =>
        json.app_secret === fields.appSecret
          ? { code: 0, tenant_access_token: "tenant-token", expire: 7_200 }
          : { code: 10014, msg: "app secret invalid" },
      "GET /open-apis/bot/v3/info": () => ({ code: 0, bot: { open_id: SELF, app_name: "Talaria" } }),
      [`POST ${messages}`]: (call) => receiveMessage(call, call.json.receive_id),
      [`POST ${messages}/:id/reply`]: (call) => receiveMessage(call, chats.get(call.at["id"]!) ?? "", call.at["id"]),
      [`PATCH ${messages}/:id`]: ({ at, json }) => {
        const index = record.messages.findIndex(({ id }) => id === at["id"]);
        if (index < 0) return { code: 230001, msg: "no such message" };
        record.messages[index] = { ...record.messages[index]!, ...readCard(json.content) };
        return { code: 0 };
      },
      [`GET ${messages}/:id`]: ({ at }) => ({ code: 0, data: { items: [replied.get(at["id"]!)] } }),
      [`GET ${messages}/:id/resources/:key`]: ({ at }) => shelf.answer(at["key"]!),
      "POST /open-apis/im/v1/images": (call) => upload(call, "image"),
      "POST /open-apis/im/v1/files": (call) => upload(call, "file"),
    },
    ({ headers, url }) =>
      url.pathname.includes("/auth/") || headers.get("authorization") === "Bearer tenant-token"
        ? null
        : refusal("auth_failed"),
  );
  return Object.assign(record, {
    threads,
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toPosted(said)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    challenge({ forged }: Signing = {}) {
      const text = JSON.stringify({
        challenge: "ajls384kdjx98XX",
        token: forged ? "other" : fields.verificationToken,
        type: "url_verification",
      });
      // It is not signed.
      const request = { ...sign(text), headers: { "content-type": "application/json" } };
      return { request, reply: { status: 200, body: '{"challenge":"ajls384kdjx98XX"}' } };
    },
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return Response.json(
      { code: 99991400, msg: "request trigger frequency limit" },
      { status: 400, headers: { "x-ogw-ratelimit-reset": String(retryAfterS) } },
    );
  if (kind === "auth_failed") return Response.json({ code: 99991663, msg: "Invalid access token" }, { status: 400 });
  return kind === "refused" ? Response.json({ code: 230002, msg: "Bot is not in the chat" }, { status: 400 }) : null;
}

const fixture: PlatformFixture<{
  appId: string;
  appSecret: string;
  verificationToken: string;
  encryptKey?: string;
  baseUrl?: string;
}> = {
  platform: feishu,
  fields,
  others: [
    { ...fields, encryptKey: "other" },
    { ...fields, verificationToken: "other" },
    { ...fields, appId: "cli_b2" },
  ],
  self: { id: SELF, name: "Talaria" },
  api: "https://open.feishu.cn",
  proof: {
    kind: "hmac",
    carriers: ["x-lark-request-timestamp", "x-lark-request-nonce", "x-lark-signature"],
    covers: ["body"],
    toleranceMs: { past: 300_000, future: 300_000 },
  },
  callsEverybody: (body) => body.startsWith("{") && /<at[\s>]/i.test(body),
  lacks: {
    edits: "Feishu does not tell bots of edits by this event.",
    own: "The bot's own messages do not arrive.",
    fileText: "A message is a file or a text.",
  },
  createWorld,
};

describePlatform(fixture);

describe("Feishu", () => {
  test("without an encrypt key, events are plain, and proved by their token", async () => {
    const { encryptKey: _, ...plain } = fields;
    const { channel, clock, receive } = openTestChannel(fixture, { fields: plain });
    const world = createWorld(clock, true);
    const request = await world.request(SAID);
    expect((await receive(request))?.events).toMatchObject([{ text: "hi", addressed: true, chat: { kind: "group" } }]);
    expect(await feishu.verify(await world.request(SAID, { forged: true }), channel)).toBeNull();
    const challenge = await world.challenge!();
    expect((await receive(challenge.request))?.reply).toMatchObject(challenge.reply);
    expect(await feishu.verify((await world.challenge!({ forged: true })).request, channel)).toBeNull();
    const other = openTestChannel(fixture, { fields: { ...plain, appId: "cli_b2" } });
    expect(await feishu.verify(request, other.channel), "for another app").toBeNull();
    const { channel: encrypted } = openTestChannel(fixture);
    expect(await feishu.verify(request, encrypted), "plain, where it should be encrypted").toBeNull();
  });

  test("the sample of Feishu's documentation is decrypted", async () => {
    const bytes = readBase64("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")!;
    const plain = await decryptBlocks(await digest("SHA-256", "test key"), bytes.subarray(0, 16), bytes.subarray(16));
    expect(toText(removePadding(plain!, 16)!)).toBe("hello world");
  });

  test("a token that the platform refuses is replaced once", async () => {
    const { client, setFault, seen } = openTestChannel(fixture);
    const to = { id: "oc_1", kind: "group" } as const;
    await client.send(to, { text: "one" });
    let isFirst = true;
    setFault(() => {
      const answer = isFirst ? refusal("auth_failed") : null;
      isFirst = false;
      return answer;
    });
    seen.length = 0;
    // The double gives the same token again, so the refusal stands.
    expect(await client.send(to, { text: "two" })).toMatchObject({
      ok: false,
      failure: { code: "channel_auth_failed" },
    });
    expect(seen.map(({ url }) => url.split("/").at(-1))).toEqual(["messages?receive_id_type=chat_id", "internal"]);
    expect(await client.send(to, { text: "three" })).toMatchObject({ ok: true });
  });

  test("a post has its title, its links and its pictures", async () => {
    const { world, receive } = openTestChannel(fixture);
    const posted = JSON.parse(JSON.stringify({ schema: "2.0", header: {}, event: {} }));
    posted.header = {
      event_id: "e",
      event_type: "im.message.receive_v1",
      token: fields.verificationToken,
      app_id: fields.appId,
    };
    const content = {
      title: "Rain",
      content: [
        [
          { tag: "text", text: "See " },
          { tag: "a", text: "this", href: "https://x.test" },
          { tag: "at", user_id: "@_user_1" },
        ],
        [{ tag: "img", image_key: "img_1" }],
      ],
    };
    posted.event = {
      sender: { sender_id: { open_id: "ou_a" }, sender_type: "user" },
      message: {
        message_id: "om_1",
        chat_id: "oc_1",
        chat_type: "group",
        message_type: "post",
        content: JSON.stringify(content),
        mentions: [{ key: "@_user_1", id: { open_id: SELF }, name: "T" }],
      },
    };
    const request = await world.resign(await world.request(SAID), JSON.stringify(posted));
    expect((await receive(request))?.events).toMatchObject([
      {
        text: "Rain\nSee [this](https://x.test)",
        addressed: true,
        files: [{ kind: "image", ref: '{"message":"om_1","key":"img_1","type":"image"}' }],
      },
    ]);
  });
});
