// What another user of this machine can reach in a running `npm start`. The tests ask as `nobody` if they run as root, otherwise
// without a key. The stack is the product's three Workers, with a profile, an object in R2 and a fact in KV.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { openLocalAccess, readOperatorToken } from "../../scripts/stack/local-state.ts";
import { groupMembers, identifyProcess } from "../../scripts/stack/processes.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";
const seat = join(import.meta.dirname, "../support/seat-of-another.mjs");
/** `//` leads to the page, which holds no data. */
const OURS = ["GET /health", "GET /openapi.json", "GET /", "GET //"];

/** Requests that earlier ways of starting answered without a key, and other known routes of Miniflare and workerd. */
const PATHS: [request: string, ...headers: string[]][] = [
  ["GET /health"],
  ["GET /openapi.json"],
  ["GET /"],
  ["GET //"],
  ["GET /v1/sessions"],
  ["GET /json/list"],
  ["GET /cdn-cgi/local/explorer"],
  ["GET /cdn-cgi/local/explorer/api/local/workers"],
  ["GET /cdn-cgi/explorer/api/local/workers"],
  ["GET /cdn-cgi/local/scheduled?cron=17+*+*+*+*"],
  ["GET /cdn-cgi/handler/scheduled?cron=17+*+*+*+*"],
  ["GET /cdn-cgi/local/scheduled?cron=17+*+*+*+*", "MF-Route-Override: talaria-curator"],
  ["POST /cdn-cgi/local/email?from=a@b.c&to=d@e.f"],
  ["POST /cdn-cgi/handler/email?from=a@b.c&to=d@e.f"],
  ["GET /cdn-cgi/local/platform-proxy"],
  ["GET /cdn-cgi/mf/scheduled"],
  ["GET /cdn-cgi/mf/reload"],
  ["GET /cdn-cgi/local/r2/public/talaria-skills/p/<profile>/index"],
  ["GET /cdn-cgi/local/r2/s3/talaria-skills?list-type=2"],
  ["GET /x", "MF-Original-URL: http://localhost/cdn-cgi/local/r2/public/talaria-skills/p/<profile>/index"],
  ["GET /core/dev-registry"],
  ["GET /core/do-storage/talaria-api-Session"],
  ["CONNECT miniflare-unsafe-internal-capnp-connect:1"],
  ["GET /v1/sessions", "Upgrade: websocket", "Connection: upgrade"],
];

let stateDir = "";
let stack: Stack;
let profile = "";
let secrets: string[] = [];

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), "talaria-seat-"));
  const token = readOperatorToken(stateDir);
  const key = "sk-of-a-provider-0123456789";
  stack = await startStack({ stateDir, vars: { TALARIA_OPERATOR_TOKEN: token, MISTRAL_API_KEY: key } });
  const made = await createClient({ url: stack.url, key: token }).createProfile();
  profile = made.profile;
  secrets = [token, made.key, key];
  await createClient({ url: stack.url, key: made.key }).putSkill("private-notes", {
    "SKILL.md": "---\nname: private-notes\ndescription: Private notes.\n---\nNothing for others.\n",
  });
}, 240_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

interface ChildReport {
  uid?: number;
  answers: { port: number; path: string; text: string }[];
  connected: { path: string; text: string }[];
  opened: string[];
}

function probeAsOtherUser(asked: {
  ports: number[];
  paths: string[][];
  sockets: string[];
  files: string[];
}): ChildReport {
  const other = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const maxBuffer = 16 << 20;
  const options = { ...other, maxBuffer, encoding: "utf8", cwd: "/" } as const;
  const ran = spawnSync(process.execPath, [seat, JSON.stringify(asked)], options);
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as ChildReport;
}

/** Sockets that the group's processes listen on, found by their inodes. */
function findListeners(): { ports: number[]; unix: string[] } {
  const inodes = new Set(
    groupMembers(identifyProcess(stack.pid)).flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
        } catch {
          return []; // closed since
        }
      }),
    ),
  );
  const rows = (file: string) =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  const tcp = [...rows("/proc/net/tcp"), ...rows("/proc/net/tcp6")]
    .filter((row) => row[3] === "0A" && inodes.has(row[9]!))
    .map((row) => Number.parseInt(row[1]!.split(":")[1]!, 16));
  // 00010000 is the flag of a socket that accepts connections.
  const unix = rows("/proc/net/unix").filter((row) => row[3] === "00010000" && inodes.has(row[6]!));
  return { ports: [...new Set(tcp)], unix: unix.map((row) => row.slice(7).join(" ")) };
}

