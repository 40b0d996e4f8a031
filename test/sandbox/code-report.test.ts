// How the end of code is reported, whatever the code has changed: nothing is cut off, and no end is taken for another.
import { expect, test } from "vitest";
import { createQuickJsSandbox } from "../../core/sandbox/quickjs-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { quickjs as module } from "../support/quickjs.ts";
import { toProgram } from "../support/code-program.ts";

const sandbox = createQuickJsSandbox({ module, clock: systemClock });
const run = (code: string) => sandbox.run(toProgram(code));

test("a text with NUL or half a surrogate pair is whole", async () => {
  expect(await run(String.raw`console.log("a\0b\ud800"); return "c\0d"`)).toEqual({
    stdout: "a\0b\ufffd\n",
    value: String.raw`"c\u0000d"`,
    stopped: null,
  });
  expect(await run(String.raw`throw new Error("a\0b")`)).toMatchObject({ error: { text: "Error: a\0b", line: 1 } });
});

test.each([
  ["a value", "})(); (() => { return 5", { value: "5" }],
  ["a value that it throws", "})(); (() => { throw 5", { error: { text: "Uncaught 5" } }],
  ["an object that can be awaited", "})(); (() => { return { then(f) { f(7) } }", { value: "7" }],
])("code that closes the function around it and ends with %s ends with it", async (_what, code, end) => {
  expect(await run(code)).toEqual({ stdout: "", ...end, stopped: null });
});

test.each([
  [
    "the class of promises",
    "Object.defineProperty(Promise, Symbol.species, { get() { throw new Error() } }); return 1",
  ],
  ["then", "Promise.prototype.then = Promise.prototype.catch = null; Promise.resolve = null; return 1"],
  [
    "a promise's constructor",
    "Object.defineProperty(Promise.prototype, 'constructor', { get: () => Object }); return 1",
  ],
])("code that replaces %s ends with its value", async (_what, code) => {
  expect(await run(code)).toEqual({ stdout: "", value: "1", stopped: null });
});

test.each([
  ["errors cannot be told apart", "Object.defineProperty(Error, Symbol.hasInstance, { value() { throw 1 } }); throw 5"],
  ["errors have no text", "throw Object.defineProperty(new Error(), 'name', { get() { throw Object.create(null) } })"],
])("code that throws where %s ends with an error", async (_what, code) => {
  expect(await run(code)).toMatchObject({ error: { text: expect.stringMatching(/^Uncaught/) }, stopped: null });
});

test("a text that is too long in its normal form is a matter of memory", async () => {
  expect(await run(String.raw`"\uFDFA".repeat(2e5).normalize("NFKD")`)).toMatchObject({ stopped: "memory" });
});
