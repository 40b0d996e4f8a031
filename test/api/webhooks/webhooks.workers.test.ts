// Inbound webhooks over HTTP, to the turn of a session: over the real bindings and the model that ships with the product.
import { createHmac } from "node:crypto";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { START_MS, ask, createProfile, env, fetchApi } from "../api-calls.ts";

const SECRET = "a secret of the sender";
let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

interface Route {
  name: string;
  secret: string;
  path: string;
}
const create = async (body: object) => {
  const { status, body: route } = await ask("POST", "/v1/webhooks", { key, body });
  expect([status, route]).toEqual([201, expect.anything()]);
  return route as Route;
};
const codeOf = async (asked: ReturnType<typeof ask>) => {
  const { status, body } = await asked;
  return [status, (body as { code?: string }).code];
};

/** Signs as GitHub does. */
async function send(path: string, payload: object | string, headers: Record<string, string> = {}, secret = SECRET) {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const response = await fetchApi("POST", path, { body, headers: { "x-hub-signature-256": signature, ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
const statusOf = async (sent: ReturnType<typeof send>) => {
  const { status, text } = await sent;
  const { status: word, code } = JSON.parse(text) as { status: string | number; code?: string };
  return [status, code ?? word];
};

interface Delivery {
  id: string;
  state: string;
  session?: string;
  turn?: string;
  into?: string;
  reason?: string;
}
const log = async (name: string) =>
  ((await ask("GET", `/v1/webhooks/${name}/deliveries`, { key })).body as { deliveries: Delivery[] }).deliveries;
const sessionOf = async (name: string) => (await log(name)).at(0)!.session!;
const until = (name: string, states: string[]) =>
  vi.waitFor(async () => expect((await log(name)).map(({ state }) => state)).toEqual(states), {
    timeout: 20_000,
    interval: 50,
  });

interface Entry {
  kind: string;
  parts: { source: string; text: string }[];
}
const readInputs = async (session: string) => {
  const { body } = await ask("GET", `/v1/sessions/${session}/entries`, { key });
  return (body as { entries: Entry[] }).entries.filter(({ kind }) => kind === "user").map(({ parts }) => parts);
};

describe("a webhook", () => {
  it("becomes a message of one session of the kind `webhook`, labelled as content", async () => {
    const { path } = await create({
      name: "issues",
      scheme: "github",
      secret: SECRET,
      prompt: "Read {issue.title} by {issue.user.login}",
    });
    const payload = (title: string) => ({ issue: { title, user: { login: "ada" } } });
    expect(
      await statusOf(send(path, payload("one"), { "x-github-delivery": "d1", "x-github-event": "issues" })),
    ).toEqual([202, "accepted"]);
    expect(await statusOf(send(path, payload("two"), { "x-github-delivery": "d2" }))).toEqual([202, "accepted"]);
    await until("issues", ["posted", "posted"]);
    const [second, first] = await log("issues");
    expect([first!.id, second!.id, second!.session]).toEqual(["d1", "d2", first!.session]);
    expect(await readInputs(first!.session!)).toEqual([
      [{ source: "content", text: "Read one by ada" }],
      [{ source: "content", text: "Read two by ada" }],
    ]);
    const { body } = await ask("GET", "/v1/sessions?kind=webhook", { key });
    expect(body).toMatchObject({ sessions: [{ session: first!.session, title: "Webhook issues", kind: "webhook" }] });
    const tools = (await ask("GET", `/v1/tools?session=${first!.session}`, { key })).body as {
      tools: { name: string; available: boolean }[];
    };
    const offered = tools.tools.filter((tool) => tool.available).map(({ name }) => name);
    expect(
      offered.filter(
        (name) => !["web_search", "web_extract", "vision_analyze", "skills_list", "skill_view"].includes(name),
      ),
    ).toEqual([]);
    expect(offered).toContain("skill_view");
  });

  it("is stored once for each id, however often it is sent", async () => {
    const { path } = await create({ name: "repeated", scheme: "github", secret: SECRET, session: "new" });
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => statusOf(send(path, { n: 1 }, { "x-github-delivery": "same" }))),
    );
    expect(sent.map(([status]) => status).toSorted()).toEqual([200, 200, 200, 200, 202]);
    await until("repeated", ["posted"]);
    const session = await sessionOf("repeated");
    expect(await statusOf(send(path, { n: 1 }, { "x-github-delivery": "same" }))).toEqual([200, "duplicate"]);
    expect(await readInputs(session)).toHaveLength(1);
  });

  it("has a session for each delivery, or for each value of a key", async () => {
    const alone = await create({ name: "alone", scheme: "github", secret: SECRET, session: "new" });
    const keyed = await create({ name: "keyed", scheme: "github", secret: SECRET, session: { key: "{pr}" } });
    for (const pr of [1, 2, 1]) {
      await send(alone.path, { pr }, { "x-github-delivery": `a${Math.random()}` });
      await send(keyed.path, { pr }, { "x-github-delivery": `k${Math.random()}` });
    }
    await until("alone", ["posted", "posted", "posted"]);
    await until("keyed", ["posted", "posted", "posted"]);
    expect(new Set((await log("alone")).map(({ session }) => session)).size).toBe(3);
    const [third, second, first] = (await log("keyed")).map(({ session }) => session);
    expect([third === first, second === first]).toEqual([true, false]);
  });

  it("is ignored if its type is not wanted, its filters fail, or it is GitHub's ping", async () => {
    const filters = [{ field: "branch", equals: "main" }];
    const { path } = await create({ name: "filtered", scheme: "github", secret: SECRET, events: ["push"], filters });
    const given = (event: string, branch: string) =>
      send(path, { branch }, { "x-github-event": event, "x-github-delivery": event + branch });
    expect(JSON.parse((await given("issues", "main")).text)).toMatchObject({ status: "ignored", reason: "event" });
    expect(JSON.parse((await given("push", "dev")).text)).toMatchObject({ status: "ignored", reason: "filter" });
    expect(await statusOf(given("push", "main"))).toEqual([202, "accepted"]);
    expect(await statusOf(given("push", "dev"))).toEqual([200, "duplicate"]);
    const ping = await create({ name: "pinged", scheme: "github", secret: SECRET });
    expect(await statusOf(send(ping.path, { zen: "x" }, { "x-github-event": "ping" }))).toEqual([200, "ignored"]);
  });

  it("joins the message of its group until the window is over", async () => {
    const coalesce = { key: "{pr}", seconds: 1 };
    const { path } = await create({
      name: "grouped",
      scheme: "github",
      secret: SECRET,
      prompt: "pr {pr}: {what}",
      coalesce,
    });
    for (const [id, what] of [
      ["g1", "opened"],
      ["g2", "labelled"],
      ["g3", "assigned"],
    ] as const) {
      expect(await statusOf(send(path, { pr: 7, what }, { "x-github-delivery": id }))).toEqual([202, "accepted"]);
    }
    await until("grouped", ["joined", "joined", "posted"]);
    const [, second, first] = await log("grouped");
    expect(second).toMatchObject({ into: "g1", session: first!.session });
    expect((await readInputs(first!.session!)).flat().map(({ text }) => text)).toEqual([
      "pr 7: opened\n\n---\n\npr 7: labelled\n\n---\n\npr 7: assigned",
    ]);
  });

  it("never gives a command to the session", async () => {
    const { path } = await create({ name: "commanding", scheme: "github", secret: SECRET, prompt: "{text}" });
    await send(path, { text: "/compress" }, { "x-github-delivery": "c1" });
    await until("commanding", ["posted"]);
    const session = await sessionOf("commanding");
    expect((await readInputs(session)).flat()).toEqual([
      { source: "content", text: "The webhook `commanding` has received:\n\n/compress" },
    ]);
  });

  it("is taken up after the object was evicted between the acceptance and the post", async () => {
    const { path } = await create({
      name: "evicted",
      scheme: "github",
      secret: SECRET,
      coalesce: { key: "x", seconds: 1 },
    });
    await send(path, { a: 1 }, { "x-github-delivery": "e1" });
    await evictDurableObject(env.WEBHOOKS.getByName(profile));
    await until("evicted", ["posted"]);
  });

  it("leaves neither the id of a deleted session nor the key that it had", async () => {
    const { path } = await create({
      name: "left",
      scheme: "github",
      secret: SECRET,
      prompt: "{a}",
      session: { key: "{who}" },
    });
    await send(path, { a: "one", who: "ada@example.org" }, { "x-github-delivery": "l1" });
    await until("left", ["posted"]);
    const session = await sessionOf("left");
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    const left = await runInDurableObject(env.WEBHOOKS.getByName(profile), (_, state) =>
      ["webhook_session", "webhook_delivery"].map((table) =>
        state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
    );
    expect(JSON.stringify(left)).not.toContain(session);
    expect(JSON.stringify(left)).not.toContain("ada@example.org");
    expect(await log("left")).toMatchObject([{ id: "l1", state: "posted" }]);
    // Its id still counts.
    expect(await statusOf(send(path, { a: "one", who: "ada@example.org" }, { "x-github-delivery": "l1" }))).toEqual([
      200,
      "duplicate",
    ]);
  });

  it("goes on in another session when its own was deleted", async () => {
    const { path } = await create({ name: "moving", scheme: "github", secret: SECRET });
    await send(path, { a: 1 }, { "x-github-delivery": "m1" });
    await until("moving", ["posted"]);
    const session = await sessionOf("moving");
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    await send(path, { a: 2 }, { "x-github-delivery": "m2" });
    await until("moving", ["posted", "posted"]);
    const [second] = await log("moving");
    expect(second!.session).not.toBe(session);
    const { body } = await ask("GET", "/v1/sessions?kind=webhook", { key });
    expect(JSON.stringify(body)).not.toContain(session);
  }, 30_000);
});

describe("a request that is not proved", () => {
  it("gets the same bytes, whatever is wrong with it", async () => {
    const { path } = await create({ name: "guarded", scheme: "github", secret: SECRET });
    const other = `/hooks/${"0".repeat(profile.length)}/guarded`;
    const refused = await Promise.all([
      send(path, { a: 1 }, {}, "another secret"),
      send(path, { a: 1 }, { "x-hub-signature-256": "" }),
      send(path.replace("guarded", "unknown"), { a: 1 }),
      send(path.replace("guarded", "NOT-A-NAME"), { a: 1 }),
      send(other, { a: 1 }),
      send("/hooks/not-a-profile/guarded", { a: 1 }),
      fetchApi("POST", path).then(async (response) => ({
        status: response.status,
        text: await response.text(),
        headers: response.headers,
      })),
    ]);
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    expect(new Set(refused.map(({ status, headers }) => JSON.stringify([status, ...headers]))).size).toBe(1);
    expect(refused[0]).toMatchObject({ status: 401, text: expect.stringContaining("webhook_refused") });
    expect(await log("guarded")).toEqual([]);
  });

  it("leaves nothing of a profile that does not exist", async () => {
    const guess = "01arz3ndektsv4rrffq69g5fav";
    await send(`/hooks/${guess}/x`, { a: 1 });
    const tables = await runInDurableObject(env.WEBHOOKS.getByName(guess), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'webhook%'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});

describe("the limits", () => {
  it("let 30 requests a minute through to a route, not counting forged or repeated ones", async () => {
    const { path } = await create({ name: "limited", scheme: "github", secret: SECRET, events: ["none"] });
    for (let n = 0; n < 30; n++) {
      expect((await send(path, { n }, { "x-github-delivery": `l${n}` })).status).toBe(200);
      await send(path, { n }, {}, "another secret");
    }
    const refused = await send(path, { n: 30 }, { "x-github-delivery": "l30" });
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { code: "webhook_limited" }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send(path, { n: 3 }, { "x-github-delivery": "l3" })).status).toBe(200);
    await evictDurableObject(env.WEBHOOKS.getByName(profile));
    expect((await send(path, { n: 30 }, { "x-github-delivery": "l30" })).status).toBe(429);
  });

  it("refuse a body of more than 1 MB", async () => {
    const { path } = await create({ name: "large", scheme: "github", secret: SECRET });
    expect((await send(path, "x".repeat(1_000_001))).status).toBe(413);
  });
});

describe("the routes of a profile", () => {
  it("show a secret once, keep it sealed, and accept the former one for a day after a rotation", async () => {
    const { secret, name, path, ...route } = await create({ name: "sealed", scheme: "github", description: "mine" });
    expect(secret).toMatch(/^whsec_/);
    expect((await ask("GET", "/v1/webhooks/sealed", { key })).body).toEqual({ name, path, ...route });
    expect(JSON.stringify((await ask("GET", "/v1/webhooks", { key })).body)).not.toContain(secret);
    await runInDurableObject(env.WEBHOOKS.getByName(profile), (_, state) => {
      const stored = state.storage.sql.exec("SELECT body FROM webhook_route").toArray();
      expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
    });
    const rotated = (await ask("POST", "/v1/webhooks/sealed/rotate", { key })).body as {
      secret: string;
      previousUntil: number;
    };
    expect((await send(path, { a: 1 }, { "x-github-delivery": "s1" }, secret)).status).toBe(202);
    expect((await send(path, { a: 2 }, { "x-github-delivery": "s2" }, rotated.secret)).status).toBe(202);
    expect(await codeOf(ask("POST", "/v1/webhooks/none/rotate", { key }))).toEqual([404, "webhook_not_found"]);
  });

  it("are changed field by field, and deleted with their log", async () => {
    const { path } = await create({ name: "changing", scheme: "github", secret: SECRET, prompt: "old {a}" });
    const changed = await ask("PATCH", "/v1/webhooks/changing", { key, body: { prompt: "new {a}", session: "new" } });
    expect(changed.body).toMatchObject({ prompt: "new {a}", session: "new", scheme: "github", filters: [] });
    await send(path, { a: 1 }, { "x-github-delivery": "x1" });
    await until("changing", ["posted"]);
    const session = await sessionOf("changing");
    expect((await readInputs(session)).flat().map(({ text }) => text)).toEqual(["new 1"]);
    expect((await ask("DELETE", "/v1/webhooks/changing", { key })).status).toBe(204);
    expect(await codeOf(ask("GET", "/v1/webhooks/changing/deliveries", { key }))).toEqual([404, "webhook_not_found"]);
    expect((await send(path, { a: 2 }, { "x-github-delivery": "x2" })).status).toBe(401);
  });

  it("are refused where they could not work", async () => {
    const make = (body: object) =>
      codeOf(ask("POST", "/v1/webhooks", { key, body: { name: "wrong", scheme: "github", ...body } }));
    expect(await make({ deliverOnly: true })).toEqual([422, "webhook_invalid"]);
    expect(await make({ hmac: {} })).toEqual([422, "webhook_invalid"]);
    expect(await make({ scheme: "hmac", hmac: { signed: "{timestamp}" } })).toEqual([422, "webhook_invalid"]);
    expect(await make({ filters: [{ field: "a", regex: "(" }] })).toEqual([422, "webhook_invalid"]);
    expect(await make({ secret: "short" })).toEqual([400, "body_invalid"]);
    expect(await make({ name: "sealed" })).toEqual([409, "webhook_exists"]);
    expect(await make({ coalesce: { key: "x", seconds: 301 } })).toEqual([400, "body_invalid"]);
    expect(await codeOf(ask("GET", "/v1/webhooks/NO", { key }))).toEqual([400, "bad_webhook_name"]);
  });

  it("answer in pages of their log", async () => {
    const { path } = await create({ name: "paged", scheme: "github", secret: SECRET, events: ["none"] });
    for (const n of [1, 2, 3]) await send(path, { n }, { "x-github-delivery": `p${n}` });
    const page = async (after = "") =>
      (await ask("GET", `/v1/webhooks/paged/deliveries?limit=2${after && `&after=${after}`}`, { key })).body as {
        deliveries: Delivery[];
        next?: string;
      };
    const first = await page();
    expect(first.deliveries.map(({ id }) => id)).toEqual(["p3", "p2"]);
    const second = await page(first.next);
    expect([second.deliveries.map(({ id }) => id), second.next]).toEqual([["p1"], undefined]);
  });
});
