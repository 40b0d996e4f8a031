// bench:learning's world and its two models, without the product: what is drawn, what is said, what is read again.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createBenchBucket } from "../../bench/learning/bucket.ts";
import { draw } from "../../bench/learning/draws.ts";
import { FAMILIES } from "../../bench/learning/families.ts";
import { inOwnWords, makeInjection, readOrder } from "../../bench/learning/injections.ts";
import { fittingSkills } from "../../bench/learning/matching.ts";
import { PARAMETERS_FILE, readParameters } from "../../bench/learning/parameters.ts";
import { plotLines } from "../../bench/learning/plots.ts";
import { placeLesson, writeSkillMd } from "../../bench/learning/skill-writing.ts";
import { lastStatement, readStatements, sayOption } from "../../bench/learning/statements.ts";
import { medianSurvival, ratio } from "../../bench/learning/statistics.ts";
import { readTranscript } from "../../bench/learning/transcript-reading.ts";
import { createWorld } from "../../bench/learning/world.ts";
import { isSimilarRequest } from "../../core/learning/requests.ts";
import { describeBucket } from "../conformance/bucket.ts";
import { createTempFolders } from "../support/temp-folders.ts";
import { worldFile } from "./learning-parameters.ts";

const newFolder = createTempFolders();

describeBucket("the bucket of bench:learning", () => createBenchBucket(Date));

it("reads the parameters that are measured with, and every cell of a harder world", () => {
  const read = readParameters(PARAMETERS_FILE);
  if (!read.ok) throw new Error(read.failure.message);
  expect(read.value.world.stream.sessions).toBe(100);
  expect(Object.keys(read.value.stress)).toContain("verdict");
  expect(read.value.stress.verdict!.reviewer.wrong).toBe(0.5);
  expect(read.value.stress.verdict!.reviewer.missed).toBe(read.value.world.reviewer.missed);
});

it.each([
  ["no JSON", "{"],
  ["another form", "{}"],
  [
    "a cell with a number nobody knows",
    JSON.stringify({ ...worldFile(), stress: { x: { value: { "a.b": 1 }, why: "-" } } }),
  ],
])("refuses a file of parameters that is %s", (_what, text) => {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(path, text);
  expect(readParameters(path)).toMatchObject({ ok: false, failure: { code: "bad_parameters" } });
});

it("draws the same for the same words, evenly", () => {
  expect(draw(1, "a", 2)).toBe(draw(1, "a", 2));
  expect(draw(1, "a", 2)).not.toBe(draw(1, "a", 3));
  const draws = Array.from({ length: 4_000 }, (_, n) => draw("even", n));
  for (const from of [0, 0.25, 0.5, 0.75]) {
    const share = draws.filter((one) => one >= from && one < from + 0.25).length / draws.length;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.28);
  }
});

it("makes the same world of the same seed, which changes when its parameters say", () => {
  const [one, again] = [world(3), world(3)];
  expect(again.tasks).toEqual(one.tasks);
  expect(world(4).tasks).not.toEqual(one.tasks);
  const names = one.families.flatMap(({ operations }) => operations.map(({ name }) => name));
  const changedAt = (n: number) => names.filter((name) => one.right(name, n) !== one.right(name, n + 1));
  const { driftAt, driftShare, reversalAt } = one.parameters.changes;
  expect(changedAt(driftAt)).toHaveLength(Math.round(driftShare * names.length));
  expect(changedAt(reversalAt)).toHaveLength(3);
  for (const name of changedAt(reversalAt)) expect(one.right(name, 100)).toBe(one.operation(name).values[0]);
  for (const n of [1, driftAt, reversalAt])
    for (const name of names) expect(one.operation(name).values[0]).not.toBe(one.right(name, n));
});

it("asks for one kind of work in words that the product takes for one kind, and for two in others", () => {
  const tasks = [1, 2, 3].flatMap((seed) => world(seed).tasks.slice(0, 40));
  for (const [at, task] of tasks.entries()) {
    for (const other of tasks.slice(0, at)) {
      const isSame = task.family !== null && task.family.key === other.family?.key;
      if (isSame) expect(isSimilarRequest(task.request, other.request)).toBe(true);
      else expect(isSimilarRequest(task.request, other.request), `${task.request} | ${other.request}`).toBe(false);
    }
  }
});

it("keeps the words of held-out requests out of the stream, and each family's skills in the words of its requests", () => {
  for (const family of FAMILIES) {
    for (const wording of family.heldOut) expect(family.wordings).not.toContain(wording);
    for (const { name, description, short } of family.skills) {
      expect(short.length).toBeLessThanOrEqual(60);
      for (const wording of [...family.wordings, ...family.heldOut]) {
        expect(fittingSkills([{ name, description }], wording), `${name}: ${wording}`).toHaveLength(1);
        expect(fittingSkills([{ name, description: short }], wording), `${name}: ${wording}`).toHaveLength(1);
      }
    }
  }
});

