// People and chats of a channel over HTTP: pairing from the stranger's message to the approval, roles, conversations. Telegram's API is a double in
// the place of the platform's fetch.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { START_MS, ask, createProfile, env, fetchApi } from "../api-calls.ts";

const SECRET = "a-secret-of-the-webhook";
const FIELDS = { token: "123456:ABC-DEF", webhookSecret: SECRET };
const ROUTE = "/v1/channels/telegram";
const soon = { timeout: 10_000, interval: 20 };

let profile: string;
let key: string;
let sent: { chat: string; text: string }[] = [];

/** The first request loads the Worker. */
beforeAll(async () => void (await createProfile()), START_MS);
beforeEach(async () => {
  sent = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.host !== "api.telegram.org") throw new Error(`unexpected: ${url.host}`);
    const method = url.pathname.split("/").at(-1)!;
    const body = init?.body ? (JSON.parse(String(init.body)) as Record<string, unknown>) : {};
    if (method === "sendMessage") sent.push({ chat: String(body.chat_id), text: String(body.text) });
    const bot = { id: 42, is_bot: true, username: "talaria_bot" };
    const result = method === "getMe" ? bot : method === "sendMessage" ? { message_id: sent.length, ...body } : true;
    return Response.json({ ok: true, result });
  });
  ({ profile, key } = await createProfile());
  await ask("PUT", ROUTE, { key, body: { ...FIELDS, options: { owners: ["7"] } } });
}, START_MS);
afterEach(() => void vi.restoreAllMocks());

let updates = 0;
const say = (from: number, text: string, name = `Person ${from}`) =>
  fetchApi("POST", `/channels/telegram/${profile}`, {
    headers: { "x-telegram-bot-api-secret-token": SECRET },
    body: {
      update_id: ++updates,
      message: {
        ...{ message_id: updates, date: Math.floor(Date.now() / 1_000), text },
        chat: { id: from, type: "private", first_name: name },
        from: { id: from, is_bot: false, first_name: name },
      },
    },
  });
const heard = async (chat: number, what: RegExp) => {
  await vi.waitUntil(() => sent.some((one) => one.chat === String(chat) && what.test(one.text)), soon);
  return what.exec(sent.findLast((one) => one.chat === String(chat) && what.test(one.text))!.text)![0];
};
const call = async (method: string, path: string, body?: unknown) => {
  const asked = await ask(method, `${ROUTE}${path}`, { key, ...(body !== undefined && { body }) });
  return asked as { status: number; body: unknown };
};
const codeOf = async (asked: ReturnType<typeof call>) => {
  const { status, body } = await asked;
  return [status, (body as { code?: string } | null)?.code];
};

it("sends nothing to the chat of somebody who was dismissed, not as the home chat and not by its name", async () => {
  await call("PUT", "/people/8", { role: "admin" });
  await say(8, "/sethome");
  await heard(8, /\bhome\b/i);
  const channels = env.CHANNELS.getByName(profile);
  const home = await channels.sendHome(null, { id: "one", text: "Rain at noon." });
  const { chat } = (home as { value: { chat: string } }).value;
  await heard(8, /Rain at noon/);
  expect((await call("DELETE", "/people/8")).status).toBe(204);
  expect(await channels.sendHome(null, { id: "two", text: "Secret." })).toMatchObject({
    failure: { code: "channel_no_home" },
  });
  expect(await channels.say({ id: "three", chat, text: "Secret." })).toMatchObject({
    failure: { code: "chat_not_found" },
  });
  expect((await call("GET", "")).body).toMatchObject({ home: null });
});

