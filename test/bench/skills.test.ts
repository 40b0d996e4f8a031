// bench:skills without the Workers: building a library from a file, and finding the right skill in it.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createFillers } from "../../bench/skills/fillers.ts";
import { buildLibrary, cutWhenToUse, readRows } from "../../bench/skills/library.ts";
import { measureRecall } from "../../bench/skills/recall.ts";
import { toSkillsLine } from "../../bench/skills/report.ts";
import { measureUnasked } from "../../bench/skills/unasked.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const root = resolve(import.meta.dirname, "../..");
const FIXTURES = join(root, "test/fixtures/skills/library.jsonl");
const newFolder = createTempFolders();

it.each([
  ["## When to use\n\nNow.\n\n## Steps\n\nDo.", { section: "\nNow.\n", rest: "## Steps\n\nDo." }],
  [
    "# A\n## 🎯 When to Use This Skill\nNow.\n### Not\nLater.\n# B",
    { section: "Now.\n### Not\nLater.", rest: "# A\n# B" },
  ],
  ["## Use when\nNow.", { section: "Now.", rest: "" }],
  [
    "## When NOT to use\nNow.\n## When should you use it\nThen.",
    { section: "Then.", rest: "## When NOT to use\nNow." },
  ],
  ["```\n## When to use\n```\nNow.", null],
  ["## How to use\nNow.", null],
])("cuts the section that says when: %j", (body, parts) => {
  expect(cutWhenToUse(body)).toEqual(parts);
});

it("takes a question from a section that is removed from the skill", () => {
  const rows = readRows(FIXTURES);
  if (!rows.ok) throw new Error(rows.failure.message);
  const { skills, queries, targets } = buildLibrary(rows.value, 60);
  expect([skills.length, targets, queries.length]).toEqual([60, 12, 12]);
  expect(new Set(skills.map((skill) => skill.name)).size).toBe(60);
  for (const { name, text } of queries) {
    const { body } = skills.find((skill) => skill.name === name)!;
    expect(body).not.toContain(text.trim());
    expect(body).not.toMatch(/when to use/i);
  }
  // A library smaller than the file holds no filler, and the first of each name.
  const few = buildLibrary([...rows.value, ...rows.value], 5);
  expect(few.skills.map((skill) => skill.name)).toEqual(skills.slice(0, 5).map((skill) => skill.name));
});

it("takes no question from a section that is short or repeats the description", () => {
  const row = (description: string, section: string) => ({
    name: "x",
    path: null,
    text: `---\nname: x\ndescription: ${description}\n---\n## When to use\n${section}\n## Steps\nDo.`,
  });
  const words = "walrus penguin seal otter heron stork gull tern";
  const asked = [row("d", words), row("d", "walrus penguin"), row("walrus penguin seal otter heron", words)];
  expect(asked.map((one) => buildLibrary([one], 1).queries.length)).toEqual([1, 0, 0]);
  expect(buildLibrary([asked[1]!], 1).skills[0]!.body).toContain("walrus penguin");
});

it("generates fillers that share no sentence with a target, deterministically", () => {
  const targets = [{ name: "a", description: "Feeds a large walrus with herring.", body: "Walk. Then feed it twice." }];
  const fillers = createFillers(targets, 50);
  const toSentences = (text: string) => text.split(/[.\n]+/).map((part) => part.trim().toLowerCase());
  const own = new Set(targets.flatMap((skill) => toSentences(`${skill.description}.${skill.body}`)).filter(Boolean));
  for (const filler of fillers) {
    expect(toSentences(`${filler.description}.${filler.body}`).filter((sentence) => own.has(sentence))).toEqual([]);
  }
  expect(createFillers(targets, 50)).toEqual(fillers);
});

it("reads plain and gzip lines by their first bytes, and explains what is wrong with others", () => {
  const folder = newFolder();
  const put = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return readRows(join(folder, name));
  };
  const line = JSON.stringify({ name: "a", text: "b", label: "c" });
  const rows = { ok: true, value: [{ name: "a", text: "b" }] };
  expect([put("plain.gz", `${line}\n\n`), put("packed", gzipSync(line))]).toEqual([rows, rows]);
  expect(put("bad", "{}")).toMatchObject({ ok: false, failure: { code: "bad_data" } });
  expect(readRows(join(folder, "none"))).toMatchObject({ ok: false, failure: { code: "no_data" } });
});

it("finds the right skill among many others, and prints one line of figures", async () => {
  const rows = readRows(FIXTURES);
  if (!rows.ok) throw new Error(rows.failure.message);
  const library = buildLibrary(rows.value, 400);
  const recall = await measureRecall(library, () => {});
  expect(recall.missed).toEqual([]);
  const start = { startMs: [3, 1, 2], indexTokens: 9 };
  const measured = { library, recall, start, unasked: measureUnasked(library), indexTokens: 10 };
  expect(measured.unasked).toBeNull(); // too few skills to draw libraries
  expect(JSON.parse(toSkillsLine(measured))).toEqual({
    ...{ sessionStartMs: { p50: 2 }, indexTokens: 10, recallAt5: 1, bm25At5: recall.bm25At5, queries: 12 },
  });
});

it("reports how often a skill would be recalled", () => {
  const things = Array.from({ length: 40 }, (_, n) => `${"bcdfghjk"[n % 8]}o${"lmnpr"[Math.floor(n / 8)]}ar`);
  const skills = things.map((thing) => ({ name: thing, description: `Mending a ${thing} in rain.`, body: "Mend it." }));
  const queries = things.map((name) => ({ name, text: `Please mend this ${name} for me.` }));
  expect(measureUnasked({ skills, targets: 40, queries })).toEqual({ right: 1, wrong: 0, needless: 0 });
});

it.each([[["--count", "0"]], [["--data", "/nowhere"]]])("refuses %j", (args) => {
  const ran = spawnSync(process.execPath, [join(root, "bench/skills.ts"), ...args], { encoding: "utf8" });
  expect([ran.status, ran.stdout]).toEqual([2, ""]);
  expect(ran.stderr).toMatch(/(?:^|\n\n)[^\n]+\.\n$/);
});
