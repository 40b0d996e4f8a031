import { describe, expect, test } from "vitest";
import { signal } from "../../channels/signal.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { createRecord, createShelf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type {
  PlatformFixture,
  PlatformWorld,
  Refusal,
  Said,
  SaidMessage,
  Signing,
  Somebody,
} from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/signal/p1";
const ACCOUNT = "+4915100000000";
const fields = { account: ACCOUNT, url: "https://signal.test", secret: "shared-secret-of-signal" };
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
  const times = new Map<string, number>();

  function sign(body: string, { forged }: Signing = {}): ChannelRequest {
    return postTo(ADDRESS, body, { authorization: `Bearer ${forged ? "other" : fields.secret}` });
  }

  /** Messages are named by the time at which they were sent. */
  function timeOf(message: string): number {
    const time =
      times.get(message) ?? clock.now() + ([...message].reduce((sum, char) => sum + char.charCodeAt(0), 0) % 1_000);
    times.set(message, time);
    return time;
  }

  function toReceived(said: Said): object {
    if (said.kind === "press") throw new Error("there are no buttons");
    const own = timeOf(said.edited ? `${said.message} ${said.event}` : said.message);
    const mentions = said.mentions
      ? [{ start: 0, length: 1, number: ACCOUNT, uuid: "uuid-self", name: "Talaria" }]
      : [];
    const quote = said.repliesTo && {
      id: 1,
      text: said.repliesTo.text,
      authorNumber: said.repliesTo.ofBot ? ACCOUNT : "+1",
      authorUuid: "u",
    };
    const dataMessage = {
      timestamp: own,
      message: said.mentions ? `\uFFFC ${said.text}` : said.text || null,
      mentions,
      quote,
      groupInfo: said.in.kind === "group" ? { groupId: `${said.in.word}==`, type: "DELIVER" } : undefined,
      attachments: (said.files ?? []).map((file) => ({
        id: shelf.add(file),
        contentType: file.mediaType,
        filename: file.name,
        size: file.bytes.length,
      })),
    };
    const content = said.edited
      ? { editMessage: { targetSentTimestamp: timeOf(said.message), dataMessage } }
      : { dataMessage };
    return {
      jsonrpc: "2.0",
      method: "receive",
      params: {
        envelope: { ...idsOf(said.from), sourceName: said.from.word, timestamp: own, ...content },
        account: ACCOUNT,
      },
    };
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the parameters of JSON-RPC calls
  const methods: Record<string, (params: any) => object> = {
    send({ recipient, groupId, message, attachments, quoteTimestamp }) {
      const chat = groupId ?? recipient[0];
      const timestamp = clock.now() + 1_000 + record.messages.length;
      for (const attachment of attachments ?? []) {
        const [, name = "", base64 = ""] = /^data:[^;]+;filename=([^;]*);base64,(.*)$/.exec(attachment)!;
        record.files.push({
          chat,
          name: decodeURIComponent(name),
          bytes: new Uint8Array(Buffer.from(base64, "base64")),
        });
      }
      if (message)
        record.messages.push({
          id: String(timestamp),
          chat,
          text: message,
          buttons: [],
          replyTo: quoteTimestamp && String(quoteTimestamp),
        });
      return { timestamp };
    },
    sendTyping() {
      record.typingSigns += 1;
      return {};
    },
    getAttachment: ({ id }) => ({ data: Buffer.from(shelf.files.get(id)!.bytes).toString("base64") }),
    getUserStatus: ({ recipient }) =>
      recipient.map((number: string) => ({
        recipient: number,
        number,
        uuid: "uuid-self",
        isRegistered: number === ACCOUNT,
      })),
  };
  const serve = serveRoutes(
    {
      "POST /api/v1/rpc": ({ json }) => {
        if (json.params.account !== ACCOUNT) return refusal("refused")!;
        return { jsonrpc: "2.0", id: json.id, result: methods[json.method]!(json.params) };
      },
    },
    ({ headers }) =>
      headers.get("authorization") === `Bearer ${fields.secret}` ? null : new Response("no", { status: 401 }),
  );
  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(JSON.stringify(toReceived(said)), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

function idsOf({ word, isSelf }: Somebody): object {
  return isSelf
    ? { sourceNumber: ACCOUNT, sourceUuid: "uuid-self" }
    : { sourceNumber: `+1${word.length}${word.charCodeAt(0)}`, sourceUuid: `uuid-${word}` };
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return new Response("slow", { status: 429, headers: { "retry-after": String(retryAfterS) } });
  if (kind === "auth_failed") return new Response("no", { status: 401 });
  return kind === "refused"
    ? Response.json({ jsonrpc: "2.0", id: 1, error: { code: -1, message: "Unregistered user" } })
    : null;
}

const fixture: PlatformFixture<typeof fields> = {
  platform: signal,
  fields,
  others: [
    { ...fields, secret: "other" },
    { ...fields, account: "+1" },
  ],
  self: { id: ACCOUNT, name: ACCOUNT, also: { uuid: "uuid-self" } },
  api: fields.url,
  proof: { kind: "secret", carriers: ["authorization"], covers: [], toleranceMs: null },
  callsEverybody: (body) => /"mentions"/.test(body),
  lacks: { bots: "Signal does not say whether a program writes." },
  createWorld,
};

describePlatform(fixture);

describe("Signal", () => {
  test("an event is read as the event stream has it, without JSON-RPC around it", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const { params } = JSON.parse(Buffer.from(request.body).toString());
    expect(await receive(await world.resign(request, JSON.stringify(params)))).toEqual(await receive(request));
  });

  test("receipts, typing signs and the account's other devices make no event", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const { params } = JSON.parse(Buffer.from(request.body).toString());
    for (const content of [
      { typingMessage: { action: "STARTED" } },
      { receiptMessage: { when: 1 } },
      { syncMessage: { sentMessage: { message: "x" } } },
    ]) {
      const envelope = { ...params.envelope, dataMessage: undefined, ...content };
      expect((await receive(await world.resign(request, JSON.stringify({ ...params, envelope }))))?.events).toEqual([]);
    }
  });

  test.each([
    [-5, "channel_rate_limited", { retryAfterMs: 300_000 }],
    [-3, "channel_unavailable", { maybeSent: true }],
    [-32602, "channel_refused", undefined],
  ])("an error %i of JSON-RPC is %s", async (code, failure, facts) => {
    const { client, setFault } = openTestChannel(fixture);
    setFault(() => Response.json({ jsonrpc: "2.0", error: { code, message: "no" } }));
    const sent = await client.send({ id: "u", kind: "direct" }, { text: "x" });
    expect(sent.ok ? null : [sent.failure.code, sent.failure.facts]).toEqual([failure, facts]);
  });

  test("a person is known by the number too, for lists of people", async () => {
    const { world, receive } = openTestChannel(fixture);
    expect((await receive(await world.request(SAID)))?.events[0]?.from).toEqual({
      id: "uuid-ada",
      name: "ada",
      handle: "+1397",
      isBot: false,
    });
  });
});
