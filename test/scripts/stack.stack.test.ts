// The local stack as a process: what reaches the Workers, what survives, and that nothing remains after it ends.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { restoreBuild } from "../../scripts/stack/build-cache.ts";
import { type WorkerOptions, bundleConfig } from "../../scripts/stack/bundle.ts";
import { freePort, groupEnds, groupMembers, isPortFree, identifyProcess } from "../../scripts/stack/processes.ts";
import { type Stack, clearPort, startStack } from "../../scripts/stack/stack.ts";

const fixtures = resolve(import.meta.dirname, "../fixtures/stack");
const vars = { TOKEN: 'it\'s a $HOME of "quotes"', SETTINGS: '{"review":{"quietMs":10}}' };

const built = mkdtempSync(join(tmpdir(), "talaria built "));
let workers: WorkerOptions[];
beforeAll(async () => {
  const names = ["front", "back", "timer"];
  workers = await Promise.all(
    names.map((name) => bundleConfig(join(fixtures, name, "wrangler.toml"), join(built, name))),
  );
}, 120_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

it("a build is cached for the next start", () => {
  const config = readFileSync(join(built, "front/wrangler.json"), "utf8");
  expect(restoreBuild(config, join(built, "again"))).toBe(true);
});

let stateDir: string;
const started: Stack[] = [];
const start = async (options: { port?: number } = {}) => {
  const stack = await startStack({ stateDir, vars, workers, ...options });
  started.push(stack);
  return stack;
};
const portOf = (stack: Stack) => Number(new URL(stack.url).port);
const kept = async (stack: Stack) => (await fetch(`${stack.url}/kept`)).json();

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "talaria stack "));
});
afterEach(async () => {
  for (const stack of started.splice(0)) await stack.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

describe("startStack", () => {
  it("gives all three Workers the same variables, runs queue and cron, and keeps state across a stop", async () => {
    const first = await start();
    await fetch(`${first.url}/send`);
    await first.cron("timer");
    const all = {
      front: [vars.TOKEN, vars.SETTINGS],
      back: [vars.TOKEN, vars.SETTINGS],
      timer: [vars.TOKEN, vars.SETTINGS, "17 * * * *"],
    };
    await vi.waitFor(async () => expect(await kept(first)).toEqual(all), { timeout: 20_000, interval: 50 });

    const group = identifyProcess(first.pid);
    await first.stop();
    expect(groupMembers(group)).toEqual([]);
    expect(await isPortFree(portOf(first))).toBe(true);

    const second = await start({ port: portOf(first) });
    expect(await kept(second)).toEqual(all);
  });

  it("keeps state across a SIGKILL of the whole group and starts again on the same port", async () => {
    const first = await start();
    await first.cron("timer");
    const group = identifyProcess(first.pid);
    await first.kill();
    expect(groupMembers(group)).toEqual([]);
    const second = await start({ port: portOf(first) });
    expect(await kept(second)).toMatchObject({ timer: [vars.TOKEN, vars.SETTINGS, "17 * * * *"] });
  });

  it("leaves no secret in a file, command line or log, and removes those of an earlier version", async () => {
    mkdirSync(join(stateDir, "config/front"), { recursive: true });
    writeFileSync(join(stateDir, "config/front/.dev.vars"), `TOKEN="${vars.TOKEN}"`);
    const stack = await start();
    const commands = groupMembers(identifyProcess(stack.pid)).map((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8"),
    );
    expect(commands.length).toBeGreaterThan(1);
    const files = readdirSync(stateDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect([...commands, ...texts].filter((text) => text.includes("$HOME of "))).toEqual([]);
  });

  it("ends with its parent process, even after a SIGKILL of the parent", async () => {
    const script = `
      import { startStack } from ${JSON.stringify(pathToFileURL(resolve("scripts/stack/stack.ts")).href)};
      const stack = await startStack(${JSON.stringify({ stateDir, vars, workers })});
      console.log(JSON.stringify({ pid: stack.pid, url: stack.url }));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((done) => parent.stdout.once("data", (data) => done(String(data))));
    const group = identifyProcess((JSON.parse(line) as { pid: number }).pid);
    expect(groupMembers(group).length).toBeGreaterThan(1);
    parent.kill("SIGKILL");
    expect(await groupEnds(group, 15_000)).toBe(true);
    await clearPort(Number(new URL((JSON.parse(line) as { url: string }).url).port), stateDir);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "stops in order at %s even if Wrangler is loaded",
    async (signal) => {
      const href = (file: string) => JSON.stringify(pathToFileURL(resolve("scripts/stack", file)).href);
      const script = `
      import { onStopSignal } from ${href("processes.ts")};
      import { startStack } from ${href("stack.ts")};
      import { loadWrangler } from ${href("wrangler.ts")};
      onStopSignal(() => void stack.stop().then(() => (console.log("Stopped."), process.exit(0))));
      loadWrangler().unstable_getMiniflareWorkerOptions(${JSON.stringify(join(fixtures, "front/wrangler.toml"))});
      const stack = await startStack(${JSON.stringify({ stateDir, vars, workers })});
      console.log("up");
      setInterval(() => {}, 1000);`;
      const starter = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await new Promise<void>((done) => starter.stdout.once("data", () => done()));
      const { socketsDir } = JSON.parse(readFileSync(join(stateDir, "stack.json"), "utf8")) as { socketsDir: string };
      let said = "";
      starter.stdout.on("data", (data) => (said += String(data)));
      const closed = new Promise<unknown>((done) => starter.once("close", (code) => done(code)));
      starter.kill(signal);
      starter.kill(signal);
      expect([await closed, said]).toEqual([0, "Stopped.\n"]);
      expect([existsSync(join(stateDir, "stack.json")), existsSync(socketsDir)]).toEqual([false, false]);
    },
  );

  it("refuses a second start while the first one runs, even if its record is missing or cannot be read", async () => {
    const stack = await start();
    await expect(start()).rejects.toMatchObject({
      code: "already_running",
      message:
        `Talaria is already running on port ${portOf(stack)} with this state (process ${process.pid}). ` +
        `Stop it first: press Ctrl-C in its terminal, or run \`kill ${process.pid}\`.`,
    });
    const file = join(stateDir, "stack.json");
    for (const [damage, text] of [
      ["is missing", null],
      ["cannot be read", '{"v":1,"own'],
      ["cannot be read", '{"v":1}'],
    ] as const) {
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
      await expect(start()).rejects.toMatchObject({
        code: "already_running",
        message: expect.stringMatching(
          new RegExp(
            `^Process ${process.pid} is running Talaria with this state, but .*/stack\\.json ${damage}\\. Stop it with \`kill ${process.pid}\`, then start again\\.$`,
          ),
        ),
      });
    }
    expect(await kept(stack)).toEqual({ front: [vars.TOKEN, vars.SETTINGS] });
    await stack.stop();
    expect(await kept(await start())).toMatchObject({ front: [vars.TOKEN, vars.SETTINGS] });
  });

  it("sends no request to a program that takes its port while the Workers start", async () => {
    const port = await freePort();
    const asked: string[] = [];
    const stranger = createServer((incoming, outgoing) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      outgoing.end('{"ok":true,"version":"0.1.0","model":"rehearsal"}');
    });
    const say = (line: string) => void (line.startsWith("Starting") && stranger.listen(port, "127.0.0.1"));
    try {
      await expect(startStack({ stateDir, vars, workers, port, say })).rejects.toMatchObject({ code: "port_in_use" });
    } finally {
      stranger.close();
    }
    expect(asked).toEqual([]);
  });

  it("refuses to start if a newer version wrote the record, and leaves the record unchanged", async () => {
    const file = join(stateDir, "stack.json");
    writeFileSync(file, JSON.stringify({ v: 2, holder: "elsewhere" }));
    await expect(start()).rejects.toMatchObject({
      code: "already_running",
      message: expect.stringContaining(`${file} was written by a newer version of Talaria`),
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ v: 2, holder: "elsewhere" });
  });

  it("leaves no file after a stop, or after an abort while the Workers start", async () => {
    const names = () => readdirSync(stateDir).filter((name) => /^(?:stack|host)\.json|^held-/.test(name));
    const first = await start();
    const { socketsDir } = JSON.parse(readFileSync(join(stateDir, "stack.json"), "utf8")) as { socketsDir: string };
    expect([names().length, existsSync(socketsDir)]).toEqual([3, true]);
    await first.stop();
    expect([names(), existsSync(socketsDir)]).toEqual([[], false]);
    const abort = new AbortController();
    const say = () => setImmediate(() => abort.abort());
    await expect(startStack({ stateDir, vars, workers, signal: abort.signal, say })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(names()).toEqual([]);
  });

  it("lets only one of several concurrent starts through, even after a killed start whose record and Workers remain", async () => {
    const first = await start();
    const record = JSON.parse(readFileSync(join(stateDir, "stack.json"), "utf8")) as { owner: object };
    const dead = { ...record, owner: { pid: 4_000_000, startedAt: 1 } };
    writeFileSync(join(stateDir, "stack.json"), JSON.stringify(dead));
    for (const name of readdirSync(stateDir)) if (name.startsWith(`held-${process.pid}-`)) rmSync(join(stateDir, name));
    const script = `
      import { startStack } from ${JSON.stringify(pathToFileURL(resolve("scripts/stack/stack.ts")).href)};
      const options = ${JSON.stringify({ stateDir, vars, workers })};
      await startStack(options).then((stack) => console.log(stack.pid), ({ code }) => console.log(code));
      setInterval(() => {}, 1000);`;
    const starters = [1, 2, 3].map(() =>
      spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    const lines = starters.map(
      (child) => new Promise<string>((done) => child.stdout.once("data", (data) => done(String(data).trim()))),
    );
    const said = (await Promise.all(lines)).sort();
    const groups = said.filter((line) => /^\d+$/.test(line)).map((pid) => identifyProcess(Number(pid)));
    for (const child of starters) child.kill("SIGKILL");
    for (const group of groups) expect(await groupEnds(group, 15_000)).toBe(true);
    expect(said).toEqual([expect.stringMatching(/^\d+$/), "already_running", "already_running"]);
    expect(groupMembers(identifyProcess(first.pid))).toEqual([]);
  });

  it("names what could not be built", async () => {
    const broken = join(fixtures, "broken/wrangler.toml");
    await expect(bundleConfig(broken, join(stateDir, "broken"))).rejects.toThrow(
      /^broken could not be built:[^]*missing\.js/,
    );
  });

  it("reports the Workers' output when they cannot start, and leaves no record", async () => {
    const front = { ...workers[0]!, modules: [{ type: "ESModule" as const, path: "/index.js", contents: "}" }] };
    const broken = [{ ...front, modulesRoot: "/" } as WorkerOptions];
    const failure = startStack({ stateDir, vars: {}, workers: broken });
    await expect(failure).rejects.toMatchObject({ code: "did_not_start", message: expect.stringContaining("Syntax") });
    expect(existsSync(join(stateDir, "stack.json"))).toBe(false);
  });
});

describe("clearPort", () => {
  it("never stops a foreign program on the port", async () => {
    const stranger = createServer((_, response) => response.end("still here"));
    await new Promise<void>((done) => stranger.listen(0, "127.0.0.1", done));
    const { port } = stranger.address() as AddressInfo;
    await expect(clearPort(port, stateDir)).rejects.toMatchObject({ code: "port_in_use" });
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("still here");
    stranger.close();
  });
});
