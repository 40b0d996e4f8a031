// The chat client as a process, against a fake API: one prompt, piped lines, a lost connection, Ctrl-C, wrong input.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Handler, type Wire, answerEvents, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";
import type { FakeSocket } from "../support/wires/fake-socket.ts";
import { EMPTY } from "./ledger-sample.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
/** Compiling the client takes more than half of a process's time, so only the first one does it. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? tempFolder() };

const CHAT = join(import.meta.dirname, "../../cli/talaria.ts");
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const INFO = { session: SESSION, title: "", learning: "on", backend: "workspace", createdAt: 1 };

const USAGE = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 };
const STATS = { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage: USAGE };
const TURN: Wire[] = [
  ["1.0", { type: "turn_start", turn: 1, entry: 1 }],
  ["2.6", { type: "text_delta", entry: 2, offset: 0, text: "Hello." }],
  ["2.7", { type: "turn_end", turn: 1, entry: 2, state: "done", reason: "answer", stats: STATS }],
];
const STOPPED: Wire = [
  "2.7",
  { type: "turn_end", turn: 1, entry: 2, state: "stopped", reason: "stopped", stats: STATS },
];

const SPENT = { calls: 1, tokens: 12, usd: 0.0001 };
const DETAIL = { ...INFO, state: "idle", turns: [], reviewing: [], usage: SPENT };

const ALWAYS: Record<string, Handler> = {
  "GET /health": answerJson(200, { ok: true, version: "9.9.9", model: "rehearsal" }),
  "POST /v1/sessions": answerJson(201, INFO),
  [`GET /v1/sessions/${SESSION}`]: answerJson(200, DETAIL),
};

/** Runs in a folder without `.talaria`, with no variable of Talaria in the environment. */
function chat(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CHAT, ...args], {
    cwd: tempFolder(),
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => (output.stdout += piece));
  child.stderr.on("data", (piece) => (output.stderr += piece));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}

const connected = (url: string) => ({ TALARIA_URL: url, TALARIA_KEY: "tal_key" });

/**
 * A session as the API shows it. Each message becomes a turn, which begins at once on the WebSocket and, if the session
 * `answers`, ends there too. The log has the requests and the ended turns.
 */
