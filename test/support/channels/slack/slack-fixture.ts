// Slack for the conformance kit, over the fake server.
import { createHash } from "node:crypto";
import { slack } from "../../../../channels/slack.ts";
import type { SlackFields } from "../../../../channels/slack/call-slack.ts";
import type { PlatformFixture, Said, Signing, Somebody, Somewhere } from "../fixture.ts";
import { createFakeSlack, directChannel } from "./fake-slack.ts";
import { signSlack, toPressBody, toWrittenBody } from "./slack-people.ts";

const API = "https://slack.com/api";
const TOKEN = "xoxb-garden-token";
/** Of the example in https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

export const slackFixture: PlatformFixture<SlackFields> = {
  platform: slack,
  fields: { botToken: TOKEN, signingSecret: SECRET },
  others: [{ botToken: TOKEN, signingSecret: "another" }],
  self: { id: "UTALARIA", name: "talaria", also: { bot: "BTALARIA", team: "T0GARDEN01" } },
  api: API,
  proof: {
    kind: "hmac",
    carriers: ["x-slack-signature", "x-slack-request-timestamp"],
    covers: ["body"],
    toleranceMs: { past: 300_000, future: 300_000 },
  },
  // A file's name calls nobody.
  callsEverybody: (body) => !body.includes("files") && /<[!@]|link_names|"parse":"full"/.test(body),
  lacks: {
    replyText: "The event of a reply names the thread and who began it, not the words.",
    apiBase: "Slack itself names the addresses of uploads and files.",
  },
  createWorld(clock) {
    const origin = "https://slack.com";
    const fake = createFakeSlack(
      () => origin,
      () => clock.now(),
    );
    const bot = fake.addBot(TOKEN, SECRET, "TALARIA");

    const toUser = ({ word, isSelf }: Somebody) => {
      if (isSelf) return bot.user;
      const id = `U${toDigits(`person ${word}`)}`;
      fake.names.set(id, word);
      return id;
    };
    const toChannel = ({ kind, word }: Somewhere) =>
      kind === "direct" ? directChannel(toUser({ word })) : `C${toDigits(`group ${word}`)}`;
    const toThread = ({ thread }: Somewhere) => (thread === undefined ? {} : { thread: toTs(`thread ${thread}`) });
    /** Messages are named by their times: of this second, in their microseconds. */
    const toTs = (word: string) => `${Math.floor(clock.now() / 1_000)}.${toDigits(word).slice(0, 6)}`;
    const times = new Map<string, string>();
    const toMessageTs = (word: string) => {
      if (!times.has(word)) times.set(word, toTs(`message ${word}`));
      return times.get(word)!;
    };

    function toBody(said: Said): string {
      const user = toUser(said.from);
      const place = { user, channel: toChannel(said.in), ...toThread(said.in), event: `Ev${said.event}` };
      if (said.kind === "press") return toPressBody(bot, origin, { ...place, message: said.of, token: said.token });
      const { text, mentions, repliesTo, files, edited, message } = said;
      const parent = repliesTo?.ofBot ? bot.user : toUser({ word: "bob" });
      return toWrittenBody(fake, bot, origin, {
        ...{ ...place, ts: toMessageTs(message), text: mentions ? `<@${bot.user}> ${text}` : text },
        ...(repliesTo && { thread: place.thread ?? toTs("thread of a reply"), parent }),
        ...(files && { files }),
        ...(edited && { editedAt: toTs(`edit ${said.event}`) }),
        ...(said.from.isBot && { bot: said.from.isSelf ? bot.bot : "BOTHER" }),
      });
    }

    const sign = (body: string, { at = clock.now(), forged }: Signing = {}) =>
      signSlack(forged ? "not-the-secret" : SECRET, body, { at });

    return {
      request: (said, signing) => sign(toBody(said), signing),
      resign: (_, text, signing) => sign(text, signing),
      challenge: (signing) => ({
        request: sign(JSON.stringify({ token: "t", challenge: "3eZbrw1aB", type: "url_verification" }), signing),
        reply: { status: 200, body: "3eZbrw1aB" },
      }),
      serve(url, init) {
        if (!url.startsWith(`${origin}/`)) throw new Error(`${url} is not Slack's`);
        return fake.serve(url.slice(origin.length), init);
      },
      get messages() {
        return bot.messages.map(({ ts, channel, thread, text, buttons }) => ({
          ...{ id: ts, chat: channel, text, buttons },
          ...(thread !== undefined && { thread }),
        }));
      },
      get files() {
        return bot.files;
      },
      get typingSigns() {
        return bot.statuses;
      },
      get answeredPresses() {
        return bot.responses.map(({ text }) => text);
      },
      registered: null,
      get threads() {
        return new Map(bot.messages.map(({ ts, text }) => [ts, text.replaceAll("*", "")]));
      },
      refusal(kind, retryAfterS) {
        const headers = { "retry-after": String(retryAfterS) };
        if (kind === "rate_limited")
          return Response.json({ ok: false, error: "ratelimited" }, { status: 429, headers });
        if (kind === "auth_failed") return Response.json({ ok: false, error: "token_revoked" });
        return kind === "refused" ? Response.json({ ok: false, error: "is_archived" }) : null;
      },
    };
  },
};

/** The same in every world. */
function toDigits(what: string): string {
  return String(createHash("sha256").update(what).digest().readUInt32BE()).padStart(10, "0");
}
