import { createHash, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { discord } from "../../channels/discord.ts";
import type { DiscordFields } from "../../channels/discord/api.ts";
import { readDiscord } from "../../channels/discord/read.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { bytesOf, createRecord, createShelf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type { PlatformFixture, PlatformWorld, Refusal, Said, Signing, Somewhere } from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/discord/p1";
const API = "https://discord.com/api/v10";
const EPOCH = 1_420_070_400_000;
const keys = generateKeyPairSync("ed25519");
const strange = generateKeyPairSync("ed25519");
const toPublic = (pair: typeof keys) =>
  Buffer.from(pair.publicKey.export({ format: "jwk" }).x!, "base64url").toString("hex");

const APP = "700000000000000001";
const BOT = "700000000000000002";
const fields = {
  applicationId: APP,
  publicKey: toPublic(keys),
  botToken: "discord.bot-token.for_tests",
  gateway: false,
};

/** An id of that time; the same word, the same id. */
function toSnowflake(word: string, at: number = Date.UTC(2026, 0, 1)): string {
  const low = createHash("sha256").update(word).digest().readUInt32BE() & 0x3fffff;
  return String((BigInt(at - EPOCH) << 22n) | BigInt(low));
}

/** A thread is a channel of its own. */
function toChannel({ word, kind, thread }: Somewhere) {
  const id = toSnowflake(`channel ${kind} ${word}`);
  if (kind === "direct") return { id, type: 1 };
  return thread === undefined
    ? { id, type: 0, name: word }
    : { id: toSnowflake(`thread ${thread}`), type: 11, name: thread, parent_id: id };
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  /** Where an interaction's token leads. */
  const tokens = new Map<string, string>();
  const parents = new Map<string, string>();
  const threads = new Map<string, string>();

  function sign(body: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    const time = String(Math.floor(at / 1_000));
    const signature = signBytes(null, Buffer.from(time + body), (forged ? strange : keys).privateKey);
    return postTo(ADDRESS, body, {
      "x-signature-ed25519": signature.toString("hex"),
      "x-signature-timestamp": time,
    });
  }

  function toInteraction(said: Said, at = clock.now()): object {
    const channel = toChannel(said.in);
    if (channel.parent_id) parents.set(channel.id, channel.parent_id);
    const token = `token-${said.event}`;
    tokens.set(token, channel.id);
    const user = {
      id: toSnowflake(`user ${said.from.word}`),
      username: said.from.word,
      global_name: `The ${said.from.word}`,
    };
    const isDirect = said.in.kind === "direct";
    const common = {
      id: toSnowflake(`event ${said.event}`, at),
      application_id: APP,
      token,
      version: 1,
      channel,
      channel_id: channel.id,
      context: isDirect ? 1 : 0,
      ...(isDirect ? { user } : { guild_id: toSnowflake("guild"), member: { user, nick: null } }),
    };
    if (said.kind === "press") {
      return { ...common, type: 3, message: { id: said.of }, data: { component_type: 2, custom_id: said.token } };
    }
    const command = /^\/([a-z]+) ?(.*)$/s.exec(said.text);
    const text = command ? command[2]! : said.text;
    const [file] = said.files ?? [];
    const options = [
      ...(text === "" ? [] : [{ name: "text", type: 3, value: text }]),
      ...(file ? [{ name: "file", type: 11, value: "99" }] : []),
    ];
    const attachment = file && {
      id: "99",
      filename: file.name,
      content_type: file.mediaType,
      size: file.bytes.length,
      url: `https://cdn.discordapp.com/attachments/${shelf.add(file)}`,
    };
    const resolved = attachment ? { resolved: { attachments: { "99": attachment } } } : {};
    return { ...common, type: 2, data: { id: "1", name: command?.[1] ?? "ask", type: 1, options, ...resolved } };
  }

  function keep(
    channel: string,
    json: { content?: string; components?: unknown; message_reference?: { message_id: string }; flags?: number },
  ) {
    const { content = "", components } = json;
    if (content.length > 2_000) return Response.json({ code: 50_035, message: "Invalid Form Body" }, { status: 400 });
    if (json.flags === 64) {
      record.answeredPresses.push(content);
      return { id: "1" };
    }
    const id = toSnowflake(`out ${record.messages.length}`);
    const chat = parents.get(channel) ?? channel;
    record.messages.push({
      ...{ id, chat, text: content, buttons: toButtons(components) },
      ...(chat !== channel && { thread: channel }),
      replyTo: json.message_reference?.message_id,
    });
    return { id };
  }

  async function keepFile(channel: string, form: FormData) {
    const payload = JSON.parse(String(form.get("payload_json")));
    const { bytes } = await bytesOf(form.get("files[0]") as never);
    record.files.push({ chat: parents.get(channel) ?? channel, name: payload.attachments[0].filename, bytes });
    return { id: toSnowflake(`file ${record.files.length}`) };
  }

  const isForm = (headers: Headers) => headers.get("content-type")?.startsWith("multipart/") === true;

  const serve = serveRoutes(
    {
      "POST /api/v10/webhooks/:app/:token": async ({ at, json, headers, form }) => {
        const channel = tokens.get(at["token"]!);
        if (!channel) return Response.json({ code: 50_027, message: "Invalid Webhook Token" }, { status: 401 });
        return isForm(headers) ? keepFile(channel, await form()) : keep(channel, json);
      },
      "POST /api/v10/channels/:channel/messages": async ({ at, json, headers, form }) =>
        isForm(headers) ? keepFile(at["channel"]!, await form()) : keep(at["channel"]!, json),
      "PATCH /api/v10/channels/:channel/messages/:id": ({ at, json }) => {
        const message = record.messages.find(({ id }) => id === at["id"]);
        if (!message) return Response.json({ code: 10_008, message: "Unknown Message" }, { status: 404 });
        Object.assign(message, { text: json.content, buttons: toButtons(json.components) });
        return { id: message.id };
      },
      "POST /api/v10/channels/:channel/typing": () => {
        record.typingSigns += 1;
        return null;
      },
      "POST /api/v10/channels/:channel/threads": ({ at, json }) => {
        const id = toSnowflake(`opened ${threads.size}`);
        threads.set(id, json.name);
        parents.set(id, at["channel"]!);
        return { id };
      },
      "PATCH /api/v10/channels/:channel": ({ at, json }) => {
        threads.set(at["channel"]!, json.name);
        return { id: at["channel"] };
      },
      "GET /api/v10/channels/:channel": ({ at }) => ({
        id: at["channel"],
        type: 11,
        name: "t",
        parent_id: toSnowflake("parent"),
      }),
      "GET /api/v10/applications/@me": () => ({
        id: APP,
        verify_key: fields.publicKey,
        bot: { id: BOT, username: "talaria" },
      }),
      "PATCH /api/v10/applications/@me": ({ json }) => {
        record.registered = json.interactions_endpoint_url;
        return {};
      },
      "PUT /api/v10/applications/:app/commands": ({ json }) => json,
      "GET https://cdn.discordapp.com/attachments/:id": ({ at }) => shelf.answer(at["id"]!),
    },
    ({ url, headers }) => {
      if (url.hostname !== "discord.com" || url.pathname.includes("/webhooks/")) return null;
      return headers.get("authorization") === `Bot ${fields.botToken}` ? null : refusal("auth_failed");
    },
  );

  return Object.assign(record, {
    threads,
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toInteraction(said, signing?.at)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    challenge: (signing?: Signing) => ({
      request: sign(JSON.stringify({ type: 1, id: "1", application_id: APP }), signing),
      reply: { status: 200, body: '{"type":1}' },
    }),
    serve,
    refusal,
  });
}

function toButtons(rows: unknown): { label: string; token: string }[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap(({ components }) =>
    components.map(({ label, custom_id: token }: { label: string; custom_id: string }) => ({ label, token })),
  );
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited") {
    return Response.json({ message: "You are being rate limited.", retry_after: retryAfterS }, { status: 429 });
  }
  if (kind === "auth_failed") return Response.json({ message: "401: Unauthorized", code: 0 }, { status: 401 });
  return kind === "refused" ? Response.json({ message: "Missing Access", code: 50_001 }, { status: 403 }) : null;
}

