// Code in QuickJS: what it can do, what it cannot reach, and how each limit ends it.
import { describe, expect, test } from "vitest";
import { createQuickJsSandbox } from "../../core/sandbox/quickjs-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { type CallReply, type CodeProgram, MAX_RUN_MS } from "../../core/sandbox/code-sandbox.ts";
import { BOMBS } from "./hostile-code.ts";
import { quickjs as module } from "../support/quickjs.ts";
import { createTestClock } from "../support/clock.ts";
import { NOW, toProgram } from "./sandbox-cases.ts";

const sandbox = createQuickJsSandbox({ module, clock: systemClock });
const run = (code: string, options: Partial<CodeProgram> = {}) => sandbox.run(toProgram(code, options));

/** What the code returns, parsed. Fails when it ended in another way. */
async function valueOf(code: string, options: Partial<CodeProgram> = {}): Promise<unknown> {
  const { value, ...rest } = await run(code, options);
  expect(rest).toEqual({ stdout: rest.stdout, stopped: null });
  return value === undefined ? undefined : JSON.parse(value);
}

describe("a run", () => {
  test("gives what the code prints and returns", async () => {
    const code =
      "console.log('a', 1, { b: [2n] }, new Error('x'), new Map([[1, 2]]), undefined); return { sum: 1 + 2 }";
    expect(await run(code)).toEqual({
      stdout: 'a 1 {"b":["2"]} Error: x [[1,2]] undefined\n',
      value: '{"sum":3}',
      stopped: null,
    });
  });

  test("names the line of an error, in what it calls as well", async () => {
    expect(await run("const f = () => {\n  null.x\n}\n\nf()")).toMatchObject({
      error: { text: expect.stringContaining("TypeError: cannot read property 'x' of null"), line: 2 },
    });
    expect(await run("\n\nawait 1\nthrow new RangeError('too far')")).toEqual({
      stdout: "",
      error: { text: "RangeError: too far", line: 4 },
      stopped: null,
    });
    expect(await run("let a = 1\nlet b =")).toMatchObject({
      error: { text: expect.stringMatching(/^SyntaxError/), line: 2 },
    });
    expect(await run("throw { a: 1 }")).toMatchObject({ error: { text: 'Uncaught {"a":1}' } });
  });

  test("keeps what was printed before it failed or was stopped", async () => {
    expect(await run("console.log('before'); for (;;);")).toEqual({ stdout: "before\n", stopped: "time" });
    expect(await run("console.log('before'); throw 1")).toMatchObject({ stdout: "before\n" });
  });

  test("may end in a comment, and returns nothing without return", async () => {
    expect(await valueOf("1 + 1 // two")).toBe(undefined);
  });

  test("computes a million steps within its limit", async () => {
    expect(await valueOf("let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7; return s")).toBe(2_999_997);
    const sort = "return Array.from({ length: 5e4 }, (_, i) => (i * 7919) % 50021).sort((a, b) => a - b)[100]";
    expect(await valueOf(sort)).toEqual(expect.any(Number));
  });

  test("sees a clock that stands at the call's time, and chance that can be repeated", async () => {
    expect(
      await valueOf("return [Date.now(), new Date().toISOString(), new Date(5).getTime(), typeof Date()]"),
    ).toEqual([NOW, new Date(NOW).toISOString(), 5, "string"]);
    const roll = "return [Math.random(), Math.random()]";
    const [first, second] = (await valueOf(roll, { seed: "a" })) as number[];
    expect(await valueOf(roll, { seed: "a" })).toEqual([first, second]);
    expect(first).not.toBe(second);
    expect(await valueOf(roll, { seed: "b" })).not.toEqual([first, second]);
  });
});

