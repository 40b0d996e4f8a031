// What is left of channels after a month without a message. The clock is moved by setting the times of the rows back.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { loadPlatforms } from "../../../channels/index.ts";
import { CHANNELS_SCHEMA } from "../../../durable-objects/channels/tables.ts";
import { START_MS, ask, createProfile, env, fetchApi } from "../api-calls.ts";

const SECRET = "a-secret-of-the-webhook";
const soon = { timeout: 10_000, interval: 20 };
const MONTH_MS = 31 * 86_400_000;
const TABLES = CHANNELS_SCHEMA.flatMap((statement) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? []);
const TIMES = ["at", "last_in", "since", "until"];

beforeAll(async () => {
  await createProfile();
  await Promise.all([loadPlatforms(), import("../../../core/channels/render/to-messages.ts")]);
}, START_MS);
afterEach(() => void vi.restoreAllMocks());

it("a month later the channel, its people and their chats are left, and nothing of strangers and of what was said", async () => {
  const sent: number[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.host !== "api.telegram.org") throw new Error(`unexpected: ${url.host}`);
    if (url.pathname.endsWith("/sendMessage")) sent.push(Number(JSON.parse(String(init!.body)).chat_id));
    return Response.json({ ok: true, result: { id: 42, is_bot: true, username: "talaria_bot", message_id: 1 } });
  });
  const { profile, key } = await createProfile();
  const options = { owners: ["7001"], progress: "off" };
  await ask("PUT", "/v1/channels/telegram", { key, body: { token: "1:AB", webhookSecret: SECRET, options } });
  for (const [update_id, id] of [7001, 7666].entries()) {
    const from = { id, is_bot: false, first_name: `Person${id}` };
    const message = { message_id: 1, date: Math.floor(Date.now() / 1_000), chat: { ...from, type: "private" }, from };
    await fetchApi("POST", `/channels/telegram/${profile}`, {
      headers: { "x-telegram-bot-api-secret-token": SECRET },
      body: { update_id, message: { ...message, text: "Rain?" } },
    });
  }
  await vi.waitUntil(() => sent.length === 2, soon);
  const object = env.CHANNELS.getByName(profile);
  const isSettled = () =>
    runInDurableObject(object, (_, { storage: { sql } }) => {
      const open = `SELECT 1 FROM channel_inbound WHERE body IS NOT NULL UNION ALL
        SELECT 1 FROM channel_delivery WHERE ended IS NULL`;
      return sql.exec(open).toArray().length === 0;
    });
  await vi.waitUntil(isSettled, soon);
  await runInDurableObject(object, async (instance, state) => {
    const { sql } = state.storage;
    const read = (table: string) => sql.exec(`SELECT * FROM ${table}`).toArray();
    for (const row of read("channel_inbound")) expect(JSON.stringify(row)).not.toMatch(/7001|7666|Rain/);
    for (const table of TABLES) {
      const columns = sql.exec<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).toArray();
      for (const { name } of columns) {
        if (TIMES.includes(name)) sql.exec(`UPDATE ${table} SET ${name} = ${name} - ${MONTH_MS}`);
      }
    }
    await instance.alarm();
    const left = Object.fromEntries(TABLES.map((table) => [table, read(table)]).filter(([, rows]) => rows!.length > 0));
    expect(Object.keys(left)).toEqual(["channel", "channel_chat"]);
    expect(left.channel_chat).toMatchObject([{ key: "telegram:direct:chat=7001" }]);
    expect(JSON.stringify(left)).not.toContain("7666");
  });
});
