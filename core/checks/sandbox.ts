// Runs untrusted JavaScript in QuickJS, compiled to WebAssembly. A script has only the language, `console`, and `readFile` over the
// given files. It must never have network, clock, randomness or any other function of the host. Created by run-checks.ts with the
// WebAssembly module of a Worker's bundle, because Workers cannot compile WebAssembly at run time.
import RELEASE_SYNC from "@jitl/quickjs-wasmfile-release-sync";
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
  newQuickJSWASMModuleFromVariant,
  newVariant,
} from "quickjs-emscripten-core";
import { messageOf } from "../errors.ts";
import { MAX_OUTPUT_CHARS, type Program, type ProgramRun, resolveIn } from "./program.ts";

export interface Sandbox {
  /** Runs `entry` as an ES module, which can import the other files. Never throws. */
  run(program: Program & { entry: string }): Promise<ProgramRun>;
  /** Whether the pattern matches in the text; null: it is not a regular expression, or takes too long. Never throws. */
  matches(pattern: string, text: string): Promise<boolean | null>;
  /** The syntax error of a text; null when it parses as a module or as a script. Runs nothing. Never throws. */
  parse(text: string): Promise<string | null>;
}

/**
 * Counted in QuickJS interrupts, one for about ten thousand calls and jumps. A time limit is impossible: an isolate's clock stops while
 * it computes. Measured: an empty loop is stopped after fifty million rounds in a quarter of a second, a backtracking pattern after two
 * seconds.
 */
const MAX_TICKS = 5_000;
const MAX_MATCH_TICKS = 1_000;
/** Promise jobs need a separate limit, because they cause few interrupts. */
const MAX_JOBS = 200_000;
/** With a larger stack, deep recursion would overflow the host's stack before QuickJS notices. */
const STACK_BYTES = 128 << 10;
const HEAP_BYTES = 16 << 20;
/** Linear memory in pages of 64 KiB. Its maximum is the hard limit, since QuickJS's heap limit misses some allocations. */
const MEMORY = { initial: 256, maximum: 512 };

export function createSandbox(wasmModule: WebAssembly.Module): Sandbox {
  let engine: Promise<QuickJSWASMModule> | null = null;

  /** Reuses one instance of QuickJS until it has grown or failed: linear memory never shrinks. */
  async function within<T>(work: (vm: QuickJSContext, runtime: QuickJSRuntime) => T): Promise<T> {
    engine ??= start(wasmModule);
    const mine = engine;
    let isReusable = false;
    try {
      const quickJs = await mine;
      const runtime = quickJs.newRuntime();
      runtime.setMemoryLimit(HEAP_BYTES);
      runtime.setMaxStackSize(STACK_BYTES);
      const vm = runtime.newContext();
      const done = work(vm, runtime);
      vm.dispose();
      runtime.dispose();
      isReusable = quickJs.getWasmMemory().buffer.byteLength <= MEMORY.initial << 16;
      return done;
    } finally {
      if (!isReusable && engine === mine) engine = null;
    }
  }

  return {
    async run(program) {
      const output = createOutput();
      try {
        return await within((vm, runtime) => runModule(vm, runtime, program, output));
      } catch (thrown) {
        // A trap, an abort, or an overflow of the host's stack. The instance is discarded with all that the script did.
        return { exitCode: 1, ...output.texts(), stopped: toStopReason(messageOf(thrown)) ?? "memory" };
      }
    },
    async matches(pattern, text) {
      try {
        return await within((vm, runtime) => runMatch(vm, runtime, pattern, text));
      } catch {
        return null; // as in run
      }
    },
    async parse(text) {
      try {
        return await within((vm) => compile(vm, text, "global") && compile(vm, text, "module"));
      } catch {
        return null; // as in run
      }
    },
  };
}

/** The package's types describe its CommonJS build, whose default export is one level deeper. */
const VARIANT = RELEASE_SYNC as unknown as QuickJSSyncVariant;

function start(wasmModule: WebAssembly.Module): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory(MEMORY);
  return newQuickJSWASMModuleFromVariant(newVariant(VARIANT, { wasmModule, wasmMemory }));
}

/** The syntax error; null: the text compiles. */
function compile(vm: QuickJSContext, text: string, type: "global" | "module"): string | null {
  const compiled = vm.evalCode(text, "script.js", { type, compileOnly: true });
  if (!compiled.error) {
    compiled.value.dispose();
    return null;
  }
  const stack: unknown = vm.getProp(compiled.error, "stack").consume((handle) => vm.dump(handle));
  const line = /script\.js:(\d+)/.exec(String(stack))?.[1];
  // Other errors, such as a missing module, are not syntax errors.
  const problem = describe(vm, compiled.error);
  if (!problem.startsWith("SyntaxError")) return null;
  return line ? `line ${line}: ${problem}` : problem;
}

function runModule(
  vm: QuickJSContext,
  runtime: QuickJSRuntime,
  { entry, files }: Program & { entry: string },
  output: Output,
): ProgramRun {
  let stopped: ProgramRun["stopped"] = null;
  let ticks = 0;
  runtime.setInterruptHandler(() => {
    if (++ticks > MAX_TICKS) stopped = "time";
    else if (output.isFull()) stopped = "output";
    return stopped !== null;
  });
  runtime.setModuleLoader(
    (path) =>
      Object.hasOwn(files, path) ? files[path]! : { error: new Error(`there is no file '${path}' to import`) },
    (from, path) => (path.startsWith(".") ? resolveIn(from, path) : path),
  );
  addGlobals(vm, files, output);
  const problem = settle(vm, runtime, vm.evalCode(files[entry] ?? "", entry, { type: "module" }));
  if (problem !== null) output.write(2, `${problem}\n`);
  stopped ??= problem === null ? null : toStopReason(problem);
  return { exitCode: problem === null && !stopped ? 0 : 1, ...output.texts(), stopped };
}

