// Every command of package.json as a person types it: with `--help`, with an unknown flag, and with an invalid variable.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Refusal } from "../support/runners/refuse-commands.ts";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** Hands its arguments on to Vitest, as `npm test` does. */
const HANDS_ON = "test:browser";
const commands = Object.entries(scripts)
  .filter(([name]) => name !== HANDS_ON)
  .flatMap(([name, line]) => {
    const file = /run\.mjs ((?:scripts|cli|bench)\/\S+\.ts)$/.exec(line)?.[1];
    return file ? [[name, file] as const] : [];
  })
  .sort();

const LAUNCHER = ["scripts/run.mjs"];
/** As the launcher starts a command, without a process of its own for it. */
const DIRECTLY = ["--import", pathToFileURL(join(root, "scripts/text-modules.mjs")).href];

function run(file: string, args: string[], env: Record<string, string> = {}, by = LAUNCHER) {
  return new Promise<{ status: number; out: string; err: string }>((done) => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const options = { cwd: root, timeout: 60_000, env: { PATH, HOME, NODE_COMPILE_CACHE, ...env } };
    execFile(process.execPath, [...by, file, ...args], options, (error, out, err) => {
      done({ status: error ? Number(error.code ?? -1) : 0, out, err });
    });
  });
}

// In one process. The commands below are started in one each, as a person starts them.
describe("after an unknown flag", () => {
  let refusals: Record<string, Refusal>;
  beforeAll(async () => {
    const files = commands.map(([, file]) => file);
    const runner = "test/support/runners/refuse-commands.ts";
    const { out, err } = await run(runner, ['["--no-such-flag"]', ...files], {}, DIRECTLY);
    expect(err).toBe("");
    refusals = JSON.parse(out) as Record<string, Refusal>;
  });

  it.each(commands)("npm run %s prints its usage, and does nothing else", (name, file) => {
    const { status, out, err } = refusals[file]!;
    expect(status).toBeGreaterThan(0);
    expect(out).toBe("");
    expect(err).toContain("no-such-flag");
    expect(err).toMatch(name === "chat" ? /talaria --help/ : new RegExp(`npm (?:run )?${name}\\b`));
  });
});

// One command of each kind: one that reads its flags itself, and one that runCommand runs.
describe.each([
  ["check", "scripts/check.ts"],
  ["demo", "scripts/demo.ts"],
])("npm run %s -- --help", (name, file) => {
  it("prints the usage and succeeds", async () => {
    const { status, out, err } = await run(file, ["--help"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`npm (?:run )?${name}\\b`));
  });
});

describe.each([
  ["bench/limits.ts", ["--only", "nosuchcase"], '--only "nosuchcase" matches no name.'],
  ["bench/hostile.ts", ["--seed", "x"], '--seed takes a whole number from 0, not "x".'],
  ["bench/turn.ts", ["--turns", "1e2"], '--turns takes a whole number from 1, not "1e2".'],
  ["bench/growth.ts", ["--up-to", "Infinity"], "--up-to takes a number from 1."],
])("%s", (file, args, sentence) => {
  it(`refuses ${args.join(" ")} with a reason, before it measures`, async () => {
    const { status, out, err } = await run(file, args, {}, DIRECTLY);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^Usage: npm run bench:/);
    expect(err.split("\n\n").at(-1)!.slice(0, sentence.length)).toBe(sentence);
  });
});

describe.each([
  ["start", "scripts/start.ts", []],
  ["deploy", "scripts/deploy.ts", ["--dry-run"]],
])("npm run %s", (_, file, args) => {
  it.each([
    [{ TALARIA_SETTINGS: '{"turn":{"maxStep":1}}' }, "TALARIA_SETTINGS: There is no setting 'turn.maxStep'; did"],
    [{ TALARIA_MODEL: "antropic:x" }, "TALARIA_MODEL names no provider for antropic:x."],
  ])("does not start with %j", async (env, sentence) => {
    const { status, out, err } = await run(file, args, env);
    expect([status, out]).toEqual([1, ""]);
    expect(err.startsWith(sentence)).toBe(true);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});
