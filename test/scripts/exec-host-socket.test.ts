// The exec host of the local stack: on a private socket, reached through the outbound proxy, also after it was killed.
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { EXEC_HOST_URL, startExecHost } from "../../scripts/stack/exec-host.ts";
import { createOutboundProxy } from "../../scripts/stack/network/outbound-proxy.ts";

const base = mkdtempSync(join(tmpdir(), "talaria-sock-"));
const [socket, proxySocket] = [join(base, "exec"), join(base, "outbound")];
const token = "t".repeat(64);
const proxy = createOutboundProxy({
  policy: { ports: [], allow: [], configured: [EXEC_HOST_URL] },
  sockets: { [EXEC_HOST_URL]: socket },
});
afterAll(() => {
  proxy.close();
  rmSync(base, { recursive: true, force: true });
});

function getHealth(url: string): Promise<{ status: number; boot?: string }> {
  return new Promise((done, fail) => {
    request({ socketPath: proxySocket, path: `${url}/v1/health`, headers: { authorization: `Bearer ${token}` } })
      .on("error", fail)
      .on("response", (reply) => {
        let text = "";
        reply.on("data", (piece) => (text += String(piece)));
        reply.on("end", () => done({ status: reply.statusCode ?? 0, ...(text !== "" && JSON.parse(text)) }));
      })
      .end();
  });
}

/** Sockets of a process that listen on TCP. */
function countPorts(pid: number): number {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const target = readLink(`/proc/${pid}/fd/${fd}`);
    return /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? [];
  });
  const tables = ["tcp", "tcp6"].map((name) => readFileSync(`/proc/net/${name}`, "utf8")).join("\n");
  return inodes.filter((inode) => tables.includes(` ${inode} `)).length;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed since it was listed
  }
}

function findHost(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("exec-host/main.ts"));
  return Number(found);
}

test("it opens no port, and is reached again on the same socket after it was killed", async () => {
  chmodSync(base, 0o700);
  await new Promise<void>((done) => proxy.listen(proxySocket, done));
  const env = { PATH: process.env.PATH!, HOME: "/nowhere" };
  await startExecHost({ folder: mkdtempSync(join(base, "f-")), token, umask: 0o22, env }, socket);
  const first = await getHealth(EXEC_HOST_URL);
  expect(first.status).toBe(200);
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  expect(countPorts(process.pid)).toBeGreaterThan(0); // the count finds a port where there is one
  other.close();
  expect(countPorts(findHost())).toBe(0);
  process.kill(findHost(), "SIGKILL");
  await expect.poll(() => getHealth(EXEC_HOST_URL), { timeout: 15_000, interval: 200 }).toMatchObject({ status: 200 });
  expect((await getHealth(EXEC_HOST_URL)).boot).not.toBe(first.boot);
  expect((await getHealth("http://other.invalid")).status).not.toBe(200);
}, 30_000);