const fixture: PlatformFixture<DiscordFields> = {
  platform: discord,
  fields,
  others: [{ ...fields, publicKey: toPublic(strange) }],
  self: { id: BOT, name: "talaria", also: { application: APP } },
  address: ADDRESS,
  api: API,
  proof: {
    kind: "key",
    carriers: ["x-signature-ed25519", "x-signature-timestamp"],
    covers: ["body"],
    toleranceMs: { past: 300_000, future: 300_000 },
  },
  callsEverybody: (body) =>
    /"content".*(?:@everyone|@here|<@)/.test(body) && !body.includes('"allowed_mentions":{"parse":[]}'),
  lacks: {
    edits: "Interactions cannot be edited.",
    mentions: "Interactions are commands, which have no mention.",
    unaddressed: "Messages that are not commands come by the socket alone.",
    replies: "A command answers no message.",
    bots: "Bots press nothing.",
    own: "The bot calls no command.",
    messageIds: "A command is no message.",
  },
  createWorld,
};

describePlatform(fixture);

const ADA = { id: toSnowflake("user ada"), username: "ada", global_name: "Ada", discriminator: "0" };
const GUILD = toSnowflake("guild");

/** A dispatch as the socket hands it on. */
function toDispatch(more: object = {}, t = "MESSAGE_CREATE"): string {
  const d = {
    ...{ id: toSnowflake("m1", Date.UTC(2026, 10, 27)), type: 0, channel_id: toSnowflake("t9"), guild_id: GUILD },
    ...{ author: ADA, content: "How much rain fell?", mentions: [], attachments: [], flags: 0, edited_timestamp: null },
    ...more,
  };
  return JSON.stringify({ op: 0, t, d, self: BOT });
}

