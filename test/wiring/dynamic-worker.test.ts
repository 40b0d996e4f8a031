// What a sandbox over Dynamic Workers makes of a Worker that lies, fails or does not end, and how many run at once. Their main module is a
// function of the test here.
import { expect, test } from "vitest";
import { type CodeProgram, MAX_PRINTED_CHARS } from "../../core/sandbox/code-sandbox.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createExecuteCode } from "../../core/tools/code/execute-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createDynamicSandbox } from "../../wiring/dynamic-worker.ts";
import { toProgram } from "../support/code-program.ts";

type Say = (text: unknown) => Promise<void>;
type Call = (name: unknown, args: unknown) => Promise<unknown>;
type Main = (say: Say, call: Call) => Promise<unknown>;

const ENDED = { ok: true, text: "1", stack: "", isFull: false };

function createSandbox(main: Main) {
  const loaded: WorkerLoaderWorkerCode[] = [];
  const reports: string[] = [];
  const run = (_names: unknown, _now: unknown, _seed: unknown, say: Say, call: Call) => main(say, call);
  const loader = {
    load(code: WorkerLoaderWorkerCode) {
      loaded.push(code);
      return { getEntrypoint: () => ({ run }) } as unknown as WorkerStub;
    },
  };
  const report = (problem: string) => void reports.push(problem);
  const sandbox = createDynamicSandbox({ loader, clock: systemClock, report, maxWaitMs: 0 });
  return {
    sandbox,
    loaded,
    reports,
    run: (options: Partial<CodeProgram> = {}) => sandbox.run(toProgram("return 1", options)),
  };
}

test("each run loads a Worker without network and bindings, with limits", async () => {
  const { run, loaded } = createSandbox(async () => ENDED);
  expect(await run()).toEqual({ stdout: "", value: "1", stopped: null });
  await run();
  expect(loaded).toHaveLength(2);
  expect(loaded[1]).toMatchObject({ env: {}, globalOutbound: null, limits: { cpuMs: 2_000, subRequests: 200 } });
  expect(loaded[1]!.modules["code.js"]).toBe("export default async () => {return 1\n};");
});

test.each([
  ["CPU time", "Worker exceeded CPU time limit.", { stopped: "time", hasLostOutput: true }],
  ["memory", "Worker exceeded memory limit.", { stopped: "memory", hasLostOutput: true }],
  ["a hang", "…detected that your Worker's code had hung and would never generate…", { stopped: "never" }],
  [
    "a syntax error",
    "Failed to start Worker:\nUncaught SyntaxError: Unexpected token ')'\n  at code.js:1:8",
    { error: { text: "SyntaxError: Unexpected token ')'", line: 1 }, stopped: null },
  ],
])("%s that the platform reports ends the run, and what was printed is kept", async (_what, message, ended) => {
  const { run, reports } = createSandbox(async (say) => {
    await say("before\n");
    throw new Error(message);
  });
  expect(await run()).toEqual({ stdout: "before\n", ...ended });
  expect(reports).toEqual([]);
});

test("any other failure of a Worker is reported to the operator", async () => {
  const { run, reports } = createSandbox(async () => {
    throw new Error("internal error; reference = abc");
  });
  expect(await run()).toEqual({ stdout: "", stopped: "lost", hasLostOutput: true });
  expect(reports).toEqual(["execute_code: the Dynamic Worker failed: internal error; reference = abc"]);
});

test.each([
  ["nothing", undefined],
  ["a value that is not JSON", { ...ENDED, text: "{" }],
  ["a value that is too long", { ...ENDED, text: `"${"x".repeat(MAX_PRINTED_CHARS)}"` }],
  ["no text", { ...ENDED, ok: false, text: 1 }],
  ["no stack", { ...ENDED, stack: {} }],
])("a Worker that returns %s is lost", async (_what, returned) => {
  expect(await createSandbox(async () => returned).run()).toEqual({ stdout: "", stopped: "lost" });
});

