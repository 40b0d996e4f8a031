import { describe, expect, test } from "vitest";
import { webhook } from "../../channels/webhook.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { createRecord, createShelf, macOf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type { PlatformFixture, PlatformWorld, Refusal, Said, Signing } from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/webhook/p1";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const URL_OUT = "https://program.test/in";
const fields = { secret: SECRET, url: URL_OUT };

function sign(id: string, body: string, at: number, secret = SECRET): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${macOf("sha256", key, `${id}.${timestamp}.${body}`, "base64")}`,
  };
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const toRequest = (id: string, body: string, { at = clock.now(), forged }: Signing = {}) =>
    postTo(ADDRESS, body, sign(id, body, at, forged ? "whsec_AAAA" : SECRET));

  function toPosted(said: Said): object {
    const { word, kind, thread } = said.in;
    const base = {
      chat: `${kind}-${word}`,
      kind,
      thread,
      from: { id: `id-${said.from.word}`, name: said.from.word, isBot: said.from.isBot },
    };
    if (said.kind === "press") return { ...base, press: said.token, message: said.of };
    const files = (said.files ?? []).map((file) => ({
      url: `https://files.test/${shelf.add(file)}`,
      name: file.name,
      mediaType: file.mediaType,
    }));
    const addressed = said.mentions || said.repliesTo?.ofBot;
    return {
      ...base,
      text: said.text,
      message: said.message,
      edited: said.edited,
      addressed,
      replyTo: said.repliesTo,
      files,
    };
  }

  const serve = serveRoutes({
    "POST https://program.test/in": ({ headers, json, bytes }) => {
      const id = headers.get("webhook-id")!;
      const expected = sign(id, Buffer.from(bytes).toString(), Number(headers.get("webhook-timestamp")) * 1_000);
      if (headers.get("webhook-signature") !== expected["webhook-signature"]) return refusal("auth_failed")!;
      const { chat, thread, text, buttons = [], replyTo } = json;
      if (json.type === "file")
        record.files.push({ chat, thread, name: json.name, bytes: new Uint8Array(Buffer.from(json.base64, "base64")) });
      else record.messages.push({ id, chat, thread, text, buttons, replyTo });
      return null;
    },
    "GET https://files.test/:id": ({ at }) => shelf.answer(at["id"]!),
  });
  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => toRequest(`msg_${said.event}`, JSON.stringify(toPosted(said)), signing),
    resign: (request: ChannelRequest, text: string, signing?: Signing) =>
      toRequest(request.headers["webhook-id"]!, text, signing),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return new Response("slow", { status: 429, headers: { "retry-after": String(retryAfterS) } });
  if (kind === "auth_failed") return new Response("no", { status: 401 });
  return kind === "refused" ? new Response("no", { status: 410 }) : null;
}

const fixture: PlatformFixture<{ secret: string; url?: string }> = {
  platform: webhook,
  fields,
  others: [{ ...fields, secret: "whsec_BBBB" }],
  self: { id: "webhook", name: "Webhook" },
  api: URL_OUT,
  proof: {
    kind: "hmac",
    carriers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
    covers: ["body"],
    toleranceMs: { past: 300_000, future: 300_000 },
  },
  callsEverybody: "The program that takes the text knows what its words do.",
  lacks: {
    own: "What is posted to the program does not come back.",
    mentions: "The program says itself whether the agent is meant.",
    probe: "There is nobody to ask.",
    apiBase: "The channel names the program's address.",
  },
  createWorld,
};

describePlatform(fixture);

describe("The generic webhook", () => {
  test("the signature is the one of Standard Webhooks' own libraries", async () => {
    const body = '{"test": 2432232314}';
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const clock = createTestClock(1_614_265_330_000);
    const { channel } = openTestChannel(fixture, { clock });
    const request = postTo(ADDRESS, body, headers);
    expect(await webhook.verify(request, channel)).toEqual({ text: body });
    const several = {
      ...request,
      headers: { ...headers, "webhook-signature": `v1,AAAA v1a,x ${headers["webhook-signature"]}` },
    };
    expect(await webhook.verify(several, channel), "one of several signatures").not.toBeNull();
    const bare = openTestChannel(fixture, { clock, fields: { ...fields, secret: SECRET.slice("whsec_".length) } });
    expect(await webhook.verify(request, bare.channel), "a secret without its prefix").not.toBeNull();
    clock.advance(301_000);
    expect(await webhook.verify(request, channel), "too old").toBeNull();
  });

  test("a secret that is not Base64 is taken as it is", async () => {
    const secret = "correct horse battery staple";
    const { channel, clock } = openTestChannel(fixture, { fields: { ...fields, secret } });
    const timestamp = String(clock.now() / 1_000);
    const signature = `v1,${macOf("sha256", secret, `m.${timestamp}.{}`, "base64")}`;
    const headers = { "webhook-id": "m", "webhook-timestamp": timestamp, "webhook-signature": signature };
    expect(await webhook.verify(postTo(ADDRESS, "{}", headers), channel)).not.toBeNull();
  });

  test("the least that is posted is a text", async () => {
    const { world, receive } = openTestChannel(fixture);
    const said = {
      kind: "message",
      event: "e1",
      message: "m",
      text: "",
      from: { word: "a" },
      in: { word: "a", kind: "direct" },
    } as const;
    const request = await world.request(said);
    expect((await receive(await world.resign(request, '{"text":"Disk full"}')))?.events).toMatchObject([
      {
        kind: "message",
        chat: { id: "default", kind: "direct" },
        from: { id: "webhook" },
        text: "Disk full",
        addressed: true,
      },
    ]);
    expect((await receive(await world.resign(request, '{"text":5}')))?.reply?.body).toContain("`text`");
  });

  test("without an address nothing can be answered, and the failure says so", async () => {
    const { client } = openTestChannel(fixture, { fields: { secret: SECRET } });
    expect(await client.send({ id: "default", kind: "direct" }, { text: "x" })).toMatchObject({
      ok: false,
      failure: { code: "channel_refused", message: expect.stringContaining("`url`") },
    });
  });
});
