// Runs code that a model wrote in a Dynamic Worker: the implementation of CodeSandbox over the binding LOADER. Each run loads a Worker
// of its own, without network and bindings, which reaches only the functions that `run` passes to it. The platform limits its computing
// and memory; local servers do not. Opened by sandbox.ts. Must never trust what comes from that Worker.
import { messageOf } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";
import { CODE_FILE, findLine, toSeed } from "../core/sandbox/code-program.ts";
import {
  type CallReply,
  type CodeProgram,
  type CodeRun,
  type CodeSandbox,
  MAX_ARGUMENT_CHARS,
  MAX_PRINTED_CHARS,
  MAX_RUN_MS,
} from "../core/sandbox/code-sandbox.ts";
import { type WaitOptions, createPlaces } from "../core/sandbox/live-sandboxes.ts";
import { isObject } from "../core/unknown-object.ts";
import { DYNAMIC_MAIN, type DynamicEnd } from "./dynamic-main.ts";

export interface DynamicSandboxOptions {
  loader: Pick<WorkerLoader, "load">;
  clock: Clock;
  /** Gets why a Worker could not be loaded, or was lost. */
  report(problem: string): void;
  maxWaitMs?: WaitOptions["maxWaitMs"];
}

/** [cf] Ten distinct Dynamic Workers with requests in flight for an object, four for a request. One that was called off may still be ending. */
const MAX_LIVE = 4;
/** As QuickJS's RUN_FUEL, one second or two. Each call and each printed text crosses over to us; subrequests are a second limit of them. */
const LIMITS = { cpuMs: 2_000, subRequests: 200 };
/** Calls and printed texts of one run: code that ignores refusals must end. */
const MAX_MESSAGES = 1_000;

/** Without Node's modules, loopback entrypoints and the import of bindings. The date: that of wrangler.toml. */
const COMPATIBILITY = {
  compatibilityDate: "2026-10-01",
  compatibilityFlags: ["no_nodejs_compat", "no_nodejs_compat_v2", "disable_ctx_exports", "disallow_importable_env"],
};

export function createDynamicSandbox({ loader, clock, report, maxWaitMs }: DynamicSandboxOptions): CodeSandbox {
  const places = createPlaces(MAX_LIVE);
  return {
    async run(program) {
      const leave = await places.take({ clock, signal: program.signal, ...(maxWaitMs !== undefined && { maxWaitMs }) });
      if (typeof leave === "string") return { stdout: "", stopped: leave };
      const host = createHost(program);
      const hasEnded = new AbortController();
      try {
        const stop = waitForStop(program.signal, clock, hasEnded.signal);
        const end = await Promise.race([runToEnd(loader, program, host), host.stopped, stop]);
        return { stdout: host.printed().toWellFormed(), ...toRun(end, program, report) };
      } finally {
        host.end();
        hasEnded.abort();
        leave();
      }
    },
  };
}

/** How a run ended: what its Worker returned, unchecked; a failure of the Worker; or why we stopped it. */
type End = { returned: unknown } | { failed: string } | { stopped: CodeRun["stopped"] };

/** The functions that the Worker gets. They do nothing after the end of the run. */
interface Host {
  say(text: unknown): Promise<void>;
  /** `null`: the run is over. */
  call(name: unknown, args: unknown): Promise<CallReply | null>;
  printed(): string;
  /** Until no call is in flight. */
  settled(): Promise<void>;
  /** Resolves when the Worker sends too many messages. */
  stopped: Promise<End>;
  end(): void;
}

function createHost(program: CodeProgram): Host {
  let printed = "";
  let messages = 0;
  let isOver = false;
  const inFlight = new Set<Promise<CallReply>>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<End>();
  const isLate = () => {
    if (++messages > MAX_MESSAGES) stop({ stopped: "time" });
    return isOver || messages > MAX_MESSAGES;
  };
  return {
    stopped,
    printed: () => printed,
    async say(text) {
      if (!isLate() && typeof text === "string") printed = (printed + text).slice(0, MAX_PRINTED_CHARS);
    },
    async call(name, args) {
      if (isLate()) return null;
      if (!isNameOf(program.tools, name) || !isJson(args, MAX_ARGUMENT_CHARS)) return REFUSAL;
      const work = program.call(name, args);
      inFlight.add(work);
      const reply = await work;
      inFlight.delete(work);
      return isOver ? null : reply;
    },
    async settled() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    end() {
      isOver = true;
    },
  };
}

