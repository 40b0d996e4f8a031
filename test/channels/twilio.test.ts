import { describe, expect, test } from "vitest";
import { twilio } from "../../channels/twilio.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { createRecord, createShelf, macOf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type {
  PlatformFixture,
  PlatformWorld,
  Refusal,
  Said,
  SaidMessage,
  Signing,
} from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";

const ADDRESS = "https://talaria.test/channels/twilio/p1";
const ACCOUNT = "AC5ef8732a3c49700934481addd5ce1659";
const API = "https://api.twilio.com";
const fields = { accountSid: ACCOUNT, authToken: "12345", from: "+14155550100" };
const SAID: SaidMessage = {
  kind: "message",
  event: "e1",
  message: "m1",
  text: "hi",
  from: { word: "ada" },
  in: { word: "ada", kind: "direct" },
};
const FORM = { "content-type": "application/x-www-form-urlencoded" };

function sign(url: string, body: string, key: string): ChannelRequest {
  const form = new URLSearchParams(body);
  const signed = [...form.keys()]
    .toSorted()
    .map((name) => name + form.get(name))
    .join("");
  return postTo(url, body, { ...FORM, "x-twilio-signature": macOf("sha1", key, url + signed, "base64") });
}

function createWorld(): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const keyOf = ({ forged }: Signing = {}) => (forged ? "54321" : fields.authToken);

  function toForm(said: Said): string {
    if (said.kind === "press") throw new Error("there are no buttons");
    const from = `+1555${[...said.from.word].map((char) => char.charCodeAt(0)).join("")}`;
    const files = (said.files ?? []).flatMap((file, at) => [
      [`MediaUrl${at}`, `${API}/2010-04-01/Accounts/${ACCOUNT}/Messages/MM1/Media/${shelf.add(file)}`],
      [`MediaContentType${at}`, file.mediaType],
    ]);
    const base = { MessageSid: `SM${said.event}`, AccountSid: ACCOUNT, From: from, To: fields.from, Body: said.text };
    return new URLSearchParams([
      ...Object.entries(base),
      ["NumMedia", String(said.files?.length ?? 0)],
      ...files,
    ]).toString();
  }

  const account = `/2010-04-01/Accounts/${ACCOUNT}`;
  const basic = `Basic ${Buffer.from(`${ACCOUNT}:12345`).toString("base64")}`;
  const serve = serveRoutes(
    {
      async [`POST ${account}/Messages.json`](call) {
        const form = await call.form();
        const text = String(form.get("Body"));
        if (text.length > 1_600 || form.get("From") !== fields.from) return refusal("refused")!;
        const sid = `SMout${record.messages.length}`;
        record.messages.push({ id: sid, chat: String(form.get("To")), text, buttons: [] });
        return Response.json({ sid, status: "queued" }, { status: 201 });
      },
      [`GET ${account}.json`]: () => ({ sid: ACCOUNT, friendly_name: "My account" }),
      [`GET ${account}/IncomingPhoneNumbers.json`]: ({ url }) => ({
        incoming_phone_numbers: url.searchParams.get("PhoneNumber") === fields.from ? [{ sid: "PN1" }] : [],
      }),
      async [`POST ${account}/IncomingPhoneNumbers/PN1.json`](call) {
        record.registered = String((await call.form()).get("SmsUrl"));
        return { sid: "PN1" };
      },
      async "POST https://messaging.twilio.com/v1/Services/:service"(call) {
        record.registered = `${call.at["service"]} ${String((await call.form()).get("InboundRequestUrl"))}`;
        return { sid: call.at["service"] };
      },
      [`GET ${account}/Messages/MM1/Media/:id`]: ({ at }) => shelf.answer(at["id"]!),
    },
    ({ headers }) => (headers.get("authorization") === basic ? null : refusal("auth_failed")),
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(ADDRESS, toForm(said), keyOf(signing)),
    resign: (request: ChannelRequest, text: string, signing?: Signing) => sign(request.url, text, keyOf(signing)),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  const fail = (status: number, code: number, headers = {}) =>
    Response.json({ status, code, message: "No" }, { status, headers });
  if (kind === "rate_limited") return fail(429, 20429, { "retry-after": String(retryAfterS) });
  if (kind === "auth_failed") return fail(401, 20003);
  return kind === "window_closed" ? fail(400, 63016) : fail(400, 21610);
}

