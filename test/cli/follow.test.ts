// Following a session over a WebSocket against a fake API: reconnects, the end of a session, the fallback to single turns.
import { describe, expect, it } from "vitest";
import { type Client, ProblemError, UnreachableError, createClient } from "../../cli/connection/client.ts";
import { ProtocolError, type StreamedEvent } from "../../cli/events.ts";
import { followSession } from "../../cli/follow.ts";
import type { AgentEvent } from "../../core/schemas/entry.ts";
import { type Handler, answerEvents, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";
import type { FakeSocket } from "../support/wires/fake-socket.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const SOCKET = `/v1/sessions/${SESSION}/socket`;
const USAGE = { calls: 0, tokens: 0, usd: 0 };
const INFO = { session: SESSION, title: "", learning: "on", backend: "workspace", createdAt: 1 };
const DETAIL = { ...INFO, state: "idle", turns: [], reviewing: [], usage: USAGE };
const READ_SESSION = { [`GET /v1/sessions/${SESSION}`]: answerJson(200, DETAIL) };

const notice = (entry: number): AgentEvent => ({ type: "notice_add", entry, code: "learned", text: `Fact ${entry}` });
const STATS = {
  modelCalls: 1,
  toolCalls: 0,
  failedCalls: 0,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
};
const end = (entry: number): AgentEvent => ({
  type: "turn_end",
  turn: 1,
  entry,
  state: "done",
  reason: "answer",
  stats: STATS,
});

function follow(client: Client, turn = () => Promise.resolve()) {
  const waits: number[] = [];
  const reports: string[] = [];
  const leave = new AbortController();
  const events = followSession({
    client,
    session: SESSION,
    after: "0.0",
    signal: leave.signal,
    turn,
    reconnectMs: 2_000,
    wait: async (ms) => void waits.push(ms),
    onReconnect: (reason) => reports.push(reason.message),
    onFallback: () => reports.push("fallback"),
  });
  return { events, waits, reports, leave };
}

const connect = (url: string) => createClient({ url, key: "tal_key" });

async function take(events: AsyncGenerator<StreamedEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const next = await events.next();
    if (next.done) break;
    ids.push(next.value.id);
  }
  return ids;
}

describe("a followed session", () => {
  it("is read on one WebSocket, whose URL does not hold the key", async () => {
    const sockets: FakeSocket[] = [];
    await using api = await startFakeApi([], {}, (socket) => {
      sockets.push(socket);
      socket.send("1.0", notice(1));
      socket.send("2.0", notice(2));
    });
    const { events, leave } = follow(connect(api.url));
    expect(await events.next()).toEqual({ done: false, value: { id: "1.0", event: notice(1) } });
    expect(await take(events, 1)).toEqual(["2.0"]);
    expect(sockets.map(({ path, protocols }) => ({ path, protocols }))).toEqual([
      { path: `${SOCKET}?after=0.0`, protocols: "talaria.v1, bearer.tal_key" },
    ]);
    leave.abort(new Error("left"));
    await expect(events.next()).rejects.toThrow("left");
    await sockets[0]!.gone;
  });

  it("resumes after the last id when the connection breaks, and at once when the server asks for the key again", async () => {
    const paths: string[] = [];
    await using api = await startFakeApi([], {}, (socket) => {
      paths.push(socket.path);
      socket.send(`${paths.length}.0`, notice(paths.length));
      if (paths.length === 1) socket.cut();
      if (paths.length === 2) socket.close(4001);
    });
    const { events, waits, reports } = follow(connect(api.url));
    expect(await take(events, 3)).toEqual(["1.0", "2.0", "3.0"]);
    expect(paths).toEqual([`${SOCKET}?after=0.0`, `${SOCKET}?after=1.0`, `${SOCKET}?after=2.0`]);
    expect({ waits, reports }).toEqual({
      waits: [250],
      reports: [expect.stringMatching(/^The connection was closed \(1006/)],
    });
    await events.return(undefined);
  });

  it("ends without a retry when it is deleted", async () => {
    await using api = await startFakeApi([], {}, (socket) => {
      socket.send("1.0", notice(1));
      socket.close(4404, "This session was deleted.");
    });
    const { events, waits, reports } = follow(connect(api.url));
    expect(await take(events, 1)).toEqual(["1.0"]);
    await expect(events.next()).rejects.toThrow(/^This session was deleted\.$/);
    expect({ waits, reports }).toEqual({ waits: [], reports: [] });
  });

  it("is given up after the total wait without an answer", async () => {
    const api = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    const { events, waits } = follow(connect(api.url));
    await expect(events.next()).rejects.toThrow(UnreachableError);
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });

  it("waits for a server that says it is restarting", async () => {
    const away = answerProblem(502, "workers_away");
    await using api = await startFakeApi(
      Array.from({ length: 5 }, () => away),
      {
        [`GET /v1/sessions/${SESSION}`]: away,
      },
    );
    const { events, waits } = follow(connect(api.url));
    await expect(events.next()).rejects.toThrow(UnreachableError);
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });

  it("is not retried when the API refuses or violates the protocol", async () => {
    const refuse = { [`GET /v1/sessions/${SESSION}`]: answerProblem(401, "key_unknown") };
    const noSocket: Handler = answerProblem(401, "key_unknown");
    await using api = await startFakeApi([noSocket], refuse);
    await expect(follow(connect(api.url)).events.next()).rejects.toThrow(ProblemError);
    await using broken = await startFakeApi([], {}, (socket) => socket.sendText("{}"));
    await expect(follow(connect(broken.url)).events.next()).rejects.toThrow(ProtocolError);
  });

  it("falls back on one turn at a time, from the same position, where upgrades are refused", async () => {
    const refused = answerProblem(426, "upgrade_required");
    const first = answerEvents([
      ["1.0", { type: "turn_start", turn: 1, entry: 1 }],
      ["2.6", end(2)],
    ]);
    const silent = answerEvents([]);
    const second = answerEvents([["4.6", end(4)]]);
    await using api = await startFakeApi([refused, refused, first, silent, second], READ_SESSION);
    let turns = 0;
    const { events, waits, reports, leave } = follow(connect(api.url), async () => {
      if (++turns > 3) leave.abort(new Error("left"));
    });
    expect(await take(events, 3)).toEqual(["1.0", "2.6", "4.6"]);
    await expect(events.next()).rejects.toThrow("left");
    expect(api.requests.map(({ path, headers }) => [path, headers["last-event-id"]])).toEqual([
      [`${SOCKET}?after=0.0`, undefined],
      [`${SOCKET}?after=0.0`, undefined],
      [`/v1/sessions/${SESSION}/events`, "0.0"],
      [`/v1/sessions/${SESSION}/events`, "2.6"],
      [`/v1/sessions/${SESSION}/events`, "2.6"],
    ]);
    expect({ waits, reports }).toEqual({ waits: [250, 250], reports: ["No WebSocket was opened.", "fallback"] });
  });

  it("skips events of a newer server", async () => {
    await using api = await startFakeApi([], {}, (socket) => {
      socket.sendText('{"id":"1.0","event":{"type":"later_add"}}');
      socket.send("2.0", notice(2));
    });
    const { events } = follow(connect(api.url));
    expect(await take(events, 1)).toEqual(["2.0"]);
    await events.return(undefined);
  });
});
