// A local server over standard input and output, through a real exec host.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOutbound } from "../../../core/outbound/outbound.ts";
import { createExecClient } from "../../../core/tools/host/exec-client.ts";
import type { McpServer } from "../../../core/schemas/profile/mcp.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { EXEC_TOKEN, type RunningHost, startExecHost } from "../../support/exec-host.ts";
import { EVERYTHING, openTestDialer, toEntry } from "../../support/mcp/everything.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startExecHost();
});
afterAll(() => host.end());

const LIMITS = { timeoutMs: 20_000, signal: new AbortController().signal };

function open(command: string, env: Record<string, string> = {}) {
  const policy = { ports: [], allow: [], configured: [host.url] };
  const outbound = createOutbound({ fetch: (...request) => fetch(...request), clock: systemClock, policy });
  const exec = createExecClient({ baseUrl: host.url, token: EXEC_TOKEN, outbound });
  const sealed = [...JSON.stringify({ command, env })].reverse().join("");
  const config: McpServer = {
    v: 1,
    kind: "local",
    shown: "node",
    target: "node",
    sealed,
    secretNames: Object.keys(env),
  };
  return openTestDialer([], { exec }).dialer.open(toEntry("local", config), LIMITS);
}

const NODE = `'${process.execPath}' '${EVERYTHING}' stdio`;
const listCommands = async () =>
  (await host.call("GET /v1/commands")).body.commands as { command: string; state: string }[];

test("the reference server speaks over a command of the exec host, with its variables, and ends with the connection", async () => {
  const secret = "it's\na $(secret) \\ 4";
  const opened = await open(NODE, { MY_KEY: secret });
  if (!opened.ok) throw new Error(opened.failure.code);
  const connection = opened.value;
  expect(connection.transport).toBe("stdio");
  const listed = await connection.ask("tools/list", {}, LIMITS);
  expect(listed).toMatchObject({
    value: { tools: expect.arrayContaining([expect.objectContaining({ name: "echo" })]) },
  });
  const env = await connection.ask("tools/call", { name: "get-env", arguments: {} }, LIMITS);
  const [{ text }] = (env as { value: { content: [{ text: string }] } }).value.content;
  expect(JSON.parse(text).MY_KEY).toBe(secret);
  expect(JSON.stringify(await listCommands())).not.toContain("secret");
  const large = await connection.ask(
    "tools/call",
    { name: "echo", arguments: { message: "ü".repeat(300_000) } },
    LIMITS,
  );
  expect((large as { value: { content: [{ text: string }] } }).value.content[0].text.length).toBe(300_006);
  await connection.close();
  expect((await listCommands()).map(({ state }) => state)).toEqual(["ended"]);
});

test("a command that dies in the middle of a call ends the call at once", async () => {
  const opened = await open(NODE);
  if (!opened.ok) throw new Error(opened.failure.code);
  const params = { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 2 } };
  const call = opened.value.ask("tools/call", params, LIMITS);
  const running = (await host.call("GET /v1/commands")).body.commands.find(
    (one: { state: string }) => one.state === "running",
  );
  await host.call(`POST /v1/commands/${encodeURIComponent(running.op)}/kill`, {});
  expect(await call).toMatchObject({ ok: false, failure: { code: "mcp_lost", sent: true } });
  await opened.value.close();
});

test("a command that does not exist cannot be reached", async () => {
  expect(await open("/no/such/server")).toMatchObject({ ok: false, failure: { code: "mcp_unreachable" } });
});
