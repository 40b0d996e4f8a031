// WebSockets over the real API and a real Session object: who may connect, what is sent, and that an open connection does not
// keep an idle object awake.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentEvent } from "../../../core/schemas/entry.ts";
import { MAX_STANDING } from "../../../core/session/readers/hub.ts";
import {
  START_MS,
  type Answer,
  ask,
  createProfile,
  createSession,
  env,
  expectProblem,
  fetchApi,
} from "../../api/api-calls.ts";
import { collect } from "../../support/session/collect-events.ts";

let profile = "";
let key = "";
beforeAll(async () => {
  ({ profile, key } = await createProfile());
}, START_MS);

const UPGRADE = { upgrade: "websocket" };

interface Reader {
  socket: WebSocket;
  seen: { id: string; event: AgentEvent }[];
  /** Resolves at the first event, past or future, for which `is` holds. */
  until(isSo: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  closed: Promise<{ code: number; reason: string }>;
}

function read(response: Response): Reader {
  const socket = response.webSocket!;
  const seen: Reader["seen"] = [];
  const waiters = new Set<() => void>();
  socket.accept();
  socket.addEventListener("message", ({ data }) => {
    if (data === "pong") return;
    const { id, event } = JSON.parse(String(data)) as { id: string; event: unknown };
    seen.push({ id, event: AgentEvent.parse(event) });
    for (const wake of waiters) wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => {
      socket.close();
      resolve({ code, reason });
    });
  });
  return {
    socket,
    seen,
    closed,
    async until(isSo) {
      for (;;) {
        const found = seen.find(({ event }) => isSo(event));
        if (found) return found.event;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiters.add(resolve);
        await promise;
        waiters.delete(resolve);
      }
    },
  };
}

const connect = (
  session: string,
  query = "",
  headers: Record<string, string> = UPGRADE,
  as: string | undefined = key,
) => fetchApi("GET", `/v1/sessions/${session}/socket${query}`, { key: as, headers });

const open = async (session: string, query = "") => read(await connect(session, query));

async function answer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function say(session: string, text: string): Promise<void> {
  const { status } = await ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text } });
  expect(status).toBe(202);
}

const isEnd = (turn: number) => (event: AgentEvent) => event.type === "turn_end" && event.turn === turn;
const objectOf = (session: string) => env.SESSION.getByName(`${profile}/${session}`);
/** The instance that is awake now. */
const instanceOf = (session: string) => runInDurableObject(objectOf(session), (instance: object) => instance);

/** The events as a client shows them: pieces of one answer joined to one text. */
function settle(seen: Reader["seen"]) {
  const settled: unknown[] = [];
  for (const { event } of seen) {
    const last = settled.at(-1) as AgentEvent | undefined;
    if (event.type === "reasoning_delta") continue;
    if (event.type === "text_delta" && last?.type === "text_delta") last.text += event.text;
    else settled.push({ ...event });
  }
  return settled;
}

