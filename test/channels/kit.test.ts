// The kit against platforms that are broken in one way each: Telegram's file with one function changed. A statement that no broken
// platform fails would prove nothing.
import { expect, test } from "vitest";
import { slack } from "../../channels/slack.ts";
import { telegram } from "../../channels/telegram.ts";
import type { Platform, PlatformClient, VerifiedRequest } from "../../core/channels/platform.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { InboundEvent } from "../../core/schemas/channels/inbound.ts";
import { type PlatformFixture, listStatements } from "../support/channels/kit.ts";
import { slackFixture } from "../support/channels/slack/slack-fixture.ts";
import { telegramFixture } from "../support/channels/telegram/telegram-fixture.ts";

type Telegram = typeof telegram;
type Channel = Parameters<Telegram["verify"]>[1];

const withEvents = (change: (event: InboundEvent, verified: VerifiedRequest) => InboundEvent[]): Partial<Telegram> => ({
  async parse(verified, channel) {
    const received = await telegram.parse(verified, channel);
    return { ...received, events: received.events.flatMap((event) => change(event, verified)) };
  },
});
const withMessages = (change: object): Partial<Telegram> =>
  withEvents((event) => [event.kind === "message" ? { ...event, ...change } : event]);
const withClient = (
  change: (client: PlatformClient, channel: Channel) => Partial<PlatformClient>,
): Partial<Telegram> => ({
  open(channel) {
    const client = telegram.open(channel);
    return { ...client, ...change(client, channel) };
  },
});
const mapFailure = <T>(result: Result<T>, change: (code: string, facts?: Record<string, unknown>) => Result<T>) =>
  result.ok ? result : change(result.failure.code, result.failure.facts);

const BROKEN: [string, Partial<Telegram>, RegExp][] = [
  ["takes every request", { verify: async ({ body }) => ({ text: new TextDecoder().decode(body) }) }, /wrong secret/],
  [
    "compares with ===",
    {
      async verify(request, channel) {
        const secret = request.headers["x-telegram-bot-api-secret-token"];
        return secret === channel.fields.webhookSecret ? { text: new TextDecoder().decode(request.body) } : null;
      },
    },
    /by `isSame` alone/,
  ],
  [
    "throws for a body that is not JSON",
    { parse: async ({ text }) => (JSON.parse(text), { events: [] }) },
    /nothing throws/,
  ],
  ["gives events a new id each time", withEvents((event) => [{ ...event, id: crypto.randomUUID() }]), /a second time/],
  ["gives all events one id", withEvents((event) => [{ ...event, id: "1" }]), /have different ids/],
  [
    "takes the sender's id for the chat's",
    withEvents((event) => [{ ...event, chat: { ...event.chat, id: "1" } }]),
    /two groups/,
  ],
  ["thinks everything is said to it", withMessages({ addressed: true }), /message to nobody/],
  [
    "hears its own messages",
    {
      parse: (verified, channel) =>
        telegram.parse(verified, { ...channel, self: null, fields: { ...channel.fields, token: "1:other" } }),
    },
    /own messages|mention/,
  ],
  [
    "does not know other bots",
    withEvents((event) => [{ ...event, from: { ...event.from, isBot: false } }]),
    /another bot/,
  ],
  ["forgets that a message was edited", withMessages({ edited: undefined }), /an edit names/],
  [
    "loses threads",
    withEvents((event) => [{ ...event, chat: { ...event.chat, thread: undefined } }]),
    /a place of its own/,
  ],
  ["loses files", withMessages({ files: [] }), /a file says/],
  [
    "trims what people write",
    withEvents((event) => [event.kind === "message" ? { ...event, text: event.text.slice(0, 10) } : event]),
    /letter for letter/,
  ],
  [
    "sends to no thread",
    withClient((client) => ({ send: (to, message) => client.send({ ...to, thread: undefined }, message) })),
    /arrives in its thread/,
  ],
  [
    "sends no buttons",
    withClient((client) => ({ send: (to, { text }) => client.send(to, { text }) })),
    /buttons as it takes|as many buttons/,
  ],
  [
    "sends twice",
    withClient((client) => ({
      send: async (to, message) => (await client.send(to, message), client.send(to, message)),
    })),
    /arrives in its chat/,
  ],
  [
    "cuts what it sends",
    withClient((client) => ({
      send: (to, message) => client.send(to, { ...message, text: message.text.slice(0, 500) }),
    })),
    /with all its words/,
  ],
  [
    "calls every failure a refusal",
    withClient((client) => ({
      send: async (to, message) => mapFailure(await client.send(to, message), () => err("channel_refused", "No.")),
    })),
    /rate limit/,
  ],
  [
    "never doubts that nothing was sent",
    withClient((client) => ({
      send: async (to, message) => mapFailure(await client.send(to, message), (code) => err(code, "No.")),
    })),
    /may have arrived/,
  ],
  [
    "throws when it is not reached",
    withClient((client) => ({
      send: async (to, message) => {
        const sent = await client.send(to, message);
        if (!sent.ok) throw new Error("no");
        return sent;
      },
    })),
    /no operation throws/,
  ],
  ["says that it typed when it did not", withClient(() => ({ typing: async () => ok(null) })), /typing sign/],
  ["edits nothing", withClient(() => ({ edit: async () => ok(null) })), /an edit changes/],
  ["forgets who the bot is", { probe: async () => ok({ id: "1", name: "x" }) }, /who the bot is/],
  ["registers nothing", { register: async () => ok(null) }, /registered/],
  ["claims what it cannot do", { capabilities: { ...telegram.capabilities, typing: false } }, /what its client can do/],
  ["keeps a field from its form", { form: telegram.form.slice(0, 1) }, /the form has the fields/],
  [
    "takes any field",
    {
      fields: telegram.fields.and(telegram.fields) as Telegram["fields"],
      form: [...telegram.form, { name: "chat", help: "What nobody needs.", secret: false, required: true }],
    },
    /not in the form/,
  ],
  [
    "tells its token",
    withClient((client, { fields }) => ({
      send: async (to, message) => mapFailure(await client.send(to, message), (code) => err(code, fields.token)),
    })),
    /no secret is in/,
  ],
  [
    "goes to the usual server always",
    { open: (channel) => telegram.open({ ...channel, deps: { ...channel.deps, apiBase: null } }) },
    /operator's server/,
  ],
  ["polls one event again and again", { poll: (channel) => telegram.poll!(channel, null) }, /polled/],
];

