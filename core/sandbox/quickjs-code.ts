// Runs code that a model wrote in QuickJS: the implementation of CodeSandbox that works everywhere. Each run has an instance of its own,
// so nothing of one profile's run is left for another's. The code reaches the host only by `print`, `send` and `done`, which take
// numbers and texts. Created by wiring/code.ts with the WebAssembly module of a Worker's bundle.
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import type { Clock } from "../ports.ts";
import { CODE_GLOBALS } from "./code-globals.ts";
import { CODE_FILE, findLine, toSeed } from "./code-program.ts";
import { type CodeProgram, type CodeRun, type CodeSandbox, MAX_PRINTED_CHARS, MAX_RUN_MS } from "./code-sandbox.ts";
import { type Engine, JOB_UNITS, RUN_FUEL, findStopReason, newHostFunction, startEngine } from "./engine.ts";
import { takePlace } from "./live-sandboxes.ts";

export interface QuickJsOptions {
  module: WebAssembly.Module;
  clock: Clock;
  /** Whether something else needs the isolate's memory now, so that no run may begin. */
  isBlocked?(): boolean;
  /** Units that one run may compute: a test gives fewer. */
  fuel?: number;
}

export function createQuickJsSandbox({ module, clock, isBlocked, fuel = RUN_FUEL }: QuickJsOptions): CodeSandbox {
  return {
    async run(program) {
      const leave = await takePlace({ clock, signal: program.signal, ...(isBlocked && { isBlocked }) });
      if (typeof leave === "string") return { stdout: "", stopped: leave };
      const output: Output = { stdout: "", value: undefined, error: undefined, isDone: false, isFull: false };
      let engine: Engine | null = null;
      try {
        engine = await startEngine(module);
        return toRun(output, await runToEnd(begin({ engine, fuel, program, output }), program, clock));
      } catch (thrown) {
        // A trap, an abort, or an overflow of the host's stack. The instance is discarded with all that the code did.
        return toRun(output, findStopReason(engine, thrown) ?? "memory");
      } finally {
        leave();
      }
    },
  };
}

/** What the code has said so far. */
interface Output extends Omit<CodeRun, "stopped"> {
  isDone: boolean;
  isFull: boolean;
}

function toRun({ stdout, value, error, isDone, isFull }: Output, stopped: CodeRun["stopped"]): CodeRun {
  const ended = isFull ? "output" : stopped;
  return {
    stdout: stdout.toWellFormed(),
    ...(ended === null && value !== undefined && { value }),
    ...(error !== undefined && isDone && { error }),
    stopped: ended ?? (error && findStopReason(null, error.text)) ?? null,
  };
}

interface Running {
  engine: Engine;
  vm: QuickJSContext;
  runtime: QuickJSRuntime;
  output: Output;
  /** Calls whose replies have come, but are not yet delivered. */
  replies: { id: number; reply: Awaited<ReturnType<CodeProgram["call"]>> }[];
  callsInFlight: number;
  /** Resolves when the next reply comes. */
  noteReply(): void;
  nextReply: Promise<void>;
  settle: QuickJSHandle;
}

/** Measured: a call of the host takes up to 30 µs on a busy machine. */
const HOST_CALL_UNITS = 3_000;

interface Beginning {
  engine: Engine;
  fuel: number;
  program: CodeProgram;
  output: Output;
}

/** Starts the code, up to its first `await` of a tool. */
function begin({ engine, fuel, program, output }: Beginning): Running {
  const { vm, runtime } = engine.newContext();
  const running = { engine, vm, runtime, output, replies: [], callsInFlight: 0 } as unknown as Running;
  expectReply(running);
  const host = vm.newObject();
  const define = (name: string, work: (...args: QuickJSHandle[]) => QuickJSHandle | void) => {
    const called = newHostFunction(engine, vm, name, (...args) => {
      engine.charge(HOST_CALL_UNITS);
      // Without fuel every function of the instance traps, and it traps by itself when it goes on.
      if (!engine.hasRunOut()) return work(...args);
    });
    vm.setProp(host, name, called);
  };
  define("print", (text) => print(running, readText(vm, text)));
  define("send", (id, name, args) =>
    send(running, program, { id: vm.getNumber(id), name: vm.getString(name), args: vm.getString(args) }),
  );
  define("done", (ok, text, stack) => {
    const isOk = vm.dump(ok) === true;
    // What was returned is JSON already.
    const said = isOk ? vm.getString(text) : readText(vm, text);
    finish(running, program, { ok: isOk, text: said, stack: vm.getString(stack) });
  });
  // The heap's limit is the memory of a new instance, which holds more than the heap: a full heap has made it grow.
  define("isMemoryFull", () => (engine.hasGrown() ? vm.true : vm.false));
  const names = vm.unwrapResult(vm.evalCode(JSON.stringify(program.tools), "names.js"));
  const globals = vm.unwrapResult(vm.evalCode(CODE_GLOBALS, "globals.js"));
  const made = vm.unwrapResult(
    vm.callFunction(globals, vm.undefined, host, names, vm.newNumber(program.now), vm.newNumber(toSeed(program.seed))),
  );
  running.settle = vm.getProp(made, "settle");
  engine.setFuel(fuel);
  // On one line, so that lines of an error are lines of the code. The new line ends a comment at the code's end.
  const started = vm.evalCode(`(async () => {${program.code}\n})()`, CODE_FILE);
  const report = vm.getProp(made, started.error ? "describe" : "watch");
  vm.unwrapResult(vm.callFunction(report, vm.undefined, started.error ?? started.value)).dispose();
  return running;
}

