// The HTTP client of the terminal against a fake API: streams that resume, idempotent retries, problems, safe paths.
import { describe, expect, it } from "vitest";
import { ProblemError, UnreachableError, createClient } from "../../cli/connection/client.ts";
import { ProtocolError, type StreamedEvent } from "../../cli/events.ts";
import { type Wire, answerEvents, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const MESSAGES = `/v1/sessions/${SESSION}/messages`;
const EVENTS = `/v1/sessions/${SESSION}/events?turn=1`;

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const STATS = { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage: USAGE };
const TURN: Wire[] = [
  ["1.0", { type: "turn_start", turn: 1, entry: 1 }],
  ["2.0", { type: "entry_start", turn: 1, entry: 2 }],
  ["2.3", { type: "text_delta", entry: 2, offset: 0, text: "one" }],
  ["2.7", { type: "text_delta", entry: 2, offset: 3, text: " two" }],
  ["2.8", { type: "turn_end", turn: 1, entry: 2, state: "done", reason: "answer", stats: STATS }],
];
const ALL = TURN.map(([id, event]) => ({ id, event }));

async function collect(events: AsyncIterable<StreamedEvent>): Promise<StreamedEvent[]> {
  const all: StreamedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function connect(url: string, reconnectMs?: number) {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  return { waits, client: createClient({ url, key: "tal_key", reconnectMs, wait }) };
}

describe("a streamed message", () => {
  it("yields the turn's events and sends key, text and idempotency key", async () => {
    await using api = await startFakeApi([answerEvents(TURN)]);
    const { client } = connect(api.url);
    expect(await collect(client.streamMessage(SESSION, "hello", { key: "k1" }))).toEqual(ALL);
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]).toMatchObject({
      method: "POST",
      path: MESSAGES,
      body: '{"text":"hello"}',
      headers: { authorization: "Bearer tal_key", accept: "text/event-stream", "idempotency-key": "k1" },
    });
  });

  it("resumes after the last event id when the stream breaks", async () => {
    await using api = await startFakeApi([
      answerEvents(TURN.slice(0, 3), { cut: true }),
      answerEvents(TURN.slice(3, 4), { cut: true }),
      answerEvents(TURN.slice(4)),
    ]);
    const { client, waits } = connect(api.url);
    const reasons: string[] = [];
    const stream = client.streamMessage(SESSION, "hello", { onReconnect: (reason) => reasons.push(reason.name) });
    expect(await collect(stream)).toEqual(ALL);
    expect(api.requests.map(({ method, path, headers }) => [method, path, headers["last-event-id"]])).toEqual([
      ["POST", MESSAGES, undefined],
      ["GET", EVENTS, "2.3"],
      ["GET", EVENTS, "2.7"],
    ]);
    expect(reasons).toEqual(["UnreachableError", "UnreachableError"]);
    expect(waits).toEqual([250, 250]);
  });

  it("is posted again with the same idempotency key when there was no answer", async () => {
    await using api = await startFakeApi([(response) => void response.destroy(), answerEvents(TURN)]);
    const { client } = connect(api.url);
    expect(await collect(client.streamMessage(SESSION, "hello"))).toEqual(ALL);
    const keys = api.requests.map(({ method, headers }) => [method, headers["idempotency-key"]]);
    expect(keys[0]![1]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it("counts as broken when the stream ends without turn_end", async () => {
    await using api = await startFakeApi([answerEvents(TURN.slice(0, 4)), answerEvents(TURN.slice(4))]);
    const { client } = connect(api.url);
    expect(await collect(client.streamMessage(SESSION, "hello"))).toEqual(ALL);
  });

  it("backs off longer each time, and gives up after the total wait", async () => {
    const api = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    const { client, waits } = connect(api.url, 2_000);
    await expect(collect(client.streamMessage(SESSION, "hello"))).rejects.toThrow(
      new UnreachableError(`Nothing answers at ${api.url} (ECONNREFUSED).`),
    );
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });

  it("is not sent again when it is refused", async () => {
    await using api = await startFakeApi([answerProblem(409, "idempotency_conflict")]);
    const { client } = connect(api.url);
    const refused = collect(client.streamMessage(SESSION, "hello"));
    await expect(refused).rejects.toThrow(ProblemError);
    await expect(refused).rejects.toThrow("It is idempotency_conflict. (idempotency_conflict)");
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ["state_newer", 503],
    ["bad_settings", 503],
    ["workspace_full", 507],
  ])("is neither sent nor read again when the answer is %s", async (code, status) => {
    await using api = await startFakeApi([answerProblem(status, code)]);
    const { client } = connect(api.url, 2_000);
    const refused = collect(client.streamMessage(SESSION, "hello"));
    await expect(refused).rejects.toMatchObject({ name: "ProblemError", problem: { code } });
    expect(api.requests).toHaveLength(1);
  });

  it("is not read again when the server breaks the protocol", async () => {
    const broken = [["1.0", { type: "turn_start" }]] as unknown as Wire[];
    await using api = await startFakeApi([answerEvents(broken)]);
    const { client } = connect(api.url);
    await expect(collect(client.streamMessage(SESSION, "hello"))).rejects.toThrow(ProtocolError);
    expect(api.requests).toHaveLength(1);
  });

  it("throws the reason of its signal", async () => {
    await using api = await startFakeApi([answerEvents(TURN.slice(0, 2), { cut: true })]);
    const { client } = connect(api.url);
    const leave = new AbortController();
    const reason = new Error("left");
    const onReconnect = () => leave.abort(reason);
    const stream = client.streamMessage(SESSION, "hello", { signal: leave.signal, onReconnect });
    await expect(collect(stream)).rejects.toBe(reason);
  });
});

describe("a request", () => {
  it("escapes each part of a file's path", async () => {
    await using api = await startFakeApi([answerJson(201, { path: "a b/50%?#.csv", size: 2 })]);
    const { client } = connect(`${api.url}/`);
    expect(await client.putFile(SESSION, "a b/50%?#.csv", "hi")).toEqual({ path: "a b/50%?#.csv", size: 2 });
    expect(api.requests[0]).toMatchObject({
      method: "PUT",
      path: `/v1/sessions/${SESSION}/files/a%20b/50%25%3F%23.csv`,
      body: "hi",
      headers: { "content-type": "application/octet-stream" },
    });
  });

  it("carries a problem document as an error", async () => {
    await using api = await startFakeApi([answerProblem(404, "session_not_found")]);
    const { client } = connect(api.url);
    const error = await client.session(SESSION).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toEqual({
      type: "urn:talaria:problem:session_not_found",
      title: "session_not_found",
      status: 404,
      code: "session_not_found",
      detail: "It is session_not_found.",
    });
  });

  it("says when a refusal is not a problem document", async () => {
    await using api = await startFakeApi([(response) => void response.writeHead(403).end("<html>")]);
    const { client } = connect(api.url);
    await expect(client.health()).rejects.toMatchObject({ problem: { status: 403, code: "not_a_problem" } });
  });
});

describe("a name in a path", () => {
  it("that would reach another route is never sent", async () => {
    await using api = await startFakeApi([]);
    const { client } = connect(api.url);
    for (const call of [
      client.deleteFile(SESSION, "../../../keys/key_000000000000"),
      client.putFile(SESSION, "a/./b", "x"),
      client.skill(".."),
      client.http.send("DELETE", "/v1/skills/%2e%2E"),
      client.revokeKey("."),
    ]) {
      await expect(call).rejects.toMatchObject({ name: "ProblemError", problem: { status: 400, code: "bad_path" } });
    }
    expect(api.requests).toEqual([]);
  });

  it("may contain dots", async () => {
    await using api = await startFakeApi([answerJson(201, { path: "..a/.b/c..", size: 1 })]);
    await connect(api.url).client.putFile(SESSION, "..a/.b/c..", "x");
    expect(api.requests.map(({ path }) => path)).toEqual([`/v1/sessions/${SESSION}/files/..a/.b/c..`]);
  });
});
