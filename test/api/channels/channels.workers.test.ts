// Channels over HTTP: set-up, the address that platforms call, and what everybody else is answered. Telegram's API is a double in the place
// of the platform's fetch. Platforms themselves are judged in test/channels/.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPlatforms } from "../../../channels/index.ts";
import { START_MS, ask, createProfile, env, fetchApi } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => {
  ({ profile, key } = await createProfile());
  // The pool's own loader cannot load a module for two objects at once.
  await Promise.all([loadPlatforms(), import("../../../core/channels/render/to-messages.ts")]);
}, START_MS);

const TOKEN = "123456:ABC-DEF";
const SECRET = "a-secret-of-the-webhook";
const FIELDS = { token: TOKEN, webhookSecret: SECRET };
/** What the bot asked of Telegram: method and body. */
let calls: { method: string; body: Record<string, unknown> }[] = [];
let answers: (method: string) => Response;

const ok = (result: unknown) => Response.json({ ok: true, result });
const isFine = (method: string) =>
  method === "getMe" ? ok({ id: 42, is_bot: true, username: "talaria_bot" }) : ok(true);

beforeEach(() => {
  calls = [];
  answers = isFine;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.host !== "api.telegram.org") throw new Error(`unexpected: ${url.host}`);
    const method = url.pathname.split("/").at(-1)!;
    calls.push({ method, body: init?.body ? (JSON.parse(String(init.body)) as Record<string, unknown>) : {} });
    return answers(method);
  });
});
afterEach(() => void vi.restoreAllMocks());

const put = (body: object = FIELDS, by = key) => ask("PUT", "/v1/channels/telegram", { key: by, body });
const read = async () => (await ask("GET", "/v1/channels/telegram", { key })).body as Record<string, unknown>;
const change = (body: object) => ask("PATCH", "/v1/channels/telegram", { key, body });
const codeOf = async (asked: ReturnType<typeof ask>) => {
  const { status, body } = await asked;
  return [status, (body as { code?: string } | null)?.code];
};
let updates = 0;
const toUpdate = (text: string, id = ++updates, from = 7) => ({
  update_id: id,
  message: {
    message_id: 100 + id,
    date: Math.floor(Date.now() / 1_000),
    chat: { id: from, type: "private", first_name: "Ada" },
    from: { id: from, is_bot: false, first_name: "Ada" },
    text,
  },
});
const post = (body: unknown, { to = profile, secret = SECRET, platform = "telegram" } = {}) =>
  fetchApi("POST", `/channels/${platform}/${to}`, {
    body,
    headers: { "x-telegram-bot-api-secret-token": secret },
  });
const rows = (table: string, of = profile) =>
  runInDurableObject(env.CHANNELS.getByName(of), (_, state) =>
    state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
  );

