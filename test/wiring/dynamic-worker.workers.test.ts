// Code in Dynamic Workers: they pass the kit, have no network, bindings or modules of Node, and stop when a run is called off. Also how
// the Session chooses its sandbox. Without endless loops: workerd does not limit the computing of a Dynamic Worker here.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { InnerCalls } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { CallReply, CodeProgram } from "../../core/sandbox/code-sandbox.ts";
import { createExecuteCode } from "../../core/tools/code/execute-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createDynamicSandbox } from "../../wiring/dynamic-worker.ts";
import { openSandbox } from "../../wiring/sandbox.ts";
import { describeCodeSandbox } from "../conformance/code-sandbox.ts";
import { createValueReader, toProgram } from "../support/code-program.ts";

const report = (problem: string) => console.error(problem);
const loader = env.LOADER;
const sandbox = createDynamicSandbox({ loader, clock: systemClock, report });
const run = (code: string, options: Partial<CodeProgram> = {}) => sandbox.run(toProgram(code, options));
const valueOf = createValueReader(sandbox);

describeCodeSandbox("a Dynamic Worker", (clock) => createDynamicSandbox({ loader, clock, report }));

describe("code in a Dynamic Worker", () => {
  test.each([
    "fetch",
    "WebSocket",
    "EventSource",
    "caches",
    "crypto",
    "setTimeout",
    "setInterval",
    "scheduler",
    "performance",
    "navigator",
    "self",
    "process",
    "Request",
    "WebAssembly",
    "Intl",
    "structuredClone",
  ])("does not find %s", async (name) => {
    expect(await valueOf(`return [typeof ${name}, "${name}" in globalThis]`)).toEqual(["undefined", false]);
  });

  test.each([
    ["a socket", "const { connect } = await import('cloudflare:sockets'); await connect('1.1.1.1:80').opened"],
    ["node:net", "await import('node:net')"],
    ["node:http", "await import('node:http')"],
    ["node:timers", "await import('node:timers')"],
    ["node:vm", "await import('node:vm')"],
  ])("cannot open or import %s", async (_what, code) => {
    expect((await run(code)).error?.text).toMatch(/^Error: (This worker is not permitted|No such module)/);
  });

  test("that replaces what promises and JSON are made of ends with its value", async () => {
    const code =
      "Promise.prototype.then = null; Promise.resolve = null; JSON.parse = JSON.stringify = null; return [1]";
    expect(await valueOf(code)).toEqual([1]);
    expect(await run("JSON.parse = null; console.log('a'); throw 5")).toMatchObject({
      stdout: "a\n",
      error: { text: "Uncaught 5" },
    });
  });

  test("cannot make code from text", async () => {
    for (const code of ["eval('1')", "new Function('return 1')", "(() => {}).constructor('return this')()"]) {
      expect((await run(code)).error?.text).toMatch(/^EvalError/);
    }
  });

  test("finds no bindings, entrypoints or Node modules in the modules of the platform", async () => {
    const code = `const { env, exports } = await import("cloudflare:workers");
      const { default: process } = await import("node:process");
      const modules = ["net", "fs", "http", "vm", "timers", "child_process"];
      return [Object.keys(env), Object.keys(exports ?? {}), Object.keys(process.env), modules.map((name) => typeof process.getBuiltinModule("node:" + name))]`;
    expect(await valueOf(code)).toEqual([[], [], [], Array(6).fill("undefined")]);
  });

  test("cannot run its main module again", async () => {
    const code = "const { default: Main } = await import('./main.js'); await Main.prototype.run.call({}, [], 0, 0)";
    expect(await run(code)).toMatchObject({ error: { text: "Error: this Worker has run its code" } });
  });

  test("that ends its own isolate ends only its run", async () => {
    for (const end of [
      "(await import('cloudflare:workers')).abortIsolate('x')",
      "(await import('node:process')).exit(1)",
    ]) {
      expect(["never", "lost", null]).toContain((await run(`${end}; await new Promise(() => {})`)).stopped);
    }
    expect(await valueOf("return 1")).toBe(1);
  });

  test("does not see another run that is live at the same time", async () => {
    const call = async (): Promise<CallReply> => (await systemClock.sleep(30), { ok: true, json: "{}" });
    const code = (name: string) =>
      `globalThis.seen = (globalThis.seen ?? "") + "${name}"; await tools.wait({}); return seen`;
    const names = ["a", "b", "c", "d", "e", "f"];
    expect(await Promise.all(names.map((name) => valueOf(code(name), { tools: ["wait"], call })))).toEqual(names);
  });

  test("goes no further after its run is called off", async () => {
    const controller = new AbortController();
    let calls = 0;
    const call = async (): Promise<CallReply> => {
      calls++;
      await systemClock.sleep(10);
      if (calls === 2) controller.abort();
      return { ok: true, json: "{}" };
    };
    const code = "console.log('begun'); for (;;) { try { await tools.x({}) } catch {} }";
    expect(await run(code, { tools: ["x"], call, signal: controller.signal })).toEqual({
      stdout: "begun\n",
      stopped: "signal",
    });
    await systemClock.sleep(100);
    expect(calls).toBe(2);
  });

  test("that ignores refused calls is stopped", { timeout: 30_000 }, async () => {
    const call = async (): Promise<CallReply> => ({ ok: false, message: "no", code: "no", json: "{}" });
    expect(await run("for (;;) { try { await tools.x({}) } catch {} }", { tools: ["x"], call })).toMatchObject({
      stopped: "time",
    });
  });

  test("that closes the function around it finds no more", async () => {
    const code = "return seen }; globalThis.seen = [typeof fetch, typeof caches, typeof setTimeout]; async () => {";
    expect(await valueOf(code)).toEqual(["undefined", "undefined", "undefined"]);
  });
});