test.each(BROKEN)("finds a platform that %s", async (_name, change, title) => {
  const platform = { ...telegram, ...change } as Platform<never>;
  expect(await findFailures({ ...telegramFixture, platform } as unknown as PlatformFixture<never>, title)).not.toEqual(
    [],
  );
});

test("finds a platform that shows its token to a server that a message names", async () => {
  const platform: typeof slack = {
    ...slack,
    open(channel) {
      const fetchFile: PlatformClient["fetchFile"] = async ({ ref }) => {
        const url = ref.startsWith("https:") ? ref : String((JSON.parse(ref) as { url?: string }).url);
        const got = await channel.deps.request(url, {
          headers: { authorization: `Bearer ${channel.fields.botToken}` },
        });
        return got.ok ? ok({ bytes: got.value.bytes }) : got;
      };
      return { ...slack.open(channel), fetchFile };
    },
  };
  const failed = await findFailures({ ...slackFixture, platform }, /no credential/);
  expect(failed.join("\n")).toContain("authorization");
});

test("finds a platform on which a text calls everybody", async () => {
  const platform: typeof slack = {
    ...slack,
    open(channel) {
      const client = slack.open(channel);
      return { ...client, send: (to, { text }) => client.send(to, { text: text.replaceAll("&lt;", "<") }) };
    },
  };
  expect(await findFailures({ ...slackFixture, platform }, /calls everybody/)).toHaveLength(1);
});

test("finds a platform that loses the words beside a file", async () => {
  const client = withClient((own) => ({ send: (to, { text }) => own.send(to, { text: text.slice(0, 1_024) }) }));
  const platform = { ...telegram, ...client };
  expect(await findFailures({ ...telegramFixture, platform } as never, /file of an answer/)).toHaveLength(1);
});

async function findFailures<Fields>(fixture: PlatformFixture<Fields>, title: RegExp): Promise<string[]> {
  const statements = listStatements(fixture).filter((statement) => title.test(statement.title));
  expect(statements.length).toBeGreaterThan(0);
  const failed: string[] = [];
  for (const { title: failing, run } of statements) {
    await (async () => run())().catch((thrown: unknown) => failed.push(`${failing}: ${String(thrown)}`));
  }
  return failed;
}
