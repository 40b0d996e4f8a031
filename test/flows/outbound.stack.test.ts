// Where a session's model calls may go, in the product's own stack: to the address that the operator configured, and not where a reply of
// that server redirects them.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";

const OPERATOR = "operator-token-for-tests";
const CHUNKS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hello there." } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];

const asked: string[] = [];
let redirectTo: string | null = null;
const model = createServer((incoming, outgoing) => {
  asked.push(`model ${incoming.url} ${incoming.headers.authorization}`);
  incoming.resume();
  if (redirectTo !== null) return outgoing.writeHead(307, { location: redirectTo }).end();
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.end([...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));
});
const trap = createServer((incoming, outgoing) => {
  asked.push(`trap ${incoming.url}`);
  outgoing.end();
});
const portOf = (of: typeof model) => (of.address() as AddressInfo).port;

const stateDir = mkdtempSync(join(tmpdir(), "talaria flow "));
let stack: Stack;
let key: string;

beforeAll(async () => {
  for (const one of [model, trap]) await once(one.listen(0, "127.0.0.1"), "listening");
  const vars = {
    TALARIA_OPERATOR_TOKEN: OPERATOR,
    TALARIA_MODEL: "openai-chat:some-model",
    OPENAI_BASE_URL: `http://127.0.0.1:${portOf(model)}/v1`,
    OPENAI_API_KEY: "a-key",
    TALARIA_SETTINGS: '{"turn":{"titles":false,"pausesMs":[]},"review":{"enabled":false}}',
  };
  stack = await startStack({ stateDir, vars });
  key = ((await call("POST", "/v1/profiles", {}, OPERATOR)) as { key: string }).key;
}, 120_000);
afterAll(async () => {
  await stack.kill();
  rmSync(stateDir, { recursive: true, force: true });
  for (const one of [model, trap]) one.close();
});

async function call(method: string, path: string, body?: object, bearer = key): Promise<unknown> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${stack.url}${path}`, init);
  expect([path, response.ok]).toEqual([path, true]);
  return response.json();
}

/** The entries of a session whose only turn has ended. */
async function converse(): Promise<string> {
  const { session } = (await call("POST", "/v1/sessions", { learning: "off" })) as { session: string };
  const stream = await fetch(`${stack.url}/v1/sessions/${session}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: "hello" }),
  });
  expect(await stream.text()).toContain("event: turn_end");
  return JSON.stringify(await call("GET", `/v1/sessions/${session}/entries`));
}

it("a turn reaches a private address that the operator configured", async () => {
  redirectTo = null;
  expect(await converse()).toContain("Hello there.");
  expect(asked.splice(0)).toEqual(["model /v1/chat/completions Bearer a-key"]);
});

it.each(["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"])(
  "a redirect of the model's server to %s ends the turn with url_refused, and nothing is sent there",
  async (host) => {
    redirectTo = `http://${host}:${portOf(trap)}/v1`;
    const entries = await converse();
    expect(entries).toContain("url_refused");
    expect(entries).toContain("the URL policy refuses");
    expect(asked.splice(0)).toEqual(["model /v1/chat/completions Bearer a-key"]);
  },
);
