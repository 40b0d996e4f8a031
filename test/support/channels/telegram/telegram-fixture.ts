// Telegram for the conformance kit, over the fake server.
import { createHash } from "node:crypto";
import { telegram } from "../../../../channels/telegram.ts";
import type { TelegramFields } from "../../../../channels/telegram/call-telegram.ts";
import type { ChannelRequest } from "../../../../core/channels/platform.ts";
import type { PlatformFixture, Said, Signing, Somebody, Somewhere } from "../fixture.ts";
import { createFakeTelegram } from "./fake-telegram.ts";
import { answerError } from "./telegram-forms.ts";
import { toMessageUpdate, toPerson, toPressUpdate } from "./telegram-people.ts";

const API = "https://api.telegram.org";
const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const SECRET = "spring-Rain_42";
const BOT = 110_201_543;
export const BOT_NAME = "talaria_bot";

export const telegramFixture: PlatformFixture<TelegramFields> = {
  platform: telegram,
  fields: { token: TOKEN, webhookSecret: SECRET },
  others: [{ token: TOKEN, webhookSecret: "another_secret" }, { token: TOKEN }, { token: "220:other" }],
  self: { id: String(BOT), name: BOT_NAME },
  api: API,
  proof: { kind: "secret", carriers: ["x-telegram-bot-api-secret-token"], covers: [], toleranceMs: null },
  callsEverybody: "Telegram has no mark that calls everybody.",
  lacks: {},
  createWorld(clock) {
    const fake = createFakeTelegram(() => clock.now());
    const bot = fake.addBot(TOKEN, BOT_NAME);
    const toUser = ({ word, isBot, isSelf }: Somebody) =>
      isSelf ? bot.user : toPerson(toNumber(`person ${word}`), word, isBot);
    // A chat with one person has that person's id, a group a negative one.
    const toChatId = ({ kind, word }: Somewhere) =>
      kind === "direct" ? toNumber(`person ${word}`) : -toNumber(`group ${word}`);
    const toThread = ({ thread }: Somewhere) => (thread === undefined ? {} : { thread: toNumber(`thread ${thread}`) });

    function toUpdate(said: Said, at: number): object {
      const common = { from: toUser(said.from), chat: toChatId(said.in), at, update: toNumber(`event ${said.event}`) };
      const place = { ...common, ...toThread(said.in) };
      if (said.kind === "press") {
        return toPressUpdate(fake, bot, { ...place, message: Number(said.of), token: said.token });
      }
      const { text, mentions, message, edited, repliesTo, files } = said;
      return toMessageUpdate(fake, {
        ...place,
        message: toNumber(`message ${message}`),
        text: mentions ? `@${BOT_NAME} ${text}`.trim() : text,
        ...(edited && { edited }),
        ...(files && { files }),
        ...(repliesTo && {
          repliesTo: { text: repliesTo.text, from: repliesTo.ofBot ? bot.user : toUser({ word: "bob" }) },
        }),
      });
    }

    function sign(text: string, { forged }: Signing = {}): ChannelRequest {
      return {
        method: "POST",
        url: "https://talaria.test/channels/telegram/p1",
        headers: {
          "content-type": "application/json",
          "x-telegram-bot-api-secret-token": forged ? "not-the-secret" : SECRET,
        },
        body: new TextEncoder().encode(text),
      };
    }

    return {
      request: (said, signing) => sign(JSON.stringify(toUpdate(said, signing?.at ?? clock.now())), signing),
      resign: (_, text, signing) => sign(text, signing),
      serve(url, init) {
        if (!url.startsWith(`${API}/`)) throw new Error(`${url} is not Telegram's`);
        return fake.serve(url.slice(API.length), init);
      },
      get messages() {
        return bot.messages.map(({ id, chat, thread, text, buttons, replyTo }) => ({
          ...{ id: String(id), chat: String(chat), text, buttons },
          ...(thread !== undefined && { thread: String(thread) }),
          ...(replyTo !== undefined && { replyTo: String(replyTo) }),
        }));
      },
      get files() {
        return bot.files;
      },
      get typingSigns() {
        return bot.typingSigns;
      },
      get answeredPresses() {
        return bot.answeredPresses;
      },
      get registered() {
        return bot.webhook?.url ?? null;
      },
      get threads() {
        return new Map([...fake.topics].map(([topic, name]) => [topic.split("/")[1]!, name]));
      },
      hold: (said) => void bot.updates.push(...said.map((one) => toUpdate(one, clock.now()) as never)),
      refusal(kind, retryAfterS) {
        if (kind === "rate_limited") {
          const words = `Too Many Requests: retry after ${retryAfterS}`;
          return answerError(429, words, { retry_after: retryAfterS });
        }
        if (kind === "auth_failed") return answerError(401, "Unauthorized");
        return kind === "refused" ? answerError(403, "Forbidden: bot was blocked by the user") : null;
      },
    };
  },
};

/** The same in every world. Above the ids that the fake server gives. */
function toNumber(what: string): number {
  return 1_000_000 + (createHash("sha256").update(what).digest().readUInt32BE() % 1_000_000_000);
}
