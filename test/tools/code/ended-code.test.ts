// Calls of code that has ended: none begins later, and those that run are waited for. And what a loop of calls of execute_code costs.
import { expect, test } from "vitest";
import * as z from "zod";
import { succeed } from "../../../core/agent/tool-result.ts";
import { code, createCodeSession, createNoteTool, runCode, toShown } from "./code-session.ts";

const parameters = z.strictObject({ i: z.int().describe("Number.") });

test.each([
  ["is stopped for its computing", "for (;;);", "timed_out"],
  ["is stopped for its output", "for (;;) console.log('x'.repeat(1000))", "output_limit"],
])("code that %s leaves no calls behind, and the log keeps its result", async (_how, bomb, stopped) => {
  const ran: number[] = [];
  const act = createNoteTool("act", [], {
    parameters,
    async run({ i }: { i: number }) {
      for (let tick = 0; tick < 30; tick++) await Promise.resolve();
      ran.push(i);
      return succeed({});
    },
  });
  const started = "const first = tools.act({ i: 0 }); await tools.note({ i: 0 });";
  const note = createNoteTool("note", [], { parameters, effect: "read" });
  const begun = `for (let i = 1; i < 8; i++) tools.act({ i });`;
  const { results, toolEntries } = await runCode([`${started} ${begun} ${bomb}`, "return 1"], { tools: [act, note] });
  const ranThen = [...ran];
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ran).toEqual(ranThen);
  expect(toolEntries().map(toShown)).toEqual(results);
  expect(results[0]).toMatchObject({ failed: true, outcome: { code: stopped } });
  const { calls } = results[0]!.outcome as { calls: { tool: string; ok: boolean; times: number }[] };
  const countOf = (ok: boolean) =>
    calls.filter((line) => line.tool === "act" && line.ok === ok).reduce((sum, { times }) => sum + times, 0);
  expect([countOf(true), countOf(false)]).toEqual([ran.length, 8 - ran.length]);
});

test("a call that still runs when the code is stopped is waited for, and what it read marks the output", async () => {
  const look = createNoteTool("look", [], {
    parameters,
    effect: "read",
    async run() {
      for (let tick = 0; tick < 30; tick++) await Promise.resolve();
      return succeed({}, { content: { text: "outside" } });
    },
  });
  const pause = createNoteTool("pause", [], { parameters, effect: "read" });
  const { result } = await runCode(["tools.look({ i: 1 }); await tools.pause({ i: 1 }); console.log('x'); for (;;);"], {
    tools: [look, pause],
  });
  expect(result).toMatchObject({ failed: true, content: { stdout: "x\n" } });
});

test("the result of code that was abandoned at its timeout stays in the log, and a call that was not ready by then is not run", async () => {
  const notes: string[] = [];
  const begun = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<Record<string, never>>();
  const prepare = () => {
    begun.resolve();
    return ready.promise;
  };
  const script = [code("await tools.act({ i: 1 })"), { calls: [{ name: "later", args: { i: 2 } }] }, { text: "Done." }];
  const later = createNoteTool("later", [], {
    parameters,
    async run() {
      ready.resolve({});
      await new Promise((resolve) => setTimeout(resolve, 10));
      return succeed({});
    },
  });
  const session = createCodeSession(script, {
    tools: [createNoteTool("act", notes, { parameters, prepare }), later],
    settings: { turn: { toolTimeoutMs: 20_000 } },
  });
  await session.begin();
  const asked = session.ask();
  await begun.promise;
  await new Promise((resolve) => setTimeout(resolve, 10));
  session.harness.clock.advance(20_001);
  await asked;
  expect(notes).toEqual([]);
  expect(toShown(session.toolEntries()[0]!)).toEqual({
    failed: true,
    outcome: { code: "timed_out", error: expect.stringContaining("look before you do it again") },
  });
});

test("calls side by side hold arguments up to one limit together", async () => {
  const note = createNoteTool("note", [], { parameters: z.strictObject({ s: z.string().describe("Text.") }) });
  const { result } = await runCode(
    [
      `const s = "x".repeat(900_000);
       const all = await Promise.allSettled([1, 2, 3].map(() => tools.note({ s })));
       await tools.note({ s });
       return all.map(({ reason }) => reason?.code ?? "done")`,
    ],
    { tools: [note] },
  );
  expect(result.own).toEqual({ returned: ["done", "done", "too_much_at_once"] });
});

test("the same code again and again ends the turn, although its calls take another time each time", async () => {
  const slow = createNoteTool("slow", [], { parameters: z.strictObject({}), effect: "read" });
  const loop = Array.from({ length: 60 }, () =>
    code("for (let i = 0; i < 5; i++) await tools.slow({}); return 'x'.repeat(3e3)"),
  );
  const session = createCodeSession([...loop, { text: "Done." }], {
    settings: { guardrails: { hardStops: "never" } },
    tools: [
      {
        ...slow,
        async run() {
          session.harness.clock.advance(1 + session.toolEntries().length);
          return succeed({});
        },
      },
    ],
  });
  await session.begin();
  await session.ask();
  const times = session.toolEntries().map((entry) => /"ms":\d+/.exec(JSON.stringify(toShown(entry)))?.[0]);
  expect(new Set(times).size).toBeGreaterThan(10);
  expect(session.toolEntries().length).toBeLessThan(25);
  expect(session.life.engine.detail()).toMatchObject({ turns: [{ reason: "no_headway" }] });
});
