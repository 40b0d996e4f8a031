import { createHash, verify as verifyBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { github } from "../../channels/github.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { createRecord, macOf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import { createSigner, readClaims } from "../support/channels/jwt.ts";
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

const ADDRESS = "https://talaria.test/channels/github/p1";
const fields = { webhookSecret: "rain-in-may-secret", token: "ghp_token_for_tests" };
const BOT_ID = 77;

const toNumber = (word: string) => 1 + (createHash("sha256").update(word).digest().readUInt32BE() % 1_000_000);

function toPayload(said: SaidMessage, at: number) {
  const user = said.from.isSelf
    ? { id: BOT_ID, login: "talaria", type: "User" }
    : { id: toNumber(said.from.word), login: said.from.word, type: said.from.isBot ? "Bot" : "User" };
  const time = new Date(at).toISOString();
  const comment = {
    id: toNumber(said.message),
    body: said.mentions ? `@talaria ${said.text}` : said.text,
    user,
    created_at: time,
    updated_at: time,
    ...(said.in.thread && { in_reply_to_id: toNumber(said.in.thread) }),
  };
  const subject = { id: 1, number: toNumber(said.in.word), title: "Rain", body: "?", user, created_at: time };
  return {
    action: said.edited ? "edited" : "created",
    repository: { id: 1, full_name: "ada/garden" },
    sender: user,
    ...(said.in.thread ? { pull_request: subject } : { issue: subject }),
    comment,
  };
}

function sign(body: string, { forged }: Signing = {}): ChannelRequest {
  const mac = macOf("sha256", forged ? "another" : fields.webhookSecret, body, "hex");
  return postTo(ADDRESS, body, { "x-hub-signature-256": `sha256=${mac}`, "x-github-event": "issue_comment" });
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const keep = (chat: string, text: string, thread?: string) => {
    if (text.length > 65_536) return Response.json({ message: "Validation Failed" }, { status: 422 });
    const id = 9_000 + record.messages.length;
    record.messages.push({ id: String(id), chat, text, buttons: [], ...(thread && { thread }) });
    return Response.json({ id }, { status: 201 });
  };
  const change = (id: string, text: string) => {
    const message = record.messages.find((each) => each.id === id);
    if (!message) return Response.json({ message: "Not Found" }, { status: 404 });
    message.text = text;
    return { id: Number(id) };
  };
  const serve = serveRoutes(
    {
      "POST /repos/:owner/:repo/issues/:number/comments": ({ at, json }) =>
        keep(`${at["owner"]}/${at["repo"]}#${at["number"]}`, json.body),
      "POST /repos/:owner/:repo/pulls/:number/comments/:root/replies": ({ at, json }) =>
        keep(`${at["owner"]}/${at["repo"]}#${at["number"]}`, json.body, at["root"]),
      "PATCH /repos/:owner/:repo/issues/comments/:id": ({ at, json }) => change(at["id"]!, json.body),
      "PATCH /repos/:owner/:repo/pulls/comments/:id": ({ at, json }) => change(at["id"]!, json.body),
      "GET /user": () => ({ id: BOT_ID, login: "talaria" }),
    },
    ({ headers }) =>
      headers.get("authorization") === `Bearer ${fields.token}` && headers.get("user-agent")
        ? null
        : refusal("auth_failed"),
  );
  return Object.assign(record, {
    // A token's webhooks are set up by a person: nothing is told to GitHub.
    registered: ADDRESS,
    request: (said: Said, signing?: Signing) =>
      sign(JSON.stringify(toPayload(said as SaidMessage, signing?.at ?? clock.now())), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited") {
    const message = "You have exceeded a secondary rate limit.";
    return Response.json({ message }, { status: 403, headers: { "retry-after": String(retryAfterS) } });
  }
  if (kind === "auth_failed") return Response.json({ message: "Bad credentials" }, { status: 401 });
  return kind === "refused" ? Response.json({ message: "Resource not accessible" }, { status: 403 }) : null;
}

const fixture = {
  platform: github,
  fields,
  others: [{ ...fields, webhookSecret: "other" }],
  self: { id: String(BOT_ID), name: "talaria" },
  address: ADDRESS,
  api: "https://api.github.com",
  proof: { kind: "hmac", carriers: ["x-hub-signature-256"], covers: ["body"], toleranceMs: null },
  callsEverybody: "GitHub has no mark that calls everybody.",
  lacks: {
    replies: "A comment answers none.",
    direct: "Issues are open to all members.",
  },
  createWorld,
} satisfies PlatformFixture<ReturnType<typeof github.fields.parse>>;

describePlatform(fixture);

describe("GitHub", () => {
  const said: SaidMessage = {
    ...{ kind: "message", event: "e1", message: "m1", text: "How much?", mentions: true },
    ...{ from: { word: "ada" }, in: { word: "garden", kind: "group" } },
  };
  const read = async (payload: object) => {
    const { receive } = openTestChannel(fixture);
    return (await receive(sign(JSON.stringify(payload))))!.events;
  };

  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  test("the signature is that of GitHub's documentation", async () => {
    const { channel } = openTestChannel(fixture, {
      fields: { ...fields, webhookSecret: "It's a Secret to Everybody" },
    });
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const request = postTo(ADDRESS, "Hello, World!", { "x-hub-signature-256": signature });
    expect(await github.verify(request, channel)).toEqual({ text: "Hello, World!" });
  });

  test("a redelivery under another delivery id is the same event", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(said);
    const again = { ...request, headers: { ...request.headers, "x-github-delivery": "another" } };
    expect((await receive(again))!.events).toEqual((await receive(request))!.events);
  });

  test("a form is read as JSON", async () => {
    const { receive } = openTestChannel(fixture);
    const body = `payload=${encodeURIComponent(JSON.stringify(toPayload(said, 1_000)))}`;
    expect((await receive(sign(body)))!.events).toMatchObject([{ text: "How much?", addressed: true }]);
  });

  test("an opened issue says its title, and a mention inside a word or an address is none", async () => {
    const payload = toPayload(said, 1_000);
    const issue = { ...("issue" in payload && payload.issue), body: "@Talaria, how much?" };
    const opened = { ...payload, action: "opened", comment: undefined, issue };
    expect(await read(opened)).toMatchObject([{ text: "Rain\n\n, how much?", addressed: true }]);
    for (const body of ["x@talaria", "mail@talaria.test", "@talaria-x", "https://x.test/@talaria"]) {
      const comment = toPayload({ ...said, mentions: false, text: body }, 1_000);
      expect(await read(comment), body).toMatchObject([{ text: body, addressed: false }]);
    }
  });

  test("what somebody else wrote into a comment is not its author's", async () => {
    const payload = toPayload({ ...said, edited: true }, 1_000);
    expect(await read({ ...payload, sender: { id: 5, login: "eve", type: "User" } })).toEqual([]);
  });

  test("pings, closed issues and deleted comments are no messages", async () => {
    expect(await read({ zen: "Design for failure.", hook_id: 1 })).toEqual([]);
    for (const action of ["closed", "deleted", "labeled"])
      expect(await read({ ...toPayload(said, 1_000), action })).toEqual([]);
  });

  test("an app signs with the key as GitHub made it, writes as its installation, and tells GitHub its address", async () => {
    const signer = createSigner("app");
    const app = { webhookSecret: fields.webhookSecret, appId: 42, privateKey: signer.pkcs1 };
    const { channel, client, receive, setFault, clock } = openTestChannel(fixture, { fields: app });
    const asked: string[] = [];
    setFault(({ url, headers, method }) => {
      const path = new URL(url).pathname;
      const bearer = headers.get("authorization")?.slice(7) ?? "";
      asked.push(`${method} ${path}`);
      if (path.startsWith("/app")) {
        const end = bearer.lastIndexOf(".");
        const signature = Buffer.from(bearer.slice(end + 1), "base64url");
        expect(verifyBytes("sha256", Buffer.from(bearer.slice(0, end)), signer.publicKey, signature)).toBe(true);
        expect(readClaims(bearer)).toMatchObject({ iss: "42", exp: clock.now() / 1_000 + 540 });
        return Response.json(path.endsWith("access_tokens") ? { token: "ghs_x" } : { slug: "talaria", id: 42 });
      }
      if (path === "/users/talaria%5Bbot%5D") return Response.json({ id: 99 });
      expect(bearer).toBe("ghs_x");
      return Response.json({ id: 1 }, { status: 201 });
    });
    expect(await github.probe(channel)).toMatchObject({ ok: true, value: { id: "99", name: "talaria" } });
    expect(await github.register!(channel, [])).toMatchObject({ ok: true });
    const event = (await receive(sign(JSON.stringify({ ...toPayload(said, 1_000), installation: { id: 7 } }))))!
      .events[0]!;
    const to = { ...event.chat, context: event.context };
    for (const text of ["one", "two"]) expect(await client.send(to, { text })).toMatchObject({ ok: true });
    expect(asked.filter((path) => path.endsWith("access_tokens"))).toEqual(["POST /app/installations/7/access_tokens"]);
    expect(asked).toContain("PATCH /app/hook/config");
  });

  test("a budget that is used up is waited for until GitHub says", async () => {
    const { client, setFault, clock } = openTestChannel(fixture);
    const reset = String(clock.now() / 1_000 + 90);
    setFault(() =>
      Response.json({}, { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }),
    );
    expect(await client.send({ id: "ada/garden#1", kind: "group" }, { text: "x" })).toMatchObject({
      failure: { code: "channel_rate_limited", facts: { retryAfterMs: 90_000 } },
    });
  });

  test("without a token or an app it hears, and says what is missing to answer", async () => {
    const { channel, receive } = openTestChannel(fixture, { fields: { webhookSecret: fields.webhookSecret } });
    expect((await receive(sign(JSON.stringify(toPayload(said, 1_000)))))!.events).toHaveLength(1);
    expect(await github.probe(channel)).toMatchObject({
      failure: { code: "channel_auth_failed", message: expect.stringContaining("`token`") },
    });
  });
});
