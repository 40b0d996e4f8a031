// Rehearsal learns what the transcript showed. A lesson about another kind of file does not mention an office, and a skill that
// a file contradicts is corrected.
import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../../core/models/rehearsal.ts";
import { MEMORY_FACT, distil, toFact } from "../../../core/models/rehearsal/lesson.ts";
import { readAdvice } from "../../../core/models/rehearsal/prose/prose.ts";
import type { SeenCall } from "../../../core/models/rehearsal/transcript.ts";
import { exportTable } from "../../../scripts/demo/conventions.ts";
import { type DrawnTasks, type Task, drawTasks } from "../../../scripts/demo/tasks.ts";
import { inventTable } from "../../support/invented-tables.ts";
import { type Desk, type Session, createDesk } from "../../support/rehearsal-run.ts";

const TIMEOUT_MS = 120_000;

function drawnFor(seed: number): DrawnTasks {
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
      "A delimited file this person worked with differs from plain CSV in the separator, the way numbers are written and " +
        "what is written for a missing value.",
    );
    expect(`${text} ${fact}`).not.toMatch(/office|export|system/i);
    expect(text).not.toMatch(/hive|honey|unit row|row of units|dates|thousands/i);
  });

  it("differs if the file showed something else", async () => {
    const tabs = HIVES.replaceAll(";", "\t").replaceAll(",", ".").replace("n/a", "1");
    const { name, text, fact } = await learn(createDesk(createRehearsalModel()), ASKED, { "hives.csv": tabs });
    expect(name).toBe("reading-tab-separated-tables");
    expect(text).toContain("from a delimited text file with tabs between the fields. Load it");
    expect(fact).toBe("A delimited file this person worked with differs from plain CSV in the separator.");
  });
});

describe("a sentence of a lesson", () => {
  const WORD = "stops at a word";
  const NUMBER = "may look like a number";
  const EXTREME = "A value at either end that lies far from the rest may be a code";
  const EMPTY = "and so does an empty cell";
  const ALL = [WORD, NUMBER, EXTREME, EMPTY];

  it.each([
    ["no code and no empty cell", HIVES.replace("n/a", "1"), []],
    ["a word", HIVES, [WORD]],
    ["a number", HIVES.replace("n/a", "-9999"), [NUMBER, EXTREME]],
    ["a word and an empty cell", `${HIVES}east;\n`, [WORD, EMPTY]],
    ["a number and an empty cell", `${HIVES}east;\n`.replace("n/a", "-9999"), [NUMBER, EXTREME, EMPTY]],
    ["a word and a number", `${HIVES}east;-9999\n`, [WORD, NUMBER, EXTREME]],
    ["an empty cell and no code", `${HIVES}east;\n`.replace("n/a", "1"), []],
  ])("is there only if the file showed it: %s", async (_name, file, expected) => {
    const desk = createDesk(createRehearsalModel());
    const { text } = await learn(desk, ASKED, { "hives.csv": file });
    expect(ALL.filter((sentence) => text.includes(sentence))).toEqual(expected);
    expect((await desk.work(ASKED, { "hives.csv": file })).calls).toEqual(["skill_view", "terminal"]);
  });

  const run = (separator: string, file: string, failed = false): SeenCall => ({
    tool: "terminal",
    args: { command: `awk -F'${separator}' '{ sum += $2 }' '${file}'` },
    failed,
    citation: "3#outcome",
    result: {},
  });

  it.each([
    ["one file", [run(",", "a.csv", true), run(";", "a.csv")], "A delimited file this person worked with differs"],
    [
      "the same file twice",
      [run(",", "a.csv", true), run(";", "a.csv"), run(";", "a.csv")],
      "A delimited file this person worked with differs",
    ],
    [
      "two files that differ",
      [run(",", "a.csv", true), run("|", "a.csv"), run(";", "b.csv")],
      "A delimited file this person worked with differs",
    ],
    [
      "two files alike",
      [run(",", "a.csv", true), run(";", "a.csv"), run(";", "b.csv")],
      "The delimited files this person works with differ",
    ],
  ])("mentions several files only after several: %s", (_name, calls, subject) => {
    const fact = toFact(distil({ principal: [], calls })!);
    expect(fact).toBe(`${subject} from plain CSV in the separator.`);
    expect(fact).toMatch(MEMORY_FACT);
  });
});

/** Whether the answer's figure is right, to the requested number of places. */
function isRight(session: Session, task: Task): boolean {
  const figure = /\*\*(-?\d+(?:\.\d+)?)\*\*/.exec(session.text)?.[1];
  return figure !== undefined && Math.abs(Number(figure) - task.answer) <= 0.501 * 10 ** -task.places;
}

describe("a skill of another office", () => {
  it.each([1, 2, 3, 4])(
    "costs neither the answer nor extra calls, and is corrected by the review, seed %i",
    { timeout: TIMEOUT_MS },
    async (seed) => {
      const [theirs, ours] = [drawnFor(seed), drawnFor(seed + 300)];
      const attempt = (desk: Desk, { conventions }: DrawnTasks, task: Task, learning = true) =>
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

  it("is followed if no cell contradicts its decimal mark or its thousands separator", async () => {
    const commas = "hive;honey\nnorth;1,234\nsouth;2,345\n";
    const description = "How to read delimited text files of numbers.";
    const skill = (step: string) =>
      `---\nname: reading-tables\ndescription: ${description}\n---\n\n# Reading tables\n\n${step}\n`;
    const total = async (step: string) => {
      const desk = createDesk(createRehearsalModel());
      await desk.putSkill("reading-tables", skill(step), description);
      return (await desk.work(ASKED, { "hives.csv": commas })).text;
    };
    const wrong = "Read the comma as the decimal mark.";
    expect(await total(wrong)).toContain("**3579.00**");
    expect(await total(`${wrong} Remove the apostrophe that groups thousands.`)).toContain("**3.58**");
  });

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
