// What a key may do, and that its end reaches what it has opened: sockets, also of an object that hibernates, and streams.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { SECOND_PASS_MS } from "../../../durable-objects/keys/key-sockets.ts";
import { endWithCredential } from "../../../workers/api/auth/end-with-credential.ts";
import { OPERATOR, START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";

let profile = "";
let admin = "";
let session = "";
beforeAll(async () => {
  ({ profile, key: admin } = await createProfile());
  session = await createSession(admin);
}, START_MS);

interface Made {
  id: string;
  key: string;
}
async function make(input: object, as = OPERATOR): Promise<Made> {
  const { status, body } = await ask("POST", "/v1/keys", { key: as, body: { profile, ...input } });
  expect([status, body]).toEqual([201, body]);
  return body as Made;
}

async function watch(key: string): Promise<{ closed: Promise<{ code: number; reason: string }> }> {
  const response = await fetchApi("GET", `/v1/sessions/${session}/socket`, { key, headers: { upgrade: "websocket" } });
  expect(response.status).toBe(101);
  const socket = response.webSocket!;
  socket.accept();
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => {
      socket.close();
      resolve({ code, reason });
    });
  });
  return { closed };
}

const account = () => env.ACCOUNT.getByName(profile);
const socketRows = () =>
  runInDurableObject(account(), (_, { storage }) =>
    storage.sql.exec("SELECT owner, due FROM key_socket ORDER BY owner").toArray(),
  );

const DOOR = /^\/v1\/(?:chat\/completions|responses|messages)(?:\/|$)/;

describe("a key with the scope read", () => {
  it("is refused by every route that is not declared for it, before anything else of the request is looked at", async () => {
    const { key } = await make({ scopes: ["read"] });
    const { paths } = (await ask("GET", "/openapi.json")).body as { paths: Record<string, Record<string, Route>> };
    const seen: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const scope = security?.find((scheme) => scheme.key)?.key?.[0];
        if (security?.length === 0 || scope === "read") continue;
        const asked = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")}`;
        const { status, body } = await ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "x"), {
          key,
          ...(method !== "get" && { body: "{" }),
        });
        const code = scope === undefined ? "operator_required" : "scope_missing";
        // Routes of other protocols answer in the form of their clients.
        const isDoor = DOOR.test(path);
        expect([asked, status, body]).toEqual([asked, 403, isDoor ? body : expect.objectContaining({ code })]);
        seen.push(asked);
      }
    }
    expect(seen.length).toBeGreaterThan(40);
  });

  it("reads, and writes by no method, no header and no spelling of a path", async () => {
    const { key } = await make({ scopes: ["read"] });
    expect((await ask("GET", "/v1/sessions", { key })).status).toBe(200);
    expect((await fetchApi("HEAD", "/v1/sessions", { key })).status).toBe(200);
    const override = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" };
    expect((await ask("GET", `/v1/sessions/${session}?_method=DELETE`, { key, headers: override })).status).toBe(400);
    for (const path of ["/v1/%73essions", "/v1/sessions", "/v1/./sessions"]) {
      expect([path, (await ask("POST", path, { key, body: {} })).status]).toEqual([path, 403]);
    }
    for (const path of ["/v1/sessions/", "/v1//sessions", "/V1/sessions"]) {
      expect([path, (await ask("POST", path, { key, body: {} })).status]).toEqual([path, 404]);
    }
    expect((await ask("POST", "/mcp", { key, body: {} })).body).toMatchObject({ code: "scope_missing" });
    expect((await ask("GET", `/v1/sessions/${session}`, { key: admin })).status).toBe(200);
  });

  it("cannot see, make or end keys, and write cannot either", async () => {
    const { key } = await make({ scopes: ["read", "write"] });
    for (const [method, path] of [
      ["GET", "/v1/keys"],
      ["HEAD", "/v1/keys"],
      ["POST", "/v1/keys"],
      ["DELETE", `/v1/profiles/${profile}?confirm=${profile}`],
    ] as const) {
      const { status } = await fetchApi(method, path, {
        key,
        ...(method === "POST" && { body: { scopes: ["read"] } }),
      });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
    expect((await ask("POST", "/v1/sessions", { key, body: {} })).status).toBe(201);
  });
});

