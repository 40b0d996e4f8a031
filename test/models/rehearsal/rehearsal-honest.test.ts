// Rehearsal is honest: its gain in a second session comes from the text of the skill it loaded and from nothing else.
// Everything runs through the real loop, the real tools and the real review.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../../core/models/rehearsal.ts";
import { readAdvice } from "../../../core/models/rehearsal/prose/prose.ts";
import { validateSkill } from "../../../core/skills/format/validate.ts";
import { type Conventions, exportTable } from "../../../scripts/demo/conventions.ts";
import { loadTables } from "../../../scripts/demo/tables.ts";
import { type DrawnTasks, type Task, drawTasks } from "../../../scripts/demo/tasks.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { inventTable } from "../../support/invented-tables.ts";
import { type Desk, PROFILE, type Session, createDesk } from "../../support/rehearsal-run.ts";

const TIMEOUT_MS = 120_000;
/** The fewest rows that still show every convention. The shell takes most of the time, row by row. */
const ROWS = 32;

function drawnFor(seed: number, tables = 4): DrawnTasks {
  return drawTasks(
    Array.from({ length: tables }, (_, i) => inventTable(1_000 * seed + i, ROWS)),
    seed,
  );
}

function attempt(desk: Desk, task: Task, conventions: Conventions, learning = true): Promise<Session> {
  return desk.work(task.text, { [task.table.file]: exportTable(task.table, conventions) }, learning);
}

/** The name of the skill that a review made. */
function learnedIn({ lessons }: { lessons: { kind: string; skill?: string }[] }): string {
  return lessons.find(({ kind }) => kind === "skill")!.skill!;
}

/** Whether the answer's figure is right, to the requested number of places. */
function isRight(session: Session, task: Task): boolean {
  const figure = /\*\*(-?\d+(?:\.\d+)?)\*\*/.exec(session.text)?.[1];
  return figure !== undefined && Math.abs(Number(figure) - task.answer) <= 0.501 * 10 ** -task.places;
}

/** Sessions one to three: without a skill, with the learned one, and the control. */
async function tellStory({ conventions, tasks }: DrawnTasks) {
  const desk = createDesk(createRehearsalModel());
  const first = await attempt(desk, tasks[0], conventions);
  const review = await desk.review(first);
  const second = await attempt(desk, tasks[1], conventions);
  const control = await attempt(desk, tasks[1], conventions, false);
  return { desk, first, review, second, control };
}

type Story = Awaited<ReturnType<typeof tellStory>>;
const told = new Map<number, Promise<Story>>();

/** The story of a seed, run once for all tests that only read its outcome. */
function storyOf(seed: number): Promise<Story> {
  if (!told.has(seed)) told.set(seed, tellStory(drawnFor(seed)));
  return told.get(seed)!;
}

describe("the gain of a second session", () => {
  it.each([1, 2, 3, 4, 5])("holds on files unknown to the code, seed %i", { timeout: TIMEOUT_MS }, async (seed) => {
    const drawn = drawnFor(seed);
    const { first, second, control, review } = await storyOf(seed);
    expect([first, second, control].map((session, i) => isRight(session, drawn.tasks[Math.min(i, 1)]!))).toEqual([
      true,
      true,
      true,
    ]);
    expect(first.stats.toolCalls).toBeGreaterThanOrEqual(5);
    expect(first.stats.failedCalls).toBeGreaterThanOrEqual(1);
    expect(second.calls).toEqual(["skill_view", "terminal"]);
    expect(control.stats.toolCalls).toBeGreaterThanOrEqual(5);
    expect(second.promptTokens).toBeLessThan(first.promptTokens);
    expect(review.refused).toEqual([]);
  });

  it("holds in one profile over five files of one office, after one review", { timeout: TIMEOUT_MS }, async () => {
    const conventions = drawnFor(5).conventions;
    const desk = createDesk(createRehearsalModel());
    const tables = Array.from({ length: 40 }, (_, i) => inventTable(90_000 + i, ROWS));
    const pairs = Array.from({ length: 40 }, (_, seed) => drawTasks([tables[seed]!, tables[(seed + 1) % 40]!], 5));
    const richest = pairs
      .filter((pair) => JSON.stringify(pair.conventions) === JSON.stringify(conventions))
      .slice(0, 5);
    expect(richest.length).toBe(5);
    await desk.review(await attempt(desk, richest[0]!.tasks[0], conventions));
    for (const { tasks } of richest) {
      const session = await attempt(desk, tasks[1], conventions);
      expect([isRight(session, tasks[1]), session.calls]).toEqual([true, ["skill_view", "terminal"]]);
    }
  });

  it("is lost with another text of the same length", { timeout: TIMEOUT_MS }, async () => {
    const { conventions, tasks } = drawnFor(8);
    const { desk, review, second, control } = await tellStory({ conventions, tasks });
    expect(second.stats.toolCalls).toBe(2);
    const name = learnedIn(review);
    const learned = (await desk.skillText(name))!;
    const theirs = seeds["writing-a-good-skill"]!["SKILL.md"]!.replace(/^name: .*$/m, `name: ${name}`);
    const replaced = theirs.padEnd(learned.length, "\nRead it once more.").slice(0, learned.length);
    expect(replaced.length).toBe(learned.length);

    // Under the learned name and description, it is loaded and does not help.
    const describe = (text: string) => /^description: (.*)$/m.exec(text)![1]!;
    await desk.putSkill(name, replaced, describe(learned));
    expect((await attempt(desk, tasks[1], conventions)).calls).toEqual(["skill_view", ...control.calls]);
    // Under its own name and description, it is not loaded.
    const other = createDesk(createRehearsalModel());
    await other.putSkill("keeping-a-library", replaced, describe(replaced));
    expect((await attempt(other, tasks[1], conventions)).calls).toEqual(control.calls);
  });
});

