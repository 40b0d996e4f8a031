// What rehearsal learns is what the transcript showed: of a file that is no office's it says nothing of an office, and a skill
// that a file contradicts is put right.
import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../core/models/rehearsal.ts";
import { readAdvice } from "../../core/models/rehearsal/prose.ts";
import { exportTable } from "../../scripts/demo/conventions.ts";
import { type Drawn, type Task, drawTasks } from "../../scripts/demo/tasks.ts";
import { inventTable } from "../support/invented-tables.ts";
import { type Desk, type Session, createDesk } from "../support/rehearsal-run.ts";

const TIMEOUT_MS = 120_000;

function drawnFor(seed: number): Drawn {
  return drawTasks(
    Array.from({ length: 4 }, (_, i) => inventTable(1_000 * seed + i, 32)),
    seed,
  );
}

async function learn(desk: Desk, request: string, files: Record<string, string>) {
  const review = await desk.review(await desk.work(request, files));
  const name = review.lessons.flatMap((lesson) => (lesson.kind === "skill" ? [lesson.skill] : []))[0];
  const [fact] = await desk.memory.list("memory");
  return { review, name, text: name ? (await desk.skillText(name))! : "", fact: fact?.text };
}

const HIVES = "hive;honey\nnorth;12,5\nsouth;n/a\nwest;8,25\n";
const ASKED = "In `hives.csv`, what is the total of `honey`? Give it to two decimals.";

describe("a lesson about beehives", () => {
  it("is named, described and remembered by what the file showed", async () => {
    const { name, text, fact } = await learn(createDesk(createRehearsalModel()), ASKED, { "hives.csv": HIVES });
    expect(name).toBe("reading-semicolon-separated-tables");
    expect(/^description: (.*)$/m.exec(text)![1]).toBe(
      "How to work out a figure such as a total from a delimited text file with semicolons between the fields, decimal " +
        "commas and codes for missing values. Load it before reading such a table, because a reader of plain CSV gets it wrong.",
    );
    expect(fact).toBe(
      "The delimited files this person works with differ from plain CSV in their separator, the way they write numbers and " +
        "what they write for a missing value.",
    );
    expect(`${text} ${fact}`).not.toMatch(/office|export|system/i);
    expect(text).not.toMatch(/hive|honey|unit row|row of units|dates|thousands/i);
  });

  it("is another one where the file showed something else", async () => {
    const tabs = HIVES.replaceAll(";", "\t").replaceAll(",", ".").replace("n/a", "1");
    const { name, text, fact } = await learn(createDesk(createRehearsalModel()), ASKED, { "hives.csv": tabs });
    expect(name).toBe("reading-tab-separated-tables");
    expect(text).toContain("from a delimited text file with tabs between the fields. Load it");
    expect(fact).toBe("The delimited files this person works with differ from plain CSV in their separator.");
  });
});

/** The answer's figure, to the places that were asked for. */
function isRight(session: Session, task: Task): boolean {
  const figure = /\*\*(-?\d+(?:\.\d+)?)\*\*/.exec(session.text)?.[1];
  return figure !== undefined && Math.abs(Number(figure) - task.answer) <= 0.501 * 10 ** -task.places;
}

describe("a skill of another office", () => {
  it.each(Array.from({ length: 12 }, (_, i) => i + 1))(
    "never costs the answer nor more calls than none, and is put right by the review of the work, seed %i",
    { timeout: TIMEOUT_MS },
    async (seed) => {
      const [theirs, ours] = [drawnFor(seed), drawnFor(seed + 300)];
      const attempt = (desk: Desk, { conventions }: Drawn, task: Task, learning = true) =>
        desk.work(task.text, { [task.table.file]: exportTable(task.table, conventions) }, learning);
      const desk = createDesk(createRehearsalModel());
      await desk.review(await attempt(desk, theirs, theirs.tasks[0]));
      const misled = await attempt(desk, ours, ours.tasks[0]);
      const control = await attempt(desk, ours, ours.tasks[0], false);
      await desk.review(misled);
      const next = await attempt(desk, ours, ours.tasks[1]);
      expect([isRight(misled, ours.tasks[0]), isRight(next, ours.tasks[1])]).toEqual([true, true]);
      expect(misled.calls.length).toBeLessThanOrEqual(control.calls.length);
      expect(next.calls).toEqual(["skill_view", "terminal"]);
    },
  );

  it("loses the lines that the file contradicted", async () => {
    const desk = createDesk(createRehearsalModel());
    const points = "hive;honey\nnorth;12,5\nsouth;8,25\nwest;1,75\n";
    const { name } = await learn(desk, ASKED, { "hives.csv": points });
    const { review } = await learn(desk, ASKED, {
      "hives.csv": points.replaceAll(",", ".").replace("12.5", "1,012.5"),
    });
    expect(review.lessons.map(({ kind, action }) => [kind, action])).toEqual([["skill", "patch"]]);
    const text = (await desk.skillText(name!))!;
    expect(readAdvice(text)).toEqual({ separators: [";"], decimal: ".", thousands: "," });
    expect(text).toContain("Read the point as the decimal mark");
    expect(text).not.toMatch(/decimal commas|comma as the decimal/);
  });
});
