import { describe, expect, test } from "vitest";
import { googleChat } from "../../channels/google-chat.ts";
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
import { createSigner, readClaims } from "../support/channels/jwt.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/google-chat/p1";
const PROJECT = "123456789012";
const ACCOUNT = "talaria@garden.iam.gserviceaccount.com";
const google = createSigner("k1");
const stranger = createSigner("k1");
const own = createSigner("own");
const key = JSON.stringify({
  type: "service_account",
  client_email: ACCOUNT,
  private_key: own.pem,
  private_key_id: "own",
  token_uri: "https://evil.test/token",
});
const fields = { serviceAccountKey: key, projectNumber: PROJECT };

function toEvent(said: Said, at: number, addFile: (file: NonNullable<SaidMessage["files"]>[number]) => string): object {
  const isDirect = said.in.kind === "direct";
  const user = {
    name: `users/${said.from.word}`,
    displayName: said.from.word,
    type: said.from.isBot ? "BOT" : "HUMAN",
  };
  const space = isDirect
    ? { name: `spaces/dm-${said.in.word}`, type: "DM", singleUserBotDm: true, spaceType: "DIRECT_MESSAGE" }
    : {
        name: `spaces/${said.in.word}`,
        type: "ROOM",
        spaceType: "SPACE",
        displayName: said.in.word,
        ...(said.in.thread && { spaceThreadingState: "THREADED_MESSAGES" }),
      };
  const time = new Date(at).toISOString();
  const thread = { name: `${space.name}/threads/${said.in.thread ?? "main"}` };
  const common = { eventTime: time, user, space };
  if (said.kind === "press") {
    const message = { name: said.of, space, thread };
    return {
      ...common,
      type: "CARD_CLICKED",
      message,
      action: { actionMethodName: "talaria", parameters: [{ key: "token", value: said.token }] },
    };
  }
  const isCommand = said.text.startsWith("/");
  const message = {
    name: `${space.name}/messages/${said.message}`,
    sender: user,
    createTime: time,
    text: said.mentions ? `@Talaria ${said.text}` : said.text,
    argumentText: isCommand ? said.text.replace(/^\S+/, "") : said.mentions ? ` ${said.text}` : said.text,
    ...(isCommand && { slashCommand: { commandId: "1" } }),
    thread,
    space,
    annotations: said.mentions
      ? [{ type: "USER_MENTION", userMention: { user: { name: "users/app", type: "BOT" }, type: "MENTION" } }]
      : [],
    attachment: (said.files ?? []).map((file) => ({
      contentName: file.name,
      contentType: file.mediaType,
      attachmentDataRef: { resourceName: `media/${addFile(file)}` },
      source: "UPLOADED_CONTENT",
    })),
  };
  return { ...common, type: "MESSAGE", message };
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();

  function sign(body: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    const seconds = Math.floor(at / 1_000);
    const claims = { iss: "chat@system.gserviceaccount.com", aud: PROJECT, iat: seconds, exp: seconds + 3_600 };
    return postTo(ADDRESS, body, { authorization: `Bearer ${(forged ? stranger : google).sign(claims)}` });
  }

  function keep({ at, json, url }: ApiCall) {
    if (Buffer.byteLength(json.text) > 32_000)
      return Response.json({ error: { message: "Too long" } }, { status: 400 });
    const chat = `spaces/${at["space"]}`;
    const thread: string | undefined = json.thread?.name;
    expect(url.searchParams.get("messageReplyOption") !== null).toBe(thread !== undefined);
    const id = `${chat}/messages/out${record.messages.length}`;
    record.messages.push({ id, chat, ...(thread && !thread.endsWith("/main") && { thread }), ...readSent(json) });
    return { name: id };
  }

  const serve = serveRoutes(
    {
      "POST /v1/spaces/:space/messages": keep,
      "PATCH /v1/spaces/:space/messages/:id": ({ at, json }) => {
        const name = `spaces/${at["space"]}/messages/${at["id"]}`;
        const message = record.messages.find(({ id }) => id === name);
        return message ? Object.assign(message, readSent(json)) : Response.json({ error: {} }, { status: 404 });
      },
      "GET /v1/media/media/:id": ({ at }) => shelf.answer(at["id"]!),
      "GET https://www.googleapis.com/service_accounts/v1/jwk/chat@system.gserviceaccount.com": () => ({
        keys: [google.jwk],
      }),
      "GET https://www.googleapis.com/oauth2/v3/certs": () => ({ keys: [google.jwk] }),
      "POST https://oauth2.googleapis.com/token": takeProof,
      // Where the operator names another server, all of Google is below it.
      "GET https://chat.googleapis.com/service_accounts/v1/jwk/chat@system.gserviceaccount.com": () => ({
        keys: [google.jwk],
      }),
      "POST https://chat.googleapis.com/token": takeProof,
    },
    ({ url, headers }) =>
      !url.pathname.startsWith("/v1/") || headers.get("authorization") === "Bearer chat-token"
        ? null
        : refusal("auth_failed"),
  );

  async function takeProof({ form }: ApiCall) {
    const claims = readClaims(String((await form()).get("assertion")));
    expect(claims).toMatchObject({
      iss: ACCOUNT,
      aud: "https://oauth2.googleapis.com/token",
      scope: expect.stringContaining("chat.bot"),
    });
    return { access_token: "chat-token", expires_in: 3_600 };
  }

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toEvent(said, clock.now(), shelf.add)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- a double reads what the platform documents; a wrong read fails its test
function readSent({ text, cardsV2 }: any) {
  const buttons = cardsV2[0]?.card.sections[0].widgets[0].buttonList.buttons ?? [];
  return {
    text: String(text),
    // oxlint-disable-next-line typescript/no-explicit-any -- the same
    buttons: buttons.map(({ text: label, onClick }: any) => ({ label, token: onClick.action.parameters[0].value })),
  };
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  const error = (status: number, message: string, headers = {}) =>
    Response.json({ error: { message } }, { status, headers });
  if (kind === "rate_limited") return error(429, "Quota exceeded", { "retry-after": String(retryAfterS) });
  if (kind === "auth_failed") return error(401, "Request had invalid authentication credentials.");
  return kind === "refused" ? error(403, "The bot is not a member of this space.") : null;
}

const fixture = {
  platform: googleChat,
  fields,
  others: [
    { ...fields, projectNumber: "999" },
    { ...fields, audience: "url" },
    { ...fields, audience: "addon" },
  ],
  self: { id: "users/app", name: ACCOUNT, also: { account: ACCOUNT } },
  address: ADDRESS,
  api: "https://chat.googleapis.com",
  // The token does not cover the body.
  proof: { kind: "key", carriers: ["authorization"], covers: [], toleranceMs: null },
  callsEverybody: (body) => body.includes("<users/"),
  lacks: {
    edits: "Chat tells an app of no edits.",
    replies: "A quoted message does not say who wrote it.",
    bots: "Bots do not hear each other.",
    own: "The app's own messages do not arrive.",
  },
  createWorld,
} satisfies PlatformFixture<ReturnType<typeof googleChat.fields.parse>>;

describePlatform(fixture);

describe("Google Chat", () => {
  const said: SaidMessage = {
    ...{ kind: "message", event: "e1", message: "m1", text: "How much?" },
    ...{ from: { word: "ada" }, in: { word: "ada", kind: "direct" } },
  };
  const body = JSON.stringify(toEvent(said, 1_000, () => "f"));
  const NOW = Date.UTC(2026, 10, 27, 12) / 1_000;
  const ADDON = `service-${PROJECT}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`;
  const idToken = { iss: "https://accounts.google.com", aud: ADDRESS, exp: NOW + 3_600, email_verified: true };
  const chatToken = { iss: "chat@system.gserviceaccount.com", aud: PROJECT, exp: NOW + 3_600 };

  async function isTaken(audience: string, claims: object): Promise<boolean> {
    const { channel } = openTestChannel(fixture, { fields: { ...fields, audience } });
    const request = postTo(ADDRESS, body, { authorization: `Bearer ${google.sign(claims)}` });
    return (await googleChat.verify(request, channel)) !== null;
  }

  test("each audience takes its own tokens alone", async () => {
    const tokens = {
      url: { ...idToken, email: "chat@system.gserviceaccount.com" },
      project: chatToken,
      addon: { ...idToken, email: ADDON },
    };
    for (const audience of Object.keys(tokens)) {
      for (const [kind, claims] of Object.entries(tokens)) {
        expect(await isTaken(audience, claims), `${kind} for ${audience}`).toBe(kind === audience);
      }
    }
  });

  test("another project's add-on, an unproved address, another app and an old token are refused", async () => {
    const other = "service-999@gcp-sa-gsuiteaddons.iam.gserviceaccount.com";
    expect(await isTaken("addon", { ...idToken, email: other })).toBe(false);
    expect(await isTaken("addon", { ...idToken, email: ADDON, email_verified: false })).toBe(false);
    expect(await isTaken("addon", { ...idToken, email: ADDON, aud: `${ADDRESS}x` })).toBe(false);
    expect(await isTaken("addon", { ...idToken, email: ADDON, iss: "https://evil.test" })).toBe(false);
    expect(await isTaken("project", { ...chatToken, exp: NOW - 400 })).toBe(false);
    expect(await isTaken("project", { ...chatToken, aud: "1" })).toBe(false);
  });

  test("the events of an add-on read as Chat's own", async () => {
    const { receive } = openTestChannel(fixture, { fields: { ...fields, audience: "addon" } });
    const { message, space, user, eventTime } = JSON.parse(body);
    const send = async (chat: object, more: object = {}) => {
      const text = JSON.stringify({ chat: { user, eventTime, ...chat }, ...more });
      const token = google.sign({ ...idToken, email: ADDON });
      return (await receive(postTo(ADDRESS, text, { authorization: `Bearer ${token}` })))!.events;
    };
    expect(await send({ messagePayload: { message, space } })).toMatchObject([
      { kind: "message", text: "How much?", chat: { id: "spaces/dm-ada", kind: "direct" }, context: { addOn: "true" } },
    ]);
    const pressed = { buttonClickedPayload: { message, space } };
    expect(await send(pressed, { commonEventObject: { parameters: { token: "yes.1" } } })).toMatchObject([
      { kind: "press", token: "yes.1", message: message.name },
    ]);
    expect(await send({ addedToSpacePayload: { space } })).toEqual([]);
  });

  test("the proof of the service account goes to Google, whatever its file names", async () => {
    const { client, seen } = openTestChannel(fixture);
    expect(await client.send({ id: "spaces/x", kind: "group" }, { text: "x" })).toMatchObject({ ok: true });
    expect(seen.map(({ url }) => new URL(url).host)).toEqual(["oauth2.googleapis.com", "chat.googleapis.com"]);
  });

  test("a chat's id leads nowhere else", async () => {
    const { client, seen, setFault } = openTestChannel(fixture);
    await client.send({ id: "spaces/x", kind: "group" }, { text: "x" });
    setFault(() => Response.json({}));
    seen.length = 0;
    await client.fetchFile!({ kind: "file", ref: "../../v1/spaces?x=" });
    expect(seen[0]!.url).toBe("https://chat.googleapis.com/v1/media/-/-/v1/spaces%3Fx%3D?alt=media");
  });
});