describe("pairing", () => {
  it("goes from a stranger's message to an approval, once", async () => {
    await say(8, "hello?", "Grace");
    const code = await heard(8, /[A-HJ-NP-Z2-9]{8}/);
    const { body } = await call("GET", "/pairings");
    expect(body).toEqual({
      pairings: [
        { id: expect.any(String), person: "8", name: "Grace", at: expect.any(Number), expiresAt: expect.any(Number) },
      ],
    });
    expect(JSON.stringify(body)).not.toContain(code);
    expect(await call("POST", "/pairings", { code, role: "admin" })).toMatchObject({
      ...{ status: 200, body: { person: "8", name: "Grace", role: "admin" } },
    });
    await heard(8, /may talk to this agent now, as an admin/);
    expect(await codeOf(call("POST", "/pairings", { code, role: "owner" }))).toEqual([404, "pairing_code_wrong"]);
    await say(8, "/whoami");
    await heard(8, /knows you as an admin/);
    expect((await call("GET", "/people")).body).toMatchObject({
      people: [{ person: "8", name: "Grace", role: "admin", by: "pairing" }],
    });
  });

  it("cannot be approved by what anybody writes, nor by a key that may not", async () => {
    await say(8, "hello?");
    const code = await heard(8, /[A-HJ-NP-Z2-9]{8}/);
    await say(8, `/approve ${code}`);
    await say(9, `/pair ${code}`);
    await heard(9, /[A-HJ-NP-Z2-9]{8}/);
    await say(7, "/whoami");
    await heard(7, /its owner/);
    expect((await call("GET", "/people")).body).toEqual({ people: [] });
    const { body } = await ask("POST", "/v1/keys", { key, body: { scopes: ["read", "write"] } });
    const weak = (body as { key: string }).key;
    expect((await ask("POST", `${ROUTE}/pairings`, { key: weak, body: { code } })).status).toBe(403);
    const other = await createProfile();
    expect((await ask("POST", `${ROUTE}/pairings`, { key: other.key, body: { code } })).status).toBe(404);
    expect((await call("GET", "/people")).body).toEqual({ people: [] });
  });

  it("is refused by its id, and locks after five wrong codes", async () => {
    await say(8, "hello?");
    const code = await heard(8, /[A-HJ-NP-Z2-9]{8}/);
    const [pairing] = ((await call("GET", "/pairings")).body as { pairings: { id: string }[] }).pairings;
    expect((await call("DELETE", `/pairings/${pairing!.id}`)).status).toBe(204);
    expect(await codeOf(call("DELETE", `/pairings/${pairing!.id}`))).toEqual([404, "pairing_not_found"]);
    for (let n = 0; n < 5; n += 1) {
      expect(await codeOf(call("POST", "/pairings", { code }))).toEqual([404, "pairing_code_wrong"]);
    }
    expect(await codeOf(call("POST", "/pairings", { code }))).toEqual([429, "pairing_locked"]);
  });
});

describe("people", () => {
  it("are let in, changed and removed by id, also one with a slash", async () => {
    const id = "users/1 2";
    const path = `/people/${encodeURIComponent(id)}`;
    expect((await call("PUT", path, { role: "user", name: "Ada" })).body).toMatchObject({
      person: id,
      role: "user",
      by: "owner",
    });
    expect((await call("PUT", path, { role: "admin" })).body).toMatchObject({ name: "Ada", role: "admin" });
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await codeOf(call("DELETE", path))).toEqual([404, "person_not_found"]);
    expect(await codeOf(call("PUT", path, { role: "king" }))).toEqual([400, "body_invalid"]);
  });

  it("get no right by the name of somebody who has it", async () => {
    await say(8, "/memory", "7");
    await heard(8, /do not know you/);
    await call("PUT", "/people/9", { role: "user", name: "x" });
    await say(9, "/memory", "7");
    await heard(9, /is for owners and admins/);
  });

  it("whose approval was taken back are strangers again", async () => {
    await call("PUT", "/people/9", { role: "user" });
    await say(9, "/whoami");
    await heard(9, /as a user/);
    await call("DELETE", "/people/9");
    await say(9, "/whoami");
    await heard(9, /do not know you/);
  });
});

describe("chats", () => {
  it("are listed with their session, topics and listening, and changed", async () => {
    await say(7, "/topic create Taxes");
    await heard(7, /Taxes/);
    const { chats } = (await call("GET", "/chats")).body as { chats: { id: string }[] };
    expect(chats).toMatchObject([
      { kind: "direct", shared: false, session: null, listen: "mention", home: false, topics: [{ name: "Taxes" }] },
    ]);
    const changed = await call("PATCH", `/chats/${chats[0]!.id}`, { listen: "all", topic: "off", home: true });
    expect(changed.body).toMatchObject({ listen: "all", topics: [], home: true });
    expect((await call("PATCH", `/chats/${chats[0]!.id}`, { listen: null, home: false })).body).toMatchObject({
      ...{ listen: "mention", home: false },
    });
    expect(await codeOf(call("PATCH", "/chats/none", { home: true }))).toEqual([404, "chat_not_found"]);
  });
});

it("without a channel there is nothing to list", async () => {
  const other = await createProfile();
  for (const path of ["pairings", "people", "chats"]) {
    const { status, body } = await ask("GET", `/v1/channels/slack/${path}`, { key: other.key });
    expect([status, (body as { code: string }).code]).toEqual([404, "channel_not_found"]);
  }
});
