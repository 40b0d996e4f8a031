// The launcher of every npm script, tested as a process: what it runs, and how it ends.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const launcher = resolve(import.meta.dirname, "../../scripts/run.mjs");
const folder = mkdtempSync(join(tmpdir(), "talaria run ")); // a path with spaces
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, source: string): string {
  const path = join(folder, name);
  writeFileSync(path, source);
  return path;
}
const launch = (...args: string[]) =>
  spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8", cwd: folder, timeout: 60_000 });

describe("scripts/run.mjs", () => {
  it("runs a .ts file with its arguments and passes its exit code on", () => {
    const path = script("five.ts", `const code: number = 5; console.log(process.argv.slice(2)); process.exit(code);`);
    const ran = launch(path, "--one", "two words");
    expect([ran.status, ran.stdout]).toEqual([5, "[ '--one', 'two words' ]\n"]);
  });

  it("imports Markdown as text, as the Workers' bundler does", () => {
    script("note.md", "# A note\n");
    const path = script("reads.ts", `import note from "./note.md"; process.stdout.write(note);`);
    expect(launch(path).stdout).toBe("# A note\n");
  });

  it("runs a program of node_modules from any folder", () => {
    const ran = launch("oxlint", "--version");
    const { devDependencies } = JSON.parse(readFileSync(resolve(launcher, "../../package.json"), "utf8")) as Record<
      string,
      { oxlint: string }
    >;
    expect([ran.status, ran.stdout.trim()]).toEqual([0, `Version: ${devDependencies?.oxlint}`]);
  });

  it("names a program that it cannot find", () => {
    const ran = launch("no-such-program");
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^\[setup\] .*no-such-program/m);
  });

  it("ends with the signal that ended its command", () => {
    const path = script("dies.ts", `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);`);
    expect(launch(path).signal).toBe("SIGKILL");
  });

  it("forwards SIGTERM and waits for the command to handle it", async () => {
    const path = script(
      "ends.ts",
      `process.on("SIGTERM", () => process.exit(8)); console.log("up"); setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [launcher, path], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((done) => child.stdout.once("data", done));
    child.kill("SIGTERM");
    expect(await new Promise((done) => child.once("close", done))).toBe(8);
  });

  it("switches off telemetry and network look-ups of tools", () => {
    const path = script(
      "env.ts",
      `console.log(JSON.stringify([process.env.WRANGLER_SEND_METRICS, process.env.CLOUDFLARE_CF_FETCH_ENABLED]));`,
    );
    expect(launch(path).stdout).toBe('["false","false"]\n');
  });
});