/** Until the code has ended, and its calls with it. Returns why it ended early. Traps pass through. */
async function runToEnd(running: Running, { signal }: CodeProgram, clock: Clock): Promise<CodeRun["stopped"]> {
  const { output } = running;
  const until = clock.now() + MAX_RUN_MS;
  const timer = new AbortController();
  const isAborted = Promise.withResolvers<void>();
  const onAbort = () => isAborted.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  let isLate = false;
  const deadline = clock.sleep(MAX_RUN_MS, timer.signal).then(() => {
    isLate = true;
  });
  try {
    for (;;) {
      if (signal.aborted) return "signal";
      runJobs(running);
      if (running.replies.length > 0) {
        for (const { id, reply } of running.replies.splice(0)) deliver(running, id, reply);
        continue;
      }
      // Calls that nobody awaits are part of the run, too: what they did must be known when it ends.
      if (running.callsInFlight === 0) return output.isDone ? null : "never";
      if (isLate || clock.now() >= until) return "wait";
      await Promise.race([running.nextReply, deadline, isAborted.promise]);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.abort("done");
  }
}

const JOBS_AT_ONCE = 100;

function runJobs({ engine, vm, runtime }: Running): void {
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (done.error) throw new Error(String(vm.dump(done.error)));
    engine.charge(done.value * JOB_UNITS);
    done.dispose();
  }
}

function print({ engine, output }: Running, text: string): void {
  const room = MAX_PRINTED_CHARS - output.stdout.length;
  output.stdout += text.slice(0, room);
  if (text.length <= room) return;
  output.isFull = true;
  engine.setFuel(0);
}

function finish(
  { engine, output }: Running,
  { code }: CodeProgram,
  { ok, text, stack }: { ok: boolean; text: string; stack: string },
): void {
  output.isDone = true;
  if (ok && text.length > MAX_PRINTED_CHARS) {
    output.isFull = true;
    engine.setFuel(0);
  } else if (ok) {
    if (text !== "") output.value = text;
  } else {
    const line = findLine(stack, code);
    output.error = { text, ...(line !== undefined && { line }) };
  }
}

function send(running: Running, program: CodeProgram, call: { id: number; name: string; args: string }): void {
  running.callsInFlight++;
  void program.call(call.name, call.args).then((reply) => {
    running.callsInFlight--;
    running.replies.push({ id: call.id, reply });
    running.noteReply();
  });
}

function deliver({ engine, vm, settle }: Running, id: number, reply: Awaited<ReturnType<CodeProgram["call"]>>): void {
  engine.charge(HOST_CALL_UNITS);
  const texts = [reply.json, reply.ok ? "" : reply.message, reply.ok ? "" : reply.code].map((text) =>
    vm.newString(text),
  );
  const ok = reply.ok ? vm.true : vm.false;
  const settled = vm.callFunction(settle, vm.undefined, vm.newNumber(id), ok, ...texts);
  for (const text of texts) text.dispose();
  if (settled.error) throw new Error(String(vm.dump(settled.error)));
  settled.dispose();
}

function expectReply(running: Running): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  running.nextReply = promise;
  running.noteReply = () => {
    resolve();
    expectReply(running);
  };
}

/** A text that was sent as JSON, because QuickJS's host reads a text only up to its first NUL. */
function readText(vm: QuickJSContext, json: QuickJSHandle): string {
  return JSON.parse(vm.getString(json)) as string;
}
