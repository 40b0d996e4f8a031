// The form of a check, and which checks a change concerns.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPaths, readCheck, touchedChecks, validateChecks } from "../../core/skills/checks.ts";
import { inspectHealth } from "../../core/skills/health.ts";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import { validateSkill } from "../../core/skills/format/validate.ts";
import { skillMd } from "./skill-md.ts";

const json = (change: object = {}) =>
  JSON.stringify({
    run: { command: "cat in.txt" },
    expect: { pattern: "^a" },
    files: { "in.txt": "abc\n" },
    ...change,
  });
const files = (change: object = {}, more: FileBodies = {}): FileBodies => ({
  "SKILL.md": "x",
  "scripts/a.sh": "echo a",
  "checks/a.json": json(change),
  ...more,
});
const codeOf = (given: FileBodies) => {
  const read = readCheck("checks/a.json", given);
  return read.ok ? "ok" : read.failure.code;
};

describe("a check", () => {
  it("names a command and the expected output; the exit code is 0 unless it names another", () => {
    expect(readCheck("checks/a.json", files())).toEqual({
      ok: true,
      value: { run: { command: "cat in.txt" }, expect: { pattern: "^a", exitCode: 0 }, files: { "in.txt": "abc\n" } },
    });
  });

  it.each([
    { run: { script: "scripts/a.sh" } },
    { run: { command: "false" }, expect: { pattern: ".", exitCode: 1 } },
    { files: { "deep/er/in.txt": "" } },
  ])("may be %j", (change) => {
    expect(codeOf(files(change))).toBe("ok");
  });

  it.each([
    { run: {} },
    { run: { script: "scripts/a.py" } },
    { run: { script: "scripts/none.sh" } },
    { run: { script: "../a.sh" } },
    { run: { script: "scripts/a.sh", command: "x" } },
    { run: { command: " " } },
    { run: { command: "x".repeat(2_001) } },
    { expect: {} },
    { expect: { pattern: "" } },
    { expect: { pattern: "x".repeat(501) } },
    { expect: { pattern: "x", exitCode: 256 } },
    { files: { "/etc/passwd": "x" } },
    { files: { "../up": "x" } },
    { files: { "a/../../b": "x" } },
    { files: { "a\u0000b": "x" } },
    { files: { "scripts/a.sh": "another" } },
    { files: { "SCRIPTS/A.SH": "another" } },
    { files: { "scripts/a.sh/b": "x" } },
    { files: { a: 1 } },
    { more: true },
  ])("may not be %j", (change) => {
    expect(codeOf(files(change))).toBe("bad_check");
  });

  it.each(["", "no", "[]", "null", '{"__proto__": {"run": {"command": "x"}, "expect": {"pattern": "x"}}}'])(
    "may not be the text %j",
    (text) => {
      expect(codeOf(files({}, { "checks/a.json": text }))).toBe("bad_check");
    },
  );

  it("cannot change a prototype", () => {
    const text = '{"run":{"command":"x"},"expect":{"pattern":"x"},"files":{"__proto__":"x","constructor":"y"}}';
    const read = readCheck("checks/a.json", files({}, { "checks/a.json": text }));
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    if (read.ok) expect(Object.getPrototypeOf(read.value.files)).toBe(Object.prototype);
  });

  it("is refused in any other form, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(codeOf(files({}, { "checks/a.json": text }))).toBe("bad_check");
      }),
    );
  });
});

describe("the checks of a skill", () => {
  it("are in a folder of their own, where a model may write", () => {
    const given = { "SKILL.md": skillMd(), "checks/a.json": json() };
    const checked = validateSkill({ name: "reading-logs", files: given, maxFiles: 5, writer: "model" });
    expect(checked).toMatchObject({ ok: true });
    expect(checkPaths(given)).toEqual(["checks/a.json"]);
  });

  it("are at most ten, each with a valid form and name", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`checks/${i}.json`, json()]));
    expect(validateChecks({ ...files(), ...many(9) })).toBeNull();
    expect(validateChecks({ ...files(), ...many(10) })).toMatchObject({ code: "bad_check" });
    for (const path of ["checks/deep/a.json", "checks/a.txt", "checks/-a.json", "checks/a b.json"]) {
      expect(validateChecks(files({}, { [path]: json() }))).toMatchObject({ code: "bad_check" });
    }
  });
});

