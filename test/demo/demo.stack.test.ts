// The demo as a person runs it: the three Workers, the story, the figures.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { exportTable } from "../../scripts/demo/conventions.ts";
import type { Table } from "../../scripts/demo/tables.ts";
import { inventTable } from "../support/invented-tables.ts";

const root = resolve(import.meta.dirname, "../..");
const TIMEOUT_MS = 120_000;

interface Figures {
  sessions: {
    name: string;
    modelCalls: number;
    toolCalls: number;
    failedCalls: number;
    promptTokens: number;
    correct: boolean;
  }[];
  learned: { skill: string; citations: string[]; memory: string; reviewId: string };
}

const EIGHT_TOOLS = [
  "execute_code",
  "patch",
  "read_file",
  "search_files",
  "session_search",
  "terminal",
  "todo",
  "write_file",
];

function runDemo(...args: string[]) {
  const env: NodeJS.ProcessEnv = { ...process.env, TALARIA_MODEL: "rehearsal" };
  const run = spawnSync(process.execPath, ["scripts/run.mjs", "scripts/demo.ts", ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  return { status: run.status, out: run.stdout, err: run.stderr, lines: run.stdout.trimEnd().split("\n") };
}

/** `times`: how many times as many calls the control needs, at least. */
function expectGain({ sessions }: Figures, times: number): void {
  const [first, second, control] = sessions as [Figures["sessions"][0], Figures["sessions"][0], Figures["sessions"][0]];
  expect(sessions.map(({ name, correct }) => [name, correct])).toEqual([
    ["first", true],
    ["second", true],
    ["control", true],
  ]);
  expect(first.failedCalls).toBeGreaterThan(0);
  expect(second.failedCalls).toBe(0);
  expect(first.toolCalls).toBeGreaterThanOrEqual(times * second.toolCalls);
  expect(control.toolCalls).toBeGreaterThanOrEqual(times * second.toolCalls);
}

it(
  "the demo solves the task in fewer calls with a lesson, also on other tables, with another seed and a hand-written skill",
  { timeout: TIMEOUT_MS },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "demo-"));
    for (const n of [1, 2, 3]) {
      const table: Table = inventTable(500 + n);
      const plain = {
        separator: "," as ";",
        decimal: ".",
        thousands: "",
        missing: "",
        dates: "YYYY-MM-DD",
        unitRow: false,
      } as const;
      writeFileSync(join(folder, table.file), exportTable(table, plain));
    }
    const skill = join(folder, "by-hand.md");
    // Seed 4 draws pipes, decimal commas, n/a, dotted dates, a row of units.
    writeFileSync(
      skill,
      "---\nname: by-hand\ndescription: Figures from the office's data exports.\n---\nA vertical bar stands between the columns. " +
        "Decimals follow a comma. Where something is missing they write n/a. Skip the line under the header, it has units. Days come before months in dates.\n",
    );
    const { status, lines, out, err } = runDemo("--data", folder, "--seed", "4", "--skill", skill, "--json");
    expect([status, err]).toEqual([0, ""]);
    expect(lines[0]).toMatch(/^Model: rehearsal/);
    expect(out).toContain("by-hand, as given, takes its place.");
    expect(out).toContain("→ skill_view by-hand");
    const figures = JSON.parse(lines.at(-1)!) as Figures;
    expectGain(figures, 1.6);
    const { skill: learned, citations, memory, reviewId } = figures.learned;
    expect(out).toContain(`Skill ${learned}, revision 1:`);
    expect(citations.every((citation) => citation.startsWith(`${reviewId.split(".")[0]}/`))).toBe(true);
    expect(memory).not.toBe("");
  },
);

it(
  "the workbench demo writes its reports with eight tools, and in fewer calls with a lesson",
  { timeout: TIMEOUT_MS },
  () => {
    const { status, lines, out, err } = runDemo("workbench", "--json");
    expect([status, err]).toEqual([0, ""]);
    expectGain(JSON.parse(lines.at(-1)!) as Figures, 1.3);
    const [first = ""] = out.split(/^\d {2}/m).filter((part) => part.startsWith("Session"));
    const tools = new Set([...first.matchAll(/→ (\w+)/g)].map((match) => match[1]));
    expect([...tools].toSorted()).toEqual(EIGHT_TOOLS);
  },
);

it("the demo refuses a folder without tables, with the reason", { timeout: TIMEOUT_MS }, () => {
  const { status, err } = runDemo("--data", mkdtempSync(join(tmpdir(), "empty-")));
  expect([status, err.includes("holds no table to work on"), err.includes("    at ")]).toEqual([2, true, false]);
});
