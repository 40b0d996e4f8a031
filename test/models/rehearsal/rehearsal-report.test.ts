// Rehearsal writes a report over the parts of a table, with the real loop and tools. What is learned from one report helps with the next.
import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../../core/models/rehearsal.ts";
import { parseWorkbenchTask, readAgreement } from "../../../core/models/rehearsal/report/report-task.ts";
import {
  describeAgreement,
  describeReport,
  isReportCorrect,
  toReportFiles,
} from "../../../scripts/demo/report-task.ts";
import { type Task, drawTasks } from "../../../scripts/demo/tasks.ts";
import { inventTable } from "../../support/invented-tables.ts";
import { createDesk } from "../../support/rehearsal-run.ts";

const ROWS = 36;
const drawReports = (seed: number) =>
  drawTasks(
    Array.from({ length: 4 }, (_, i) => inventTable(1_000 * seed + i, ROWS)),
    seed,
    { dated: false },
  );
const request = (task: Task) => `${describeAgreement(task)}\n${describeReport(task)}`;

describe("a report by rehearsal", () => {
  it.each([1, 2, 3, 4])("is right, and takes fewer calls with what was learned (seed %i)", async (seed) => {
    const { conventions, tasks } = drawReports(seed);
    const desk = createDesk(createRehearsalModel());
    const first = await desk.work(request(tasks[0]), toReportFiles(tasks[0], conventions));
    await desk.review(first);
    const second = await desk.work(request(tasks[1]), toReportFiles(tasks[1], conventions));
    expect([isReportCorrect(first.text, first.files, tasks[0]), first.text]).toEqual([true, first.text]);
    expect([isReportCorrect(second.text, second.files, tasks[1]), second.text]).toEqual([true, second.text]);
    expect(second.calls.length).toBeLessThan(first.calls.length);
    expect(second.calls).toContain("skill_view");
  });

  it("asks back if nothing was agreed", async () => {
    const { conventions, tasks } = drawReports(1);
    const session = await createDesk(createRehearsalModel()).work(
      describeReport(tasks[0]),
      toReportFiles(tasks[0], conventions),
    );
    expect(session.text).toMatch(/^I found nothing that was agreed about a report on /);
    expect(session.files["report.md"]).toContain("FIGURE");
  });

  it("names the tool that failed", async () => {
    const { conventions, tasks } = drawReports(1);
    const files = toReportFiles(tasks[0], conventions);
    const session = await createDesk(createRehearsalModel()).work(request(tasks[0]), {
      ...files,
      "report.md": "No place.\n",
    });
    expect(session.text).toMatch(/^I could not finish: patch failed \(/);
  });
});

describe("the request", () => {
  it("names folder, report, placeholder, table and figure", () => {
    expect(parseWorkbenchTask(describeReport(drawReports(1).tasks[0]))).toMatchObject({
      folder: "exports",
      report: "report.md",
      placeholder: "FIGURE",
      partsTable: "parts.csv",
    });
  });

  it("is none if one of them is missing", () => {
    expect(parseWorkbenchTask("What is the mean of `x` in `exports/`, for `report.md`?")).toBeNull();
  });

  it("takes the agreement about its own column from among others", () => {
    const found = {
      hits: [
        { text: "The report on `a` takes all rows, and has 1 decimals." },
        { text: "The report on `b` takes only rows where `k` is `v`, and has 3 decimals." },
      ],
    };
    expect(readAgreement(found, "b")).toEqual({ filters: [{ column: "k", value: "v" }], places: 3 });
    expect(readAgreement(found, "c")).toBeNull();
  });
});
