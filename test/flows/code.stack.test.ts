// Code across the real api Worker: ten sessions whose model sends bombs, beside ten quiet ones, in one workerd process; and code in Dynamic
// Workers, where the configuration binds them.
import { afterEach, expect, it } from "vitest";
import { BOMBS } from "../sandbox/hostile-code.ts";
import { FILE_CODE, codeOf, startCodeStack } from "./code-stack.ts";

let stack: Awaited<ReturnType<typeof startCodeStack>> | undefined;
afterEach(() => stack?.close());

it(
  "ten sessions with bombs and ten quiet ones all answer, and the bombs' sessions go on",
  { timeout: 300_000 },
  async () => {
    stack = await startCodeStack();
    const { openSession, runIn } = stack;
    const CODES = { time: "timed_out", memory: "memory_limit", stack: "stack_limit", output: "output_limit" };
    const bombs = Object.keys(CODES)
      .flatMap((stopped) => BOMBS.filter((bomb) => bomb[2] === stopped).slice(0, 4))
      .slice(0, 10);
    expect(bombs).toHaveLength(10);
    const sessions = await Promise.all(Array.from({ length: 20 }, openSession));
    const [loud, quiet] = [sessions.slice(0, 10), sessions.slice(10)];
    const runs = await Promise.all([
      ...loud.map((session, i) => runIn(session, bombs[i]![1])),
      ...quiet.map((session) => runIn(session, FILE_CODE)),
    ]);
    expect(runs.slice(0, 10).map(({ tool }) => codeOf(tool))).toEqual(
      bombs.map((bomb) => CODES[bomb[2] as keyof typeof CODES]),
    );
    expect(runs.slice(10).map(({ tool, answer }) => [tool.failed, answer.includes("TEXT")])).toEqual(
      Array.from({ length: 10 }, () => [false, true]),
    );
    const after = await runIn(loud[0]!, "return 6 * 7");
    expect(after.answer).toContain("42");
  },
);

it(
  "with the two lines of wrangler.toml and the setting, code runs in a Dynamic Worker",
  { timeout: 180_000 },
  async () => {
    const configure = (toml: string) =>
      toml.replace('# [[worker_loaders]]\n# binding = "LOADER"', '[[worker_loaders]]\nbinding = "LOADER"');
    stack = await startCodeStack({ configure, settings: { code: { sandbox: "dynamic" } } });
    const session = await stack.openSession();
    const { tool, answer } = await stack.runIn(session, FILE_CODE);
    expect([tool.failed, answer.includes("TEXT")]).toEqual([false, true]);
    // QuickJS makes code from text.
    const { answer: refused } = await stack.runIn(session, "return eval('6 * 7')");
    expect(refused).toContain("EvalError");
    expect(codeOf((await stack.runIn(session, "await new Promise(() => {})")).tool)).toBe("never_settled");
    expect((await stack.runIn(session, "return [6 * 7, typeof fetch]")).answer).toMatch(/42[^]*undefined/);
  },
);
