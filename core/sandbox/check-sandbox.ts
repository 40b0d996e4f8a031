// Runs untrusted JavaScript in QuickJS, compiled to WebAssembly. A script has only the language, `console`, and `readFile` over the
// given files. It must never have network, clock, randomness or any other function of the host. Created by run-checks.ts with the
// WebAssembly module of a Worker's bundle, because Workers cannot compile WebAssembly at run time.
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import { type Engine, JOB_UNITS, disposeContext, findStopReason, newHostFunction, startEngine } from "./engine.ts";
import { MAX_OUTPUT_CHARS, type Program, type ProgramRun, resolveIn } from "./program.ts";

export interface Sandbox {
  /** Runs `entry` as an ES module, which can import the other files. Never throws. */
  run(program: Program & { entry: string }): Promise<ProgramRun>;
  /** Whether the pattern matches in the text; null: it is not a regular expression, or takes too long. Never throws. */
  matches(pattern: string, text: string): Promise<boolean | null>;
  /** The syntax error of a text; null when it parses as a module or as a script. Runs nothing. Never throws. */
  parse(text: string): Promise<string | null>;
}

/** Units of fuel (engine.ts). A check is small. */
const CHECK_FUEL = 100_000_000;
const MATCH_FUEL = 50_000_000;
const MAX_JOBS = CHECK_FUEL / JOB_UNITS;

export function createSandbox(wasmModule: WebAssembly.Module): Sandbox {
  let engine: Promise<Engine> | null = null;

  /** Reuses one instance of QuickJS until it has grown or failed. `work` must not wait: runs share the instance. */
  async function within<T>(
    fuel: number,
    work: (inside: Inside) => T,
    onTrap: (inside: Inside | null, thrown: unknown) => T,
  ) {
    engine ??= startEngine(wasmModule);
    const mine = engine;
    let isReusable = false;
    let inside: Inside | null = null;
    try {
      const started = await mine;
      inside = { engine: started, ...started.newContext() };
      started.setFuel(fuel);
      const done = work(inside);
      disposeContext(started, inside);
      isReusable = !started.hasGrown();
      return done;
    } catch (thrown) {
      // A trap, an abort, or an overflow of the host's stack. The instance is discarded with all that the script did.
      return onTrap(inside, thrown);
    } finally {
      if (!isReusable && engine === mine) engine = null;
    }
  }

  return {
    run(program) {
      const output = createOutput();
      return within(
        CHECK_FUEL,
        (inside) => runModule(inside, program, output),
        (inside, thrown) => {
          const why = output.isFull() ? "output" : findStopReason(inside?.engine ?? null, thrown);
          return { exitCode: 1, ...output.texts(), stopped: toStopped(why) ?? "memory" };
        },
      );
    },
    matches: (pattern, text) =>
      within(
        MATCH_FUEL,
        (inside) => runMatch(inside, pattern, text),
        () => null,
      ),
    parse: (text) =>
      within(
        CHECK_FUEL,
        (inside) => compile(inside, text, "global") && compile(inside, text, "module"),
        () => null,
      ),
  };
}

interface Inside {
  engine: Engine;
  vm: QuickJSContext;
  runtime: QuickJSRuntime;
}

/** The syntax error; null: the text compiles. */
function compile(inside: Inside, text: string, type: "global" | "module"): string | null {
  const { vm } = inside;
  const compiled = vm.evalCode(text, "script.js", { type, compileOnly: true });
  if (!compiled.error) {
    compiled.value.dispose();
    return null;
  }
  const stack: unknown = vm.getProp(compiled.error, "stack").consume((handle) => vm.dump(handle));
  const line = /script\.js:(\d+)/.exec(String(stack))?.[1];
  // Other errors, such as a missing module, are not syntax errors.
  const problem = describe(inside, compiled.error);
  if (!problem.startsWith("SyntaxError")) return null;
  return line ? `line ${line}: ${problem}` : problem;
}