async function startSession({ answers, refuseFirst = false }: { answers: boolean; refuseFirst?: boolean }) {
  const log: string[] = [];
  const sockets: FakeSocket[] = [];
  const open: number[] = [];
  const waiters = new Set<() => void>();
  let turns = 0;
  let refused = !refuseFirst;
  const note = (line: string) => {
    log.push(line);
    for (const wake of waiters) wake();
  };
  const end = (turn: number) => {
    const entry = turn * 2;
    const text = `Answer ${turn}.`;
    const socket = sockets.at(-1)!;
    socket.send(`${entry}.${text.length}`, { type: "text_delta", entry, offset: 0, text });
    socket.send(`${entry}.${text.length + 1}`, {
      type: "turn_end",
      turn,
      entry,
      state: "done",
      reason: "answer",
      stats: STATS,
    });
    note(`ends ${turn}`);
  };
  const post: Handler = async (response, request) => {
    if (!refused) {
      refused = true;
      return answerProblem(429, "too_many_queued")(response, request);
    }
    const turn = ++turns;
    const accepted = { session: SESSION, turn: `${SESSION}-${turn}`, entry: null, replayed: false, events: "/" };
    await answerJson(202, accepted)(response, request);
    await until(() => sockets.length > 0);
    sockets.at(-1)!.send(`${turn * 2 - 1}.0`, { type: "turn_start", turn, entry: turn * 2 - 1 });
    note(request.body);
    if (answers) end(turn);
    else open.push(turn);
  };
  const stop: Handler = (response, request) => {
    note("stop");
    return answerJson(200, { stopped: [] })(response, request);
  };
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, sources: {} };
  const report = { from: "2026-01-01", to: "2026-01-30", by: "day", lines: [], grants: [] };
  const routes: Record<string, Handler> = {
    ...ALWAYS,
    [`POST /v1/sessions/${SESSION}/messages`]: post,
    [`POST /v1/sessions/${SESSION}/stop`]: stop,
    "GET /v1/usage": answerJson(200, { ...report, totals: { ...sum, calls: 7, tokens: 99, usd: 0 } }),
  };
  const api = await startFakeApi([], routes, (socket) => {
    sockets.push(socket);
    note(`socket ${new URL(socket.path, "http://a").searchParams.get("after")}`);
  });
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      await promise;
      waiters.delete(resolve);
    }
  }
  return {
    url: api.url,
    log,
    socket: () => sockets.at(-1)!,
    endTurns: () => open.splice(0).forEach(end),
    until: (line: string) => until(() => log.includes(line)),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

describe("talaria", { timeout: 30_000 }, () => {
  it("answers one prompt on standard output and exits", async () => {
    await using api = await startFakeApi([answerEvents(TURN)], ALWAYS);
    const { code, stdout, stderr } = await chat(["-p", "hi"], connected(api.url)).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "Hello.\n",
      stderr: "1 model call, 0 tool calls, 12 tokens\n",
    });
    expect(api.requests.map((request) => request.body)).toEqual(['{"text":"hi"}']);
  });

  it("leaves with code 5 and says where a question is answered when one prompt waits for it", async () => {
    const question = {
      for: "approval" as const,
      id: "ab12cd34ab12cd34ab12",
      summary: "rm a",
      reasons: [],
      covers: null,
      until: 9,
    };
    const park: Wire = [
      "2.1",
      { type: "turn_park", turn: 1, entry: 2, question, text: "The agent asks to run:\nrm a" },
    ];
    await using api = await startFakeApi([answerEvents([TURN[0]!, park, ...TURN.slice(1)])], ALWAYS);
    const { code, stderr } = await chat(["-p", "hi"], connected(api.url)).ended;
    expect(code).toBe(5);
    expect(stderr).toContain(`(The turn waits for your answer: talaria --session ${SESSION})`);
  });

  it("prints each event as a line of JSON with --json", async () => {
    await using api = await startFakeApi([answerEvents(TURN)], ALWAYS);
    const { code, stdout, stderr } = await chat(["-p", "hi", "--json"], connected(api.url)).ended;
    const lines = stdout.trim().split("\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(TURN.map(([id, event]) => ({ id, ...event })));
  });

  it("prints the page of learning, or its JSON, without creating a session", async () => {
    await using api = await startFakeApi([answerJson(200, EMPTY), answerJson(200, EMPTY)]);
    const page = await chat(["learning"], connected(api.url)).ended;
    expect(page).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("No skill of its own yet.") });
    const json = await chat(["learning", "reading-tables", "--json"], connected(api.url)).ended;
    expect(JSON.parse(json.stdout)).toEqual(EMPTY);
    expect(api.requests.map(({ path }) => path)).toEqual(["/v1/learning", "/v1/learning?skill=reading-tables"]);
  });

  it.each([
    [["learnig"], '"learnig". Did you mean `talaria learning`?'],
    [["What", "is", "this"], '"What". A message is sent with -p TEXT.'],
  ])("refuses the arguments %j in two lines, with a suggestion", async (args, sentence) => {
    expect(await chat(args).ended).toEqual({
      code: 2,
      stdout: "",
      stderr: `Unexpected argument ${sentence}\n\`talaria --help\` shows the options.\n`,
    });
  });

  it("sends each line of a pipe after the answer to the line before", async () => {
    await using api = await startSession({ answers: true });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.end("first\n\n second \n/exit\nnever\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Answer 1.\nAnswer 2.\n" });
    expect(stderr.split("\n")[0]).toBe(`Talaria 9.9.9, rehearsal, session ${SESSION} (/help)`);
    expect(api.log).toEqual(["socket 0.0", '{"text":"first"}', "ends 1", '{"text":"second"}', "ends 2"]);
  });

  it("shows events between turns, and repeats nothing when the connection breaks", async () => {
    await using api = await startSession({ answers: true });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.write("hi\n");
    await api.until("ends 1");
    api.socket().send("3.0", { type: "notice_add", entry: 3, code: "learned", text: "Remembered 1 fact" });
    api.socket().cut();
    await api.until("socket 3.0");
    api.socket().send("4.0", { type: "notice_add", entry: 4, code: "learned", text: "Remembered \x1b[2J 2 facts" });
    child.stdin.end();
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr.split("\n").slice(1)).toEqual([
      "1 model call, 0 tool calls, 12 tokens",
      "★ Remembered 1 fact",
      expect.stringMatching(/^\(connection lost, trying again: The connection was closed \(1006/),
      "★ Remembered [2J 2 facts",
      "",
    ]);
  });

  it("sends steer, interrupt, queue and stop at once, even from a pipe", async () => {
    await using api = await startSession({ answers: false });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.write("task\nwaits\n/steer  left\n/interrupt now\n/queue then\n/steer\n/usage\n/stop\n");
    await api.until("stop");
    api.endTurns();
    await api.until('{"text":"waits"}');
    api.endTurns();
    child.stdin.end();
    const { stderr } = await ended;
    expect(api.log.filter((line) => !line.startsWith("ends"))).toEqual([
      "socket 0.0",
      '{"text":"task"}',
      '{"text":"left","busy":"steer"}',
      '{"text":"now","busy":"interrupt"}',
      '{"text":"then","busy":"queue"}',
      "stop",
      '{"text":"waits"}',
    ]);
    expect(stderr).toContain("Write it as /steer TEXT.\n");
    expect(stderr).toContain(
      "this session: 1 model call, 12 tokens, $0.0001\nthis profile, 30 days: 7 model calls, 99 tokens, $0.0000\n",
    );
  });

  it("reads one turn at a time, and says so, where WebSockets are refused", async () => {
    const accepted = { session: SESSION, turn: `${SESSION}-1`, entry: 1, replayed: false, events: "/" };
    const list = [answerJson(202, accepted), answerEvents(TURN)];
    const socket = { [`GET /v1/sessions/${SESSION}/socket?after=0.0`]: answerProblem(426, "upgrade_required") };
    await using api = await startFakeApi(list, { ...ALWAYS, ...socket });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.end("hi\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\n" });
    expect(stderr).toContain("(no WebSocket available: events between turns are shown with the next turn)\n");
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/sessions/${SESSION}/messages`,
      `GET /v1/sessions/${SESSION}/events`,
    ]);
  });

  it("stops the turn at the first Ctrl-C and shows how it ended", async () => {
    let stop: () => void = () => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    const streaming: Handler = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "talaria-turn": `${SESSION}-1` });
      response.write(`id: 1.0\nevent: turn_start\ndata: ${JSON.stringify(TURN[0]![1])}\n\n`);
      running();
      await stopped;
      response.end(`id: ${STOPPED[0]}\nevent: turn_end\ndata: ${JSON.stringify(STOPPED[1])}\n\n`);
    };
    let running: () => void = () => {};
    const begun = new Promise<void>((resolve) => (running = resolve));
    const onStop: Handler = (response, request) => {
      stop();
      return answerJson(200, { stopped: [`${SESSION}-1`] })(response, request);
    };
    await using api = await startFakeApi([streaming], { ...ALWAYS, [`POST /v1/sessions/${SESSION}/stop`]: onStop });
    const { child, ended } = chat(["-p", "hi"], connected(api.url));
    await begun;
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: "(stopping; Ctrl-C again leaves without waiting)\nstopped: 1 model call, 0 tool calls, 12 tokens\n",
    });
  });

  it("continues the conversation after a refused message", async () => {
    await using api = await startSession({ answers: true, refuseFirst: true });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.end("one\ntwo\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Answer 1.\n" });
    expect(stderr).toContain("It is too_many_queued. (too_many_queued)\n");
  });

  it("removes control characters from a server's errors", async () => {
    const evil: Handler = (response) => {
      response.writeHead(502, { "content-type": "application/problem+json" });
      const detail = "gone \x1b]0;owned\x07\x9b2J.";
      response.end(JSON.stringify({ type: "t", title: "t", status: 502, code: "x", detail }));
    };
    await using api = await startFakeApi([], { ...ALWAYS, "POST /v1/sessions": evil, "GET /health": evil });
    const { code, stderr } = await chat(["-p", "hi"], connected(api.url)).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: "gone ]0;owned2J. (x)\n" });
    const health = answerJson(200, { ok: true, version: "9\x1b[2J", model: "m\x1b]0;x\x07" });
    await using other = await startFakeApi([], { ...ALWAYS, "GET /health": health });
    const { child, ended } = chat([], connected(other.url));
    child.stdin.end();
    expect((await ended).stderr.split("\n")[0]).toBe(`Talaria 9[2J, m]0;x, session ${SESSION} (/help)`);
  });

  it("says what to do without a server, without a key and after a wrong flag", async () => {
    const api = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    expect(await chat(["-p", "hi"], connected(api.url)).ended).toEqual({
      code: 4,
      stdout: "",
      stderr: `Nothing answers at ${api.url} (ECONNREFUSED). Is it running? \`npm start\` starts it.\n`,
    });
    expect((await chat(["-p", "hi", "--profile", "./none.json"]).ended).stderr).toMatch(
      /^No address\. Run `npm start` once/,
    );
    expect((await chat(["--loud"]).ended).stderr).toMatch(/^Unknown option '--loud'[^]*talaria --help/);
  });
});
