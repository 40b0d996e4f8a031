// Code across the real api Worker: ten sessions whose model sends bombs, beside ten quiet ones, in one workerd process. A local server
// stands for the model: it calls execute_code with the code in the person's message, and then repeats what the tool said.
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import type { Entry, ToolEntry } from "../../core/schemas/entry.ts";
import { BOMBS } from "../sandbox/hostile-code.ts";
import { toSse } from "../support/wires/sse-body.ts";
import { toChatFrames } from "../support/wires/wire-openai-chat.ts";

const OPERATOR = "operator-token-for-tests";
const QUIET = `const { content } = await tools.read_file({ path: "in.txt" });
await tools.write_file({ path: "out.txt", content: content.toUpperCase() });
return (await tools.terminal({ command: "cat out.txt" })).stdout`;

let model: Server;
let server: ReturnType<typeof createTestHarness>;
let key = "";

interface ChatMessage {
  role: string;
  content: string;
}

beforeAll(async () => {
  model = createServer((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (piece: Buffer) => (body += piece.toString()));
    incoming.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: ChatMessage[] };
      const last = messages.at(-1)!;
      const code = messages.findLast(({ role }) => role === "user")!.content;
      const call = { id: "c1", name: "execute_code", arguments: JSON.stringify({ code }) };
      const answer = last.role === "tool" ? { text: `It said: ${last.content.slice(0, 400)}` } : { calls: [call] };
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(toChatFrames(answer, "scripted").map(toSse).join(""));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const settings = { turn: { titles: false }, review: { enabled: false } };
  const vars = {
    ...{ TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS: JSON.stringify(settings) },
    ...{ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "k", OPENAI_MODEL: "scripted" },
  };
  const root = join(import.meta.dirname, "../..");
  server = createTestHarness({ root, workers: [{ configPath: "wrangler.toml", vars }] });
  await server.listen();
  ({ key } = await request<{ key: string }>("POST", "/v1/profiles", OPERATOR));
}, 180_000);

afterAll(async () => {
  await server?.close();
  model.close();
});

async function request<T>(method: string, path: string, bearer: string, body?: unknown): Promise<T> {
  const response = await server.fetch(path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

/** One turn whose message is the code. Returns the entry of the call, and the answer. */
async function runIn(session: string, code: string): Promise<{ tool: ToolEntry; answer: string; ms: number }> {
  const began = performance.now();
  const stream = await server.fetch(`/v1/sessions/${session}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: code }),
  });
  expect(await stream.text()).toContain("event: turn_end");
  const { entries } = await request<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`, key);
  const tool = entries.findLast((entry): entry is ToolEntry => entry.kind === "tool")!;
  return { tool, answer: JSON.stringify(entries.at(-1)), ms: performance.now() - began };
}

async function openSession(): Promise<string> {
  const { session } = await request<{ session: string }>("POST", "/v1/sessions", key, { learning: "off" });
  await server.fetch(`/v1/sessions/${session}/files/in.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}` },
    body: "text\n",
  });
  return session;
}

const codeOf = ({ parts }: ToolEntry) => (JSON.parse(parts[0]!.text) as { code?: string }).code;

it(
  "ten sessions with bombs and ten quiet ones all answer, and the bombs' sessions go on",
  { timeout: 300_000 },
  async () => {
    const CODES = { time: "timed_out", memory: "memory_limit", stack: "stack_limit", output: "output_limit" };
    const bombs = Object.keys(CODES)
      .flatMap((stopped) => BOMBS.filter((bomb) => bomb[2] === stopped).slice(0, 4))
      .slice(0, 10);
    expect(bombs).toHaveLength(10);
    const sessions = await Promise.all(Array.from({ length: 20 }, openSession));
    const [loud, quiet] = [sessions.slice(0, 10), sessions.slice(10)];
    const runs = await Promise.all([
      ...loud.map((session, i) => runIn(session, bombs[i]![1])),
      ...quiet.map((session) => runIn(session, QUIET)),
    ]);
    expect(runs.slice(0, 10).map(({ tool }) => codeOf(tool))).toEqual(
      bombs.map((bomb) => CODES[bomb[2] as keyof typeof CODES]),
    );
    expect(runs.slice(10).map(({ tool, answer }) => [tool.failed, answer.includes("TEXT")])).toEqual(
      Array.from({ length: 10 }, () => [false, true]),
    );
    const after = await runIn(loud[0]!, "return 6 * 7");
    expect(after.answer).toContain("42");
  },
);
