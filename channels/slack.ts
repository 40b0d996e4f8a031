// Slack by its Events API, interactivity and slash commands, all at one address. Owns what a channel takes, how a request is proved, and
// who the bot is; channels/slack/ reads and sends. Loaded by channels/index.ts. Source: https://docs.slack.dev
import * as z from "zod";
import type { Platform } from "../core/channels/platform.ts";
import { err, ok } from "../core/errors.ts";
import { type SlackFields, callSlack } from "./slack/call-slack.ts";
import { openClient } from "./slack/client.ts";
import { readEvent } from "./slack/read-event.ts";
import { ANY_COMMAND, readForm } from "./slack/read-form.ts";
import { concatBytes, hmac, toBytes, toHex, toText } from "./support/crypto.ts";
import { isFresh, readJson, readTime } from "./support/events.ts";

const TIME_HEADER = "x-slack-request-timestamp";
const SIGNATURE_HEADER = "x-slack-signature";
/** [docs] "Verifying requests from Slack": five minutes. */
const WINDOW_MS = 300_000;
/** [own] A file is held in memory; Slack itself takes 1 GB. */
const FILE_BYTES = 25_000_000;

const SCOPES =
  "app_mentions:read, assistant:write, channels:history, chat:write, commands, files:read, files:write, groups:history, im:history, im:write, mpim:history, users:read";

export const slack: Platform<SlackFields> = {
  name: "slack",
  title: "Slack",
  fields: z.strictObject({
    botToken: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,300}$/, "must be the token of the bot user, such as xoxb-…"),
    signingSecret: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,200}$/, "must be the app's signing secret"),
    replyInThreads: z.boolean().optional(),
  }),
  form: [
    {
      name: "botToken",
      help: "The Bot User OAuth Token, xoxb-…, of the app's page OAuth & Permissions.",
      secret: true,
      required: true,
    },
    {
      name: "signingSecret",
      help: "The Signing Secret of the app's page Basic Information.",
      secret: true,
      required: true,
    },
    {
      name: "replyInThreads",
      help: "`true`: a mention in a channel begins a thread, with a session of its own. Default: `false`.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "Create an app at https://api.slack.com/apps, from scratch, in your workspace.",
    `Under OAuth & Permissions add the bot scopes ${SCOPES}. Install the app and copy the Bot User OAuth Token.`,
    "Under App Home allow messages to the app.",
    "After the channel is saved: under Event Subscriptions set the Request URL {address} and subscribe to the bot events app_mention, message.channels, message.groups, message.im and message.mpim.",
    "Under Interactivity set the Request URL {address}. Under Slash Commands create /talaria with the same URL.",
    "Invite the bot to the channels that it should read.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: 25,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: false,
    redactsIds: false,
  },
  // [docs] A section with buttons below it takes 3,000 characters; a channel one message in a second.
  limits: { text: 3_000, textUnit: "utf16", fileBytes: FILE_BYTES, editEveryMs: 1_200, typingMs: 100_000 },
  flavour: "mrkdwn",
  commandPrefix: `${ANY_COMMAND} `,
  pairs: true,

  async verify({ method, headers, body }, { fields, deps }) {
    const time = headers[TIME_HEADER];
    const sentAt = readTime(time) * 1_000;
    const signed = concatBytes([toBytes(`v0:${time ?? ""}:`), body]);
    const expected = `v0=${toHex(await hmac("SHA-256", fields.signingSecret, signed))}`;
    const isSame = deps.isSame(headers[SIGNATURE_HEADER] ?? "", expected);
    return isSame && method === "POST" && isFresh(deps.clock, sentAt, WINDOW_MS) ? { text: toText(body) } : null;
  },

  async parse({ request, text }, channel) {
    if (text.trimStart().startsWith("{")) return readEvent(readJson(text), channel);
    return readForm(new URLSearchParams(text), readTime(request.headers[TIME_HEADER]) * 1_000, channel);
  },

  open: (channel) => openClient(channel, FILE_BYTES),

  async probe(channel) {
    const asked = await callSlack(channel, "auth.test", { json: {} });
    if (!asked.ok) return asked;
    const { user_id: id, user: name, bot_id: bot, team_id: team } = asked.value;
    if (typeof id !== "string" || typeof name !== "string") {
      return err("channel_unavailable", "Slack did not say who the bot is.");
    }
    const also = { ...(typeof bot === "string" && { bot }), ...(typeof team === "string" && { team }) };
    return ok({ id, name, also });
  },
};
