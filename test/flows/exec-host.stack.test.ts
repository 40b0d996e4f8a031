// A session on a real machine, across the real Workers and a real exec host: approvals, every way out of the folder by a model that
// tries, and what becomes of a command when the Workers or the exec host are killed while it runs.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApprovalInfo, CreatedSession, SessionDetail } from "../../core/schemas/api.ts";
import type { Entry, JsonObject } from "../../core/schemas/entry.ts";
import { groupMembers, identifyProcess, readCommandLine } from "../../scripts/stack/processes.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { isRunning, until } from "../support/exec-host.ts";
import { toSse } from "../support/wires/sse-body.ts";
import { toChatFrames } from "../support/wires/wire-openai-chat.ts";
import type { ScriptedAnswer } from "../support/wires/wire-script.ts";

const OPERATOR = "operator-token-for-tests";
const base = realpathSync(mkdtempSync(join(tmpdir(), "talaria exec ")));
const [folder, beside] = [join(base, "work"), join(base, "beside")];
const inside = (path: string) => join(folder, path);

/** What the model answers next; then "Done." */
const script: ScriptedAnswer[] = [];
const offered: string[][] = [];
const model = createServer(async (incoming, outgoing) => {
  let body = "";
  for await (const piece of incoming) body += String(piece);
  const { tools = [] } = JSON.parse(body) as { tools?: { function: { name: string } }[] };
  offered.push(tools.map((tool) => tool.function.name));
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.end(
    toChatFrames(script.shift() ?? { text: "Done." }, "scripted")
      .map(toSse)
      .join(""),
  );
});
let stack: Stack;
let vars: Record<string, string>;
let key = "";

beforeAll(async () => {
  for (const made of [folder, beside]) mkdirSync(made);
  writeFileSync(join(beside, "secret"), "SECRET");
  await new Promise<void>((done) => model.listen(0, "127.0.0.1", done));
  vars = {
    TALARIA_OPERATOR_TOKEN: OPERATOR,
    TALARIA_MODEL: "openai-chat:scripted",
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    TALARIA_SETTINGS: JSON.stringify({
      turn: { titles: false, leaseMs: 2_000 },
      approvals: { mode: "off" },
      review: { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000 },
    }),
  };
  stack = await startStack({ stateDir: join(base, "state"), vars, shell: folder });
  key = (await call<{ key: string }>("POST", "/v1/profiles", {}, OPERATOR)).key;
}, 180_000);
afterAll(async () => {
  await stack?.kill();
  model.closeAllConnections();
  model.close();
  rmSync(base, { recursive: true, force: true });
});

async function call<T>(method: string, path: string, body?: object, bearer = key): Promise<T> {
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return (text ? JSON.parse(text) : null) as T;
}

const createSession = async (): Promise<string> =>
  (await call<CreatedSession>("POST", "/v1/sessions", { backend: "host", learning: "off" })).session;

async function post(session: string, answers: ScriptedAnswer[]): Promise<void> {
  script.splice(0, script.length, ...answers);
  await call("POST", `/v1/sessions/${session}/messages`, { text: "Go on." });
}

let ids = 0;
const toCalls = (...calls: [name: string, args: JsonObject][]): ScriptedAnswer => ({
  text: "",
  calls: calls.map(([name, args], i) => ({ id: `c${++ids}-${i}`, name, arguments: JSON.stringify(args) })),
});

/** Waits until no turn runs. */
async function settle(session: string): Promise<SessionDetail> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const detail = await call<SessionDetail>("GET", `/v1/sessions/${session}`);
    if (detail.state === "idle") return detail;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the session did not become idle");
}

