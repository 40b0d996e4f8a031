// The main module of a Dynamic Worker that runs code of a model: the text of a script. It takes away all globals but the language's,
// defines those of code-globals.ts, and runs the code once. Loaded by dynamic-worker.ts, which checks all that comes from it: the code
// shares its isolate and may change it.
import { CODE_GLOBALS, LANGUAGE_GLOBALS } from "../core/sandbox/code-globals.ts";
import { CODE_FILE } from "../core/sandbox/code-program.ts";
import { MAX_PRINTED_CHARS } from "../core/sandbox/code-sandbox.ts";

/** What `run` returns. */
export interface DynamicEnd {
  /** Whether the code ended by itself. `text` is then the JSON of its value, or empty; else what it threw. */
  ok: boolean;
  text: string;
  stack: string;
  /** It printed or returned too much. */
  isFull: boolean;
}

/** `run(names, now, seed, say, call)`: `say` gets what the code prints; `call` answers `null` after the end of the run. */
export const DYNAMIC_MAIN = `import { WorkerEntrypoint } from "cloudflare:workers";
const { setTimeout } = globalThis;
const { parse } = JSON;
const kept = new Set(${JSON.stringify(LANGUAGE_GLOBALS)});
for (let owner = globalThis; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
  for (const name of Object.getOwnPropertyNames(owner)) if (!kept.has(name)) delete owner[name];
}
const begin = ${CODE_GLOBALS};
let hasBegun = false;

export default class extends WorkerEntrypoint {
  async run(names, now, seed, say, call) {
    if (hasBegun) throw new Error("this Worker has run its code");
    hasBegun = true;
    let end = null, printed = 0, unsaid = "", callsInFlight = 0, isFull = false;
    const saying = [];
    let finish;
    const finished = new Promise((resolve) => { finish = resolve; });

    const flush = () => {
      if (unsaid !== "") saying[saying.length] = say(unsaid);
      unsaid = "";
    };
    const print = (json) => {
      if (printed >= ${MAX_PRINTED_CHARS}) return stopAsFull();
      // As soon as the code waits.
      if (unsaid === "") setTimeout(flush, 0);
      const text = parse(json);
      printed += text.length;
      unsaid += text;
      if (printed > ${MAX_PRINTED_CHARS}) stopAsFull();
    };
    const stopAsFull = () => {
      isFull = true;
      finish();
      throw new RangeError("the code printed too much");
    };
    // Calls that nobody awaits are part of the run, and so is what the code does after them.
    const finishIfIdle = () => setTimeout(() => { if (end !== null && callsInFlight === 0) finish(); }, 0);
    const done = (ok, json, stack) => {
      const text = ok ? json : parse(json);
      if (text.length > ${MAX_PRINTED_CHARS}) isFull = true;
      end = isFull ? { ok, text: "", stack: "" } : { ok, text, stack };
      finishIfIdle();
    };
    const send = async (id, name, json) => {
      callsInFlight++;
      const reply = await call(name, json);
      callsInFlight--;
      if (reply === null) return finish();
      settle(id, reply.ok, reply.json, reply.message, reply.code);
      finishIfIdle();
    };
    const { settle, describe, watch } = begin({ print, send, done, isMemoryFull: () => false }, names, now, seed);
    import("./${CODE_FILE}").then(({ default: code }) => watch(code()), describe);
    await finished;
    flush();
    for (let i = 0; i < saying.length; i++) await saying[i];
    return { ok: false, text: "", stack: "", ...end, isFull };
  }
}`;