test("the tool execute_code runs in a Dynamic Worker: calls, their limit, and a sentence for each end", async () => {
  const settings = { ...DEFAULTS, code: { sandbox: "dynamic" as const } };
  const tool = createExecuteCode({
    sandbox: openSandbox({ LOADER: loader }, settings, systemClock, report),
    clock: systemClock,
    settings,
    hasFiles: true,
  });
  const inner: InnerCalls = {
    end: async () => {},
    names: ["add"],
    call: async (_name, { args }) => succeed({}, { own: { sum: Number(args.a) + 1 } }),
  };
  const execute = (code: string) =>
    tool.run({ code }, { op: "o", signal: new AbortController().signal, inner } as never);
  const sum = await execute("let a = 0; for (let i = 0; i < 20; i++) a = (await tools.add({ a })).sum; return a");
  expect(JSON.stringify(sum)).toContain("20");
  expect(sum.failed).toBe(false);
  const many = await execute("for (let i = 0; i < 60; i++) await tools.add({ a: i })");
  expect(JSON.stringify(many)).toContain("Code may make 50 calls");
});

describe("the sandbox of a Session", () => {
  function open(mode: "quickjs" | "dynamic", isBound: boolean) {
    const loads: unknown[] = [];
    const reports: string[] = [];
    const counted = { load: (code: WorkerLoaderWorkerCode) => (loads.push(code), loader.load(code)) } as WorkerLoader;
    const opened = openSandbox(isBound ? { LOADER: counted } : {}, { code: { sandbox: mode } }, systemClock, (text) =>
      reports.push(text),
    );
    return { loads, reports, value: async () => (await opened.run(toProgram("return 1"))).value };
  }

  test.each([
    ["the binding alone changes nothing", "quickjs", true, 0, 0],
    ["the setting without the binding is reported, and code runs in QuickJS", "dynamic", false, 0, 1],
    ["both: a Dynamic Worker is loaded for each run", "dynamic", true, 1, 0],
    ["neither", "quickjs", false, 0, 0],
  ] as const)("%s", async (_what, mode, isBound, loads, reports) => {
    const opened = open(mode, isBound);
    expect(await opened.value()).toBe("1");
    expect([opened.loads.length, opened.reports.length]).toEqual([loads, reports]);
  });
});
