// bench:limits enforces a case's memory limit, distinguishes a crash from a refusal, and ends with one line of JSON.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CASES } from "../../bench/limits/cases.ts";

const script = join(import.meta.dirname, "../../bench/limits.ts");
const text = join(import.meta.dirname, "../../scripts/text-modules.mjs");

function bench(...args: string[]): Promise<{ figures: unknown; out: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--import", text, script, ...args], (error, out, errors) => {
      if (error) reject(new Error(errors));
      else resolve({ figures: JSON.parse(out.trimEnd().split("\n").at(-1)!), out });
    });
  });
}

test("every tool and most commands have a case, and each name is unique", () => {
  const names = CASES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const tools = [
    "read_file",
    "write_file",
    "search_files",
    "terminal",
    "skill_manage",
    "skill_view",
    "skills_list",
    "memory",
    "todo",
    "cronjob",
    "board",
  ];
  expect(tools.filter((tool) => !names.some((name) => name.startsWith("tool: ") && name.includes(tool)))).toEqual([]);
  expect(names.length).toBeGreaterThan(120);
});

describe("the command", () => {
  test.concurrent("runs a case on the largest file within an isolate's memory", async ({ expect }) => {
    const { figures, out } = await bench("--only", "one: head -c 20 big");
    expect([figures, out]).toEqual([{ cases: 1, failed: 0 }, expect.stringContaining("done; heap")]);
  }, 60_000);

  test.concurrent("counts a refusal as a pass", async ({ expect }) => {
    const { figures, out } = await bench("--only", "one: rev");
    expect([figures, out]).toEqual([{ cases: 1, failed: 0 }, expect.stringContaining("refused (memory_limit)")]);
  }, 60_000);

  test.concurrent("names a case that dies", async ({ expect }) => {
    const { figures, out } = await bench("--only", "lines: wc -l big", "--mib", "36");
    expect([figures, out]).toEqual([{ cases: 1, failed: 1 }, expect.stringContaining("\nfailed: lines: wc -l big\n")]);
  }, 60_000);
});