function runModule(inside: Inside, { entry, files }: Program & { entry: string }, output: Output): ProgramRun {
  const { engine, vm, runtime } = inside;
  runtime.setModuleLoader(
    (path) =>
      Object.hasOwn(files, path) ? files[path]! : { error: new Error(`there is no file '${path}' to import`) },
    (from, path) => (path.startsWith(".") ? resolveIn(from, path) : path),
  );
  addGlobals(inside, files, {
    isFull: output.isFull,
    write(stream, text) {
      output.write(stream, text);
      if (output.isFull()) engine.setFuel(0);
    },
  });
  const { problem, isCutOff } = settle(inside, vm.evalCode(files[entry] ?? "", entry, { type: "module" }));
  if (problem !== null) output.write(2, `${problem}\n`);
  const why = problem === null ? null : isCutOff ? "time" : toStopped(findStopReason(null, problem));
  return { exitCode: problem === null ? 0 : 1, ...output.texts(), stopped: why };
}

function toStopped(why: ReturnType<typeof findStopReason>): ProgramRun["stopped"] {
  return why === "stack" ? "memory" : why;
}

/** Runs pending jobs. `problem`: what was thrown, or null. `isCutOff`: there were too many jobs. */
function settle(
  inside: Inside,
  evaluated: ReturnType<QuickJSContext["evalCode"]>,
): { problem: string | null; isCutOff: boolean } {
  const { engine, vm, runtime } = inside;
  const ended = (problem: string | null, isCutOff = false) => ({ problem, isCutOff });
  if (evaluated.error) return ended(describe(inside, evaluated.error));
  const promise = evaluated.value;
  for (let jobs = 0; runtime.hasPendingJob(); jobs += JOBS_AT_ONCE) {
    if (jobs >= MAX_JOBS) return ended("InternalError: interrupted", true);
    engine.charge(JOBS_AT_ONCE * JOB_UNITS);
    const done = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (done.error) return ended(describe(inside, done.error));
  }
  const state = vm.getPromiseState(promise);
  const problem = state.type === "rejected" ? describe(inside, state.error) : null;
  if (state.type === "fulfilled") state.value.dispose();
  if (promise.alive) promise.dispose();
  return ended(state.type === "pending" ? "Error: it waits for something that never comes" : problem);
}

const JOBS_AT_ONCE = 100;

/** Name and message. Reading them may run more of the script, within the same limits. */
function describe({ engine, vm }: Inside, error: QuickJSHandle): string {
  const thrown: unknown = vm.dump(error);
  error.dispose();
  // When QuickJS is out of memory, it cannot create the error and throws null. Its memory has grown then.
  if (thrown === null && engine.hasGrown()) return "InternalError: out of memory";
  if (typeof thrown !== "object" || thrown === null) return String(thrown).slice(0, MAX_ERROR_CHARS);
  const { name = "Error", message = "" } = thrown as { name?: unknown; message?: unknown };
  return `${String(name)}: ${String(message)}`.slice(0, MAX_ERROR_CHARS);
}

const MAX_ERROR_CHARS = 500;

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

function addGlobals(
  { engine, vm }: Inside,
  files: Record<string, string>,
  output: Pick<Output, "write" | "isFull">,
): void {
  const write = newHostFunction(engine, vm, "write", (stream, text) => {
    if (!output.isFull()) output.write(vm.getNumber(stream) === 1 ? 1 : 2, vm.getString(text));
  });
  const read = newHostFunction(engine, vm, "readFile", (path) => {
    const name = resolveIn("", vm.getString(path));
    if (!Object.hasOwn(files, name)) throw new Error(`there is no file '${name}'`);
    return vm.newString(files[name]!);
  });
  const set = vm.unwrapResult(vm.evalCode(GLOBALS, "globals.js"));
  vm.unwrapResult(vm.callFunction(set, vm.undefined, write, read)).dispose();
  for (const handle of [set, write, read]) handle.dispose();
}

function runMatch({ vm }: Inside, pattern: string, text: string): boolean | null {
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