/** A choice of the fixtures: some leave facts open. rehearsal-prose.test.ts reads all of them. */
const BY_HAND: Record<string, Conventions> = {
  "legacy-system-output": toConventions("|", ".", ",", "-9999", "DD.MM.YYYY", true),
  "reading-delimited-exports": toConventions("|", ",", ".", "n/a", "DD/MM/YYYY", true),
  apostrophes: toConventions("|", ".", "'", "n/a", "DD.MM.YYYY", false),
  chatty: toConventions(";", ",", ".", "n/a", "DD/MM/YYYY", true),
  "cut-and-tail": toConventions("|", ",", "", "n/a", "YYYY-MM-DD", true),
  "german-locale": toConventions(";", ",", ".", "", "DD.MM.YYYY", true),
  "numbered-tab": toConventions("\t", ".", "", "-9999", "DD.MM.YYYY", true),
  "swiss-branch-files": toConventions("\t", ".", "'", "n/a", "DD.MM.YYYY", true),
  "theatre-box-office": toConventions("\t", ",", ".", "n/a", "DD/MM/YYYY", false),
  "survey-dumps": toConventions("|", ".", "", "n/a", "DD/MM/YYYY", false),
  "harvest-reports": toConventions("\t", ",", " ", "-9999", "YYYY-MM-DD", true),
};

function toConventions(
  separator: Conventions["separator"],
  decimal: Conventions["decimal"],
  thousands: Conventions["thousands"],
  missing: Conventions["missing"],
  dates: Conventions["dates"],
  unitRow: boolean,
): Conventions {
  return { separator, decimal, thousands, missing, dates, unitRow };
}

describe("a skill that a person wrote in other words", () => {
  const folder = join(import.meta.dirname, "../../fixtures/demo/skills");
  it.each(Object.entries(BY_HAND))(
    "%s gives at least the gain of the learned one",
    { timeout: TIMEOUT_MS },
    async (name, conventions) => {
      const text = readFileSync(join(folder, `${name}.md`), "utf8");
      const desk = createDesk(createRehearsalModel());
      await desk.putSkill(/^name: (.*)$/m.exec(text)![1]!, text, /^description: (.*)$/m.exec(text)![1]!);
      const [task] = drawnFor(SUITED).tasks;
      const session = await attempt(desk, task, conventions);
      expect([isRight(session, task), session.calls]).toEqual([true, ["skill_view", "terminal"]]);
    },
  );
});

/** Tasks that suit any conventions: drawn for tables that have days and large numbers. */
const SUITED = Array.from({ length: 200 }, (_, seed) => seed + 1).find((seed) => {
  const { thousands, dates } = drawnFor(seed).conventions;
  return thousands !== "" && dates === "DD/MM/YYYY";
})!;

