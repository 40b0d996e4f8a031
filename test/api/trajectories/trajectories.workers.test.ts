// Data to train on over HTTP, with real sessions, the Archive and skills: consent, who is left out, and pairs across sessions.
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Observation } from "../../../core/schemas/learning/learning.ts";
import type { OpenAiLine, PreferenceLine } from "../../../core/schemas/trajectories.ts";
import { openSession } from "../../../workers/api/sessions/session-rpc.ts";
import { START_MS, ask, createProfile, createSession, env, fetchApi } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => {
  ({ profile, key } = await createProfile());
  await allow(true);
}, START_MS);

const allow = (allowed: boolean, by = key) => ask("PUT", "/v1/trajectories/consent", { key: by, body: { allowed } });

async function say(session: string, text: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  await (await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text }, headers })).text();
}

async function read<Line>(query: string, by = key) {
  const page = await fetchApi("GET", `/v1/trajectories?${query}`, { key: by });
  const text = await page.text();
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  const header = (name: string) => JSON.parse(page.headers.get(name) ?? "null") as unknown;
  const next = /after=([^>&]+)>/.exec(page.headers.get("link") ?? "")?.[1];
  return {
    status: page.status,
    text,
    lines,
    next,
    redactions: header("talaria-redactions"),
    leftOut: header("talaria-left-out"),
  };
}

const soon = { timeout: 10_000, interval: 20 };

describe("without consent", () => {
  it("nothing leaves; who gave it and when is kept, and a withdrawal holds at once", async () => {
    const { key: own } = await createProfile();
    expect(await ask("GET", "/v1/trajectories/consent", { key: own })).toMatchObject({ body: { allowed: false } });
    expect(await ask("GET", "/v1/trajectories", { key: own })).toMatchObject({
      status: 403,
      body: { code: "trajectories_not_allowed" },
    });
    const { body } = await allow(true, own);
    expect(body).toEqual({ allowed: true, changedAt: expect.any(Number), changedBy: expect.stringMatching(/^key_/) });
    expect(await read("", own)).toMatchObject({ status: 200, lines: [], leftOut: {} });
    expect((await allow(false, own)).body).toMatchObject({ allowed: false });
    expect((await read("", own)).status).toBe(403);
    const { body: audit } = await ask("GET", "/v1/audit?act=trajectories_consent", { key: own });
    expect((audit as { entries: unknown[] }).entries).toHaveLength(2);
  });

  it("the salt is never shown, and another profile's session is not found", async () => {
    const session = await createSession(key);
    const { key: own } = await createProfile();
    await allow(true, own);
    expect(JSON.stringify((await ask("GET", "/v1/trajectories/consent", { key: own })).body)).not.toContain("salt");
    expect(await ask("GET", `/v1/trajectories?session=${session}`, { key: own })).toMatchObject({ status: 404 });
  });
});

describe("a page", () => {
  it("has conversations newest first, and says what was replaced and left out", async () => {
    const first = await createSession(key);
    await say(first, "Hello, I am grace@example.com.");
    const off = (await ask("POST", "/v1/sessions", { key, body: { learning: "off" } })).body as { session: string };
    await say(off.session, "Hello in secret.");
    const { lines, redactions, leftOut, text } = await read<OpenAiLine>("format=openai");
    expect(lines[0]!.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(text).not.toMatch(/grace@|secret/);
    expect(redactions).toMatchObject({ email: 1 });
    expect(leftOut).toEqual({ learning_off: 1 });
    expect((await read<OpenAiLine>(`format=openai&session=${off.session}`)).text).toContain("in secret");
    expect((await ask("DELETE", `/v1/sessions/${first}`, { key })).status).toBe(204);
    expect((await read("format=openai")).text).not.toContain("Hello, I am");
  });

  it("leaves out what somebody else wrote, with the work that it gave on", async () => {
    const id = "01J0000000000000000000000C";
    const child = "01J0000000000000000000000D";
    const account = env.ACCOUNT.getByName(profile);
    const info = { title: "", learning: "on" as const, createdAt: 1 };
    await account.registerSession({ session: id, ...info });
    await account.registerSession({ session: child, ...info, kind: "delegated", parent: id });
    const scene = { platform: "Telegram", kind: "group" as const, shared: true, files: false };
    await openSession(env, profile, id).create({ ...info, channel: scene });
    await openSession(env, profile, child).create({ ...info, kind: "delegated", parent: id });
    expect((await read(`session=${id}`)).leftOut).toEqual({ other_people: 1 });
    expect((await read(`session=${child}`)).leftOut).toEqual({ parent: 1 });
  });

  it("refuses a place that is not one, and a length for pairs", async () => {
    for (const query of [
      "after=nowhere.1",
      "after=sessions.x",
      "after=skills.",
      "format=preferences&compress=2000",
      "compress=1",
      "rated=maybe",
    ])
      expect(await ask("GET", `/v1/trajectories?${query}`, { key })).toMatchObject({
        status: 400,
        body: { code: "query_invalid" },
      });
  });
});

it("an answer that was rated down is paired with one that was rated up in another session", async () => {
  const sessions: string[] = [];
  for (const [n, rating] of (["up", "down"] as const).entries()) {
    const session = await createSession(key);
    sessions.push(session);
    await ask("PUT", `/v1/sessions/${session}/files/prices.csv`, {
      key,
      body: `name,price\na,1\nb,2\nc,${9 - 3 * n}\n`,
    });
    await say(session, "What is the mean of `price` in `prices.csv`?");
    const { body } = await ask("POST", `/v1/sessions/${session}/turns/1/rating`, { key, body: { rating } });
    expect((body as Observation).judge).toBe("rating");
  }
  await vi.waitUntil(
    async () =>
      (await env.ARCHIVE.getByName(profile).turnsOf({ limit: 9 })).some(
        ({ session, judge }) => session === sessions[0] && judge === "rating",
      ),
    soon,
  );
  const { lines, next } = await read<PreferenceLine>("format=preferences");
  const pairs = lines.filter(({ source }) => source === "rating");
  expect(pairs).toHaveLength(1);
  for (const { prompt, chosen, rejected } of pairs) {
    expect(prompt.at(-1)).toMatchObject({ role: "user" });
    expect([chosen, rejected].map((side) => side.at(-1)!.role)).toEqual(["assistant", "assistant"]);
  }
  expect(next).toBe("skills.");
  expect(await read("format=preferences&after=skills.")).toMatchObject({ status: 200, lines: [], next: undefined });
});
