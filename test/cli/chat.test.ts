import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Handler, type Wire, answerEvents, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();

const CHAT = join(import.meta.dirname, "../../cli/chat.ts");
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const INFO = { session: SESSION, title: "", learning: "on", createdAt: 1 };

const USAGE = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 };
const STATS = { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage: USAGE };
const TURN: Wire[] = [
  ["1.0", { type: "turn_start", turn: 1, entry: 1 }],
  ["2.6", { type: "text_delta", entry: 2, offset: 0, text: "Hello." }],
  ["2.7", { type: "turn_end", turn: 1, entry: 2, state: "done", stats: STATS }],
];
const STOPPED: Wire = ["2.7", { type: "turn_end", turn: 1, entry: 2, state: "stopped", stats: STATS }];

const LESSON = { kind: "memory", store: "memory", action: "add", id: "0".repeat(64), text: "t", citations: [] };
const LEARNED = { review: `${SESSION}.1-2`, state: "done", summary: "Remembered 1 fact", lessons: [LESSON] };

const ALWAYS: Record<string, Handler> = {
  "GET /health": answerJson(200, { ok: true, version: "9.9.9", model: "rehearsal" }),
  "POST /v1/sessions": answerJson(201, INFO),
  [`GET /v1/reviews?session=${SESSION}`]: answerJson(200, { reviews: [] }),
};

/** Runs far from any `.talaria`, with nothing of ours in the environment. */
function chat(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CHAT, ...args], {
    cwd: tempFolder(),
    env: { PATH: process.env.PATH, ...env },
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

describe("npm run chat", () => {
  it("answers one prompt on standard output and leaves", async () => {
    await using api = await startFakeApi([answerEvents(TURN)], ALWAYS);
    const { code, stdout, stderr } = await chat(["-p", "hi"], connected(api.url)).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "Hello.\n",
      stderr: "1 model call, 0 tool calls, 12 tokens\n",
    });
    expect(api.requests.map((request) => request.body)).toEqual(['{"text":"hi"}']);
  });

  it("prints each event as a line of JSON when asked to", async () => {
    await using api = await startFakeApi([answerEvents(TURN)], ALWAYS);
    const { code, stdout, stderr } = await chat(["-p", "hi", "--json"], connected(api.url)).ended;
    const lines = stdout.trim().split("\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(TURN.map(([id, event]) => ({ id, ...event })));
  });

  it("sends the lines of a pipe one after the other, each when the last is answered", async () => {
    await using api = await startFakeApi([answerEvents(TURN), answerEvents(TURN)], ALWAYS);
    const { child, ended } = chat([], connected(api.url));
    child.stdin.end("first\n\n second \n/exit\nnever\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\nHello.\n" });
    expect(stderr.split("\n")[0]).toBe(`Talaria 9.9.9, rehearsal, session ${SESSION}`);
    expect(api.requests.map((request) => request.body)).toEqual(['{"text":"first"}', '{"text":"second"}']);
  });

  it("prints one line when a review has learned something", async () => {
    let looks = 0;
    const reviews: Handler = (response, request) =>
      answerJson(200, { reviews: looks++ === 0 ? [] : [LEARNED] })(response, request);
    await using api = await startFakeApi([answerEvents(TURN)], {
      ...ALWAYS,
      [`GET /v1/reviews?session=${SESSION}`]: reviews,
    });
    const { child, ended } = chat([], connected(api.url));
    child.stdin.write("hi\n");
    const told = new Promise<void>((resolve) => {
      let seen = "";
      child.stderr.on("data", (piece) => {
        seen += String(piece);
        if (seen.includes("★")) resolve();
      });
    });
    await told;
    child.stdin.end();
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.startsWith("★"))).toEqual(["★ Remembered 1 fact"]);
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
      code: 1,
      stderr: "(stopping; Ctrl-C again leaves without waiting)\nstopped: 1 model call, 0 tool calls, 12 tokens\n",
    });
  });

  it("goes on talking after a message that was refused", async () => {
    await using api = await startFakeApi([answerProblem(429, "too_many_queued"), answerEvents(TURN)], ALWAYS);
    const { child, ended } = chat([], connected(api.url));
    child.stdin.end("one\ntwo\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\n" });
    expect(stderr).toContain("It is too_many_queued. (too_many_queued)\n");
  });

  it("passes on no control character that a server puts into its errors", async () => {
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
    expect((await ended).stderr).toBe(`Talaria 9[2J, m]0;x, session ${SESSION}\n`);
  });

  it("says what to do when nothing listens, when there is no key, and when a flag is wrong", async () => {
    const api = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    expect(await chat(["-p", "hi"], connected(api.url)).ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `Nothing answers at ${api.url} (ECONNREFUSED). Is it running? \`npm start\` starts it.\n`,
    });
    expect((await chat(["-p", "hi"]).ended).stderr).toMatch(/^No address\. Run `npm start` once/);
    expect((await chat(["--loud"]).ended).stderr).toMatch(/^Unknown option '--loud'[^]*npm run chat/);
  });
});
