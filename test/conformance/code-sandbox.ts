// The conformance kit of CodeSandbox: what code can do in every sandbox, what it cannot reach, and how a run ends. QuickJS and Dynamic
// Workers must pass it. Without endless loops: local servers do not limit the computing of a Dynamic Worker.
import { describe, expect, test } from "vitest";
import type { Clock } from "../../core/ports.ts";
import { LANGUAGE_GLOBALS } from "../../core/sandbox/code-globals.ts";
import {
  type CallReply,
  type CodeProgram,
  type CodeSandbox,
  MAX_PRINTED_CHARS,
  MAX_RUN_MS,
} from "../../core/sandbox/code-sandbox.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createTestClock } from "../support/clock.ts";
import { NOW, createValueReader, toProgram } from "../support/code-program.ts";

export function describeCodeSandbox(name: string, make: (clock: Clock) => CodeSandbox): void {
  const sandbox = make(systemClock);
  const run = (code: string, options: Partial<CodeProgram> = {}) => sandbox.run(toProgram(code, options));
  const valueOf = createValueReader(sandbox);

  describe(`${name} as a sandbox of code`, () => {
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
          error: { text: expect.stringMatching(/^TypeError: cannot read propert.* null/i), line: 2 },
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
        for (const code of ["throw null", "await Promise.reject(null)"]) {
          expect(await run(code)).toEqual({ stdout: "", error: { text: "Uncaught null" }, stopped: null });
        }
      });

      test("keeps what was printed before it failed or was stopped", async () => {
        expect(await run("console.log('before'); throw 1")).toMatchObject({ stdout: "before\n" });
        const code = "console.log('before'); await tools.x({}); console.log('after'); await new Promise(() => {})";
        expect(await run(code, { tools: ["x"] })).toEqual({ stdout: "before\nafter\n", stopped: "never" });
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

      test.each([
        ["waits for a promise that nothing settles", "await new Promise(() => {})", "never"],
        ["prints too much", "for (let i = 0; i < 300; i++) console.log('x'.repeat(1000))", "output"],
        ["prints one text that is too long", "console.log('x'.repeat(1e6)); return 1", "output"],
        ["returns too much", "return 'x'.repeat(3e5)", "output"],
        ["nests calls too deep", "const f = () => f() + 1; f()", "stack"],
        ["makes a text of a gigabyte", "'x'.repeat(2 ** 30)", "memory"],
        ["makes an integer of a gigabit", "10n ** 10n ** 10n", "memory"],
      ])("that %s is stopped", async (_what, code, stopped) => {
        const ended = await run(code);
        expect(ended.stopped).toBe(stopped);
        expect(ended.value).toBe(undefined);
        expect(ended.stdout.length).toBeLessThanOrEqual(MAX_PRINTED_CHARS);
      });

      test("keeps texts that are not well formed from the log", async () => {
        const { stdout } = await run("console.log('a\\ud800b')");
        expect([stdout.isWellFormed(), stdout.at(0), stdout.at(-2)]).toEqual([true, "a", "b"]);
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
        const code =
          "return (await Promise.all([1, 2, 3].map((path) => tools.read_file({ path })))).map((r) => r.path)";
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
        const slow = make(clock);
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
        const known = [...LANGUAGE_GLOBALS, "console", "tools", "read_file"];
        expect(names.filter((name) => !known.includes(name))).toEqual([]);
      });

      test("modules cannot be imported", async () => {
        expect(await run("await import('node:fs')")).toMatchObject({ error: { text: expect.stringMatching(/Error/) } });
        expect(await run("import fs from 'fs'")).toMatchObject({
          error: { text: expect.stringMatching(/SyntaxError/) },
        });
      });

      test("nothing of one run is left for the next", async () => {
        await run("globalThis.secret = 1; Array.prototype.secret = 1");
        expect(await valueOf("return [typeof secret, [].secret === undefined]")).toEqual(["undefined", true]);
      });
    });
  });
}