describe("a WebSocket", () => {
  it("sends what was missed and then every turn, the same to each reader, and the same as a stream", async () => {
    const session = await createSession(key);
    const first = await open(session, "?after=0.0");
    await say(session, "Hello");
    await first.until(isEnd(1));
    const late = await open(session, "?after=0.0");
    const fresh = await open(session);
    await say(session, "And again");
    await Promise.all([first, late, fresh].map((reader) => reader.until(isEnd(2))));
    const whole = settle(first.seen);
    expect(settle(late.seen)).toEqual(whole);
    const second = whole.findIndex((event) => (event as AgentEvent).type === "turn_start" && event !== whole[0]);
    expect(settle(fresh.seen)).toEqual(whole.slice(second));
    const stream = await collect((await fetchApi("GET", `/v1/sessions/${session}/events?after=0.0`, { key })).body!);
    expect(settle(stream)).toEqual(whole);
    const ids = first.seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("continues from the last id in the middle of a text", async () => {
    const session = await createSession(key);
    const first = await open(session);
    await say(session, "Hello");
    await first.until(isEnd(1));
    const middle = first.seen.findIndex(({ event }) => event.type === "text_delta");
    const back = await open(session, `?after=${first.seen[middle]!.id}`);
    await back.until(isEnd(1));
    expect(settle(back.seen)).toEqual(settle(first.seen.slice(middle + 1)));
  });

  it("stays open when the object is evicted, and delivers the next turn", async () => {
    const session = await createSession(key);
    const reader = await open(session);
    await say(session, "Hello");
    await reader.until(isEnd(1));
    await evictDurableObject(objectOf(session));
    await say(session, "Still there?");
    await reader.until(isEnd(2));
    const ids = reader.seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(reader.seen.filter(({ event }) => event.type === "turn_start").map(({ event }) => event)).toMatchObject([
      { turn: 1 },
      { turn: 2 },
    ]);
  });

  it("answers a ping, and is closed with a reason after any other message", async () => {
    const session = await createSession(key);
    const reader = await open(session);
    const pong = new Promise((resolve) => reader.socket.addEventListener("message", ({ data }) => resolve(data)));
    reader.socket.send("ping");
    expect(await pong).toBe("pong");
    reader.socket.send('{"text":"Hello"}');
    expect(await reader.closed).toEqual({ code: 4400, reason: "Readers only listen: say `ping` or nothing." });
  });

  it("does not keep an idle object awake", { timeout: 120_000 }, async () => {
    const session = await createSession(key);
    const reader = await open(session);
    await say(session, "Hello");
    await reader.until(isEnd(1));
    const before = await instanceOf(session);
    expect(await instanceOf(session)).toBe(before);
    // The platform evicts a quiet object after ten seconds. A request to it restarts that period.
    let after = before;
    for (let waits = 0; waits < 5 && after === before; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 13_000));
      after = await instanceOf(session);
    }
    expect(after).not.toBe(before);
    await say(session, "Still there?");
    await reader.until(isEnd(2));
  });
});

describe("an upgrade", () => {
  it("accepts the key among its protocols, and answers with the protocol it uses", async () => {
    const session = await createSession(key);
    const protocols = { ...UPGRADE, "sec-websocket-protocol": `talaria.v1, bearer.${key}` };
    const response = await connect(session, "", protocols, undefined);
    expect([response.status, response.headers.get("sec-websocket-protocol")]).toEqual([101, "talaria.v1"]);
    const reader = read(response);
    await say(session, "Hello");
    await reader.until(isEnd(1));
    expect((await connect(session)).headers.get("sec-websocket-protocol")).toBeNull();
  });

  it("is refused with a problem document if it is not allowed", async () => {
    const session = await createSession(key);
    const other = await createProfile();
    const refused = async (...asked: Parameters<typeof connect>) => answer(await connect(...asked));
    expectProblem(await refused(session, "", {}), 426, "upgrade_required", "WebSocket upgrade required");
    const unknown = { ...UPGRADE, "sec-websocket-protocol": `bearer.${key}` };
    expectProblem(
      await refused(session, "", unknown, undefined),
      426,
      "upgrade_required",
      "WebSocket upgrade required",
    );
    expectProblem(
      await answer(await fetchApi("GET", `/v1/sessions/${session}/socket`, { headers: UPGRADE })),
      401,
      "key_missing",
      "No key",
    );
    expectProblem(
      await refused(session, "", UPGRADE, `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`),
      401,
      "key_unknown",
      "Unknown key",
    );
    expectProblem(await refused(session, "", UPGRADE, other.key), 404, "session_not_found", "No such session");
    expectProblem(await refused("not-a-session"), 400, "bad_session_id", "Invalid session id", {
      errors: [expect.objectContaining({ in: "param", path: "session" })],
    });
    expectProblem(await refused(session, "?after=x"), 400, "query_invalid", "Invalid query", {
      errors: [expect.objectContaining({ in: "query", path: "after" })],
    });
  });

  it("is refused at the session's limit of connections, until one is closed", async () => {
    const session = await createSession(key);
    const readers: Reader[] = [];
    for (let n = 0; n < MAX_STANDING; n++) readers.push(await open(session));
    expectProblem(await answer(await connect(session)), 429, "too_many_readers", "Too many open connections");
    readers[0]!.socket.close(1000);
    expect(await readers[0]!.closed).toMatchObject({ code: expect.any(Number) });
    expect((await connect(session)).status).toBe(101);
  });
});
