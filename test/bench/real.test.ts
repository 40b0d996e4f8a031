// bench:real without a model: its draws, its records of an interrupted run, and the correctness of the handwritten skill.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TaskRecord, openRecords } from "../../bench/real/records.ts";
import { toLine } from "../../bench/real/report.ts";
import { writeSkillByHand } from "../../bench/real/skill-by-hand.ts";
import { exportTable } from "../../scripts/demo/conventions.ts";
import { loadTables } from "../../scripts/demo/tables.ts";
import { type Task, drawSeries } from "../../scripts/demo/tasks.ts";
import { createFileBench } from "../support/file-bench.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const newFolder = createTempFolders();
const { tables } = loadTables();

function record(fields: Partial<TaskRecord>): TaskRecord {
  const counts = { toolCalls: 4, failedCalls: 1, tokens: 1_000, ms: 10 };
  return { arm: "off", n: 0, correct: true, state: "done", ...counts, review: null, ...fields };
}

describe("the series", () => {
  it("asks different questions about files of one office, and the same ones for the same seed", () => {
    const { tasks } = drawSeries(tables, 7, 12);
    expect(new Set(tasks.map(({ text }) => text)).size).toBe(12);
    expect(drawSeries(tables, 7, 12).tasks.map(({ text }) => text)).toEqual(tasks.map(({ text }) => text));
    expect(tasks.every(({ answer }) => Number.isFinite(answer))).toBe(true);
  });
});

describe("the handwritten skill", () => {
  it.each([1, 5, 8, 23])("its command reads whole columns of the office of seed %i", async (seed) => {
    const { conventions, tasks } = drawSeries(tables, seed, 2);
    const { put, call } = createFileBench(createNodeSql());
    for (const task of tasks) {
      put(task.table.file, exportTable(task.table, conventions));
      const { column, values } = askedColumn(task);
      const command = commandOf(writeSkillByHand(conventions), column + 1, task.table.file);
      const { stdout } = (await call("terminal", { command })).result as { stdout: string };
      const [, n, mean] = /^n (\d+) mean (\S+) /.exec(stdout) ?? [];
      expect(Number(n), `${command}\n${stdout}`).toBe(values.length);
      const expected = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(Math.abs(Number(mean) - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)));
    }
  });
});

function askedColumn({ table, text }: Task) {
  const name = /of `([^`]+)`/.exec(text)![1];
  const column = table.columns.findIndex((one) => one.name === name);
  return { column, values: table.cells.flatMap((row) => (row[column] === null ? [] : [Number(row[column])])) };
}

function commandOf(skill: string, column: number, file: string): string {
  const line = skill.split("\n").find((one) => one.trim().startsWith("awk"))!;
  return line.trim().replace("$C", `$${column}`).replace(/FILE$/, `'${file}'`);
}

describe("the records", () => {
  it("continue after a truncated line, whose task runs again", () => {
    const folder = newFolder();
    openRecords(folder, { model: "m" }).add(record({ n: 0 }));
    appendFileSync(join(folder, "records.jsonl"), '{"arm":"off","n":1,"corr');
    const again = openRecords(folder, { model: "m" });
    expect(again.read().map(({ n }) => n)).toEqual([0]);
    again.add(record({ n: 1 }));
    expect(again.read().map(({ n }) => n)).toEqual([0, 1]);
  });

  it("are not mixed with those of other options", () => {
    const folder = newFolder();
    openRecords(folder, { model: "m" });
    expect(() => openRecords(folder, { model: "another" })).toThrow(/other options/);
  });
});

describe("the last line", () => {
  it("has the means of each arm, null for an arm without runs, and all writes that reviews attempted", () => {
    const line = toLine("m", 2, [
      record({ n: 0 }),
      record({ n: 1, correct: false, toolCalls: 7, tokens: 2_000 }),
      record({ arm: "ours", n: 0, review: { entered: 2, refused: 1, tokens: 9 } }),
    ]);
    const none = { success: null, calls: null, tokens: null };
    expect(JSON.parse(line)).toEqual({
      ...{ model: "m", tasks: 2 },
      off: { success: 0.5, calls: 5.5, tokens: 1_500 },
      ours: { success: 1, calls: 4, tokens: 1_000 },
      replay: { ...none, lessons: null, experiments: null, replayTokens: null },
      seeded: { success: null, calls: null, tokens: null },
      lessons: { proposed: 3, refused: 1, entered: 2 },
    });
  });

  it("has what experiments found and used, apart from the lessons of the arm without them", () => {
    const review = { entered: 1, refused: 0, tokens: 9 };
    const line = toLine("m", 2, [
      record({ arm: "ours", review: { entered: 2, refused: 1, tokens: 9 } }),
      record({ arm: "replay", review, experiments: { made: 2, outcomes: { helps: 1, harms: 1 }, tokens: 40 } }),
      record({ arm: "replay", n: 1, experiments: { made: 1, outcomes: { helps: 1 }, tokens: 2 } }),
    ]);
    expect(JSON.parse(line)).toMatchObject({
      replay: {
        ...{ success: 1, calls: 4, tokens: 1_000, replayTokens: 42 },
        lessons: { proposed: 1, refused: 0, entered: 1 },
        experiments: { made: 3, helps: 2, harms: 1 },
      },
      lessons: { proposed: 3, refused: 1, entered: 2 },
    });
  });
});
