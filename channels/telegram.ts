// Telegram by its Bot API, with a webhook or by long polling. Owns what a channel takes, how a request is proved, and who the bot is;
// channels/telegram/ reads updates and sends. Loaded by channels/index.ts. Source: https://core.telegram.org/bots/api
import * as z from "zod";
import type { BotCommand, BotIdentity, Platform } from "../core/channels/platform.ts";
import { clip } from "../core/clip.ts";
import { type Result, err, ok } from "../core/errors.ts";
import { toObject } from "../core/unknown-object.ts";
import { hmac, toHex, toText } from "./support/crypto.ts";
import { type TelegramChannel, type TelegramFields, callTelegram } from "./telegram/call-telegram.ts";
import { openClient } from "./telegram/client.ts";
import { readUpdate } from "./telegram/read-update.ts";
import { ALLOWED_UPDATES } from "./telegram/updates.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";
/** [docs] `getFile` gives files of at most 20 MB. */
const FILE_BYTES = 20_000_000;
const POLL_S = 25;
/** [docs] `setMyCommands`. */
const MAX_COMMANDS = 100;
const MAX_COMMAND_HELP = 256;

export const telegram: Platform<TelegramFields> = {
  name: "telegram",
  title: "Telegram",
  fields: z.strictObject({
    token: z
      .string()
      .trim()
      .regex(/^[\w-]{1,100}(?::[\w-]{1,200})?$/, "must be the bot's token, such as 123456:ABC-DEF"),
    webhookSecret: z
      .string()
      .regex(/^[\w-]{1,256}$/, "may have 1 to 256 letters, digits, _ and -")
      .optional(),
  }),
  form: [
    { name: "token", help: "The bot's token, which @BotFather shows.", secret: true, required: true },
    {
      name: "webhookSecret",
      help: "What Telegram sends with each request to prove it. Made from the token if you set none.",
      secret: true,
      required: false,
    },
  ],
  steps: [
    "Open a chat with @BotFather on Telegram, send /newbot, and copy the token.",
    "For groups: send /setprivacy to @BotFather and choose Disable if the bot should read messages that do not mention it. Then add the bot to the group.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: 100,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: true,
  },
  limits: { text: 4_096, textUnit: "utf16", fileBytes: FILE_BYTES, editEveryMs: 1_500, typingMs: 5_000 },
  flavour: "html",
  pairs: true,

  async verify({ method, headers, body }, channel) {
    const secret = headers[SECRET_HEADER];
    const isSame = channel.deps.isSame(secret ?? "", await toSecret(channel));
    return method === "POST" && secret !== undefined && isSame ? { text: toText(body) } : null;
  },

  async parse({ text }, channel) {
    return readUpdate(text, toSelf(channel), channel.deps.clock, FILE_BYTES);
  },

  open: (channel) => openClient(channel, FILE_BYTES),

  async probe(channel) {
    const asked = await callTelegram(channel, "getMe", { json: {} });
    if (!asked.ok) return asked;
    const { id, username } = toObject(asked.value);
    if (typeof id !== "number" || typeof username !== "string") {
      return err("channel_unavailable", "Telegram did not say who the bot is.");
    }
    return ok({ id: String(id), name: username });
  },

  async register(channel, commands) {
    const webhook = await callTelegram(channel, "setWebhook", {
      json: {
        url: channel.address,
        secret_token: await toSecret(channel),
        allowed_updates: ALLOWED_UPDATES,
        // What was sent while the bot was set up is answered too.
        drop_pending_updates: false,
      },
    });
    if (!webhook.ok) return webhook;
    const listed = await callTelegram(channel, "setMyCommands", { json: { commands: toCommands(commands) } });
    return listed.ok ? ok(null) : listed;
  },

  unregister: removeWebhook,

  async poll(channel, mark) {
    let got = await getUpdates(channel, mark);
    // Telegram gives nothing to who polls while an address is registered.
    if (!got.ok && String(got.failure.facts?.["description"]).includes("webhook is active")) {
      const removed = await removeWebhook(channel);
      if (!removed.ok) return removed;
      got = await getUpdates(channel, mark);
    }
    if (!got.ok) return got;
    const updates = Array.isArray(got.value) ? got.value : [];
    const last = Math.max(...updates.map((update) => Number(toObject(update)["update_id"])));
    const next = Number.isSafeInteger(last) ? String(last + 1) : (mark ?? "0");
    return ok({ texts: updates.map((update) => JSON.stringify(update)), mark: next });
  },
};

function getUpdates(channel: TelegramChannel, mark: string | null): Promise<Result<unknown>> {
  const offset = mark === null ? {} : { offset: Number(mark) };
  return callTelegram(channel, "getUpdates", {
    json: { ...offset, timeout: POLL_S, allowed_updates: ALLOWED_UPDATES },
    timeoutMs: (POLL_S + 10) * 1_000,
  });
}

async function removeWebhook(channel: TelegramChannel): Promise<Result<null>> {
  const removed = await callTelegram(channel, "deleteWebhook", { json: { drop_pending_updates: false } });
  return removed.ok ? ok(null) : removed;
}

/**
 * What Telegram sends with each request. Where a person chose none it follows from the token, so that nothing is stored, and from the
 * profile, so that it proves nothing elsewhere.
 */
async function toSecret({ fields, profile }: TelegramChannel): Promise<string> {
  return fields.webhookSecret ?? toHex(await hmac("SHA-256", fields.token, `talaria webhook ${profile}`));
}

/** A token begins with the id of its bot. */
function toSelf({ self, fields }: TelegramChannel): BotIdentity {
  return self ?? { id: fields.token.split(":")[0]!, name: "" };
}

/** Names that Telegram takes; others work when a person types them. */
function toCommands(commands: readonly BotCommand[]): { command: string; description: string }[] {
  return commands
    .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, help }) => ({ command: name, description: clip(help, MAX_COMMAND_HELP) }));
}
