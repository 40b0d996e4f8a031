// Code in QuickJS: it passes the kit, nothing of the host is within reach, and each limit ends hostile code.
import { describe, expect, test } from "vitest";
import { RUN_FUEL } from "../../core/sandbox/engine.ts";
import { createQuickJsSandbox } from "../../core/sandbox/quickjs-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import type { CodeProgram } from "../../core/sandbox/code-sandbox.ts";
import { describeCodeSandbox } from "../conformance/code-sandbox.ts";
import { createValueReader, toProgram } from "../support/code-program.ts";
import { quickjs as module } from "../support/quickjs.ts";
import { BOMBS, chooseFuel } from "./hostile-code.ts";

describeCodeSandbox("QuickJS", (clock) => createQuickJsSandbox({ module, clock }));

const sandbox = createQuickJsSandbox({ module, clock: systemClock });
const run = (code: string, options: Partial<CodeProgram> = {}) => sandbox.run(toProgram(code, options));
const valueOf = createValueReader(sandbox);

test("what was printed before an endless loop is kept", async () => {
  expect(await run("console.log('before'); for (;;);")).toEqual({ stdout: "before\n", stopped: "time" });
});

describe("nothing of the host is within reach of hostile code", () => {
  test.each([
    ["the constructor of a function", "return typeof (() => {}).constructor('return this')().process"],
    ["the constructor of a tool", "return typeof tools.read_file.constructor('return this')().process"],
    [
      "the constructor of a tool's promise",
      "return typeof tools.read_file({}).constructor.constructor('return this')().fetch",
    ],
    [
      "the constructor of a result",
      "return typeof (await tools.read_file({})).constructor.constructor('return this')().WebAssembly",
    ],
    [
      "the constructor of an error",
      "try { null.x } catch (e) { return typeof e.constructor.constructor('return this')().setTimeout }",
    ],
    [
      "the constructor of a tool's error",
      "try { await tools.bad({}) } catch (e) { return typeof e.constructor.constructor('return this')().Buffer }",
    ],
  ])("%s leads to the sandbox's own globals", async (_what, code) => {
    expect(await valueOf(code, { tools: ["read_file"] })).toBe("undefined");
  });

  test("built-ins that the code replaces do not see the host's functions", async () => {
    const code = `
      const seen = [];
      for (const [owner, key] of [[Promise.prototype, "then"], [Function.prototype, "call"], [Function.prototype, "apply"],
        [Reflect, "apply"], [JSON, "parse"], [JSON, "stringify"], [Map.prototype, "set"], [Array.prototype, "push"]]) {
        const real = owner[key];
        owner[key] = function (...args) { for (const arg of [this, ...args]) if (typeof arg === "function") seen[seen.length] = arg.name; return real.call ? Reflect.construct(Object, []) : real };
      }
      Object.defineProperty(Object.prototype, "reject", { set(f) { seen[seen.length] = "reject" }, configurable: true });
      try { await tools.read_file({}) } catch {}
      return seen.filter((name) => ["print", "send", "done", "settle"].includes(name))`;
    expect(await run(code, { tools: ["read_file"] })).toMatchObject({
      stopped: expect.toSatisfy((why: unknown) => why === null || why === "never"),
    });
    expect((await run(code, { tools: ["read_file"] })).value ?? "[]").toBe("[]");
  });

  test("code that closes the function around it stays in the sandbox", async () => {
    expect(await run("})(); globalThis.x = 1; (async () => { return typeof process")).toMatchObject({
      value: '"undefined"',
    });
  });
});

/** Processor time for the fuel of a run: several times what they need, and far from endless. */
const MAX_CPU_MS = 8_000;
const WITH_ALL_FUEL = ["an endless loop", "a catastrophic pattern", "copies of bytes"];

test.each(BOMBS)("%s is stopped", { timeout: 60_000 }, async (what, code, stopped) => {
  const fuel = WITH_ALL_FUEL.includes(what) ? RUN_FUEL : chooseFuel(stopped);
  const began = process.threadCpuUsage();
  const ended = await createQuickJsSandbox({ module, clock: systemClock, fuel }).run(toProgram(code));
  const { user, system } = process.threadCpuUsage(began);
  expect([stopped].flat()).toContain(ended.stopped);
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS * (fuel / RUN_FUEL));
});
