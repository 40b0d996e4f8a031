// A session over HTTP, from its creation to a stream that is left and resumed. The model is rehearsal.
import { beforeAll, describe, expect, it } from "vitest";
import type { Accepted, SessionDetail } from "../../../core/schemas/api.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { type StreamedEvent, readAgentEvents } from "../../../cli/events.ts";
import { START_MS, ask, createProfile, createSession, expectProblem, fetchApi } from "../api-calls.ts";

let key: string;
beforeAll(async () => void ({ key } = await createProfile()), START_MS);

async function collect(response: Response): Promise<StreamedEvent[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: StreamedEvent[] = [];
  for await (const event of readAgentEvents(response.body!)) events.push(event);
  return events;
}

const SSE = { accept: "text/event-stream" };
const post = (session: string, text: string, headers: Record<string, string> = {}) =>
  fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text }, headers });
const listen = (session: string, query = "", headers: Record<string, string> = {}) =>
  fetchApi("GET", `/v1/sessions/${session}/events${query}`, { key, headers });

describe("a session", () => {
  it("is created, listed newest first, and read", async () => {
    const owner = await createProfile();
    const create = (body: object) => ask("POST", "/v1/sessions", { key: owner.key, body });
    const first = await create({});
    const second = await create({ learning: "off", title: "Control" });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body).toMatchObject({ session: expect.stringMatching(/^[0-9A-Z]{26}$/), title: "", learning: "on" });
    expect(second.body).toMatchObject({ title: "Control", learning: "off" });
    const listed = (await ask("GET", "/v1/sessions", { key: owner.key })).body as { sessions: { session: string }[] };
    // Ids from the same millisecond sort in either order.
    const ids = listed.sessions.map(({ session }) => session);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const withoutBackend = [first, second].map(({ body }) => {
      const { backend, ...row } = body as Record<string, unknown>;
      expect(backend).toBe("workspace");
      return row;
    });
    expect(listed.sessions).toEqual(expect.arrayContaining(withoutBackend));
    expect(ids).toHaveLength(2);
    const { session } = second.body as { session: string };
    expect((await ask("GET", `/v1/sessions/${session}`, { key: owner.key })).body).toEqual({
      ...(second.body as object),
      ...{ state: "idle", turns: [], reviewing: [], usage: { calls: 0, tokens: 0, usd: 0 } },
    });
  });

  it("can be created by an empty request", async () => {
    expect((await ask("POST", "/v1/sessions", { key })).body).toMatchObject({ title: "", learning: "on" });
  });
});

describe("a message", () => {
  it("streams its turn when the client accepts a stream", async () => {
    const session = await createSession(key);
    const response = await post(session, "Hello", SSE);
    expect([response.status, response.headers.get("talaria-turn")]).toEqual([200, `${session}-1`]);
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    const events = await collect(response);
    expect(events[0]!.event).toEqual({ type: "turn_start", turn: 1, entry: 1 });
    expect(events.at(-1)!.event).toMatchObject({ type: "turn_end", turn: 1, state: "done" });
    const text = events.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
    const { entries } = (await ask("GET", `/v1/sessions/${session}/entries`, { key })).body as { entries: Entry[] };
    expect(entries.map(({ kind, n }) => [kind, n])).toEqual([
      ["user", 1],
      ["assistant", 2],
    ]);
    expect(entries[1]!.parts.map((part) => part.text).join("")).toBe(text);
    expect(text.length).toBeGreaterThan(0);
  });

  it("is otherwise accepted with 202, and the turn runs in the background", async () => {
    const session = await createSession(key);
    const response = await post(session, "Hello");
    const accepted = (await response.json()) as Accepted;
    expect(response.status).toBe(202);
    expect(accepted).toMatchObject({ session, turn: `${session}-1`, replayed: false });
    expect(response.headers.get("location")).toBe(accepted.events);
    const events = await collect(await fetchApi("GET", accepted.events, { key }));
    expect(events.at(-1)!.event).toMatchObject({ type: "turn_end", state: "done" });
    const detail = (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
    expect(detail).toMatchObject({ state: "idle", turns: [{ n: 1, state: "done" }] });
  });

  it("resent with its idempotency key starts no second turn; the key with a different text is refused", async () => {
    const session = await createSession(key);
    const headers = { "idempotency-key": "k-1" };
    const first = (await (await post(session, "Hello", headers)).json()) as Accepted;
    const again = (await (await post(session, "Hello", headers)).json()) as Accepted;
    expect([first.turn, first.replayed, again.turn, again.replayed]).toEqual([first.turn, false, first.turn, true]);
    const answer = await ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text: "Bye" }, headers });
    expectProblem(answer, 409, "idempotency_conflict", "Idempotency key already used for another request");
    const events = await collect(await post(session, "Hello", { ...headers, ...SSE }));
    expect(events.at(-1)!.event).toMatchObject({ type: "turn_end", turn: 1 });
    const detail = (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
    expect(detail.turns).toHaveLength(1);
  });
});

