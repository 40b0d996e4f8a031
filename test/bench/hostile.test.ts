// bench:hostile creates hostile texts, finds a slow function with them, and covers the functions that read untrusted text. No real
// times: the clock of the search counts steps.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { sampleRegex } from "../../bench/hostile/regex-samples.ts";
import { findWorst } from "../../bench/hostile/search.ts";
import { createShapes } from "../../bench/hostile/shapes.ts";
import { SUBJECTS } from "../../bench/hostile/subjects.ts";
import { mulberry32 } from "../../scripts/seeded.ts";

test("samples of an expression are whole and partial matches", () => {
  const samples = sampleRegex(String.raw`\b(?:curl|wget)\s+-[dF][^\n]{2}x{3}`, 40, mulberry32(1));
  expect(samples).toEqual(expect.arrayContaining(["curl", "wget"]));
  expect(samples.some((sample) => /^(?:curl|wget) +-[dF].{2}xxx$/.test(sample))).toBe(true);
});

test("a shape has the requested length and is deterministic", () => {
  for (const { make } of createShapes(["curl ", "--data "], mulberry32(2))) {
    const made = make(300);
    expect(made.text.length).toBeLessThanOrEqual(300);
    expect(made).toEqual(make(300));
  }
});

test("the search finds the text on which a function is quadratic", async () => {
  let steps = 0;
  const subject = {
    name: "pairs of at signs",
    sources: [],
    run(text: string) {
      const signs = text.split("@").length - 1;
      steps += text.length + signs * signs;
    },
  };
  const worst = await findWorst(subject, {
    seed: 1,
    sizes: [100, 1_000, 10_000],
    keep: [8, 4],
    runs: 1,
    now: () => steps,
  });
  expect(worst.shape).toContain("@");
  expect(Math.log10(worst.ms100KiB / worst.ms10KiB)).toBeCloseTo(2, 1);
});

/** Each of these was quadratic or worse: 20 seconds were not enough for a hundred kilobytes. */
test.each([
  ["findTaint", "\u2018\n"],
  ["isTainted", "^\n"],
  ["toStrict", "\tname \t:name \t:   \t"],
])("%s comes to an end with %j again and again", (name, piece) => {
  const text = piece.repeat(Math.ceil((100 << 10) / piece.length));
  expect(SUBJECTS.find((subject) => subject.name === name)!.run(text, text)).toBeDefined();
});

test("the source files of each function exist", () => {
  const sources = new Set(SUBJECTS.flatMap((subject) => subject.sources));
  expect([...sources].filter((path) => !existsSync(path))).toEqual([]);
});

test("each function has a unique name and accepts a text of every shape", async () => {
  expect(new Set(SUBJECTS.map(({ name }) => name)).size).toBe(SUBJECTS.length);
  const shapes = createShapes([], mulberry32(3)).filter((_, n) => n % 160 === 0);
  for (const subject of SUBJECTS) {
    for (const shape of shapes) {
      const { text, other } = shape.make(200);
      await subject.run(text, other);
    }
  }
}, 120_000);
