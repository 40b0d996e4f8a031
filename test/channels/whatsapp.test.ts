import { describe, expect, test } from "vitest";
import { whatsapp } from "../../channels/whatsapp.ts";
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
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { PlatformFixture, PlatformWorld, Refusal, Said, SaidFile, Signing } from "../support/channels/fixture.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/whatsapp/p1";
const PHONE = "106540352242922";
const fields = {
  accessToken: "EAAJB-token",
  phoneNumberId: PHONE,
  appSecret: "It's a Secret to Everybody",
  verifyToken: "meatyhamhock",
};

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const uploads = new Map<string, { name: string; bytes: Uint8Array }>();

  function sign(body: string, { forged }: Signing = {}): ChannelRequest {
    const signature = `sha256=${macOf("sha256", forged ? "another" : fields.appSecret, body, "hex")}`;
    return postTo(ADDRESS, body, { "x-hub-signature-256": signature });
  }

  function receiveMessage({ json }: ApiCall) {
    if (json.status === "read") {
      if (json.typing_indicator?.type !== "text" || !json.message_id) return new Response("bad sign", { status: 400 });
      record.typingSigns += 1;
      return { success: true };
    }
    const id = `wamid.out${record.messages.length + record.files.length}`;
    const media = json.image ?? json.document;
    if (media) {
      const { bytes, name } = uploads.get(media.id)!;
      record.files.push({ chat: json.to, name: json.document?.filename ?? name, bytes });
      return { messages: [{ id }] };
    }
    const { text, buttons } = readShown(json);
    record.messages.push({ id, chat: json.to, text, buttons, replyTo: json.context?.message_id });
    return { messaging_product: "whatsapp", contacts: [{ input: json.to, wa_id: json.to }], messages: [{ id }] };
  }

  const serve = serveRoutes(
    {
      [`POST /v25.0/${PHONE}/messages`]: receiveMessage,
      async [`POST /v25.0/${PHONE}/media`](call: ApiCall) {
        const form = await call.form();
        if (form.get("messaging_product") !== "whatsapp") return new Response("no product", { status: 400 });
        uploads.set(`media${uploads.size}`, await bytesOf(form.get("file")));
        return { id: `media${uploads.size - 1}` };
      },
      [`POST /v25.0/${PHONE}`]: ({ json }) => {
        record.registered = json.webhook_configuration.override_callback_uri || null;
        return { success: true };
      },
      [`GET /v25.0/${PHONE}`]: () => ({ id: PHONE, verified_name: "Talaria", display_phone_number: "+1 555-0100" }),
      "GET /v25.0/:media": ({ at }) => {
        const file = shelf.files.get(at["media"]!);
        return { url: `https://lookaside.fbsbx.com/whatsapp/${at["media"]}`, mime_type: file?.mediaType };
      },
      "GET https://lookaside.fbsbx.com/whatsapp/:media": ({ at }) => shelf.answer(at["media"]!),
    },
    ({ headers }) => (headers.get("authorization") === `Bearer ${fields.accessToken}` ? null : refusal("auth_failed")),
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) =>
      sign(JSON.stringify(toNotice(said, (file) => shelf.add(file), clock.now())), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    challenge({ forged }: Signing = {}) {
      const query = new URLSearchParams({
        "hub.mode": "subscribe",
        "hub.challenge": "1158201444",
        "hub.verify_token": forged ? "x" : fields.verifyToken,
      });
      return {
        request: { method: "GET", url: `${ADDRESS}?${query}`, headers: {}, body: new Uint8Array() },
        reply: { status: 200, headers: { "content-type": "text/plain" }, body: "1158201444" },
      };
    },
    serve,
    refusal,
  });
}

function readShown(json: ApiCall["json"]) {
  if (json.type === "template") return { text: JSON.stringify(json.template), buttons: [] };
  if (json.type === "text") {
    if (json.text.body.length > 4_096) throw new Error("the text is too long");
    return { text: json.text.body, buttons: [] };
  }
  const { type, body, action } = json.interactive;
  if (body.text.length > (type === "button" ? 1_024 : 4_096)) throw new Error("the body is too long");
  const shown =
    type === "button" ? action.buttons.map(({ reply }: { reply: object }) => reply) : action.sections[0].rows;
  if (shown.length > (type === "button" ? 3 : 10)) throw new Error("too many buttons");
  return {
    text: body.text,
    buttons: shown.map(({ id, title }: { id: string; title: string }) => ({ label: title, token: id })),
  };
}

function toNotice(said: Said, shelve: (file: SaidFile) => string, now: number): unknown {
  const from = `1555${[...said.from.word].map((char) => char.charCodeAt(0)).join("")}`;
  const base = { from, id: `wamid.${said.event}`, timestamp: String(Math.floor(now / 1_000)) };
  return {
    object: "whatsapp_business_account",
    entry: [
      {
        id: "102290129340398",
        changes: [
          {
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: "15550783881", phone_number_id: PHONE },
              contacts: [{ profile: { name: said.from.word }, wa_id: from }],
              messages: [{ ...base, ...toMessage(said, shelve) }],
            },
          },
        ],
      },
    ],
  };
}

function toMessage(said: Said, shelve: (file: SaidFile) => string): object {
  if (said.kind === "press") {
    return {
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: said.token, title: "No" } },
      context: { id: said.of },
    };
  }
  const [file] = said.files ?? [];
  if (!file) return { type: "text", text: { body: said.text } };
  const type = { image: "image", voice: "audio", file: "document" }[file.kind];
  const media = { id: shelve(file), mime_type: file.mediaType, caption: said.text || undefined };
  return {
    type,
    [type]:
      type === "document" ? { ...media, filename: file.name } : type === "audio" ? { ...media, voice: true } : media,
  };
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  const fail = (status: number, code: number, message: string, headers = {}) =>
    Response.json({ error: { message, type: "OAuthException", code, fbtrace_id: "A" } }, { status, headers });
  if (kind === "rate_limited") return fail(400, 130429, "Rate limit hit", { "retry-after": String(retryAfterS) });
  if (kind === "auth_failed") return fail(401, 190, "Error validating access token");
  if (kind === "window_closed") return fail(400, 131047, "Re-engagement message");
  return fail(400, 131026, "Message undeliverable");
}