describe("touchedChecks", () => {
  const before = files({}, { "checks/b.json": json({ run: { command: "grep -c Steps SKILL.md" } }) });
  it.each<[string, FileBodies, string[]]>([
    ["nothing", before, []],
    ["SKILL.md: those that name it", { ...before, "SKILL.md": "y" }, ["checks/b.json"]],
    ["a script: all", { ...before, "scripts/a.sh": "echo b" }, ["checks/a.json", "checks/b.json"]],
    [
      "a check: all",
      { ...before, "checks/a.json": json({ run: { command: "x" } }) },
      ["checks/a.json", "checks/b.json"],
    ],
    ["bytes", { ...before, "assets/a": new Uint8Array([255]) }, ["checks/a.json", "checks/b.json"]],
  ])("after a change of %s", (_what, after, expected) => {
    expect(touchedChecks(before, after)).toEqual(expected);
  });

  it("returns all checks of a new skill", () => {
    expect(touchedChecks({}, before)).toEqual(["checks/a.json", "checks/b.json"]);
  });

  it("treats a check as touched when its script names SKILL.md", () => {
    const reading = files({ run: { script: "scripts/a.sh" } }, { "scripts/a.sh": "wc -l SKILL.md" });
    expect(touchedChecks(reading, { ...reading, "SKILL.md": "y" })).toEqual(["checks/a.json"]);
  });
});

describe("inspectHealth", () => {
  const result = {
    check: "checks/a.json",
    ok: false,
    runnable: true,
    why: "it ended with exit code 1",
    output: "a\nb",
  };
  const pinned = '---\nname: a\ndescription: d\nmetadata:\n  talaria.contract.tools: "t@0a1b2c3d"\n---\n\nBody\n';

  it("names failing and malformed checks, not those that cannot run here", async () => {
    const run = async () => [
      result,
      { ...result, check: "checks/b.json", runnable: false },
      { ...result, check: "checks/c.json", ok: true },
    ];
    const health = await inspectHealth({ files: files({}, { "checks/z.json": "no" }), now: 7, run });
    expect(health).toEqual({
      checkedAt: 7,
      broken: [
        expect.stringMatching(/^checks\/z\.json is not a valid check: it is not JSON/),
        "checks/a.json: it ended with exit code 1 (it wrote: a)",
      ],
    });
  });

  it("names scripts that cannot be parsed, even without checks", async () => {
    const parse = async (_path: string, text: string) => (text === "bad" ? "Parse error at 1:1" : null);
    const run = Object.assign(async () => [], { parse });
    const given = { "SKILL.md": skillMd(), "scripts/a.sh": "bad", "scripts/b.sh": "good", "references/c.sh": "bad" };
    const found = await inspectHealth({ files: given, now: 7, run });
    expect(found).toEqual({ checkedAt: 7, broken: ["scripts/a.sh: Parse error at 1:1"] });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`scripts/${i}.sh`, "bad"]));
    expect((await inspectHealth({ files: many, now: 7, run })).broken).toHaveLength(10);
    const large = { "scripts/a.sh": "x".repeat(1 << 20), "scripts/b.sh": "bad" };
    expect((await inspectHealth({ files: large, now: 7, run })).broken).toEqual([]);
  });

  it("keeps contract findings as long as the text is unchanged", async () => {
    const known = { checkedAt: 1, broken: ["contract: t@0a1b2c3d is t@ffffffff now", "checks/gone.json: failed"] };
    const look = (text: string) => inspectHealth({ files: { "SKILL.md": text }, now: 7, known });
    expect(await look(pinned)).toEqual({ checkedAt: 7, broken: [known.broken[0]] });
    expect(await look(pinned.replace("0a1b2c3d", "ffffffff"))).toEqual({ checkedAt: 7, broken: [] });
  });

  it("finds nothing in a skill without checks and scripts", async () => {
    expect(await inspectHealth({ files: { "SKILL.md": skillMd() }, now: 7 })).toEqual({ checkedAt: 7, broken: [] });
  });
});
