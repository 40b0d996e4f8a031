// The MCP server across the real stack: the client of the SDK's first version, a stack that is killed while a client waits, and the
// official conformance suite in its released version.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { startKeyProxy } from "../../scripts/conformance/key-proxy.ts";
import { SUITES, runSuite } from "../../scripts/conformance/run-suite.ts";
import { putSampleSkill } from "../../scripts/conformance/sample-skill.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { type ModelServer, startModelServer } from "../support/wires/model-server.ts";
import { type Script, writeScript } from "../support/wires/wire-script.ts";

const OPERATOR = "operator-token-for-tests";
const ANSWER = "The quay is 120 m long.";
const folder = mkdtempSync(join(tmpdir(), "talaria flow "));

let models: ModelServer;
let script: Script;
let vars: Record<string, string>;
let stack: Stack;
let key: string;

beforeAll(async () => {
  models = await startModelServer();
  script = await writeScript(models.url, [
    { kind: "answer", answer: { text: ANSWER }, frames: 2, afterwards: "hold" },
    { kind: "answer", answer: { text: ANSWER } },
  ]);
  vars = {
    ...{ OPENAI_BASE_URL: script.baseUrl, OPENAI_API_KEY: "k", OPENAI_MODEL: "scripted" },
    TALARIA_OPERATOR_TOKEN: OPERATOR,
    TALARIA_SETTINGS: '{"turn":{"titles":false,"leaseMs":1000},"review":{"enabled":false}}',
  };
  stack = await startStack({ stateDir: join(folder, "state"), vars });
  ({ key } = await createClient({ url: stack.url, key: OPERATOR }).createProfile());
  await putSampleSkill(stack.url, key);
}, 120_000);
afterAll(async () => {
  await stack?.kill();
  await models?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`), { requestInit: { headers } }));
  return client;
}

it("answers a repeated call after the stack was killed while the first one waited, with one session and one turn", async () => {
  const message = { name: "send_message", arguments: { text: "How long is the quay?", key: "quay-1" } };
  const cut = await connect();
  const first = cut.callTool(message).then(
    () => "answered",
    () => "cut off",
  );
  await expect.poll(async () => (await script.requests()).length, { timeout: 20_000 }).toBe(1);
  await stack.kill();
  await cut.close();
  expect(await first).toBe("cut off");
  stack = await startStack({ stateDir: join(folder, "state"), vars });
  const client = await connect();
  const { structuredContent: report } = await client.callTool(message);
  expect(report).toMatchObject({ state: "done", answer: ANSWER });
  const { session, turn } = report as { session: string; turn: string };
  expect(turn).toBe(`${session}-1`);
  expect(await createClient({ url: stack.url, key }).listSessions()).toMatchObject([{ session }]);
  expect(await script.requests()).toHaveLength(2);
});

it("lets the SDK's first client list, read and call", async () => {
  const client = await connect();
  expect(client.getServerVersion()).toMatchObject({ name: "talaria" });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("send_message");
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("kiln-keeping");
  const { messages } = await client.getPrompt({ name: "kiln-keeping", arguments: { request: "Fire the bowl." } });
  expect(messages).toMatchObject([{ role: "user", content: { text: expect.stringMatching(/Fire the bowl\.$/) } }]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("skill://kiln-keeping/SKILL.md");
  const { contents } = await client.readResource({ uri: "skill://kiln-keeping/assets/glaze.bin" });
  expect(contents).toMatchObject([{ blob: "AP/+gA==" }]);
  const added = await client.callTool({ name: "add_memory", arguments: { store: "user", content: "Likes quays." } });
  expect(added).toMatchObject({ structuredContent: { store: "user", existed: false } });
});

it("passes what it claims of the official conformance suite", async () => {
  await using proxy = await startKeyProxy(() => stack.url, key);
  const results = await runSuite(SUITES[0]!, `${proxy.url}/mcp`);
  expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  const passed = results.filter(({ outcome }) => outcome === "passed").map(({ scenario }) => scenario);
  expect(passed).toEqual([
    "dns-rebinding-protection",
    "ping",
    "prompts-list",
    "resources-list",
    "server-initialize",
    "tools-list",
  ]);
});
