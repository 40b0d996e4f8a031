// README.md and .ci/run say the same.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../core/commands/commands.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { MODEL_SECRETS, PLAIN_VARS } from "../../scripts/stack/worker-vars.ts";
import { type Block, executionOrder, shellBlocks } from "../../scripts/check/readme-blocks.ts";
import { summarise } from "../../scripts/check/test-report.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(resolve(root, "README.md"), "utf8");
const ci = readFileSync(resolve(root, ".ci/run"), "utf8");

describe("README.md", () => {
  it("shows the demo and the tests within its first 15 lines", () => {
    const first = shellBlocks(readme).filter(({ line }) => line <= 15);
    expect(first.map(({ text, mode }) => [text, mode])).toEqual([
      ["npm run demo", "run"],
      ["npm test", "run"],
    ]);
  });

  it("has every block that is not marked no-run executed by .ci/run, the tests last", () => {
    const listed = spawnSync(process.execPath, [resolve(root, "scripts/check/readme-blocks.ts"), "list"], {
      encoding: "utf8",
    });
    const executed = listed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Block);
    const shown = shellBlocks(readme).filter(({ mode }) => mode !== "no-run");
    expect(executed.map(({ line }) => line).sort((a, b) => a - b)).toEqual(shown.map(({ line }) => line));
    expect(executed.at(-1)?.text).toBe("npm test");
    expect(ci).toMatch(/readme-blocks\.ts run[^]*\nnpm test -- /);
  });

  it("names only npm scripts and files that exist", () => {
    const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/\bnpm (?:run )?([a-z:]+)/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => !(name in scripts) && !["install", "ci", "registry"].includes(name))).toEqual([]);
    const linked = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path ?? "");
    expect(linked.filter((path) => !existing(path))).toEqual([]);
  });
});

describe("the commands of a message", () => {
  it("are each in the README", () => {
    const sent = COMMANDS.filter(({ handler }) => handler !== "client").map(({ name }) => name);
    expect(sent.filter((name) => !new RegExp(`/${name}\\b`).test(readme))).toEqual([]);
  });
});

describe("the settings in README.md", () => {
  it("are those of core/limits.ts, with their defaults", () => {
    const shown = [...readme.matchAll(/^\| `([a-z]+\.\w+)` \| `([^`]+)` \|/gm)].map(([, key, value]) => [key, value]);
    const real = Object.entries(DEFAULTS).flatMap(([group, settings]) =>
      Object.entries(settings).map(([key, value]) => [`${group}.${key}`, JSON.stringify(value)]),
    );
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(real));
  });

  it("stand beside every variable that reaches a Worker", () => {
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name);
    expect([...MODEL_SECRETS, ...PLAIN_VARS].filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe("shellBlocks", () => {
  it("tells shells from other languages, and modes by their mark", () => {
    const markdown =
      "a\n```sh\nls\npwd\n```\n```ts\nx\n```\n```sh no-run\nrm -r x\n```\n```sh background\nnpm start\n```\n";
    expect(shellBlocks(markdown)).toEqual([
      { line: 3, mode: "run", text: "ls\npwd" },
      { line: 10, mode: "no-run", text: "rm -r x" },
      { line: 13, mode: "background", text: "npm start" },
    ]);
  });

  it("keeps the order but for the tests", () => {
    const blocks = shellBlocks("```sh\nnpm test\n```\n```sh\none\n```\n```sh no-run\nno\n```\n```sh\ntwo\n```\n");
    expect(executionOrder(blocks).map(({ text }) => text)).toEqual(["one", "two", "npm test"]);
  });
});

describe("the closing line of .ci/run", () => {
  it("counts tests, and a file that could not be loaded as one failure", () => {
    const testResults = [
      { status: "passed", assertionResults: [{}, {}] },
      { status: "failed", assertionResults: [{}] },
      { status: "failed", assertionResults: [] },
    ];
    expect(summarise({ numPassedTests: 2, numFailedTests: 1, testResults })).toEqual({ passed: 2, failed: 2 });
  });
});

function existing(path: string): boolean {
  try {
    readFileSync(resolve(root, path));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