interface Route {
  security?: Record<string, string[]>[];
}

describe("an admin key", () => {
  it("makes keys of its own profile, and not of another one", async () => {
    const made = await make({ label: "reader", scopes: ["read"] }, admin);
    expect(made).toMatchObject({ label: "reader", scopes: ["read"], madeBy: expect.stringMatching(/^key_/) });
    const other = await createProfile();
    const answer = await ask("POST", "/v1/keys", { key: admin, body: { profile: other.profile } });
    expectProblem(answer, 403, "operator_required", "Operator only");
    const changed = await ask("PATCH", `/v1/keys/${made.id}`, { key: other.key, body: { label: "mine" } });
    expectProblem(changed, 404, "key_not_found", "No such key");
    const rotated = await ask("POST", `/v1/keys/${made.id}/rotate`, { key: other.key });
    expectProblem(rotated, 404, "key_not_found", "No such key");
    expect((await ask("PATCH", `/v1/keys/${made.id}`, { key: admin, body: { label: "x" } })).body).toMatchObject({
      label: "x",
      scopes: ["read"],
    });
  });

  it("gives no scope that it does not have, and no label that writes a line of its own", async () => {
    const { key } = await make({ scopes: ["read", "admin"] });
    const post = (body: object) => ask("POST", "/v1/keys", { key, body });
    expectProblem(await post({ scopes: ["read", "write"] }), 403, "scope_exceeded", "More than your own key may do");
    expectProblem(await post({ expiresAt: 1 }), 422, "bad_expiry", "Invalid time of expiry");
    for (const body of [{ label: "a\nb" }, { label: "a\u001b[2J" }, { scopes: [] }, { scopes: ["root"] }]) {
      expect((await post(body)).body).toMatchObject({ code: "body_invalid" });
    }
  });
});