const fixture: PlatformFixture<{ accountSid: string; authToken: string; from: string }> = {
  platform: twilio,
  fields,
  others: [
    { ...fields, authToken: "other" },
    { ...fields, accountSid: "AC2" },
    { ...fields, from: "+1" },
    { ...fields, from: "MG1" },
  ],
  self: { id: fields.from, name: "My account" },
  api: API,
  proof: { kind: "hmac", carriers: ["x-twilio-signature"], covers: ["body", "path", "query"], toleranceMs: null },
  callsEverybody: "An SMS has one receiver.",
  lacks: {
    edits: "Text messages have no edits.",
    bots: "Numbers do not say whether a program writes.",
    own: "The own messages do not arrive.",
  },
  createWorld,
};

describePlatform(fixture);

describe("SMS by Twilio", () => {
  test("the signature is the one of Twilio's documentation", async () => {
    const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
    const form = {
      CallSid: "CA1234567890ABCDE",
      Caller: "+14158675309",
      Digits: "1234",
      From: "+14158675309",
      To: "+18005551212",
    };
    const body = new URLSearchParams(form).toString();
    expect(sign(url, body, "12345").headers["x-twilio-signature"]).toBe("RSOYDt4T1cUTdK1PDd93/VVr8B8=");
    const { channel } = openTestChannel(fixture, { fields: { ...fields, from: form.To } });
    // The example has no AccountSid, without which nobody is addressed.
    expect(
      await twilio.verify(
        postTo(url, body, { ...FORM, "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=" }),
        channel,
      ),
    ).toBeNull();
    const whole = `${body}&AccountSid=${ACCOUNT}`;
    expect(await twilio.verify(sign(url, whole, "12345"), channel)).toEqual({ text: whole });
  });

  test("an address is taken with and without its port, whichever was signed", async () => {
    const { channel, world } = openTestChannel(fixture);
    const body = Buffer.from((await world.request(SAID)).body).toString();
    const [bare, ported] = [
      "https://talaria.test/channels/twilio/p1?a=%20b",
      "https://talaria.test:443/channels/twilio/p1?a=%20b",
    ];
    for (const [told, signed] of [
      [bare, ported],
      ["https://talaria.test:8443/x", "https://talaria.test/x"],
    ] as const) {
      expect(await twilio.verify({ ...sign(signed, body, "12345"), url: told }, channel)).not.toBeNull();
    }
    expect(
      await twilio.verify(
        { ...sign("https://talaria.test:1/x", body, "12345"), url: "https://talaria.test/x" },
        channel,
      ),
    ).toBeNull();
  });

  test("STOP, which Twilio answers itself, makes no event", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const text = `${Buffer.from(request.body).toString()}&OptOutType=STOP`;
    expect(await receive(await world.resign(request, text))).toEqual({
      events: [],
      reply: { status: 200, headers: { "content-type": "text/xml" }, body: "<Response/>" },
    });
  });

  test("credentials go to Twilio only", async () => {
    const { client, seen } = openTestChannel(fixture);
    expect(await client.fetchFile!({ kind: "file", ref: "https://api.twilio.com.evil.test/x" })).toMatchObject({
      ok: false,
      failure: { code: "channel_refused" },
    });
    expect(seen).toEqual([]);
  });

  test("a messaging service gets the address, and a number that is not the account's is an error", async () => {
    const service = openTestChannel(fixture, { fields: { ...fields, from: "MG1" } });
    expect(await twilio.register!(service.channel, [])).toEqual({ ok: true, value: null });
    expect(service.world.registered).toBe(`MG1 ${ADDRESS}`);
    const other = openTestChannel(fixture, { fields: { ...fields, from: "+15550000000" } });
    expect(await twilio.register!(other.channel, [])).toMatchObject({
      ok: false,
      failure: { code: "channel_refused" },
    });
  });
});