describe("set-up", () => {
  it("saves, verifies and never shows a secret again", async () => {
    const { status, body } = await put({ ...FIELDS, options: { owners: ["7"] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ platform: "telegram", state: "verified", fields: { token: null, webhookSecret: null } },
      ...{ self: { id: "42", name: "talaria_bot" }, lastIn: null, lastOut: null, lastError: null },
      options: { owners: ["7"], everyone: false },
    });
    expect(JSON.stringify([body, await read(), await rows("channel")])).not.toContain("ABC-DEF");
    expect(calls.map(({ method }) => method)).toContain("getMe");
    const { body: list } = await ask("GET", "/v1/channels", { key });
    expect((list as { channels: { platform: string }[] }).channels).toContainEqual(
      expect.objectContaining({ platform: "telegram", title: "Telegram", channel: body }),
    );
    expect(JSON.stringify(list)).not.toContain("ABC-DEF");
  });

  it("is saved and not verified while the platform does not answer, and a trial says so", async () => {
    answers = () => new Response("bad gateway", { status: 502 });
    expect((await put()).body).toMatchObject({
      state: "saved",
      self: null,
      lastError: { code: "channel_unavailable" },
    });
    const { body } = await ask("POST", "/v1/channels/telegram/test", { key, body: { chat: "7" } });
    expect(body).toMatchObject({ verified: false, self: null, sent: false, error: { code: "channel_unavailable" } });
    answers = isFine;
    const { body: again } = await ask("POST", "/v1/channels/telegram/test", { key, body: { chat: "7" } });
    expect(again).toMatchObject({ verified: true, sent: true, error: null });
    expect(calls.at(-1)).toMatchObject({ method: "sendMessage", body: { chat_id: "7" } });
  });

  it("is asked again by the alarm once the platform answers, and then knows its name and its address", async () => {
    answers = () => new Response("bad gateway", { status: 502 });
    expect((await put()).body).toMatchObject({ state: "saved", self: null });
    answers = isFine;
    const object = env.CHANNELS.getByName(profile);
    await runInDurableObject(object, async (instance, state) => {
      expect(await state.storage.getAlarm()).toBeLessThanOrEqual(Date.now() + 60_000);
      state.storage.sql.exec("UPDATE channel SET body = json_set(body, '$.retryAt', 0)");
      await instance.alarm();
    });
    await vi.waitUntil(async () => (await read()).state === "verified", soon);
    expect(await read()).toMatchObject({ self: { name: "talaria_bot" }, lastError: null });
  });

  it("is polled as soon as it is set up, where there is no public address and polling is wanted", async () => {
    const home = await createProfile();
    const setPolling = (wanted: string) =>
      runInDurableObject(env.CHANNELS.getByName(home.profile), (instance) => {
        (instance as unknown as { env: { TALARIA_POLL_CHANNELS: string } }).env.TALARIA_POLL_CHANNELS = wanted;
      });
    const updatesHeld = [[toUpdate("/whoami", ++updates, 15)]];
    answers = (method) => {
      if (method !== "getUpdates") return isFine(method);
      const held = updatesHeld.shift();
      return held ? ok(held) : new Response("bad gateway", { status: 502 });
    };
    await setPolling("1");
    await put({ ...FIELDS, options: { owners: ["15"] } }, home.key);
    await vi.waitUntil(() => sentTo(15).some((text) => text.includes("its owner")), soon);
    await setPolling("");
    expect((await ask("DELETE", "/v1/channels/telegram", { key: home.key })).status).toBe(204);
  });

  it("names the field that it refuses", async () => {
    expect(await codeOf(put({ token: "x y" }))).toEqual([400, "body_invalid"]);
    expect(await codeOf(put({ ...FIELDS, botToken: "1" }))).toEqual([400, "field_unknown"]);
    expect(await codeOf(put({ ...FIELDS, options: { owner: [] } }))).toEqual([400, "field_unknown"]);
    const { body } = await put({ ...FIELDS, options: { progress: "loud" } });
    expect(body).toMatchObject({ code: "body_invalid", errors: [{ in: "json", path: "options.progress" }] });
    expect(await codeOf(ask("GET", "/v1/channels/icq", { key }))).toEqual([400, "bad_platform"]);
  });

  it("refuses a model, a tool or a toolset that there is not, also of one chat", async () => {
    await put({ ...FIELDS, options: {} });
    const hint = "Did you mean `web_search`?";
    for (const [options, path, message] of [
      [{ model: "clod-4" }, "options.model", /^There is no such model to choose. There are: .*rehearsal/],
      [{ tools: { only: ["web_serch"] } }, "options.tools", hint],
      [{ chats: { "7": { tools: { disabled: ["nope"] } } } }, "options.chats.7.tools", "GET /v1/tools"],
      [{ chats: { "7": { model: "clod-4" } } }, "options.chats.7.model", "There are:"],
    ] as const) {
      for (const { status, body } of [await put({ ...FIELDS, options }), await change({ options })]) {
        expect([status, (body as { code: string }).code]).toEqual([400, "body_invalid"]);
        const { errors } = body as { errors: { path: string; message: string }[] };
        expect(errors).toEqual([{ in: "json", path, message: expect.stringMatching(message) as string }]);
      }
    }
    const good = { model: "rehearsal", tools: { only: ["web", "mcp_later_tool"] } };
    expect((await change({ options: { ...good, chats: { "7": good } } })).status).toBe(200);
    await change({ options: { model: null, tools: null, chats: null } });
  });

  it("changes single fields and options, and takes them away with null", async () => {
    await put({ ...FIELDS, options: { owners: ["7"], model: "rehearsal" } });
    expect((await change({ options: { everyone: true, model: null } })).body).toMatchObject({
      state: "verified",
      options: { owners: ["7"], everyone: true },
    });
    expect((await change({ webhookSecret: "another" })).body).toMatchObject({ options: { owners: ["7"] } });
    expect((await post(toUpdate("hi"), { secret: "another" })).status).toBe(200);
    expect(await codeOf(change({ token: null }))).toEqual([400, "body_invalid"]);
  });
});