describe("the end of a key", () => {
  it("is known to this isolate at once: the old secret of a rotation and a revoked key are refused", async () => {
    const made = await make({});
    expect((await ask("GET", "/v1/sessions", { key: made.key })).status).toBe(200);
    const rotated = (await ask("POST", `/v1/keys/${made.id}/rotate`, { key: admin })).body as Made;
    expectProblem(await ask("GET", "/v1/sessions", { key: made.key }), 401, "key_unknown", "Unknown key");
    expect((await ask("GET", "/v1/sessions", { key: rotated.key })).status).toBe(200);
    const again = (await ask("POST", `/v1/keys/${made.id}/rotate`, { key: admin, body: { graceSeconds: 60 } }))
      .body as Made;
    for (const key of [rotated.key, again.key]) expect((await ask("GET", "/v1/sessions", { key })).status).toBe(200);
    expect((await ask("DELETE", `/v1/keys/${made.id}`, { key: admin })).status).toBe(204);
    for (const key of [rotated.key, again.key]) {
      expectProblem(await ask("GET", "/v1/sessions", { key }), 401, "key_unknown", "Unknown key");
    }
  });

  it("closes its sockets with 4003, also when the session hibernates and no event comes, and leaves others open", async () => {
    const made = await make({});
    const other = await make({});
    const [mine, theirs] = [await watch(made.key), await watch(other.key)];
    await evictDurableObject(env.SESSION.getByName(`${profile}/${session}`));
    expect((await ask("DELETE", `/v1/keys/${made.id}`, { key: admin })).status).toBe(204);
    expect(await mine.closed).toEqual({ code: 4003, reason: "The key was revoked." });
    expect(await Promise.race([theirs.closed, "open"])).toBe("open");
    expect(await socketRows()).toEqual(
      [
        { owner: `${made.id}.0`, due: expect.any(Number) },
        { owner: `${other.id}.0`, due: null },
      ].toSorted((a, b) => (a.owner < b.owner ? -1 : 1)),
    );
    await ask("DELETE", `/v1/keys/${other.id}`, { key: admin });
    expect((await theirs.closed).code).toBe(4003);
  });

  it("closes them after a crash between the revocation and the closing", async () => {
    const made = await make({});
    const { closed } = await watch(made.key);
    // What the transaction of a revocation leaves, in an object that dies before its alarm.
    await runInDurableObject(account(), async (_, { storage }) => {
      storage.transactionSync(() => {
        storage.sql.exec("DELETE FROM keys WHERE id = ?", made.id);
        storage.sql.exec("UPDATE key_socket SET due = ?, reason = 'revoked' WHERE key = ?", Date.now(), made.id);
      });
      await storage.setAlarm(Date.now() + 3_600_000);
    });
    await evictDurableObject(account());
    expect(await runDurableObjectAlarm(account())).toBe(true);
    expect(await closed).toEqual({ code: 4003, reason: "The key was revoked." });
  });

  it("sets the alarm in the same step as a revocation, and lets the second pass follow", async () => {
    const made = await make({});
    const { closed } = await watch(made.key);
    const alarm = await runInDurableObject(account(), async (object, { storage }) => {
      await object.keyDesk().revoke(made.id);
      return storage.getAlarm();
    });
    expect(alarm! - Date.now()).toBeLessThan(1_000);
    await closed;
    const rows = await socketRows();
    const row = rows.find(({ owner }) => owner === `${made.id}.0`)!;
    expect(Number(row.due) - Date.now()).toBeLessThanOrEqual(SECOND_PASS_MS);
  });

  it("by expiry closes its sockets by the alarm, and its streams", async () => {
    const expiresAt = Date.now() + 1_500;
    const made = await make({ expiresAt });
    const { closed } = await watch(made.key);
    expect(await closed).toEqual({ code: 4003, reason: "The key or the sign-in has expired." });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expectProblem(await ask("GET", "/v1/sessions", { key: made.key }), 401, "key_expired", "The key has expired");
  });

  it("is not waited for on sessions that the profile does not have: nothing is noted of them", async () => {
    const made = await make({});
    const headers = { upgrade: "websocket" };
    const answer = await ask("GET", `/v1/sessions/${"0".repeat(26)}/socket`, { key: made.key, headers });
    expectProblem(answer, 404, "session_not_found", "No such session");
    expect((await socketRows()).filter(({ owner }) => String(owner).startsWith(made.id))).toEqual([]);
  });

  it("before a socket is opened refuses it, although this isolate still knows the key", async () => {
    const made = await make({});
    expect((await ask("GET", "/v1/sessions", { key: made.key })).status).toBe(200);
    using desk = await account().keyDesk();
    await desk.revoke(made.id); // as another isolate does
    expect((await ask("GET", "/v1/sessions", { key: made.key })).status).toBe(200);
    const headers = { upgrade: "websocket" };
    const answer = await ask("GET", `/v1/sessions/${session}/socket`, { key: made.key, headers });
    expectProblem(answer, 401, "key_unknown", "Unknown key");
  });
});

describe("an open stream", () => {
  function endless() {
    let left = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
      cancel: () => void (left = true),
    });
    return { body, hasLeft: () => left };
  }

  it("ends when its credential does, after what was sent, and lets go of its source", async () => {
    const { body, hasLeft } = endless();
    const answers = [true, true, false];
    const stream = endWithCredential(body, async () => answers.shift()!, 5);
    expect(await new Response(stream).text()).toBe("data: 1\n\n");
    expect([answers, hasLeft()]).toEqual([[], true]);
  });

  it("ends when it cannot be said twice whether the credential is good, and not at the first time", async () => {
    const { body } = endless();
    let asked = 0;
    const stream = endWithCredential(body, async () => Promise.reject(new Error(`down ${++asked}`)), 5);
    expect(await new Response(stream).text()).toBe("data: 1\n\n");
    expect(asked).toBe(2);
  });

  it("that ends by itself is passed on whole, and nothing is asked any more", async () => {
    let asked = 0;
    const stream = endWithCredential(new Response("data: 2\n\n").body!, async () => ++asked > 0, 5);
    expect(await new Response(stream).text()).toBe("data: 2\n\n");
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toBe(before);
  });
});