/** Each tool result of a session, its parts merged, in order. */
async function readResults(session: string): Promise<(JsonObject & { failed: boolean })[]> {
  const { entries } = await call<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`);
  return entries.flatMap((entry) =>
    entry.kind === "tool" && entry.state === "done"
      ? [{ ...Object.assign({}, ...entry.parts.map((part) => JSON.parse(part.text))), failed: entry.failed }]
      : [],
  );
}

async function work(session: string, ...answers: ScriptedAnswer[]) {
  const before = (await readResults(session)).length;
  await post(session, answers);
  await settle(session);
  return (await readResults(session)).slice(before);
}

function findProcess(part: string): number {
  return groupMembers(identifyProcess(stack.pid)).find((pid) => readCommandLine(pid).includes(part))!;
}

async function readPid(file: string): Promise<number> {
  await until(() => existsSync(inside(file)) && readFileSync(inside(file), "utf8").endsWith("\n"));
  return Number(readFileSync(inside(file), "utf8"));
}

test("a session says where it works, and has the tools of that place", async () => {
  const session = await createSession();
  expect(await call("GET", `/v1/sessions/${session}`)).toMatchObject({ backend: "host" });
  const results = await work(
    session,
    toCalls([
      "terminal",
      { command: "pwd; node -p 6*7; git --version || true; env | grep -c -i -E 'token|api_key|talaria_' || true" },
    ]),
    toCalls(["write_file", { path: "a.txt", content: "one\ntwo\n" }]),
    toCalls(["patch", { path: "a.txt", old_string: "two", new_string: "three" }]),
    toCalls(["read_file", { path: "a.txt" }], ["search_files", { pattern: "thr" }]),
  );
  expect(results.map(({ failed }) => failed)).toEqual([false, false, false, false, false]);
  expect(results[0]!.stdout).toMatch(new RegExp(`^${folder}\n42\n(?:git version .*\n)?0\n$`));
  expect(results[3]).toMatchObject({ content: "one\nthree\n" });
  expect(results[4]).toMatchObject({ lines: ["a.txt:2:three"] });
  expect(readFileSync(inside("a.txt"), "utf8")).toBe("one\nthree\n");
  expect(offered.at(-1)).toEqual(
    expect.arrayContaining(["terminal", "process", "read_file", "write_file", "patch", "search_files"]),
  );

  const { session: plain } = await call<CreatedSession>("POST", "/v1/sessions", {});
  expect(await call("GET", `/v1/sessions/${plain}`)).toMatchObject({ backend: "workspace" });
  await work(plain);
  expect(offered.at(-1)).toContain("terminal");
  expect(offered.at(-1)).not.toContain("process");
});

test("no file tool leaves the folder, whatever the model tries", async () => {
  symlinkSync(beside, inside("out"));
  symlinkSync("../beside/secret", inside("leak"));
  const paths = [
    "../beside/secret",
    join(beside, "secret"),
    "out/secret",
    "leak",
    "/etc/passwd",
    "a/../../beside/secret",
  ];
  // A session each: a turn ends when many calls in a row fail.
  const tries: [name: string, args: (path: string) => JsonObject][] = [
    ["read_file", (path) => ({ path })],
    ["write_file", (path) => ({ path, content: "taken" })],
    ["patch", (path) => ({ path, old_string: "SECRET", new_string: "taken" })],
    ["search_files", (path) => ({ pattern: "SECRET|root", path })],
  ];
  const results: (JsonObject & { failed: boolean })[] = [];
  for (const [name, toArgs] of tries) {
    results.push(...(await work(await createSession(), ...paths.map((path) => toCalls([name, toArgs(path)])))));
  }
  const last = toCalls(["search_files", { pattern: "SECRET" }], ["terminal", { command: "pwd", workdir: "out" }]);
  results.push(...(await work(await createSession(), last)));
  expect(results.length).toBe(26);
  expect(results.filter(({ failed }) => !failed)).toEqual([{ matches: 0, truncated: false, lines: [], failed: false }]);
  expect(JSON.stringify(results)).not.toMatch(/SECRET|root:x/);
  expect(readFileSync(join(beside, "secret"), "utf8")).toBe("SECRET");
}, 60_000);

test("a command waits for its approval, runs once when it is approved, and never when it is refused", async () => {
  await call("PUT", "/v1/approvals", { mode: "manual" });
  const session = await createSession();
  const waiting = async (): Promise<ApprovalInfo> => {
    for (;;) {
      const { approvals } = await call<{ approvals: ApprovalInfo[] }>("GET", `/v1/sessions/${session}/approvals`);
      const open = approvals.find(({ state }) => state === "waiting");
      if (open) return open;
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  await post(session, [toCalls(["terminal", { command: "echo ran >> approved" }])]);
  const first = await waiting();
  expect(JSON.stringify(first)).toContain("echo ran >> approved");
  expect(existsSync(inside("approved"))).toBe(false);
  await call("POST", `/v1/sessions/${session}/approvals/${first.id}`, { approve: true });
  await settle(session);
  expect(readFileSync(inside("approved"), "utf8")).toBe("ran\n");

  await post(session, [toCalls(["write_file", { path: ".env", content: "A=1" }])]);
  const second = await waiting();
  await call("POST", `/v1/sessions/${session}/approvals/${second.id}`, { approve: false });
  await settle(session);
  expect(existsSync(inside(".env"))).toBe(false);

  // The hardline floor asks nobody.
  expect(await work(session, toCalls(["terminal", { command: "rm -rf /" }]))).toMatchObject([{ failed: true }]);
  await call("PUT", "/v1/approvals", { mode: null });
}, 60_000);

test("stopping a turn ends its command", async () => {
  const session = await createSession();
  await post(session, [toCalls(["terminal", { command: "setsid sleep 300 & echo $! > stopped; wait" }])]);
  const pid = await readPid("stopped");
  await call("POST", `/v1/sessions/${session}/stop`);
  await until(() => !isRunning(pid));
});

test("a command goes on while workerd is killed, runs once, and its true result is found", async () => {
  const session = await createSession();
  await post(session, [toCalls(["terminal", { command: "echo $$ >> runs; sleep 6; echo survived" }])]);
  await readPid("runs");
  process.kill(findProcess("workerd serve"), "SIGKILL");
  await until(() => findProcess("workerd serve") !== undefined);
  for (let up = false; !up;) {
    up = await fetch(`${stack.url}/health`).then(
      (reply) => reply.ok,
      () => false,
    );
  }
  await settle(session);
  expect(await readResults(session)).toMatchObject([{ exit_code: 0, stdout: "survived\n", failed: false }]);
  expect(readFileSync(inside("runs"), "utf8").trim().split("\n").length).toBe(1);
}, 120_000);

test("a killed exec host takes its commands along, is started again, and the call is unknown", async () => {
  const session = await createSession();
  await post(session, [toCalls(["terminal", { command: "echo $$ > orphan; sleep 300" }])]);
  const pid = await readPid("orphan");
  process.kill(findProcess("exec-host/main.ts"), "SIGKILL");
  await until(() => !isRunning(pid));
  await settle(session);
  expect(await readResults(session)).toMatchObject([{ code: "outcome_unknown", failed: true }]);
  expect(await work(session, toCalls(["terminal", { command: "echo back" }]))).toMatchObject([{ stdout: "back\n" }]);
}, 120_000);

test("the end of the stack ends every command, and a session stays refused where no machine is", async () => {
  const session = await createSession();
  await post(session, [toCalls(["terminal", { command: "setsid sleep 300 & echo $! > left; wait" }])]);
  const pid = await readPid("left");
  await stack.kill();
  await until(() => !isRunning(pid));
  stack = await startStack({ stateDir: join(base, "state"), vars });
  await settle(session);
  expect(await readResults(session)).toMatchObject([{ code: "outcome_unknown", failed: true }]);
  const refused = await fetch(`${stack.url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: '{"backend":"host"}',
  });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([409, "backend_unavailable"]);
  await work(session);
  expect(offered.at(-1)).not.toContain("terminal");
}, 180_000);
