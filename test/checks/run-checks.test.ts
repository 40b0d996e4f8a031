// The runner of checks: passing, failing and hostile ones. run-checks.workers.test.ts runs the same lists in workerd.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import { runChecks } from "../support/quickjs.ts";
import { FAILING, HOLDING, HOSTILE, command, script } from "./hostile.ts";
import { anyText } from "../support/any-text.ts";
import { runs } from "../support/thorough.ts";

const PATTERN_MS = 20_000;

describe("a check", () => {
  it.each([...HOLDING, ...FAILING])("with %s", async (_what, files, { why = /^$/, output = /(?:)/, ...rest }) => {
    const [result] = await runChecks(files);
    expect(result).toEqual({
      ...{ check: "checks/a.json", why: expect.stringMatching(why), output: expect.stringMatching(output) },
      ...rest,
    });
  });
});

describe("a hostile check is stopped:", () => {
  it.each(HOSTILE)("%s", { timeout: PATTERN_MS }, async (_what, files, { why = /^$/, ...rest }) => {
    const [result] = await runChecks(files);
    expect(result).toMatchObject({ why: expect.stringMatching(why), ...rest });
    expect(result!.output.length).toBeLessThanOrEqual(1_000);
    // The next check finds nothing changed.
    expect(
      await runChecks(script("js", `console.log("ok", typeof x, ({}).x)`, "^ok undefined undefined$")),
    ).toMatchObject([{ ok: true }]);
  });
});

describe("the checks of a skill", () => {
  it("see neither each other's files nor each other's writes", async () => {
    const one = command("echo secret > made.txt; cat mine.txt", "^ok", { files: { "mine.txt": "ok" } });
    const two = command("cat made.txt mine.txt; echo end", "^end");
    const files = { ...one, "checks/b.json": two["checks/a.json"]! };
    expect(await runChecks(files)).toMatchObject([
      { ok: true },
      { ok: true, output: expect.not.stringContaining("secret") },
    ]);
  });

  it("run up to a limit, and only those that are asked for", async () => {
    const one = command("echo ok")["checks/a.json"]!;
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`checks/${10 + i}.json`, one]));
    const results = await runChecks(many);
    expect(results.map(({ runnable }) => runnable)).toEqual([...Array(10).fill(true), false, false]);
    expect(await runChecks(many, ["checks/11.json"])).toMatchObject([{ check: "checks/11.json", ok: true }]);
  });

  it("that are malformed do not run, and the result says why", async () => {
    expect(await runChecks({ "checks/a.json": "no" })).toEqual([
      { check: "checks/a.json", ok: false, runnable: false, why: expect.stringContaining("not JSON"), output: "" },
    ]);
  });

  it("see the skill's text files and not its binary files", async () => {
    const files: FileBodies = {
      ...command("cat references/a.md; ls assets", "^ok$"),
      "references/a.md": "ok\n",
      "assets/a.bin": new Uint8Array([255]),
    };
    expect(await runChecks(files)).toMatchObject([{ ok: false, runnable: true }]);
    expect(await runChecks({ ...files, "assets/b.txt": "x" })).toMatchObject([{ ok: true, output: "ok\nb.txt\n" }]);
  });

  it("run after many others that exhausted the sandbox", { timeout: PATTERN_MS }, async () => {
    const deep = script("js", `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a)`);
    for (let i = 0; i < 3; i++) expect(await runChecks(deep)).toMatchObject([{ ok: false }]);
    const greedy = script("js", "const a = []; for (;;) a.push(new Uint8Array(65536).fill(1))");
    for (let i = 0; i < 3; i++)
      expect(await runChecks(greedy)).toMatchObject([{ why: expect.stringMatching(/memory/) }]);
    expect(await runChecks(script("js", `console.log("ok")`))).toMatchObject([{ ok: true }]);
  });

  it("run concurrently without affecting each other", async () => {
    const made = (i: number) =>
      script("js", `await null; globalThis.n = (globalThis.n ?? 0) + ${i}; console.log(n)`, `^${i}$`);
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => runChecks(made(i))));
    expect(results.flat().filter(({ ok }) => !ok)).toEqual([]);
  });
});

it("the runner never throws, whatever a skill's files contain", { timeout: PATTERN_MS }, async () => {
  const path = fc.constantFrom(
    "SKILL.md",
    "scripts/a.js",
    "scripts/a.sh",
    "checks/a.json",
    "checks/b.json",
    "__proto__",
    "../x",
    "",
  );
  const run = fc.oneof(
    fc.record({ script: fc.constantFrom("scripts/a.js", "scripts/a.sh") }),
    fc.record({ command: fc.string({ minLength: 1, maxLength: 30 }) }),
  );
  const form = fc
    .record(
      {
        run,
        expect: fc.record({ pattern: fc.string({ minLength: 1, maxLength: 20 }) }),
        files: fc.dictionary(fc.string(), fc.string()),
      },
      { requiredKeys: ["run", "expect"] },
    )
    .map((check) => JSON.stringify(check));
  const body = fc.oneof(form, fc.json(), fc.string(), anyText(), fc.uint8Array({ maxLength: 20 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(path, body), { maxLength: 6 }), form, async (entries, check) => {
      const files = Object.fromEntries([...entries, ["checks/a.json", check]]) as FileBodies;
      for (const result of await runChecks(files)) expect(result.ok && !result.runnable).toBe(false);
    }),
    { numRuns: runs(60) },
  );
});