/** The main module never sends such a call. */
const REFUSAL: CallReply = { ok: false, message: "This is not a call of a tool.", code: "bad_call", json: "{}" };

interface RunEntrypoint {
  run(names: readonly string[], now: number, seed: number, say: Host["say"], call: Host["call"]): Promise<unknown>;
}

/** Never throws. */
async function runToEnd(loader: Pick<WorkerLoader, "load">, program: CodeProgram, host: Host): Promise<End> {
  try {
    // `load`, not `get`: an id would give the isolate of one run to the next.
    const worker = loader.load({
      ...COMPATIBILITY,
      mainModule: "main.js",
      // The function begins on the code's first line, so that lines of an error are lines of the code. The new line ends a comment.
      modules: { "main.js": DYNAMIC_MAIN, [CODE_FILE]: `export default async () => {${program.code}\n};` },
      env: {},
      globalOutbound: null,
      limits: LIMITS,
    });
    const entrypoint = worker.getEntrypoint() as unknown as RunEntrypoint;
    const returned = await entrypoint.run(program.tools, program.now, toSeed(program.seed), host.say, host.call);
    await host.settled();
    return { returned };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

/** Resolves when the run is called off or has taken too long. */
async function waitForStop(signal: AbortSignal, clock: Clock, hasEnded: AbortSignal): Promise<End> {
  await clock.sleep(MAX_RUN_MS, AbortSignal.any([signal, hasEnded]));
  return { stopped: signal.aborted ? "signal" : "wait" };
}

type Ended = Omit<CodeRun, "stdout">;

function toRun(end: End, { code }: CodeProgram, report: (problem: string) => void): Ended {
  if ("stopped" in end) return { stopped: end.stopped };
  if ("failed" in end) return toFailedRun(end.failed, code, report);
  const { returned } = end;
  if (!isEnd(returned)) return { stopped: "lost" };
  if (returned.isFull) return { stopped: "output" };
  if (returned.ok) return returned.text === "" ? { stopped: null } : { value: returned.text, stopped: null };
  return toThrown(returned.text, returned.stack, code);
}

function toThrown(text: string, stack: string, code: string): Ended {
  const line = findLine(stack, code);
  const stopped = STOPPING_ERRORS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
  return { error: { text, ...(line !== undefined && { line }) }, stopped };
}

/** Errors of V8 at limits of its own. */
const STOPPING_ERRORS: readonly [CodeRun["stopped"], RegExp][] = [
  ["stack", /^RangeError: Maximum call stack size exceeded/],
  ["memory", /^RangeError: (Invalid string length|Array buffer allocation failed|Maximum BigInt size exceeded)/],
];

/**
 * What the platform says of a Worker that it ended. The first was seen in workerd 1.20261023. The limits have the words of Cloudflare's
 * page on error 1102; their exact texts are not documented.
 */
const FAILURES: readonly [CodeRun["stopped"], RegExp][] = [
  ["never", /code had hung/],
  ["time", /CPU time limit|exceeded CPU|exceeded resource limits/i],
  ["memory", /memory limit|out of memory/i],
];

function toFailedRun(message: string, code: string, report: (problem: string) => void): Ended {
  const syntax = /SyntaxError: [^\n]*/.exec(message)?.[0];
  if (syntax !== undefined) return toThrown(syntax, message, code);
  const stopped = FAILURES.find(([, pattern]) => pattern.test(message))?.[0] ?? "lost";
  if (stopped === "never") return { stopped };
  if (stopped === "lost") report(`execute_code: the Dynamic Worker failed: ${message.slice(0, 300)}`);
  return { stopped, hasLostOutput: true };
}

function isEnd(value: unknown): value is DynamicEnd {
  if (!isObject(value)) return false;
  const { ok, text, stack, isFull } = value;
  if (typeof ok !== "boolean" || typeof isFull !== "boolean" || typeof stack !== "string") return false;
  return ok && text !== "" ? isJson(text, MAX_PRINTED_CHARS) : typeof text === "string";
}

function isNameOf(names: readonly string[], name: unknown): name is string {
  return typeof name === "string" && names.includes(name);
}

function isJson(text: unknown, maxChars: number): text is string {
  if (typeof text !== "string" || text.length > maxChars) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