describe("a learned skill of rehearsal", () => {
  it.each([1, 2, 3, 4, 5])("reads as general advice, seed %i", { timeout: TIMEOUT_MS }, async (seed) => {
    const drawn = drawnFor(seed);
    const { desk, first, review } = await storyOf(seed);
    const name = learnedIn(review);
    const text = (await desk.skillText(name))!;
    const checked = validateSkill({ name, files: { "SKILL.md": text }, maxFiles: 50, writer: "model" });
    expect(checked.ok).toBe(true);
    expect([...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual([
      "When to use",
      "Steps",
      "Pitfalls",
      "Verify",
    ]);
    // Sentences of words and a few quoted marks. No fence, comment, marker or key that only a program would look for.
    const words = text.replace(/^---\n[^]*?\n---\n/, "").replaceAll(/`[^`\n]+`/g, "");
    expect(words).not.toMatch(/[{}<>[\]\\=_^~@]|```|\b\w+:\S|[a-z]+[A-Z]/);
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
    for (const piece of quoted) expect(piece).toMatch(/^(-F'.{1,2}'|n\/a|-9999|3[.,]14|1[., ']234)$/);
    // Nothing from the session: no files, columns, words, figures or ids.
    const [{ table }] = drawn.tasks;
    const own = [table.file, ...table.columns.map(({ name }) => name), PROFILE, review.session, review.review];
    for (const name of own) expect(text).not.toContain(name);
    const dates = /\b\d{4}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}/;
    expect(text).not.toMatch(dates);
    // Its claims cite what failed and what worked.
    const outcomes = first.entries.filter((entry) => entry.kind === "tool" && entry.failed).map(({ n }) => n);
    const lesson = review.lessons.find(({ kind }) => kind === "skill")!;
    const cited = lesson.citations.map((citation) => Number(/\/(\d+)#/.exec(citation)![1]));
    expect(outcomes.every((n) => cited.includes(n))).toBe(true);
    expect(review.lessons.map(({ kind }) => kind)).toEqual(["skill", "memory"]);
  });

  it("says how the office writes, while memory says only whose files they are", { timeout: TIMEOUT_MS }, async () => {
    const { desk, review } = await storyOf(2);
    const [entry] = await desk.memory.list("memory");
    expect(readAdvice((await desk.skillText(learnedIn(review)))!)).not.toEqual({});
    expect(readAdvice(entry!.text)).toEqual({});
  });

  it("is patched, not duplicated, when another office's file teaches more", { timeout: TIMEOUT_MS }, async () => {
    const desk = createDesk(createRehearsalModel());
    const { tasks, conventions } = drawnFor(3);
    const plain = { ...conventions, separator: ";", decimal: ".", thousands: "", unitRow: true } as const;
    const made = await desk.review(await attempt(desk, tasks[0], plain));
    const more = { ...plain, thousands: " " } as const;
    const review = await desk.review(await attempt(desk, tasks[0], more));
    expect(review.lessons.map((lesson) => [lesson.kind, lesson.action])).toEqual([["skill", "patch"]]);
    expect((await desk.skills.revisions(learnedIn(made))).map(({ rev }) => rev)).toEqual([2, 1]);
    expect((await attempt(desk, tasks[1], more)).calls).toEqual(["skill_view", "terminal"]);
  });

  it("is not made from a session in which nothing failed", { timeout: TIMEOUT_MS }, async () => {
    const desk = createDesk(createRehearsalModel());
    const review = await desk.review(await desk.work("Who are you?", {}));
    expect([review.note, review.lessons]).toEqual(["Nothing worth keeping.", []]);
  });
});

describe("the source of rehearsal", () => {
  const sourcesIn = (root: string) =>
    readdirSync(join(root, "rehearsal"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `rehearsal/${name}`);

  it("names no file and no column of the demo", () => {
    const root = join(import.meta.dirname, "../../../core/models");
    const files = ["rehearsal.ts", ...sourcesIn(root)];
    const source = files.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
    const names = loadTables().tables.flatMap(({ file, columns }) => [
      file,
      file.replace(/\..*$/, ""),
      ...columns.map(({ name }) => name),
    ]);
    // An English word that any program about dates needs.
    const told = names.filter((name) => !/^date$/i.test(name));
    expect(told.length).toBeGreaterThan(20);
    const found = told.filter((name) =>
      new RegExp(`(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`).test(source),
    );
    expect(found).toEqual([]);
  });

  it("does not refer to how the demo draws its conventions", () => {
    const root = join(import.meta.dirname, "../../../core/models");
    for (const name of sourcesIn(root)) {
      expect(readFileSync(join(root, name), "utf8")).not.toMatch(/scripts\/demo|vega/);
    }
  });
});
