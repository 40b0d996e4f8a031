// The limits of code in workerd, where a Worker runs it, and sessions that run bombs beside quiet ones in one isolate.
import { expect, test } from "vitest";
import quickjs from "#wasm/quickjs.wasm";
import { createQuickJsSandbox } from "../../core/sandbox/quickjs-code.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { BOMBS, chooseFuel } from "./hostile-code.ts";
import { toProgram } from "../support/code-program.ts";

const sandbox = createQuickJsSandbox({ module: quickjs, clock: systemClock });
const runBomb = ([, code, stopped]: (typeof BOMBS)[number]) =>
  createQuickJsSandbox({ module: quickjs, clock: systemClock, fuel: chooseFuel(stopped) }).run(toProgram(code));

/** A part of them: the module counts alike in workerd and in Node, where all run. */
const SAMPLE = BOMBS.filter((_, i) => i % 4 === 0);

test.each(SAMPLE)("%s is stopped", { timeout: 60_000 }, async (...bomb) => {
  const ended = await runBomb(bomb);
  expect([bomb[2]].flat()).toContain(ended.stopped);
});

test("tools can be called, and waiting for one leaves the isolate to others", async () => {
  const call = async (_name: string, args: string) => {
    await systemClock.sleep(50);
    return { ok: true, json: args } as const;
  };
  const waits = sandbox.run(toProgram("return await tools.slow({ a: 1 })", { tools: ["slow"], call }));
  const quick = await sandbox.run(toProgram("return 1"));
  expect([quick.value, (await waits).value]).toEqual(["1", '{"a":1}']);
});

test(
  "ten bombs beside ten quiet programs: all end, and the quiet ones with their results",
  { timeout: 180_000 },
  async () => {
    const bombs = BOMBS.filter(([, , stopped]) => stopped === "time" || stopped === "memory").slice(0, 10);
    const call = async () => {
      await systemClock.sleep(20);
      return { ok: true, json: "{}" } as const;
    };
    const quiet = Array.from({ length: 10 }, (_, i) => `for (let n = 0; n < 3; n++) await tools.wait({}); return ${i}`);
    const runs = quiet.flatMap((code, i) => [
      runBomb(bombs[i]!),
      sandbox.run(toProgram(code, { tools: ["wait"], call })),
    ]);
    const ended = await Promise.all(runs);
    expect(ended.filter((_, i) => i % 2 === 1).map(({ value }) => value)).toEqual(quiet.map((_, i) => String(i)));
    expect(ended.filter((_, i) => i % 2 === 0).every(({ stopped }) => stopped === "time" || stopped === "memory")).toBe(
      true,
    );
  },
);