test("a Worker's call is carried out only if it names a tool and its arguments are JSON", async () => {
  const called: unknown[] = [];
  const replies: unknown[] = [];
  const { run } = createSandbox(async (_say, call) => {
    for (const args of [
      ["other", "{}"],
      ["x", "{"],
      ["x", {}],
      [{ toString: () => "x" }, "{}"],
      ["x", '{"a":1}'],
    ]) {
      replies.push(await call(args[0], args[1]));
    }
    return ENDED;
  });
  const call = async (name: string, args: string) => {
    called.push([name, args]);
    return { ok: true, json: "{}" } as const;
  };
  await run({ tools: ["x"], call });
  expect(called).toEqual([["x", '{"a":1}']]);
  expect(replies.slice(0, 4)).toEqual(Array(4).fill(expect.objectContaining({ ok: false, code: "bad_call" })));
});

test("a Worker prints texts only, and no more than the limit", async () => {
  const { run } = createSandbox(async (say) => {
    await say({ toString: () => "x" });
    for (let i = 0; i < 3; i++) await say("y".repeat(MAX_PRINTED_CHARS / 2));
    return ENDED;
  });
  expect((await run()).stdout).toBe("y".repeat(MAX_PRINTED_CHARS));
});

test("a Worker that calls without end is stopped", async () => {
  let calls = 0;
  const { run } = createSandbox(async (_say, call) => {
    while ((await call("x", "{}")) !== null);
    return ENDED;
  });
  const call = async () => {
    calls++;
    await systemClock.sleep(0);
    return { ok: true, json: "{}" } as const;
  };
  expect(await run({ tools: ["x"], call })).toEqual({ stdout: "", stopped: "time" });
  expect(calls).toBe(1_000);
});

test("calls and prints after the end of a run do nothing", async () => {
  let late: { say: Say; call: Call } | undefined;
  const called: string[] = [];
  const { run } = createSandbox(async (say, call) => {
    late = { say, call };
    return ENDED;
  });
  const call = async (name: string) => {
    called.push(name);
    return { ok: true, json: "{}" } as const;
  };
  const ended = await run({ tools: ["x"], call });
  expect(await late!.call("x", "{}")).toBe(null);
  await late!.say("late");
  expect([called, ended.stdout]).toEqual([[], ""]);
});

test("a Worker that returns before its calls have ended is waited for", async () => {
  const done: string[] = [];
  const { run } = createSandbox(async (_say, call) => {
    void call("x", "{}");
    return ENDED;
  });
  const call = async (name: string) => {
    await systemClock.sleep(20);
    done.push(name);
    return { ok: true, json: "{}" } as const;
  };
  expect((await run({ tools: ["x"], call })).value).toBe("1");
  expect(done).toEqual(["x"]);
});

test("four run at once; a fifth waits, and is not loaded when it has waited too long", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof ENDED>();
  const { run, loaded } = createSandbox(() => promise);
  const four = [run(), run(), run(), run()];
  expect(await run()).toEqual({ stdout: "", stopped: "busy" });
  expect(loaded).toHaveLength(4);
  resolve(ENDED);
  await Promise.all(four);
  expect((await run()).value).toBe("1");
});

test("the model reads that the last prints of a run that the platform ended are lost", async () => {
  const { sandbox } = createSandbox(async () => {
    throw new Error("Worker exceeded CPU time limit.");
  });
  const tool = createExecuteCode({ sandbox, clock: systemClock, settings: DEFAULTS, hasFiles: true });
  const { failed, parts } = await tool.run({ code: "for (;;);" }, {
    op: "o",
    signal: new AbortController().signal,
  } as never);
  expect([failed, JSON.parse(parts[0]!.text)]).toEqual([
    true,
    {
      code: "timed_out",
      error:
        "The code computed for too long and was stopped. What its calls had done is kept. What it printed after the last of them is lost. " +
        "Find a faster way, or do less in one call.",
    },
  ]);
});
