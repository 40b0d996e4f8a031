// Every command of package.json as a person types it: `--help`, a flag that does not exist, and a variable that cannot work.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const commands = Object.entries(scripts)
  .flatMap(([name, line]) => {
    const file = /run\.mjs ((?:scripts|cli|bench)\/\S+\.ts)$/.exec(line)?.[1];
    return file ? [[name, file] as const] : [];
  })
  .sort();

function run(file: string, args: string[], env: Record<string, string> = {}) {
  const ran = spawnSync(process.execPath, ["scripts/run.mjs", file, ...args], {
    ...{ cwd: root, encoding: "utf8", timeout: 60_000 },
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } as NodeJS.ProcessEnv,
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

describe.each(commands)("npm run %s", (name, file) => {
  it("tells its usage when asked, and when a flag is unknown", () => {
    const helped = run(file, ["--help"]);
    expect([helped.status, helped.err]).toEqual([0, ""]);
    expect(helped.out).toMatch(new RegExp(`npm (?:run )?${name}\\b`));
    const refused = run(file, ["--no-such-flag"]);
    expect(refused.err).toContain("no-such-flag");
    expect(refused.err).toMatch(new RegExp(`npm (?:run )?${name}\\b`));
    expect(refused.err).not.toMatch(/^ {4}at /m);
    expect(refused.status).toBeGreaterThan(0);
  });
});

describe.each([
  ["start", "scripts/start.ts", []],
  ["demo", "scripts/demo.ts", []],
  ["deploy", "scripts/deploy.ts", ["--dry-run"]],
])("npm run %s", (_, file, args) => {
  it.each([
    [{ TALARIA_SETTINGS: '{"turn":{"maxStep":1}}' }, "TALARIA_SETTINGS: turn: "],
    [{ TALARIA_MODEL: "antropic:x" }, "TALARIA_MODEL names no provider for antropic:x."],
  ])("does not begin with %j", (env, sentence) => {
    const { status, out, err } = run(file, args, env);
    expect([status, out]).toEqual([1, ""]);
    expect(err.startsWith(sentence)).toBe(true);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});