it.each([0, 0.2, 0.4, 0.6, 0.8])("reads a lesson again that it has said (%d)", (chance) => {
  const lesson = { operation: "ledger export", flag: "--encoding", option: "latin1" };
  const said = sayOption(lesson, chance);
  expect(readStatements(`Some words.\n2. ${said}\nMore.`)).toEqual([{ ...lesson, line: `2. ${said}` }]);
});

it("lets the later of two statements win, and takes nothing from what names no option", () => {
  const text =
    "`ledger export` takes `--encoding latin1` here.\nRun `ledger export` with `--encoding utf16`.\nUse `ledger close`.";
  expect(lastStatement(text, "ledger export")?.option).toBe("utf16");
  expect(lastStatement(text, "ledger close")).toBeNull();
});

it("puts a lesson where a skill speaks of it, else among its steps", () => {
  const lesson = (option: string) => ({
    operation: "ledger export",
    flag: "--encoding",
    option,
    citations: [],
    isWrong: false,
  });
  const words = { name: "a-b", description: "Ledgers.", thing: "ledger" };
  const whole = writeSkillMd(words, [lesson("latin1")], "key");
  const wrong = placeLesson(whole, lesson("koi8"), "key");
  const patched = whole.replace(wrong.old_string, wrong.new_string);
  expect(readStatements(patched).map(({ option }) => option)).toEqual(["koi8"]);
  const silent = writeSkillMd(words, [], "key");
  const added = placeLesson(silent, lesson("latin1"), "key");
  expect(readStatements(silent.replace(added.old_string, added.new_string))).toHaveLength(1);
});

it("reads the order out of every text that asks for one, and says a mere sentence in other words", () => {
  for (const kind of ["host", "path", "command", "paraphrase"] as const) {
    for (let n = 1; n <= 20; n++) {
      const { text, payload, written, marks } = makeInjection(kind, 1, n);
      expect(readOrder(text)).toBe(payload);
      expect(inOwnWords(payload)).toContain(kind === "paraphrase" ? written : payload.slice(1));
      expect(marks.some((mark) => inOwnWords(payload).includes(mark))).toBe(true);
      if (kind === "paraphrase") expect(written).not.toContain(payload);
    }
  }
});

it("understands a transcript: what was refused, what worked, what the person said", () => {
  const text = [
    `[1#principal]`,
    "Do the ledger. Use `ledger export`. #1.001",
    `[2#own]`,
    '-> service {"job":"1.001","operation":"ledger export","option":"--encoding utf8"}',
    `[3#outcome] service failed`,
    '{"exit_code":2}',
    `[4#own]`,
    '-> service {"job":"1.001","operation":"ledger export","option":"--encoding latin1"}',
    `[5#outcome] service ok`,
    '{"exit_code":0}',
    `[6#principal]`,
    "No, that's wrong. For `ledger close` pass `--rounding floor`. #1.001",
    "</transcript abc>",
  ].join("\n");
  expect(readTranscript(text)).toMatchObject({
    job: "1.001",
    tried: [
      {
        operation: "ledger export",
        refused: [{ option: "utf8", citation: `3#outcome` }],
        worked: { option: "latin1", citation: `5#outcome` },
      },
    ],
    said: [{ operation: "ledger close", option: "floor", citation: `6#principal` }],
  });
});

it("gives ratios of sums with an interval around them, and nothing where there is nothing to divide by", () => {
  const figure = ratio([
    [1, 2],
    [3, 4],
    [0, 1],
    [4, 4],
  ])!;
  expect(figure.mean).toBe(0.7273);
  expect(figure.low).toBeLessThan(figure.mean);
  expect(figure.high).toBeGreaterThan(figure.mean);
  expect(ratio([[0, 0]])).toBeNull();
});

it("finds the time by which half is over, also where some was not seen to end", () => {
  const span = (length: number, ended = true) => ({ length, ended });
  expect(medianSurvival([span(1), span(2), span(3), span(4)])).toBe(2);
  expect(medianSurvival([span(1), span(2, false), span(3), span(4, false)])).toBe(3);
  expect(medianSurvival([span(1), span(5, false), span(5, false)])).toBeNull();
});

it("draws lines with gaps and names that do not cover each other", () => {
  const svg = plotLines(
    "<Title>",
    [
      { name: "a", values: [null, 0.5, 1] },
      { name: "b", values: [0, null, 1] },
    ],
    "share",
    [2],
  );
  expect(svg).toContain("&lt;Title>");
  expect(svg.match(/<path d="M/g)!.length).toBeGreaterThan(7);
  expect(svg).not.toContain("NaN");
});

function world(seed: number) {
  const read = readParameters(PARAMETERS_FILE);
  if (!read.ok) throw new Error(read.failure.message);
  return createWorld(read.value.world, seed);
}
