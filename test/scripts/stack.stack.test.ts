// The local stack as a process: what reaches the Workers, what survives, and that nothing is left behind.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { groupEnds, groupMembers, isPortFree, markOf } from "../../scripts/processes.ts";
import { type Stack, StackError, clearPort, startStack, toDotenv } from "../../scripts/stack.ts";

const fixtures = resolve(import.meta.dirname, "../fixtures/stack");
const configs = {
  front: join(fixtures, "front/wrangler.toml"),
  back: join(fixtures, "back/wrangler.toml"),
  timer: join(fixtures, "timer/wrangler.toml"),
};
const vars = { TOKEN: 'it\'s a $HOME of "quotes"', SETTINGS: '{"review":{"quietMs":10}}' };

let stateDir: string;
const started: Stack[] = [];
const start = async (options: { port?: number } = {}) => {
  const stack = await startStack({ stateDir, vars, configs, ...options });
  started.push(stack);
  return stack;
};
const portOf = (stack: Stack) => Number(new URL(stack.url).port);
const kept = async (stack: Stack) => (await fetch(`${stack.url}/kept`)).json();

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "talaria-stack-"));
});
afterEach(async () => {
  for (const stack of started.splice(0)) await stack.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

describe("startStack", () => {
  it("gives the same variables to all three Workers, runs queue and cron, and keeps state over a stop", async () => {
    const first = await start();
    await fetch(`${first.url}/send`);
    await first.cron("timer");
    const all = {
      front: [vars.TOKEN, vars.SETTINGS],
      back: [vars.TOKEN, vars.SETTINGS],
      timer: [vars.TOKEN, vars.SETTINGS, "17 * * * *"],
    };
    await vi.waitFor(async () => expect(await kept(first)).toEqual(all), { timeout: 20_000, interval: 50 });

    const group = markOf(first.pid);
    await first.stop();
    expect(groupMembers(group)).toEqual([]);
    expect(await isPortFree(portOf(first))).toBe(true);

    const second = await start({ port: portOf(first) });
    expect(await kept(second)).toEqual(all);
  });

  it("keeps state over a SIGKILL of the whole group and starts again on the same port", async () => {
    const first = await start();
    await first.cron("timer");
    const group = markOf(first.pid);
    await first.kill();
    expect(groupMembers(group)).toEqual([]);
    const second = await start({ port: portOf(first) });
    expect(await kept(second)).toMatchObject({ timer: [vars.TOKEN, vars.SETTINGS, "17 * * * *"] });
  });

  it("puts secrets into files that only the user may read, and into no command line or log", async () => {
    const stack = await start();
    expect(statSync(join(stateDir, "config/back/.dev.vars")).mode & 0o777).toBe(0o600);
    const commands = groupMembers(markOf(stack.pid)).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    expect(commands.length).toBeGreaterThan(1);
    expect([...commands, readFileSync(stack.log, "utf8")].filter((text) => text.includes("it's a"))).toEqual([]);
  });

  it("ends with its starter, even when that was killed with SIGKILL", async () => {
    const script = `
      import { startStack } from ${JSON.stringify(pathToFileURL(resolve("scripts/stack.ts")).href)};
      const stack = await startStack(${JSON.stringify({ stateDir, vars, configs })});
      console.log(JSON.stringify({ pid: stack.pid, url: stack.url }));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((done) => parent.stdout.once("data", (data) => done(String(data))));
    const group = markOf((JSON.parse(line) as { pid: number }).pid);
    expect(groupMembers(group).length).toBeGreaterThan(1);
    parent.kill("SIGKILL");
    expect(await groupEnds(group, 15_000)).toBe(true);
    await clearPort(Number(new URL((JSON.parse(line) as { url: string }).url).port), stateDir);
  });

  it("refuses a second start on the same state while the first one lives", async () => {
    const stack = await start();
    await expect(start()).rejects.toMatchObject({
      code: "already_running",
      message: expect.stringContaining(`port ${portOf(stack)}`),
    });
    expect(await kept(stack)).toEqual({ front: [vars.TOKEN, vars.SETTINGS] });
  });

  it("says what the Workers printed when they cannot start", async () => {
    const broken = { front: join(fixtures, "broken/wrangler.toml") };
    const failure = await startStack({ stateDir, vars: {}, configs: broken }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StackError);
    expect(failure).toMatchObject({ code: "did_not_start", message: expect.stringContaining("missing.js") });
  });
});

describe("clearPort", () => {
  it("never touches a stranger's program on the port", async () => {
    const stranger = createServer((_, response) => response.end("still here"));
    await new Promise<void>((done) => stranger.listen(0, "127.0.0.1", done));
    const { port } = stranger.address() as AddressInfo;
    await expect(clearPort(port, stateDir)).rejects.toMatchObject({ code: "port_in_use" });
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("still here");
    stranger.close();
  });
});

describe("toDotenv", () => {
  it("names the variable that no quote can hold", () => {
    expect(() => toDotenv({ ODD: "'`" })).toThrow("ODD holds both");
  });
});
