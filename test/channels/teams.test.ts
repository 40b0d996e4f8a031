import { describe, expect, test } from "vitest";
import { teams } from "../../channels/teams.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { type ApiCall, createRecord, createShelf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type {
  PlatformFixture,
  PlatformWorld,
  Refusal,
  Said,
  SaidMessage,
  Signing,
} from "../support/channels/fixture.ts";
import { createSigner } from "../support/channels/jwt.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/teams/p1";
const SERVICE = "https://smba.trafficmanager.net/emea/";
const APP = "11111111-2222-3333-4444-555555555555";
const TENANT = "99999999-2222-3333-4444-555555555555";
const BOT = `28:${APP}`;
const fields = { appId: APP, appPassword: "teams-client-secret", tenantId: TENANT };
const microsoft = createSigner("k1");
const stranger = createSigner("k1");
const unpublished = createSigner("k2");

function toActivity(
  said: Said,
  at: number,
  addFile: (file: NonNullable<SaidMessage["files"]>[number]) => string,
): object {
  const isDirect = said.in.kind === "direct";
  const id = isDirect ? `a:${said.in.word}` : `19:${said.in.word}@thread.tacv2`;
  const { isSelf, isBot, word } = said.from;
  const common = {
    id: `${said.event}`,
    timestamp: new Date(at).toISOString(),
    channelId: "msteams",
    serviceUrl: SERVICE,
    from: isSelf
      ? { id: BOT, name: "Talaria" }
      : {
          id: `${isBot ? "28:" : "29:"}${word}`,
          name: word,
          ...(!isBot && { aadObjectId: `aad-${word}`.slice(0, 36) }),
        },
    recipient: { id: BOT, name: "Talaria" },
    conversation: {
      id: said.in.thread ? `${id};messageid=${said.in.thread}` : id,
      conversationType: isDirect ? "personal" : "channel",
      tenantId: TENANT,
    },
    channelData: { tenant: { id: TENANT }, ...(!isDirect && { team: { name: "Gardeners" } }) },
  };
  if (said.kind === "press") return { ...common, type: "message", value: { talaria: said.token }, replyToId: said.of };
  const mark = "<at>Talaria</at>";
  const text = said.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return {
    ...common,
    // An edit is an activity with the message's own id.
    id: said.message,
    type: said.edited ? "messageUpdate" : "message",
    text: said.mentions ? `${mark} ${text}` : text,
    textFormat: "xml",
    entities: said.mentions ? [{ type: "mention", mentioned: { id: BOT, name: "Talaria" }, text: mark }] : [],
    attachments: [
      { contentType: "text/html", content: "<p>so</p>" },
      ...(said.files ?? []).map((file) =>
        file.kind === "image"
          ? {
              contentType: file.mediaType,
              contentUrl: `${SERVICE}v3/attachments/${addFile(file)}/views/original`,
              name: file.name,
            }
          : {
              contentType: "application/vnd.microsoft.teams.file.download.info",
              name: file.name,
              content: { downloadUrl: `https://contoso.sharepoint.com/download/${addFile(file)}`, fileType: "csv" },
            },
      ),
    ],
  };
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();

  function sign(body: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    const seconds = Math.floor(at / 1_000);
    const claims = {
      iss: "https://api.botframework.com",
      aud: APP,
      serviceurl: SERVICE,
      nbf: seconds - 60,
      exp: seconds + 3_600,
    };
    return postTo(ADDRESS, body, { authorization: `Bearer ${(forged ? stranger : microsoft).sign(claims)}` });
  }

  function keep({ at, json }: ApiCall) {
    if (json.type === "typing") {
      record.typingSigns += 1;
      return { id: "t" };
    }
    const [chat, thread] = at["conversation"]!.split(";messageid=");
    const id = `out${record.messages.length}`;
    record.messages.push({ id, chat: chat!, ...(thread && { thread }), ...readSent(json), replyTo: json.replyToId });
    return Response.json({ id }, { status: 201 });
  }

  const serve = serveRoutes(
    {
      "POST /emea/v3/conversations/:conversation/activities": keep,
      "PUT /emea/v3/conversations/:conversation/activities/:id": ({ at, json }) => {
        const message = record.messages.find(({ id }) => id === at["id"]);
        if (!message) return Response.json({ error: { message: "Unknown activity" } }, { status: 404 });
        return Object.assign(message, readSent(json)) && { id: at["id"] };
      },
      "GET /emea/v3/attachments/:id/views/original": ({ at }) => shelf.answer(at["id"]!),
      "GET https://contoso.sharepoint.com/download/:id": ({ at, headers }) => {
        expect(headers.get("authorization")).toBeNull();
        return shelf.answer(at["id"]!);
      },
      "GET https://login.botframework.com/v1/.well-known/keys": () => ({
        keys: [{ ...microsoft.jwk, endorsements: ["msteams", "webchat"] }],
      }),
      [`POST https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/token`]: async ({ form }) => {
        const asked = await form();
        return asked.get("client_secret") === fields.appPassword &&
          asked.get("scope") === "https://api.botframework.com/.default"
          ? { access_token: "teams-token", expires_in: 3_600 }
          : Response.json({ error: "invalid_client", error_description: "AADSTS7000215" }, { status: 401 });
      },
    },
    ({ url, headers }) =>
      url.hostname !== "smba.trafficmanager.net" || headers.get("authorization") === "Bearer teams-token"
        ? null
        : refusal("auth_failed"),
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toActivity(said, clock.now(), shelf.add)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- a double reads what the platform documents; a wrong read fails its test
function readSent(activity: any) {
  const card = activity.attachments?.[0]?.content;
  return {
    text: String(card ? card.body[0].text : activity.text),
    buttons: (card?.actions ?? []).map(({ title, data }: { title: string; data: { talaria: string } }) => ({
      label: title,
      token: data.talaria,
    })),
  };
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return new Response("{}", { status: 429, headers: { "retry-after": String(retryAfterS) } });
  if (kind === "auth_failed") return Response.json({ message: "Authorization has been denied" }, { status: 401 });
  return kind === "refused" ? Response.json({ error: { message: "The bot is blocked" } }, { status: 403 }) : null;
}

const fixture = {
  platform: teams,
  fields,
  others: [
    { ...fields, appId: TENANT },
    { ...fields, tenantId: APP },
  ],
  self: { id: BOT, name: APP, also: { app: APP } },
  address: ADDRESS,
  api: "https://smba.trafficmanager.net",
  // The token does not cover the body.
  proof: { kind: "key", carriers: ["authorization"], covers: [], toleranceMs: null },
  callsEverybody: (body) => /"entities"/.test(body),
  lacks: {
    replies: "An activity does not say what it answers in a form that a bot can read.",
    apiBase: "Messages go to the address that the activity names.",
  },
  createWorld,
} satisfies PlatformFixture<ReturnType<typeof teams.fields.parse>>;

describePlatform(fixture);

describe("Microsoft Teams", () => {
  const said: SaidMessage = {
    ...{ kind: "message", event: "e1", message: "m1", text: "How much?" },
    ...{ from: { word: "ada" }, in: { word: "ada", kind: "direct" } },
  };
  const body = (more: object = {}) => JSON.stringify({ ...toActivity(said, 1_000, () => "f"), ...more });
  const NOW = Date.UTC(2026, 10, 27, 12) / 1_000;
  const claims = { iss: "https://api.botframework.com", aud: APP, serviceurl: SERVICE, exp: NOW + 3_600 };
  const toRequest = (token: string, text = body()) => postTo(ADDRESS, text, { authorization: `Bearer ${token}` });

  test("a token is taken only from the Bot Framework, for this app, in time, and for this address", async () => {
    const { channel } = openTestChannel(fixture);
    const isTaken = async (more: object, header?: object, text?: string) =>
      (await teams.verify(toRequest(microsoft.sign({ ...claims, ...more }, header), text), channel)) !== null;
    expect(await isTaken({})).toBe(true);
    for (const more of [
      { iss: "https://sts.windows.net/" },
      { aud: TENANT },
      { exp: NOW - 400 },
      { exp: undefined },
      { nbf: NOW + 400 },
      { serviceurl: "https://smba.trafficmanager.net/amer/" },
      { serviceurl: undefined },
    ]) {
      expect(await isTaken(more), JSON.stringify(more)).toBe(false);
    }
    expect(await isTaken({}, { alg: "none" })).toBe(false);
    expect(await isTaken({}, { alg: "HS256" })).toBe(false);
    expect(await isTaken({}, {}, body({ channelId: "webchat" }))).toBe(true);
    expect(await isTaken({}, {}, body({ channelId: "slack" })), "a channel that the key is not for").toBe(false);
  });

  test("the bot's token goes to Teams' own hosts alone", async () => {
    const { channel, client, seen } = openTestChannel(fixture);
    for (const serviceUrl of [
      "https://evil.test/",
      "http://smba.trafficmanager.net/emea/",
      "https://smba.trafficmanager.net.evil.test/",
      "https://smba.trafficmanager.net:8443/",
      "https://a@smba.trafficmanager.net/",
    ]) {
      const token = microsoft.sign({ ...claims, serviceurl: serviceUrl });
      expect(await teams.verify(toRequest(token, body({ serviceUrl })), channel), serviceUrl).toBeNull();
      seen.length = 0;
      const to = { id: "a:ada", kind: "direct" as const, context: { serviceUrl, bot: BOT } };
      expect(await client.send(to, { text: "x" })).toMatchObject({ failure: { code: "channel_refused" } });
      expect(seen).toEqual([]);
    }
    expect(await client.fetchFile!({ kind: "file", ref: "https://evil.test/x" })).toMatchObject({ ok: false });
  });

  test("an unknown key asks for the keys again, and not more often than every three minutes", async () => {
    const { channel, seen, clock } = openTestChannel(fixture);
    const ask = async () => {
      const later = { ...claims, exp: clock.now() / 1_000 + 3_600 };
      expect(await teams.verify(toRequest(unpublished.sign(later)), channel)).toBeNull();
      return seen.filter(({ url }) => url.endsWith("/keys")).length;
    };
    expect(await ask()).toBe(1);
    for (let time = 0; time < 20; time += 1) expect(await ask()).toBe(1);
    clock.advance(3 * 60_000);
    expect(await ask()).toBe(2);
    expect(await ask()).toBe(2);
  });

  test("keys that cannot be read let nothing in, and are asked for again soon", async () => {
    const { channel, setFault, clock } = openTestChannel(fixture);
    setFault(() => new Response("no", { status: 500 }));
    const request = toRequest(microsoft.sign(claims));
    expect(await teams.verify(request, channel)).toBeNull();
    setFault(null);
    clock.advance(6_000);
    expect(await teams.verify(request, channel)).not.toBeNull();
  });

  test("a reaction, a join and a typing sign are no messages", async () => {
    const { receive } = openTestChannel(fixture);
    for (const type of ["messageReaction", "conversationUpdate", "typing", "installationUpdate", "invoke"]) {
      expect((await receive(toRequest(microsoft.sign(claims), body({ type }))))!.events).toEqual([]);
    }
  });
});
