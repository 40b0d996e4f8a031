// Checks before a command runs: whether its input fits, and whether another heavy run of the isolate is in progress.
import { describe, expect, test } from "vitest";
import { createHeavyRun } from "../../../core/tools/shell/heavy-run.ts";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function bench() {
  const made = createFileBench(createNodeSql());
  const run = async (command: string) =>
    (await made.call("terminal", { command, timeout_ms: 30_000 })).result as Record<string, string>;
  return { ...made, run };
}

describe("a command whose input does not fit", () => {
  test("is not run, and ends the script with a code and the limit", async () => {
    const { run, put } = bench();
    put("big", "1\n".repeat(1_000_000));
    const result = await run("echo before; sort big | wc -l; echo after");
    expect(result).toMatchObject({ exit_code: 126, code: "memory_limit", stdout: "before\n" });
    expect(result.stderr).toMatch(/^sort: 2000000 bytes in 1000000 lines are too much for sort in this shell, .*\n$/);
  });

  test("is detected for input from a pipe, too", async () => {
    const { run, put } = bench();
    put("big", "x".repeat(2_500_000));
    expect(await run("cat big | rev")).toMatchObject({ code: "memory_limit" });
  });

  test("is still run if it keeps little of its input", async () => {
    const { run, put } = bench();
    put("big", "1\n".repeat(800_000));
    expect(await run("wc -l big; head -n 1 big")).toMatchObject({ stdout: "800000 big\n1\n" });
  }, 20_000);
});