describe("tools", () => {
  const tools = ["read_file", "terminal"];
  const echo = async (name: string, args: string): Promise<CallReply> => ({
    ok: true,
    json: JSON.stringify({ name, ...(JSON.parse(args) as object) }),
  });

  test("are async functions, below tools and by their own names", async () => {
    const code = "return [await tools.read_file({ path: 'a' }), await terminal({ command: 'ls' })]";
    expect(await valueOf(code, { tools, call: echo })).toEqual([
      { name: "read_file", path: "a" },
      { name: "terminal", command: "ls" },
    ]);
  });

  test("run side by side with Promise.all", async () => {
    const waiting: (() => void)[] = [];
    const call = async (name: string, args: string) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const go of waiting.reverse()) go();
      });
      return echo(name, args);
    };
    const code = "return (await Promise.all([1, 2, 3].map((path) => tools.read_file({ path })))).map((r) => r.path)";
    expect(await valueOf(code, { tools, call })).toEqual([1, 2, 3]);
  });

  test("reject with the sentence, the code and the whole result of a failure", async () => {
    const call = async (): Promise<CallReply> => ({
      ok: false,
      message: "There is no file.",
      code: "not_found",
      json: '{"a":1}',
    });
    const code =
      "try { await tools.read_file({}) } catch (e) { return [e instanceof Error, e.message, e.code, e.result] }";
    expect(await valueOf(code, { tools, call })).toEqual([true, "There is no file.", "not_found", { a: 1 }]);
    expect(await run("await tools.read_file({})", { tools, call })).toMatchObject({
      error: { text: "Error: There is no file." },
    });
  });

  test("are waited for, even when nobody awaits them", async () => {
    const done: string[] = [];
    const call = async (name: string) => {
      await systemClock.sleep(20);
      done.push(name);
      return { ok: true, json: "{}" } as const;
    };
    await run("tools.read_file({}); return 1", { tools, call });
    expect(done).toEqual(["read_file"]);
  });

  test("get only texts from hostile arguments", async () => {
    const code = "return await tools.read_file({ toJSON() { return { path: 'x' } } }).then((r) => r.path)";
    expect(await valueOf(code, { tools, call: echo })).toBe("x");
    expect(await run("await tools.read_file(() => 1)", { tools, call: echo })).toMatchObject({
      error: { text: "TypeError: the arguments of read_file must be one object" },
    });
    expect(await run("await tools.read_file({ a: 'x'.repeat(3e6) })", { tools, call: echo })).toMatchObject({
      error: { text: expect.stringContaining("longer than") },
    });
  });

  test("a run that is called off while it waits ends at once", async () => {
    const controller = new AbortController();
    const call = () => {
      controller.abort();
      return new Promise<CallReply>(() => {});
    };
    expect(await run("await tools.read_file({})", { tools, call, signal: controller.signal })).toEqual({
      stdout: "",
      stopped: "signal",
    });
  });

  test("a run that waits for too long ends", async () => {
    const clock = createTestClock();
    const slow = createQuickJsSandbox({ module, clock });
    const call = () => {
      void Promise.resolve().then(() => clock.advance(MAX_RUN_MS));
      return new Promise<CallReply>(() => {});
    };
    expect(await slow.run(toProgram("await tools.read_file({})", { tools, call }))).toEqual({
      stdout: "",
      stopped: "wait",
    });
  });
});

describe("nothing of the host is within reach", () => {
  test("there are only the language's globals, console and tools", async () => {
    const names = (await valueOf("return Object.getOwnPropertyNames(globalThis).sort()", {
      tools: ["read_file"],
    })) as string[];
    const language =
      "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DOMException DataView Date Error EvalError " +
      "FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array " +
      "InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set " +
      "SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray " +
      "WeakMap WeakRef WeakSet console decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis " +
      "isFinite isNaN parseFloat parseInt read_file tools undefined unescape queueMicrotask";
    expect(names.filter((name) => !language.split(" ").includes(name))).toEqual([]);
  });

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

  test("modules cannot be imported", async () => {
    expect(await run("await import('node:fs')")).toMatchObject({ error: { text: expect.stringMatching(/Error/) } });
    expect(await run("import fs from 'fs'")).toMatchObject({ error: { text: expect.stringMatching(/SyntaxError/) } });
  });

  test("code that closes the function around it stays in the sandbox", async () => {
    expect(await run("})(); globalThis.x = 1; (async () => { return typeof process")).toMatchObject({
      value: '"undefined"',
    });
  });

  test("nothing of one run is left for the next", async () => {
    await run("globalThis.secret = 1; Array.prototype.secret = 1");
    expect(await valueOf("return [typeof secret, [].secret === undefined]")).toEqual(["undefined", true]);
  });
});

/** On a busy machine: twice what they need on an idle one. */
const MAX_MS = 8_000;

test.each(BOMBS)("%s is stopped", async (what, code, stopped) => {
  const began = performance.now();
  const ended = await run(code);
  const ms = performance.now() - began;
  if (process.env.SHOW_TIMES) console.log(what, Math.round(ms), ended.stopped);
  expect([stopped].flat()).toContain(ended.stopped);
  expect(ms).toBeLessThan(MAX_MS);
});
