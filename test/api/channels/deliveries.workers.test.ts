// The ledger of what went out, over HTTP: page by page, without words, and to its own profile only.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Channels } from "../../../durable-objects/channels/channels.ts";
import { START_MS, ask, createProfile, fetchApi } from "../api-calls.ts";

interface Listed {
  deliveries: { id: string; state: string }[];
  next?: string;
}

/** The first request loads the Worker. */
beforeAll(async () => void (await createProfile()), START_MS);
afterEach(() => void vi.restoreAllMocks());

it("lists what was said in chats, newest first, to the profile alone", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ ok: true, result: { id: 42, is_bot: true, username: "talaria_bot", message_id: 1 } }),
  );
  const [{ profile, key }, other] = [await createProfile(), await createProfile()];
  expect(await ask("GET", "/v1/deliveries", { key })).toMatchObject({ status: 200, body: { deliveries: [] } });
  const body = { token: "1:A", webhookSecret: "a-secret-of-the-webhook", options: { owners: ["7"] } };
  await ask("PUT", "/v1/channels/telegram", { key, body });
  await fetchApi("POST", `/channels/telegram/${profile}`, {
    headers: { "x-telegram-bot-api-secret-token": body.webhookSecret },
    body: {
      update_id: 1,
      message: {
        ...{ message_id: 1, date: 1_767_603_600, text: "/whoami" },
        chat: { id: 7, type: "private", first_name: "Ada" },
        from: { id: 7, is_bot: false, first_name: "Ada" },
      },
    },
  });
  const list = async (query: string, by = key) =>
    (await ask("GET", `/v1/deliveries${query}`, { key: by })).body as Listed;
  await expect.poll(async () => (await list("")).deliveries[0]?.state, { timeout: 10_000 }).toBe("sent");
  const [first] = (await list("")).deliveries as unknown as { chat: string }[];
  await runInDurableObject(env.CHANNELS.getByName(profile), async (channels: Channels) => {
    await channels.say({ id: "more", chat: first!.chat, text: "a secret" });
  });
  const page = await list("?limit=1");
  expect(page).toMatchObject({ deliveries: [{ id: "more", kind: "said", platform: "telegram" }] });
  expect(JSON.stringify(page)).not.toContain("secret");
  expect((await list(`?limit=1&after=${page.next}`)).deliveries).toEqual([first]);
  expect(await list("", other.key)).toEqual({ deliveries: [] });
});