describe.runIf(isLinux)("another user of this machine", () => {
  it("gets answers only from the open routes, on every port that a process of the stack listens on", () => {
    const { ports } = findListeners();
    expect(ports).toContain(Number(new URL(stack.url).port));
    const paths = PATHS.map((lines) => lines.map((line) => line.replace("<profile>", profile)));
    const { uid, answers } = probeAsOtherUser({ ports, paths, sockets: [], files: [] });
    expect(uid).toBe(isRoot ? NOBODY : process.getuid!());
    const served = answers.filter(({ text }) => /^HTTP\/1\.1 [123]/.test(text));
    expect(served.map(({ port, path }) => [port, path])).toEqual(
      OURS.map((path) => [Number(new URL(stack.url).port), path]),
    );
    const leaks = answers.filter(({ text }) => text.includes("private-notes") || text.includes(stateDir));
    expect(leaks).toEqual([]);
  });

  it("cannot stop the stack with any of these requests", async () => {
    expect((await createClient({ url: stack.url, key: "" }).health()).ok).toBe(true);
  });

  it("cannot reach a Unix socket of the stack", () => {
    const { unix } = findListeners();
    expect(unix.length).toBeGreaterThan(0);
    expect(unix.filter((path) => path.startsWith("@"))).toEqual([]);
    const folders = new Set(unix.map((path) => join(path, "..")));
    expect([...folders].map((folder) => (statSync(folder).mode & 0o777).toString(8))).toEqual(["700"]);
    if (!isRoot) return;
    const { connected } = probeAsOtherUser({ ports: [], paths: [], sockets: unix, files: [] });
    expect(connected.map(({ text }) => text)).toEqual(unix.map(() => "error: EACCES"));
  });

  it("finds no state file whose mode lets others read it, even if the folder were open", () => {
    const files = readdirSync(stateDir, { recursive: true, withFileTypes: true });
    const open = files
      .filter((file) => file.isFile() && file.parentPath.startsWith(join(stateDir, "data")))
      .filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0);
    expect(files.length).toBeGreaterThan(10);
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it("cannot read a state file, an environment, or a secret on a command line", () => {
    const pids = groupMembers(identifyProcess(stack.pid));
    const lines = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
    expect((statSync(stateDir).mode & 0o777).toString(8)).toBe("700");
    if (!isRoot) return;
    const files = readdirSync(stateDir, { recursive: true }).map((name) => join(stateDir, String(name)));
    const environments = pids.map((pid) => `/proc/${pid}/environ`);
    const { opened } = probeAsOtherUser({
      ports: [],
      paths: [],
      sockets: [],
      files: [stateDir, ...files, ...environments],
    });
    expect(opened).toEqual([]);
  });

  it("finds only private folders of the stack among the temporary files", () => {
    const mine = readdirSync(tmpdir()).filter((name) => /^(?:miniflare|wrangler|workerd)/.test(name));
    const open = mine.filter((name) => {
      const { mtimeMs, mode } = statSync(join(tmpdir(), name));
      return mtimeMs > statSync(join(stateDir, "stack.json")).mtimeMs && (mode & 0o077) !== 0;
    });
    expect(open.filter((name) => groupOwns(name))).toEqual([]);
  });
});

describe("a state without files that name a profile", () => {
  it("still yields the profile that stored data, from the Workers' storage", async () => {
    const [file, token] = [join(stateDir, "local.json"), readOperatorToken(stateDir)];
    const access = await openLocalAccess({ file, stateDir, url: stack.url, token, say: () => {} });
    expect(access.profile).toBe(profile);
  });
});

/** Whether a process of the stack has a file of the folder open. Other programs use such names too. */
function groupOwns(name: string): boolean {
  return groupMembers(identifyProcess(stack.pid)).some((pid) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(join(tmpdir(), name));
      } catch {
        return false; // closed since
      }
    }),
  );
}