const INTERRUPTED = "InternalError: interrupted";

/** Runs pending jobs. Returns what was thrown, or null. */
function settle(
  vm: QuickJSContext,
  runtime: QuickJSRuntime,
  evaluated: ReturnType<QuickJSContext["evalCode"]>,
): string | null {
  if (evaluated.error) return describe(vm, evaluated.error);
  const promise = evaluated.value;
  const jobs = runtime.executePendingJobs(MAX_JOBS);
  if (jobs.error || runtime.hasPendingJob()) {
    promise.dispose();
    return jobs.error ? describe(vm, jobs.error) : INTERRUPTED;
  }
  const state = vm.getPromiseState(promise);
  const problem = state.type === "rejected" ? describe(vm, state.error) : null;
  if (state.type === "fulfilled") state.value.dispose();
  const isPending = state.type === "pending";
  if (promise.alive) promise.dispose();
  return isPending ? "Error: it waits for something that never comes" : problem;
}

/** Name and message. Reading them may run more of the script, within the same limits. */
function describe(vm: QuickJSContext, error: QuickJSHandle): string {
  const thrown: unknown = vm.dump(error);
  error.dispose();
  // When QuickJS is out of memory, it cannot create the error and throws null.
  if (thrown === null) return "InternalError: out of memory";
  if (typeof thrown !== "object") return String(thrown).slice(0, MAX_ERROR_CHARS);
  const { name = "Error", message = "" } = thrown as { name?: unknown; message?: unknown };
  return `${String(name)}: ${String(message)}`.slice(0, MAX_ERROR_CHARS);
}

const MAX_ERROR_CHARS = 500;

function toStopReason(problem: string): ProgramRun["stopped"] {
  if (problem === INTERRUPTED) return "time";
  return /out of memory|string too long|stack overflow|call stack size/i.test(problem) ? "memory" : null;
}

/** The globals of a script. `Date` and `Math.random` return constants, so that a check always has the same result. */
const GLOBALS = `(write, read) => {
  const show = (value) => {
    if (typeof value === "string") return value;
    try { return JSON.stringify(value) ?? String(value); } catch { return Object.prototype.toString.call(value); }
  };
  const to = (stream) => (...values) => write(stream, (values.map(show).join(" ") + "\\n").slice(0, ${MAX_OUTPUT_CHARS}));
  globalThis.console = { log: to(1), info: to(1), debug: to(1), warn: to(2), error: to(2) };
  globalThis.readFile = (path) => read(String(path));
  const Real = Date;
  globalThis.Date = class Date extends Real {
    constructor(...parts) { if (parts.length === 0) super(0); else super(...parts); }
    static now() { return 0; }
  };
  Math.random = () => 0.5;
}`;

function addGlobals(vm: QuickJSContext, files: Record<string, string>, output: Output): void {
  const write = vm.newFunction("write", (stream, text) => {
    if (!output.isFull()) output.write(vm.getNumber(stream) === 1 ? 1 : 2, vm.getString(text));
  });
  const read = vm.newFunction("readFile", (path) => {
    const name = resolveIn("", vm.getString(path));
    if (!Object.hasOwn(files, name)) throw new Error(`there is no file '${name}'`);
    return vm.newString(files[name]!);
  });
  const set = vm.unwrapResult(vm.evalCode(GLOBALS, "globals.js"));
  vm.unwrapResult(vm.callFunction(set, vm.undefined, write, read)).dispose();
  for (const handle of [set, write, read]) handle.dispose();
}

function runMatch(vm: QuickJSContext, runtime: QuickJSRuntime, pattern: string, text: string): boolean | null {
  let ticks = 0;
  runtime.setInterruptHandler(() => ++ticks > MAX_MATCH_TICKS);
  const test = vm.unwrapResult(vm.evalCode(`(pattern, text) => new RegExp(pattern, "m").test(text)`, "match.js"));
  const args = [vm.newString(pattern), vm.newString(text)];
  const found = vm.callFunction(test, vm.undefined, ...args);
  const isMatch = found.error ? null : vm.dump(found.value) === true;
  for (const handle of [found.error ?? found.value, test, ...args]) handle.dispose();
  return isMatch;
}

interface Output {
  write(stream: 1 | 2, text: string): void;
  isFull(): boolean;
  texts(): { stdout: string; stderr: string };
}

function createOutput(): Output {
  const texts = { stdout: "", stderr: "" };
  const isFull = () => texts.stdout.length + texts.stderr.length >= MAX_OUTPUT_CHARS;
  return {
    isFull,
    write(stream, text) {
      texts[stream === 1 ? "stdout" : "stderr"] += text;
    },
    texts: () => ({ stdout: cap(texts.stdout), stderr: cap(texts.stderr) }),
  };
}

function cap(text: string): string {
  return text.slice(0, MAX_OUTPUT_CHARS).toWellFormed();
}