describe("the address", () => {
  it("stores a proved event before it answers, once however often it comes", async () => {
    await put();
    const update = toUpdate("hello");
    const [first, second] = await Promise.all([post(update), post(update)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await post(update)).status).toBe(200);
    const stored = (await rows("channel_inbound")).filter(({ id }) => String(id).includes(String(update.update_id)));
    expect(stored).toHaveLength(1);
    expect((await read()).lastIn).toEqual(expect.any(Number));
  });

  it("answers everything that is not proved with the same bytes", async () => {
    await put();
    const other = await createProfile();
    const responses = [
      await post(toUpdate("x"), { secret: "wrong" }),
      await post(toUpdate("x"), { secret: "" }),
      await post(toUpdate("x"), { to: other.profile }),
      await post(toUpdate("x"), { to: "0".repeat(26) }),
      await post(toUpdate("x"), { to: "nobody" }),
      await post(toUpdate("x"), { platform: "discord" }),
      await post("no json", { secret: "wrong" }),
      await fetchApi("GET", `/channels/telegram/${profile}`),
      await fetchApi("GET", `/channels/telegram/${profile}/deeper?x=1`),
    ];
    await ask("DELETE", "/v1/channels/telegram", { key });
    responses.push(await post(toUpdate("x")));
    const seen = await Promise.all(
      responses.map(async (response) =>
        JSON.stringify([response.status, [...response.headers].toSorted(), await response.text()]),
      ),
    );
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("channel_refused");
    expect(responses[0]!.status).toBe(401);
  });

  it("leaves nothing behind where there is no channel", async () => {
    const other = await createProfile();
    await post(toUpdate("x"), { to: other.profile });
    await runInDurableObject(env.CHANNELS.getByName(other.profile), (_, state) => {
      expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'channel%'").toArray()).toEqual([]);
    });
  });

  it("is no route for a word that is no platform, and takes at most 1 MB", async () => {
    expect((await post({}, { platform: "icq" })).status).toBe(404);
    expect((await fetchApi("POST", "/channels/telegram", {})).status).toBe(401);
    expect((await post("x".repeat((1 << 20) + 1))).status).toBe(413);
  });

  it("does not accept what the settings before proved, and answers 503 while a newer version's are stored", async () => {
    await put();
    await runInDurableObject(env.CHANNELS.getByName(profile), (_, state) => {
      state.storage.sql.exec("UPDATE channel SET body = json_set(body, '$.v', 2)");
    });
    expect((await post(toUpdate("later"))).status).toBe(503);
    expect(await codeOf(ask("GET", "/v1/channels/telegram", { key }))).toEqual([503, "state_newer"]);
    await runInDurableObject(env.CHANNELS.getByName(profile), (_, state) => {
      state.storage.sql.exec("UPDATE channel SET body = json_set(body, '$.v', 1)");
    });
    expect((await post(toUpdate("later"))).status).toBe(200);
  });
});

