// Commands of the exec host, against its real process.
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningHost, isRunning, startExecHost, until } from "../support/exec-host.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

let host: RunningHost;
let count = 0;

beforeAll(async () => {
  host = await startExecHost({
    env: {
      MY_API_KEY: "leak-1",
      NPM_TOKEN: "leak-2",
      TALARIA_EXEC_TOKEN: "leak-3",
      DB_PASSWORD: "leak-4",
      SSH_AUTH_SOCK: "leak-5",
      DATABASE_URL: "postgres://me:leak-6@host/db",
      PLAIN: "kept",
    },
  });
});
afterAll(() => host.end());

const nextOp = () => `s-1:${++count}`;
const run = (command: string, more: object = {}) =>
  host.call("POST /v1/commands", { op: nextOp(), command, waitMs: 20_000, ...more });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const readPid = async (file: string): Promise<number> => {
  await until(
    () => existsSync(join(host.folder, file)) && readFileSync(join(host.folder, file), "utf8").endsWith("\n"),
  );
  return Number(readFileSync(join(host.folder, file), "utf8"));
};

describe("a command", () => {
  test("runs in bash in the folder, with its input, and returns both streams and the exit code", async () => {
    const { status, body } = await run('pwd; cat; echo "${BASH_VERSION:+bash}" >&2; exit 3', {
      stdin: base64("given\n"),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: "ended",
      reason: "exited",
      exitCode: 3,
      signal: null,
      leftovers: 0,
      stdout: { head: `${host.folder}\ngiven\n`, tail: "" },
      stderr: { head: "bash\n", tail: "" },
    });
  });

  test("gets an environment without secrets", async () => {
    const { body } = await run("env");
    expect(body.stdout.head).toContain("PLAIN=kept");
    expect(body.stdout.head).not.toMatch(/leak-\d/);
  });

  test("reads an empty input when none is given", async () => {
    expect((await run("cat; echo end")).body.stdout.head).toBe("end\n");
  });

  test("runs once for one op, whoever asks again and however often", async () => {
    const op = nextOp();
    const request = { op, command: "echo x >> once; sleep 0.2; wc -l < once", waitMs: 20_000 };
    const replies = await Promise.all([1, 2, 3].map(() => host.call("POST /v1/commands", request)));
    expect(replies.map(({ body }) => body.stdout.head)).toEqual(["1\n", "1\n", "1\n"]);
    expect((await host.call("POST /v1/commands", { ...request, attach: true })).body.stdout.head).toBe("1\n");
    expect(readFileSync(join(host.folder, "once"), "utf8")).toBe("x\n");
  });

  test("is refused when its op belongs to another request", async () => {
    const op = nextOp();
    await host.call("POST /v1/commands", { op, command: "true", waitMs: 5_000 });
    expect(await host.call("POST /v1/commands", { op, command: "false" })).toMatchObject({
      status: 409,
      body: { code: "op_conflict" },
    });
  });

  test("is never started by a request that only attaches", async () => {
    const reply = await run("touch started", { attach: true });
    expect(reply).toMatchObject({ status: 404, body: { code: "op_unknown" } });
    expect(existsSync(join(host.folder, "started"))).toBe(false);
  });

  test("runs beside nine others", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => run(`sleep 0.3; echo ${i}`)));
    expect(replies.map(({ body }) => body.stdout.head)).toEqual(Array.from({ length: 10 }, (_, i) => `${i}\n`));
  });

  test("that writes hundreds of times what is kept is counted whole and kept at both ends", async () => {
    const bytes = IS_THOROUGH ? 1_000_000_000 : 100_000_000;
    const { body } = await run(`echo first; yes | head -c ${bytes}; echo last`, {
      waitMs: 30_000,
      timeoutMs: 60_000,
    });
    const done = body.state === "ended" ? body : (await host.call(`GET /v1/commands/${body.op}?waitMs=30000`)).body;
    expect(done.stdout.bytes).toBe(bytes + 11);
    expect(done.stdout.head.startsWith("first\ny\ny\n")).toBe(true);
    expect(done.stdout.tail.endsWith("y\nlast\n")).toBe(true);
    expect(done.stdout.head.length + done.stdout.tail.length).toBe((64 << 10) + (192 << 10));
  }, 90_000);

  test("ends at its time limit, with the children that ignore SIGTERM", async () => {
    const { body } = await run("trap '' TERM; (trap '' TERM; echo $BASHPID > late; sleep 60) & sleep 60", {
      timeoutMs: 300,
    });
    expect(body).toMatchObject({ state: "ended", reason: "timed_out", signal: "SIGKILL" });
    expect(body.durationMs).toBeLessThan(10_000);
    expect(isRunning(await readPid("late"))).toBe(false);
  });

  test("leaves no process that moved to a session of its own, double fork included", async () => {
    const { body } = await run(
      "setsid bash -c '(echo $BASHPID > forked; exec sleep 60) & exit' & wait; until [ -s forked ]; do sleep 0.01; done",
    );
    expect(body).toMatchObject({ exitCode: 0, reason: "exited", leftovers: 1 });
    expect(isRunning(await readPid("forked"))).toBe(false);
  });

  test("leaves no child that cleared its environment, while its parent lives", async () => {
    const { body } = await run(
      "env -i setsid sh -c 'echo $$ > cleared; sleep 60; true' & until [ -s cleared ]; do sleep 0.01; done; sleep 60",
      {
        timeoutMs: 500,
      },
    );
    expect(body.reason).toBe("timed_out");
    expect(isRunning(await readPid("cleared"))).toBe(false);
  });

  test("starts in a folder below, and nowhere else", async () => {
    await run("mkdir -p sub; ln -s /tmp out");
    expect((await run("pwd", { folder: "sub" })).body.stdout.head).toBe(`${host.folder}/sub\n`);
    for (const folder of ["..", "sub/../..", "out", "/tmp"]) {
      expect(await run("pwd", { folder })).toMatchObject({ status: 403, body: { code: "outside_folder" } });
    }
    expect(await run("pwd", { folder: "once" })).toMatchObject({ status: 409, body: { code: "not_a_folder" } });
  });

  test("may print what is not UTF-8", async () => {
    const { body } = await run("printf 'a\\xff\\xfeb'");
    expect(body.stdout).toEqual({ bytes: 4, head: "a\ufffd\ufffdb", tail: "" });
  });

  test("that a signal ended says which", async () => {
    expect((await run("kill -SEGV $$")).body).toMatchObject({ reason: "signalled", signal: "SIGSEGV", exitCode: null });
  });
});