describe("a stream", () => {
  it("resumes after the id in the header or the query, also once the turn has ended", async () => {
    const session = await createSession(key);
    const all = await collect(await post(session, "Hello", SSE));
    const whole = all.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
    const middle = all.findIndex(({ event }) => event.type === "text_delta");
    const { id } = all[middle]!;
    const seen = (all[middle]!.event as { text: string }).text;
    for (const response of [
      await listen(session, "", { "last-event-id": id }),
      await listen(session, `?after=${id}`),
    ]) {
      const rest = await collect(response);
      const text = rest.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
      expect(seen + text).toBe(whole);
      expect(rest.at(-1)).toEqual(all.at(-1));
    }
    expect(await collect(await listen(session, `?after=${all.at(-1)!.id}`))).toEqual([]);
  });

  it("does not stop the turn when its reader disconnects", async () => {
    const session = await createSession(key);
    const response = await post(session, "Hello", SSE);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    const events = await collect(await listen(session, "?turn=1"));
    expect(events.at(-1)!.event).toMatchObject({ type: "turn_end", turn: 1, state: "done" });
  });

  it("of an unknown turn is a 404", async () => {
    const session = await createSession(key);
    const answer = await ask("GET", `/v1/sessions/${session}/events?turn=7`, { key });
    expectProblem(answer, 404, "turn_not_found", "No such turn");
  });
});

describe("stopping", () => {
  it("does nothing in an idle session", async () => {
    const session = await createSession(key);
    expect((await ask("POST", `/v1/sessions/${session}/stop`, { key })).body).toEqual({ stopped: [] });
  });
});

describe("files", () => {
  it("are put, listed, read and deleted byte for byte, whatever their names", async () => {
    const session = await createSession(key);
    const path = `/v1/sessions/${session}/files`;
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const put = await ask("PUT", `${path}/data/50%25%20off.bin`, { key, body: bytes });
    expect(put).toMatchObject({ status: 201, body: { path: "data/50% off.bin", size: 256 } });
    await ask("PUT", `${path}/a.csv`, { key, body: "x;y\n", headers: { "content-type": "text/csv" } });
    expect((await ask("GET", path, { key })).body).toEqual({
      files: [
        { path: "a.csv", size: 4, writer: "principal" },
        { path: "data/50% off.bin", size: 256, writer: "principal" },
      ],
    });
    const got = await fetchApi("GET", `${path}/data/50%25%20off.bin`, { key });
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(bytes);
    expect([got.headers.get("content-type"), got.headers.get("x-content-type-options")]).toEqual([
      "application/octet-stream",
      "nosniff",
    ]);
    expect((await ask("DELETE", `${path}/a.csv`, { key })).status).toBe(204);
    expectProblem(await ask("DELETE", `${path}/a.csv`, { key }), 404, "file_not_found", "No such file");
    expectProblem(await ask("GET", `${path}/a.csv`, { key }), 404, "file_not_found", "No such file");
  });

  it("may be empty", async () => {
    const session = await createSession(key);
    const put = await ask("PUT", `/v1/sessions/${session}/files/empty`, { key, body: "" });
    expect(put).toMatchObject({ status: 201, body: { path: "empty", size: 0 } });
  });

  it("outside the workspace are refused", async () => {
    const session = await createSession(key);
    const answer = await ask("PUT", `/v1/sessions/${session}/files/..%2F..%2Fetc%2Fpasswd`, { key, body: "x" });
    expectProblem(answer, 400, "bad_path", "Invalid path");
  });
});
