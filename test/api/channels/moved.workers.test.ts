// A group whose platform gives it another id: the conversation, who listens and what was said about the chat follow. Telegram's API is a double.
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { loadPlatforms } from "../../../channels/index.ts";
import { START_MS, ask, createProfile, fetchApi } from "../api-calls.ts";

const SECRET = "a-secret-of-the-webhook";
const FIELDS = { token: "123456:ABC-DEF", webhookSecret: SECRET };
const ROUTE = "/v1/channels/telegram";
const [OLD, NEW] = [-500, -100_500];
const soon = { timeout: 10_000, interval: 20 };

let profile: string;
let key: string;
let sent: { chat: number; text: string }[] = [];

/** The pool's own loader cannot load a module for two objects at once. */
beforeAll(async () => {
  await createProfile();
  await Promise.all([loadPlatforms(), import("../../../core/channels/render/to-messages.ts")]);
}, START_MS);
beforeEach(async () => {
  sent = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.host !== "api.telegram.org") throw new Error(`unexpected: ${url.host}`);
    const body = init?.body ? (JSON.parse(String(init.body)) as Record<string, unknown>) : {};
    if (url.pathname.endsWith("/getMe")) {
      return Response.json({ ok: true, result: { id: 42, is_bot: true, username: "talaria_bot" } });
    }
    if (url.pathname.endsWith("/sendMessage")) sent.push({ chat: Number(body.chat_id), text: String(body.text) });
    return Response.json({ ok: true, result: { message_id: sent.length } });
  });
  ({ profile, key } = await createProfile());
  const options = { owners: ["7"], groupSessions: "shared", progress: "off" };
  await ask("PUT", ROUTE, { key, body: { ...FIELDS, options } });
}, START_MS);
afterEach(() => void vi.restoreAllMocks());

let updates = 0;
const post = (chat: number, more: object) =>
  fetchApi("POST", `/channels/telegram/${profile}`, {
    headers: { "x-telegram-bot-api-secret-token": SECRET },
    body: {
      update_id: ++updates,
      message: {
        ...{ message_id: updates, date: Math.floor(Date.now() / 1_000) },
        chat: { id: chat, type: chat === OLD ? "group" : "supergroup", title: "Garden" },
        from: { id: 7, is_bot: false, first_name: "Ada" },
        ...more,
      },
    },
  });
const say = (chat: number, text: string) => post(chat, { text });
const mention = (chat: number, text: string) =>
  post(chat, { text: `@talaria_bot ${text}`, entities: [{ type: "mention", offset: 0, length: 12 }] });
const answers = (chat: number, n: number) =>
  vi.waitUntil(() => sent.filter((one) => one.chat === chat).length === n, soon);
const chats = async () =>
  ((await ask("GET", `${ROUTE}/chats`, { key })).body as { chats: Record<string, unknown>[] }).chats;

it("goes on in the same session, without a mention where it listened to all, as the same home chat", async () => {
  await ask("PATCH", ROUTE, { key, body: { options: { chats: { [OLD]: { listen: "all" } } } } });
  await say(OLD, "one");
  await answers(OLD, 1);
  const [before] = await chats();
  await ask("PATCH", `${ROUTE}/chats/${String(before!.id)}`, { key, body: { home: true } });
  expect((await post(OLD, { migrate_to_chat_id: NEW })).status).toBe(200);
  await post(NEW, { migrate_from_chat_id: OLD });
  await say(NEW, "two");
  await answers(NEW, 1);
  const after = await chats();
  expect(after).toEqual([{ ...before, home: true, lastIn: expect.any(Number) }]);
  expect(after[0]).toMatchObject({ listen: "all", session: expect.any(String) });
  const { body } = await ask("GET", ROUTE, { key });
  expect(body).toMatchObject({ options: { chats: { [NEW]: { listen: "all" } } }, home: before!.id });
  expect(JSON.stringify(body)).not.toContain(`"${OLD}"`);
  expect(sent.filter(({ chat }) => chat === OLD)).toHaveLength(1);
});

it("is told by the new group alone, where the old one's word was lost", async () => {
  await mention(OLD, "one");
  await answers(OLD, 1);
  const [before] = await chats();
  await post(NEW, { migrate_from_chat_id: OLD });
  await mention(NEW, "two");
  await answers(NEW, 1);
  expect(await chats()).toEqual([{ ...before, lastIn: expect.any(Number) }]);
});
