// Runs JavaScript that nobody vouches for: QuickJS in WebAssembly. It has the language, `console`, and `readFile` over the
// files it is given; no network, no clock, no chance, no other function of the host. Made by run-checks.ts from the module
// that a Worker's bundle holds, because the platform compiles none at run time.
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
  /** `entry` is read as an ES module; what it imports must be among the files. Never throws. */
  run(program: Program & { entry: string }): Promise<ProgramRun>;
  /** Whether some of the text matches. Null: it is no regular expression, or takes too long. Never throws. */
  matches(pattern: string, text: string): Promise<boolean | null>;
  /** Why a text is neither a module nor a script; null: it is one. Runs nothing of it. Never throws. */
  parse(text: string): Promise<string | null>;
}

/**
 * Interrupts, which come after about ten thousand calls and jumps: the clock of an isolate stands still while it computes.
 * Measured: an empty loop ends after fifty million laps in a quarter of a second, a pattern that goes back and forth after two seconds.
 */
const MAX_TICKS = 5_000;
const MAX_MATCH_TICKS = 1_000;
/** What a promise calls makes few interrupts. */
const MAX_JOBS = 200_000;
/** Beyond it deep recursion would end the host's stack before QuickJS sees it. */
const STACK_BYTES = 128 << 10;
const HEAP_BYTES = 16 << 20;
/** In pages of 64 KiB: where it begins, and what holds. The heap's own limit counts too little. */
const MEMORY = { initial: 256, maximum: 512 };

export function createSandbox(wasmModule: WebAssembly.Module): Sandbox {
  let engine: Promise<QuickJSWASMModule> | null = null;

  /** In one instance of QuickJS until it has grown or something went wrong in it: linear memory never shrinks. */
  async function within<T>(work: (vm: QuickJSContext, runtime: QuickJSRuntime) => T): Promise<T> {
    engine ??= start(wasmModule);
    const mine = engine;
    let sound = false;
    try {
      const quickJs = await mine;
      const runtime = quickJs.newRuntime();
      runtime.setMemoryLimit(HEAP_BYTES);
      runtime.setMaxStackSize(STACK_BYTES);
      const vm = runtime.newContext();
      const done = work(vm, runtime);
      vm.dispose();
      runtime.dispose();
      sound = quickJs.getWasmMemory().buffer.byteLength <= MEMORY.initial << 16;
      return done;
    } finally {
      if (!sound && engine === mine) engine = null;
    }
  }

  return {
    async run(program) {
      const output = createOutput();
      try {
        return await within((vm, runtime) => runModule(vm, runtime, program, output));
      } catch (thrown) {
        // A trap, an abort, or the host's own stack: the instance is gone, and with it whatever the script did.
        return { exitCode: 1, ...output.texts(), stopped: whyOf(messageOf(thrown)) ?? "memory" };
      }
    },
    async matches(pattern, text) {
      try {
        return await within((vm, runtime) => runMatch(vm, runtime, pattern, text));
      } catch {
        return null; // the same as in run
      }
    },
    async parse(text) {
      try {
        return await within((vm) => compile(vm, text, "global") && compile(vm, text, "module"));
      } catch {
        return null; // the same as in run
      }
    },
  };
}

/** Its types are those of its CommonJS build, whose default is one level deeper. */
const VARIANT = RELEASE_SYNC as unknown as QuickJSSyncVariant;

function start(wasmModule: WebAssembly.Module): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory(MEMORY);
  return newQuickJSWASMModuleFromVariant(newVariant(VARIANT, { wasmModule, wasmMemory }));
}

/** Null: it can be compiled. */
function compile(vm: QuickJSContext, text: string, type: "global" | "module"): string | null {
  const compiled = vm.evalCode(text, "script.js", { type, compileOnly: true });
  if (!compiled.error) {
    compiled.value.dispose();
    return null;
  }
  const stack: unknown = vm.getProp(compiled.error, "stack").consume((handle) => vm.dump(handle));
  const line = /script\.js:(\d+)/.exec(String(stack))?.[1];
  // A module that is not there is no fault of the text.
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
  equip(vm, files, output);
  const problem = settle(vm, runtime, vm.evalCode(files[entry] ?? "", entry, { type: "module" }));
  if (problem !== null) output.write(2, `${problem}\n`);
  stopped ??= problem === null ? null : whyOf(problem);
  return { exitCode: problem === null && !stopped ? 0 : 1, ...output.texts(), stopped };
}

const INTERRUPTED = "InternalError: interrupted";

/** Null when it ended well, else what was thrown. */
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
  const waits = state.type === "pending";
  if (promise.alive) promise.dispose();
  return waits ? "Error: it waits for something that never comes" : problem;
}

/** Name and message. To read them may run more of the script, under the limits that hold for it. */
function describe(vm: QuickJSContext, error: QuickJSHandle): string {
  const thrown: unknown = vm.dump(error);
  error.dispose();
  // Out of memory there is none left for the error itself.
  if (thrown === null) return "InternalError: out of memory";
  if (typeof thrown !== "object") return String(thrown).slice(0, MAX_ERROR_CHARS);
  const { name = "Error", message = "" } = thrown as { name?: unknown; message?: unknown };
  return `${String(name)}: ${String(message)}`.slice(0, MAX_ERROR_CHARS);
}

const MAX_ERROR_CHARS = 500;

function whyOf(problem: string): ProgramRun["stopped"] {
  if (problem === INTERRUPTED) return "time";
  return /out of memory|string too long|stack overflow|call stack size/i.test(problem) ? "memory" : null;
}

/** Time stands still and chance is none: what is found today is found tomorrow. */
const EQUIPMENT = `(write, read) => {
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

function equip(vm: QuickJSContext, files: Record<string, string>, output: Output): void {
  const write = vm.newFunction("write", (stream, text) => {
    if (!output.isFull()) output.write(vm.getNumber(stream) === 1 ? 1 : 2, vm.getString(text));
  });
  const read = vm.newFunction("readFile", (path) => {
    const name = resolveIn("", vm.getString(path));
    if (!Object.hasOwn(files, name)) throw new Error(`there is no file '${name}'`);
    return vm.newString(files[name]!);
  });
  const set = vm.unwrapResult(vm.evalCode(EQUIPMENT, "equipment.js"));
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