describe("a background command", () => {
  const start = (command: string) => run(command, { background: true, waitMs: 0 });

  test("is read by offset, written to, and ends when its input does", async () => {
    const { body } = await start('while read -r line; do echo "got $line"; echo err >&2; done; echo bye');
    const path = `/v1/commands/${body.op}`;
    expect(body).toMatchObject({ state: "running", background: true });
    await host.call(`POST ${path}/stdin`, { op: nextOp(), data: base64("one\n") });
    const first = (await host.call(`GET ${path}/output?waitMs=5000`)).body;
    expect(first).toMatchObject({ from: 0, state: "running" });
    expect(first.text.startsWith("got one\n")).toBe(true);
    await host.call(`POST ${path}/stdin`, { op: nextOp(), data: base64("two\n"), end: true });
    const ended = (await host.call(`GET ${path}?waitMs=10000`)).body;
    expect(ended).toMatchObject({ state: "ended", exitCode: 0, stdout: { head: "got one\nerr\ngot two\nerr\nbye\n" } });
    const rest = (await host.call(`GET ${path}/output?from=12`)).body;
    expect(rest).toEqual({ from: 12, next: 28, bytes: 28, text: "got two\nerr\nbye\n", state: "ended" });
    expect(await host.call(`POST ${path}/stdin`, { op: nextOp(), data: base64("x") })).toMatchObject({
      body: { code: "command_ended" },
    });
  });

  test("is read in whole characters, also when one arrives in two parts", async () => {
    const op = nextOp();
    const command = "printf 'a\\303'; sleep 0.4; printf '\\274b\\n'";
    await host.call("POST /v1/commands", { op, command, background: true });
    let [text, from, state] = ["", 0, "running"];
    while (state === "running" || from < 5) {
      const path = `/v1/commands/${encodeURIComponent(op)}/output?from=${from}&waitMs=5000`;
      const { body } = await host.call(`GET ${path}`);
      text += body.text;
      ({ next: from, state } = body);
    }
    expect(text).toBe("aüb\n");
  });

  test("is written to once for one op", async () => {
    const { body } = await start("cat");
    const write = { op: nextOp(), data: base64("once\n") };
    await Promise.all([1, 2].map(() => host.call(`POST /v1/commands/${body.op}/stdin`, write)));
    await host.call(`POST /v1/commands/${body.op}/stdin`, { op: nextOp(), end: true });
    expect((await host.call(`GET /v1/commands/${body.op}?waitMs=10000`)).body.stdout.head).toBe("once\n");
  });

  test("is listed by prefix without its output, and killed with what it started", async () => {
    const op = `other-${nextOp()}`;
    await host.call("POST /v1/commands", { op, command: "sleep 60 & echo $! > slept; wait", background: true });
    const pid = await readPid("slept");
    const listed = (await host.call("GET /v1/commands?prefix=other-")).body.commands;
    expect(listed).toMatchObject([
      { op, state: "running", command: "sleep 60 & echo $! > slept; wait", stdoutBytes: 0 },
    ]);
    expect(listed[0]).not.toHaveProperty("stdout");
    expect((await host.call(`POST /v1/commands/${op}/kill`, {})).body).toMatchObject({
      state: "ended",
      reason: "killed",
    });
    expect(isRunning(pid)).toBe(false);
    expect((await host.call(`POST /v1/commands/${op}/kill`, {})).body).toMatchObject({
      state: "ended",
      reason: "killed",
    });
  });

  test("is one of at most sixteen", async () => {
    const started = await Promise.all(Array.from({ length: 16 }, () => start("sleep 60")));
    const over = await start("sleep 60");
    expect(over).toMatchObject({ status: 429, body: { code: "too_many_commands" } });
    await Promise.all(started.map(({ body }) => host.call(`POST /v1/commands/${body.op}/kill`, {})));
  });

  test("that nobody knows is answered with a code", async () => {
    expect(await host.call("GET /v1/commands/s-9:9")).toMatchObject({ status: 404, body: { code: "command_unknown" } });
  });
});

describe("the end of the host", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("by %s ends what it started, setsid included", async (signal) => {
    const other = await startExecHost();
    const command = "setsid sh -c 'echo $$ > a; sleep 60' & sh -c 'echo $$ > b; sleep 60'";
    await other.call("POST /v1/commands", { op: "a", command, background: true });
    const read = (file: string) => readFileSync(join(other.folder, file), "utf8");
    await until(
      () =>
        existsSync(join(other.folder, "a")) &&
        existsSync(join(other.folder, "b")) &&
        read("a") !== "" &&
        read("b") !== "",
    );
    const pids = [Number(read("a")), Number(read("b"))];
    other.process.kill(signal);
    await until(() => pids.every((pid) => !isRunning(pid)));
    await other.end();
  });

  test("comes with the end of whoever started it", async () => {
    const other = await startExecHost();
    const ended = new Promise((done) => other.process.once("exit", done));
    other.process.stdin!.end();
    await ended;
    await other.end();
  });
});
