// The globals of code that a model writes: console, tools, a clock that stands still and seeded random numbers. A script that both
// sandboxes of execute_code run before the code. It keeps the host's functions in its closure, where the code cannot reach them, and
// uses only built-ins that it has saved: the code may replace them all.
import { MAX_ARGUMENT_CHARS, MAX_PRINTED_CHARS } from "./code-sandbox.ts";

/** What the code finds beside console and tools: the globals of QuickJS. A Dynamic Worker loses all others. */
export const LANGUAGE_GLOBALS: readonly string[] = (
  "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DOMException DataView Date Error EvalError " +
  "FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array " +
  "InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set " +
  "SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray " +
  "WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN " +
  "parseFloat parseInt queueMicrotask undefined unescape"
).split(" ");

/** Evaluates to a function that takes the host's functions and returns what the host calls: `settle` and `watch`. */
export const CODE_GLOBALS = `({ print, send, done, isMemoryFull }, names, now, seed) => {
  const { stringify, parse } = JSON;
  const { apply, construct } = Reflect;
  const { slice } = String.prototype;
  const Text = String, Fault = Error, Pending = Promise, Real = Date;
  const { isArray } = Array;
  const isError = (value) => value instanceof Fault;
  const cut = (text, chars) => apply(slice, Text(text), [0, chars]);

  const shape = (key, value) => typeof value === "bigint" ? Text(value)
    : value instanceof Map || value instanceof Set ? [...value]
    : isError(value) ? value.name + ": " + value.message : value;
  const toJson = (value) => stringify(value, shape);
  const show = (value) => {
    if (typeof value === "string") return value;
    if (isError(value)) return value.name + ": " + value.message;
    try { const json = toJson(value); return json === undefined ? Text(value) : json; } catch { return "[" + typeof value + "]"; }
  };
  const log = (...values) => {
    let line = "";
    for (let i = 0; i < values.length; i++) line += (i > 0 ? " " : "") + show(values[i]);
    print(stringify(cut(line + "\\n", ${MAX_PRINTED_CHARS + 1})));
  };
  globalThis.console = { log, info: log, debug: log, warn: log, error: log };

  const Now = function Date(...parts) {
    if (new.target === undefined) return Text(new Real(now));
    return construct(Real, parts.length === 0 ? [now] : parts, new.target);
  };
  Now.prototype = Real.prototype;
  Real.prototype.constructor = Now;
  Now.now = () => now;
  Now.parse = Real.parse;
  Now.UTC = Real.UTC;
  globalThis.Date = Now;
  let state = seed | 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = state ^ (state >>> 15);
    t = Math.imul(t, t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  const open = { __proto__: null };
  let calls = 0;
  const call = (name, args) => new Pending((resolve, reject) => {
    const json = stringify(args === undefined ? {} : args);
    if (typeof json !== "string") throw new TypeError("the arguments of " + name + " must be one object");
    if (json.length > ${MAX_ARGUMENT_CHARS}) throw new RangeError("the arguments of " + name + " are longer than ${MAX_ARGUMENT_CHARS} characters");
    const id = ++calls;
    open[id] = { resolve, reject };
    send(id, name, json);
  });
  const tools = {};
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    tools[name] = (args) => call(name, args);
    if (!(name in globalThis)) globalThis[name] = tools[name];
  }
  globalThis.tools = Object.freeze(tools);

  const settle = (id, ok, json, message, code) => {
    const { resolve, reject } = open[id];
    delete open[id];
    if (ok) return resolve(parse(json));
    const error = new Fault(message);
    error.code = code;
    error.result = parse(json);
    reject(error);
  };
  const fail = (text, stack) => done(false, stringify(cut(text, 2000)), cut(stack, 4000));
  // Without memory for an error, QuickJS throws null, or a value of no type. The code may throw null, too.
  const isWithoutMemory = (thrown) => thrown === null ? isMemoryFull() : typeof thrown === "unknown";
  const describeOnce = (thrown) => {
    if (isWithoutMemory(thrown)) done(false, '"InternalError: out of memory"', "");
    else if (isError(thrown)) fail(thrown.name + ": " + thrown.message, thrown.stack);
    else fail("Uncaught " + show(thrown), "");
  };
  // The code may have changed what its errors and classes answer.
  const describe = (thrown) => {
    try { describeOnce(thrown); } catch (odd) {
      try { describeOnce(odd); } catch { done(false, '"Uncaught error that cannot be shown"', ""); }
    }
  };
  // await does not use Promise.prototype.then, which the code may have replaced. The code may also have closed the async function
  // around it, so that this is no promise.
  const watch = async (promise) => {
    try {
      const json = toJson(await promise);
      done(true, json === undefined ? "" : json, "");
    } catch (thrown) { describe(thrown); }
  };
  return { settle, describe, watch };
}`;