const soon = { timeout: 10_000, interval: 20 };
const sentTo = (chat: number) =>
  calls
    .filter(({ method, body }) => method === "sendMessage" && String(body.chat_id) === String(chat))
    .map(({ body }) => String(body.text));

describe("a conversation", () => {
  beforeEach(async () => void ({ profile, key } = await createProfile()));

  it("answers an owner's message in the chat that it came from, once however often it comes", async () => {
    await put({ ...FIELDS, options: { owners: ["9"] } });
    const update = toUpdate("What is 2 + 2?", ++updates, 9);
    expect((await post(update)).status).toBe(200);
    await vi.waitUntil(() => sentTo(9).length > 0, soon);
    await post(update);
    await post(toUpdate("/whoami", ++updates, 9));
    await vi.waitUntil(() => sentTo(9).some((text) => text.includes("its owner")), soon);
    expect(sentTo(9)).toHaveLength(2);
    const { body } = await ask("GET", "/v1/sessions", { key });
    expect((body as { sessions: unknown[] }).sessions).toHaveLength(1);
  });

  it("takes the photos of an album, which come one by one, as one message", async () => {
    await put({ ...FIELDS, options: { owners: ["14"] } });
    const toPhoto = (file: string, caption?: string) => {
      const { update_id, message } = toUpdate("", ++updates, 14);
      const { text: _, ...rest } = message;
      return { update_id, message: { ...rest, caption, media_group_id: "99", photo: [{ file_id: file }] } };
    };
    for (const photo of [toPhoto("one"), toPhoto("two", "Which is better?")]) await post(photo);
    await vi.waitUntil(async () => (await rows("channel_delivery")).some(({ kind }) => kind === "answer"), soon);
    expect(calls.filter(({ method }) => method === "getFile").map(({ body }) => body.file_id)).toEqual(["one", "two"]);
    const { body } = await ask("GET", "/v1/sessions", { key });
    const [{ session }] = (body as { sessions: [{ session: string }] }).sessions;
    const { turns } = (await ask("GET", `/v1/sessions/${session}`, { key })).body as { turns: unknown[] };
    expect(turns).toHaveLength(1);
  });

  it("is told what a webhook delivers there: the agent's answer, or the event's own text", async () => {
    await put({ ...FIELDS, options: { owners: ["13"] } });
    await post(toUpdate("/sethome", ++updates, 13));
    await vi.waitUntil(() => sentTo(13).length > 0, soon);
    const [chat] = await rows("channel_chat");
    const fire = async (route: object, text: string) => {
      const body = { scheme: "bearer", secret: "a secret of the sender", prompt: "{text}", ...route };
      const made = (await ask("POST", "/v1/webhooks", { key, body })).body as { path: string };
      const headers = { authorization: "Bearer a secret of the sender" };
      expect((await fetchApi("POST", made.path, { body: { text }, headers })).status).toBe(202);
    };
    await fire({ name: "plain", deliver: { to: "chat", chat: chat!.id }, deliverOnly: true }, "The build has failed.");
    await vi.waitUntil(() => sentTo(13).includes("The build has failed."), soon);
    const before = sentTo(13).length;
    await fire({ name: "answered", deliver: { to: "home" } }, "What is 2 + 2?");
    await vi.waitUntil(() => sentTo(13).length > before, soon);
    const { body } = await ask("GET", "/v1/deliveries", { key });
    expect(body).toMatchObject({ deliveries: [{ kind: "said", chat: chat!.id }, { kind: "said" }, { kind: "said" }] });
  });

  it("gives a stranger a code, and nothing else", async () => {
    await put({ ...FIELDS, options: { owners: ["9"] } });
    await post(toUpdate("hello?", ++updates, 8));
    await vi.waitUntil(() => sentTo(8).length > 0, soon);
    expect(sentTo(8)[0]).toMatch(/[A-HJ-NP-Z2-9]{8}/);
    await post(toUpdate("hello again", ++updates, 8));
    await post(toUpdate("/status", ++updates, 9));
    await vi.waitUntil(() => sentTo(9).length > 0, soon);
    expect(sentTo(8)).toHaveLength(1);
  });

  it("goes on after a crash between posting and noting it, without a second turn or answer", async () => {
    await put({ ...FIELDS, options: { owners: ["10"] } });
    await post(toUpdate("What is 2 + 3?", ++updates, 10));
    // Before the pump has it: the text as it was stored.
    const [stored] = await rows("channel_inbound");
    await vi.waitUntil(() => sentTo(10).length > 0, soon);
    const object = env.CHANNELS.getByName(profile);
    await runInDurableObject(object, async (instance, state) => {
      const body = JSON.stringify({ v: 1, event: toEvent(String(stored!.id), "What is 2 + 3?") });
      state.storage.sql.exec("UPDATE channel_inbound SET body = ?, due = 0", stored!.body ?? body);
      await instance.alarm();
    });
    await vi.waitUntil(async () => (await rows("channel_inbound")).every(({ body }) => body === null), soon);
    await post(toUpdate("/whoami", ++updates, 10));
    await vi.waitUntil(() => sentTo(10).some((text) => text.includes("its owner")), soon);
    expect(sentTo(10)).toHaveLength(2);
    const { body } = await ask("GET", "/v1/sessions", { key });
    expect((body as { sessions: unknown[] }).sessions).toHaveLength(1);
  });

  it("begins another session when the owner has deleted the one before", async () => {
    await put({ ...FIELDS, options: { owners: ["11"] } });
    const sessions = async () =>
      ((await ask("GET", "/v1/sessions", { key })).body as { sessions: { session: string }[] }).sessions;
    await post(toUpdate("one", ++updates, 11));
    await vi.waitUntil(() => sentTo(11).length === 1, soon);
    const [first] = await sessions();
    expect((await ask("DELETE", `/v1/sessions/${first!.session}`, { key })).status).toBe(204);
    const left = async () => JSON.stringify([await rows("channel_chat"), await rows("channel_delivery")]);
    expect(await left()).not.toContain(first!.session);
    // Handed over late: neither stored nor said.
    const [chat] = (await rows("channel_chat")).filter(({ key: of }) => String(of).includes("chat=11"));
    const late = { v: 1, id: "late", turn: 1, at: 0, kind: "answer", text: "late", session: first!.session } as const;
    await env.CHANNELS.getByName(profile).takeDelivery({ ...late, origin: { chat: String(chat!.id) } } as never);
    expect(await left()).not.toContain("late");
    await post(toUpdate("two", ++updates, 11));
    await vi.waitUntil(() => sentTo(11).length === 2, soon);
    expect((await sessions()).map(({ session }) => session)).not.toContain(first!.session);
  });

  it("ends with the profile: nothing is left, and the address refuses like any other", async () => {
    await put({ ...FIELDS, options: { owners: ["12"] } });
    await post(toUpdate("one", ++updates, 12));
    await vi.waitUntil(() => sentTo(12).length === 1, soon);
    const gone = profile;
    const deleted = await ask("DELETE", `/v1/profiles/${gone}?confirm=${gone}`, { key });
    expect(deleted.status).toBeLessThan(300);
    expect(calls.map(({ method }) => method)).toContain("deleteWebhook");
    expect((await post(toUpdate("two", ++updates, 12), { to: gone })).status).toBe(401);
    await runInDurableObject(env.CHANNELS.getByName(gone), async (instance, state) => {
      await instance.alarm();
      expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'channel%'").toArray()).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
  });
});

const toEvent = (id: string, text: string) => ({
  ...{ kind: "message", id, at: Date.now(), text, addressed: true, files: [] },
  chat: { id: "10", kind: "direct" },
  from: { id: "10", name: "Ada", isBot: false },
});