describe("a large file", () => {
  const LINES = 60_000;
  const text = Array.from({ length: LINES }, (_, i) => `field-${i % 9} a word to translate and ${i}`).join("\n") + "\n";

  test("is cut, translated and edited line by line", async () => {
    const { run, put } = bench();
    put("big", text);
    const { stdout } = await run(
      "cut -d' ' -f1 big | uniq | wc -l; cut -c1-7 big | tail -n 1; tr a-z A-Z < big | tail -n 1; sed s/word/WORD/ big | tail -n 1",
    );
    expect(stdout).toBe(
      `${LINES}\nfield-${(LINES - 1) % 9}\nFIELD-${(LINES - 1) % 9} A WORD TO TRANSLATE AND ${LINES - 1}\nfield-${(LINES - 1) % 9} a WORD to translate and ${LINES - 1}\n`,
    );
  }, 30_000);

  test("can be read repeatedly, and redirected output does not count as output of the run", async () => {
    const { run, put } = bench();
    put("big", text);
    const script = "for i in 1 2 3 4 5; do head -n 1 big; done | sort -u; cat big > a; cat big > b; cat b | wc -l";
    expect(await run(script)).toMatchObject({ stdout: `field-0 a word to translate and 0\n${LINES}\n` });
  }, 30_000);

  test("is counted and searched one file at a time", async () => {
    const { run, put } = bench();
    // Any two of them together are too much. Their lines are long, so that the bytes reach the limit and not the lines, which
    // take time.
    const lines = 24_000;
    const long = `${"a word to count ".repeat(24)}\n`.repeat(lines);
    for (const name of ["d/1", "d/2", "d/3"]) put(name, long);
    const counts = [1, 2, 3].map((i) => `d/${i}:${lines}\n`).join("");
    const { stdout } = await run("wc -l d/* | tail -n 1; grep -c word d/*; rg -c word d");
    expect(stdout).toBe(`${3 * lines} total\n${counts}${counts}`);
  }, 30_000);

  test("in a word or a variable is refused before several copies are held", async () => {
    const { run, put } = bench();
    put("big", text);
    for (const command of [
      "x=$(<big)",
      "x=$(cat big)",
      'wc -c <<< "$(<big)"',
      "a=($(head -c 1900000 big | tr ' ' '\\n'))",
      "set -- $(head -c 1900000 big)",
      "x=a; while :; do x=$x$x; done",
      "printf -v x '%1500s' y; for ((i = 0; i < 20000; i++)); do a[i]=$x$i; done",
    ]) {
      expect(await run(`${command}; echo after`), command).toMatchObject({
        exit_code: 126,
        code: "memory_limit",
        stdout: "",
        error: expect.stringContaining("Keep large text in files"),
        stderr: expect.stringMatching(/limit exceeded \(\d+/),
      });
    }
  }, 30_000);

  test("with one line that is too long is refused, however many short ones follow", async () => {
    const { run, put } = bench();
    put("big", `${"x".repeat(3_000_000)}\n${"1\n".repeat(10_000)}`);
    expect(await run("cut -c2- big | wc -c")).toMatchObject({ code: "memory_limit" });
  });
});

test("an argument of more than 128 KB is refused for any command", async () => {
  const { run } = bench();
  const { code, stderr } = await run(`printf -v x '%200000s' y; grep "$x" /dev/null`);
  expect({ code, stderr }).toEqual({
    code: "memory_limit",
    stderr: "grep: an argument of 200000 characters is too long: 131072 at most; put it into a file\n",
  });
});

test("a brace range yields all its words, or is refused", async () => {
  const { run } = bench();
  expect(await run("echo {1..12000} | wc -w")).toMatchObject({ stdout: "12000\n" });
  expect(await run("echo {1..200000} | wc -w")).toMatchObject({ code: "command_limit", stdout: "" });
});

test("memory held by variables is not available to a command", async () => {
  const { run, put } = bench();
  put("big", "x".repeat(10_000_000));
  const held = "printf -v x '%1900000s' y; a=$x; b=$x; c=$x";
  expect(await run("cat big | wc -c")).toMatchObject({ stdout: "10000000\n" });
  expect(await run(`${held}; cat big | wc -c`)).toMatchObject({ code: "memory_limit" });
});

test("an array that grows without limit is refused by the shell and by awk", async () => {
  const { run } = bench();
  const shell = "printf -v x '%1000000s' y; for i in {1..40}; do a[$i]=$x; done";
  expect((await run(shell)).stderr).toContain("array size limit exceeded");
  expect((await run("printf -v x '%1000000s' y; for i in {1..40}; do eval v$i=\\$x; done")).stderr).toContain(
    "variables",
  );
  expect(await run(shell)).toMatchObject({ exit_code: 126, code: "memory_limit" });
  const awk = `awk 'BEGIN{x=sprintf("%9000s", "y"); for(i=0;i<3;i++) x=x x x x x; for(i=0;i<40;i++) a[i]=x i}'`;
  expect((await run(awk)).stderr).toContain("array size limit exceeded");
}, 20_000);

test("an array beyond its limit ends the script with a code, and is never left empty", async () => {
  const { run, put } = bench();
  put("f", "x\n".repeat(100_001));
  for (const command of [
    "mapfile -t a < f; echo after",
    "mapfile -t a < f || true; echo after",
    "head -n 60000 f > g; mapfile -t a < g; mapfile -t -O 60000 a < g; echo after",
  ]) {
    const result = await run(command);
    expect(result).toMatchObject({ exit_code: 126, code: "memory_limit", stdout: "" });
    expect(result.stderr).toContain("mapfile: array element limit exceeded (100000)");
  }
  expect((await run("head -n 100000 f > g; mapfile -t a < g; echo ${#a[@]}")).stdout).toBe("100000\n");
}, 30_000);

test("text in any script passes through a pipe unchanged", async () => {
  const { run, put } = bench();
  const line = "ascii, ü, 日本語, 🙂\n";
  put("f", line.repeat(2_000));
  const { stdout } = await run(
    'x=$(cat f); { echo "$x"; } | tail -n 1; tr a-z A-Z < f | tail -n 1; wc -m f; { cat f; } | sha256sum; sha256sum < f',
  );
  const [last, upper, counted, piped, direct] = stdout!.split("\n");
  expect([`${last}\n`, upper, counted]).toEqual([line, "ASCII, ü, 日本語, 🙂", `${2_000 * [...line].length} f`]);
  expect(piped).toBe(direct);
}, 20_000);

describe("heavy runs", () => {
  function world() {
    let now = 0;
    const waiting: (() => void)[] = [];
    const clock = {
      now: () => now,
      sleep: (ms: number) =>
        new Promise<void>((resolve) =>
          waiting.push(() => {
            now += ms;
            resolve();
          }),
        ),
    };
    const pass = async () => {
      for (const wake of waiting.splice(0)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    };
    const run = (maxWaitMs = 1_000) => createHeavyRun(clock, new AbortController().signal, maxWaitMs);
    return { run, pass, later: (ms: number) => (now += ms) };
  }

  test("run one at a time, and one that has begun may continue", async () => {
    const { run, pass } = world();
    const [a, b] = [run(), run()];
    expect([await a.begin(), await a.begin()]).toEqual([true, true]);
    let began: boolean | null = null;
    void b.begin().then((value) => (began = value));
    await pass();
    expect(began).toBe(null);
    a.end();
    await pass();
    expect(began).toBe(true);
    b.end();
  });

  test("fail if they wait too long", async () => {
    const { run, pass } = world();
    const [a, b] = [run(), run(30)];
    await a.begin();
    const begun = b.begin();
    for (let i = 0; i < 3; i++) await pass();
    expect(await begun).toBe(false);
    b.end();
    a.end();
  });

  test("that ended while they waited do not begin afterwards", async () => {
    const { run, pass } = world();
    const [a, b, c] = [run(), run(), run()];
    await a.begin();
    const begun = b.begin();
    b.end();
    a.end();
    await pass();
    expect([await begun, await c.begin()]).toEqual([false, true]);
    c.end();
  });

  test("that crashed without an end block others only for a minute", async () => {
    const { run, later } = world();
    await run().begin();
    later(60_001);
    const next = run();
    expect(await next.begin()).toBe(true);
    next.end();
  });
});
