// What the exec host does when something runs out: descriptors, connections, room for a command's text, its own folder.
import { rmSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { LIMITS } from "../../exec-host/limits.ts";
import { type RunningHost, startExecHost } from "../support/exec-host.ts";

let host: RunningHost;
const sockets: Socket[] = [];
let count = 0;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await host.end();
});

const run = (command: string, more: object = {}) =>
  host.call("POST /v1/commands", { op: `p-${++count}`, command, waitMs: 20_000, ...more });

test("a host without a free descriptor refuses commands, lives on, and runs them later", async () => {
  host = await startExecHost({ maxFiles: 64 });
  const replies = await Promise.all(Array.from({ length: 25 }, () => run("sleep 3", { waitMs: 0 })));
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(["503 command_not_started"]),
  );
  await expect
    .poll(async () => (await run("echo lives")).body.stdout?.head, { timeout: 15_000, interval: 500 })
    .toBe("lives\n");
}, 30_000);

test("connections that never finish a request do not lock others out for longer than their timeout", async () => {
  host = await startExecHost();
  const port = Number(new URL(host.url).port);
  await Promise.all(
    Array.from({ length: LIMITS.connections }, async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      await new Promise((done) => socket.once("connect", done));
      socket.write("POST /v1/commands HTTP/1.1\r\n"); // and reads nothing, so it never learns that it was refused
    }),
  );
  await expect(host.call("GET /v1/health")).rejects.toThrow();
  await expect
    .poll(
      () =>
        host.call("GET /v1/health").then(
          ({ status }) => status,
          () => null,
        ),
      { timeout: 15_000, interval: 500 },
    )
    .toBe(200);
}, 30_000);

test("a command of the largest text runs, in the background too, and a larger one is refused", async () => {
  host = await startExecHost();
  for (const background of [false, true]) {
    const { body } = await run(`echo ran;${"#".repeat(LIMITS.commandBytes - 9)}`, { background });
    expect(body.stdout.head).toBe("ran\n");
  }
  expect((await run("#".repeat(LIMITS.commandBytes + 1))).body.code).toBe("request_malformed");
});

test("a folder that was deleted is missing, not empty", async () => {
  host = await startExecHost();
  rmSync(host.folder, { recursive: true });
  const replies = [
    await host.call("POST /v1/files/list", {}),
    await host.call("POST /v1/files/search", { pattern: "x" }),
    await host.call("POST /v1/files/write", { op: "w", path: "a", base64: "" }),
    await run("pwd"),
  ];
  for (const { body } of replies) {
    expect(body).toMatchObject({ code: "file_not_found", message: expect.stringContaining("was deleted") });
  }
});

test("a daemon that appears while its command ends is found, however often", async () => {
  host = await startExecHost();
  for (let round = 0; round < 12; round++) {
    const { body } = await run("(setsid sh -c '(setsid sh -c \"echo \\$\\$ > pid; exec sleep 600\" &)' &); true");
    expect(body.state).toBe("ended");
    const alive = (await run("read pid <pid && cat /proc/$pid/cmdline | tr '\\0' ' '; rm -f pid")).body.stdout.head;
    expect(alive).not.toContain("sleep");
  }
}, 60_000);

const THREADED = `python3 -c '
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
os.closerange(0, 3)
ctypes.CDLL(None).syscall({"x86_64": 60}.get(os.uname().machine, 93), 0)
' & until grep -qs ') Z ' /proc/$!/stat; do sleep 0.05; done; echo $!`;

test("a process whose first thread has ended is killed with its command", async () => {
  host = await startExecHost();
  const { body } = await run(THREADED);
  const pid = Number(body.stdout.head);
  expect(pid, body.stderr.head).toBeGreaterThan(1);
  expect(body.leftovers).toBe(1);
  // Nobody may have collected it yet, but its second thread has gone.
  expect(Number((await run(`ls /proc/${pid}/task | wc -l`)).body.stdout.head)).toBeLessThan(2);
});