describe("Discord", () => {
  const read = async (text: string) => (await readDiscord(text, openTestChannel(fixture).channel)).events;

  test("a plain message of the socket arrives with its place, and addresses nobody", async () => {
    expect(await read(toDispatch())).toMatchObject([
      {
        ...{ kind: "message", text: "How much rain fell?", addressed: false, at: Date.UTC(2026, 10, 27) },
        chat: { id: toSnowflake("parent"), kind: "group", thread: toSnowflake("t9"), scope: GUILD },
        from: { id: ADA.id, name: "Ada", handle: "@ada", isBot: false },
      },
    ]);
  });

  test("a mention of the bot, or a reply to it, addresses it; other mentions read as names", async () => {
    const self = { id: BOT, username: "talaria", bot: true };
    const bob = { id: toSnowflake("user bob"), username: "bob", global_name: "Bob" };
    const content = `<@${BOT}> ask <@!${bob.id}>`;
    expect(await read(toDispatch({ content, mentions: [self, bob] }))).toMatchObject([
      { text: "ask @Bob", addressed: true },
    ]);
    const referenced_message = { content: "12 mm.", author: { id: BOT } };
    expect(await read(toDispatch({ type: 19, referenced_message }))).toMatchObject([
      { addressed: true, replyTo: { text: "12 mm.", ofBot: true } },
    ]);
  });

  test("a direct message addresses the bot, a voice message is one, and an edit replaces its message", async () => {
    const attachments = [
      { filename: "v.ogg", url: "https://cdn.discordapp.com/a/v.ogg", size: 9, content_type: "audio/ogg" },
    ];
    const direct = toDispatch({ guild_id: undefined, content: "", attachments, flags: 8192 });
    expect(await read(direct)).toMatchObject([
      { addressed: true, chat: { kind: "direct" }, files: [{ kind: "voice" }] },
    ]);
    const edited = toDispatch({ edited_timestamp: "2026-11-27T10:00:00Z" }, "MESSAGE_UPDATE");
    expect(await read(edited)).toMatchObject([{ edited: true, message: toSnowflake("m1", Date.UTC(2026, 10, 27)) }]);
    // The preview of a link.
    expect(await read(toDispatch({}, "MESSAGE_UPDATE"))).toEqual([]);
  });

  test("the bot's own messages and notices of the server are left out; another bot's message says so", async () => {
    expect(await read(toDispatch({ author: { ...ADA, id: BOT } }))).toEqual([]);
    expect(await read(toDispatch({ type: 7 }))).toEqual([]);
    expect(await read(toDispatch({ author: { ...ADA, bot: true } }))).toMatchObject([{ from: { isBot: true } }]);
  });

  test("an interaction is deferred at once; one without words is told so", async () => {
    const { world, receive } = openTestChannel(fixture);
    const said: Said = {
      ...{ kind: "message", event: "e1", message: "m1", text: "hi" },
      ...{ from: { word: "ada" }, in: { word: "ada", kind: "direct" } },
    };
    const replyOf = async (one: Said) => JSON.parse((await receive(await world.request(one)))!.reply!.body!);
    expect(await replyOf(said)).toEqual({ type: 5 });
    expect(await replyOf({ ...said, text: "" })).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(await replyOf({ ...said, kind: "press", token: "yes", of: "123456789012345678" })).toEqual({ type: 6 });
  });

  test("after fifteen minutes, or when the token is refused, the answer is a new message", async () => {
    const { world, client, receive, clock, seen, setFault } = openTestChannel(fixture);
    const said: Said = {
      ...{ kind: "message", event: "e1", message: "m1", text: "hi" },
      ...{ from: { word: "ada" }, in: { word: "garden", kind: "group" } },
    };
    const event = (await receive(await world.request(said)))!.events[0]!;
    const to = { ...event.chat, context: event.context };
    const pathOf = async () => {
      seen.length = 0;
      expect(await client.send(to, { text: "12 mm." })).toMatchObject({ ok: true });
      return seen.map(({ url }) => url.slice(API.length).split("/")[1]);
    };
    expect(await pathOf()).toEqual(["webhooks"]);
    setFault(({ url }) =>
      url.includes("/webhooks/")
        ? Response.json({ code: 50_027, message: "Invalid Webhook Token" }, { status: 401 })
        : null,
    );
    expect(await pathOf()).toEqual(["webhooks", "channels"]);
    clock.advance(15 * 60_000);
    expect(await pathOf()).toEqual(["channels"]);
  });

  test("no text of the agent calls everybody, or has Discord fetch an address", async () => {
    const { client, seen } = openTestChannel(fixture);
    await client.send({ id: "123456789012345678", kind: "group" }, { text: "@everyone" });
    await client.edit!({ id: "123456789012345678", kind: "group" }, "1", { text: "https://x.test/?k=secret" });
    for (const { body } of seen) {
      expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    }
  });

  test("a key or a token of another application is named", async () => {
    const { channel } = openTestChannel(fixture, { fields: { ...fields, publicKey: toPublic(strange) } });
    expect(await discord.probe(channel)).toMatchObject({
      ok: false,
      failure: { code: "channel_auth_failed", message: expect.stringContaining("publicKey") },
    });
  });

  test("a file is fetched from Discord alone", async () => {
    const { client, seen } = openTestChannel(fixture);
    for (const ref of [
      "https://evil.test/a",
      "http://cdn.discordapp.com/a",
      "https://cdn.discordapp.com.evil.test/a",
    ]) {
      expect(await client.fetchFile!({ kind: "file", ref })).toMatchObject({
        ok: false,
        failure: { code: "channel_refused" },
      });
    }
    expect(seen).toEqual([]);
  });

  // RFC 8032, 7.1, test 1: the signature of an empty message. Discord publishes no vectors; its scheme is Ed25519 over time and body.
  test("Ed25519 is that of RFC 8032", async () => {
    const publicKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    const secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const key = {
      kty: "OKP",
      crv: "Ed25519",
      d: Buffer.from(secret, "hex").toString("base64url"),
      x: Buffer.from(publicKey, "hex").toString("base64url"),
    };
    const { channel, clock } = openTestChannel(fixture, { fields: { ...fields, publicKey } });
    const time = String(Math.floor(clock.now() / 1_000));
    const { createPrivateKey } = await import("node:crypto");
    const signature = signBytes(null, Buffer.from(`${time}{}`), createPrivateKey({ key, format: "jwk" }));
    const headers = { "x-signature-ed25519": signature.toString("hex"), "x-signature-timestamp": time };
    expect(await discord.verify(postTo(ADDRESS, "{}", headers), channel)).toEqual({ text: "{}" });
  });
});
