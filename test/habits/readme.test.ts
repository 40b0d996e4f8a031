// The documents with commands, .ci/run and package.json agree.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../core/commands/commands.ts";
import { type Block, DOCUMENTS, orderBlocks, shellBlocks } from "../../scripts/check/readme-blocks.ts";
import { summarise } from "../../scripts/check/test-report.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const makeFolder = createTempFolders();
const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(resolve(root, path), "utf8");
const readme = read("README.md");
const ci = read(".ci/run");
const references = ["ARCHITECTURE", "TURNS", "LEARNING", "LIMITS", "STORAGE", "THREAT-MODEL", "DECISIONS"];
const documents = [...DOCUMENTS, ...references.map((name) => `docs/${name}.md`), "bench/README.md"];

describe("README.md", () => {
  it("shows the demo and the tests within its first 15 lines", () => {
    const first = shellBlocks(readme).filter(({ line }) => line <= 15);
    expect(first.map(({ text, mode }) => [text, mode])).toEqual([
      ["npm run demo", "run"],
      ["npm test", "run"],
    ]);
  });

  it("has at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });
});

describe("the documents", () => {
  it("have every block that is not marked no-run executed by .ci/run, the tests last", () => {
    const listed = spawnSync(process.execPath, [resolve(root, "scripts/check/readme-blocks.ts"), "list"], {
      encoding: "utf8",
    });
    const executed = listed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Block);
    const places = (blocks: Block[]) => blocks.map(({ file, line }) => `${file}:${line}`).sort();
    const shown = DOCUMENTS.flatMap((file) => shellBlocks(read(file)).map((block) => ({ file, ...block })));
    expect(places(executed)).toEqual(places(shown.filter(({ mode }) => mode !== "no-run")));
    const texts = executed.map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining(["npm start", "npm run deploy -- --dry-run", "npm run chaos -- --reviews 3"]),
    );
    expect(executed.at(-1)?.text).toBe("npm test");
    expect(ci).toMatch(/readme-blocks\.ts run[^]* npm run test:browser --[^]* npm test -- --project '!browser'/);
  });

  it.each(documents)("%s names only npm scripts and files that exist", (path) => {
    const text = read(path);
    const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/\bnpm (?:run |(?=(?:test|start)\b))([a-z:]+)/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const linked = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path]) => path ?? "");
    expect(linked.filter((file) => !existing(resolve(root, path, "..", file)))).toEqual([]);
  });
});

describe("the commands of a message", () => {
  it("are each in docs/GUIDE.md", () => {
    const guide = read("docs/GUIDE.md");
    const sent = COMMANDS.filter(({ handler }) => handler !== "client").map(({ name }) => name);
    expect(sent.filter((name) => !new RegExp(`/${name}\\b`).test(guide))).toEqual([]);
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
    expect(orderBlocks(blocks).map(({ text }) => text)).toEqual(["one", "two", "npm test"]);
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

  it("sums several reports, and counts one that is not there as a failure", () => {
    const folder = makeFolder();
    const write = (name: string, passed: number, failed: number) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: [] }));
      return path;
    };
    const script = resolve(root, "scripts/check/test-report.ts");
    const close = (...files: string[]) => {
      const { stdout, status } = spawnSync(process.execPath, [script, ...files], { encoding: "utf8" });
      return [stdout.trim(), status];
    };
    const whole = [write("browser.json", 30, 0), write("others.json", 4_000, 0)];
    expect(close(...whole)).toEqual(["4030 passed, 0 failed", 0]);
    expect(close(...whole, join(folder, "absent.json"))).toEqual(["4030 passed, 1 failed", 1]);
    expect(close(...whole, write("empty.json", 0, 0))).toEqual(["4030 passed, 0 failed", 1]);
  });
});

function existing(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