const fixture: PlatformFixture<{ accessToken: string; phoneNumberId: string; appSecret: string; verifyToken: string }> =
  {
    platform: whatsapp,
    fields,
    others: [
      { ...fields, appSecret: "other" },
      { ...fields, phoneNumberId: "1" },
    ],
    self: { id: PHONE, name: "Talaria", also: { number: "+1 555-0100" } },
    api: "https://graph.facebook.com/v25.0",
    proof: { kind: "hmac", carriers: ["x-hub-signature-256"], covers: ["body"], toleranceMs: null },
    callsEverybody: "A text of the Cloud API calls nobody.",
    lacks: {
      edits: "WhatsApp does not tell businesses of edits.",
      bots: "Businesses do not write to each other.",
      own: "The bot's own messages come back as statuses only.",
      apiBase: "Files are at addresses that WhatsApp names.",
    },
    createWorld,
  };

describePlatform(fixture);

describe("WhatsApp", () => {
  const send = { text: "12 mm." };
  async function openChat(more: Record<string, string> = {}) {
    const channel = openTestChannel(fixture, { fields: { ...fields, ...more } });
    const said = {
      kind: "message",
      event: "e1",
      message: "m1",
      text: "hi",
      from: { word: "ada" },
      in: { word: "ada", kind: "direct" },
    } as const;
    const event = (await channel.receive(await channel.world.request(said)))!.events[0]!;
    return { ...channel, to: { ...event.chat, context: event.context } };
  }

  test("the signature is the one that is published for this scheme", async () => {
    const { channel } = openTestChannel(fixture);
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    expect(
      await whatsapp.verify(postTo(ADDRESS, "Hello, World!", { "x-hub-signature-256": signature }), channel),
    ).toEqual({ text: "Hello, World!" });
  });

  test("statuses, messages of groups and of another number of the app make no event", async () => {
    const { world, receive } = openTestChannel(fixture);
    const said = {
      kind: "message",
      event: "e1",
      message: "m1",
      text: "hi",
      from: { word: "ada" },
      in: { word: "ada", kind: "direct" },
    } as const;
    const request = await world.request(said);
    const notice = JSON.parse(Buffer.from(request.body).toString());
    const value = notice.entry[0].changes[0].value;
    const more = [
      { ...value, messages: undefined, statuses: [{ id: "wamid.1", status: "failed", errors: [{ code: 131047 }] }] },
      { ...value, messages: [{ ...value.messages[0], group_id: "g" }] },
      { ...value, metadata: { phone_number_id: "1" } },
      { ...value, messages: [{ ...value.messages[0], text: undefined, type: "reaction", reaction: { emoji: "👍" } }] },
    ];
    const change = { field: "messages", value };
    const text = JSON.stringify({
      entry: [{ changes: [change, ...more.map((other) => ({ ...change, value: other }))] }],
    });
    expect((await receive(await world.resign(request, text)))?.events).toHaveLength(1);
  });

  test("24 hours after the person wrote, nothing is sent and the failure says so", async () => {
    const { client, clock, to, seen } = await openChat();
    clock.advance(24 * 60 * 60_000);
    expect(await client.send(to, send)).toMatchObject({ ok: false, failure: { code: "channel_window_closed" } });
    expect(
      await client.sendFile!(to, { name: "a.png", mediaType: "image/png", bytes: new Uint8Array(1) }),
    ).toMatchObject({ ok: false, failure: { code: "channel_window_closed" } });
    expect(seen).toEqual([]);
  });

  test("a template carries a short message after 24 hours", async () => {
    const { client, clock, to, world } = await openChat({ template: "answer", templateLanguage: "de" });
    clock.advance(24 * 60 * 60_000);
    expect(await client.send(to, { text: "12 mm.\n\nOf rain." })).toMatchObject({ ok: true });
    expect(JSON.parse(world.messages[0]!.text)).toEqual({
      name: "answer",
      language: { code: "de" },
      components: [{ type: "body", parameters: [{ type: "text", text: "12 mm. Of rain." }] }],
    });
  });

  test("a template announces a message that it cannot carry, which waits", async () => {
    const { client, clock, to, world } = await openChat({ template: "answer" });
    clock.advance(24 * 60 * 60_000);
    for (const message of [{ text: "x".repeat(2_000) }, { text: "Run it?", buttons: [{ label: "Yes", token: "y" }] }]) {
      expect(await client.send(to, message)).toMatchObject({ ok: false, failure: { code: "channel_window_closed" } });
    }
    for (const { text } of world.messages)
      expect(JSON.parse(text).components[0].parameters[0].text).toMatch(/Answer to see this message\.$/);
    expect(world.messages).toHaveLength(2);
  });

  test("long labels and texts make a list of choices", async () => {
    const { client, to, world, seen } = await openChat();
    const label = "Always allow this command in this session";
    expect(await client.send(to, { text: "Run it?", buttons: [{ label, token: "always" }] })).toMatchObject({
      ok: true,
    });
    expect(world.messages[0]!.buttons).toEqual([{ label: "Always allow this comma…", token: "always" }]);
    expect(Buffer.from(seen[0]!.body).toString()).toContain(`"description":"${label}"`);
  });
});
