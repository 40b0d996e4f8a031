// bench:learning's world and its two models, without the product: draws, sentences and their parsing.
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createBenchBucket } from "../../../bench/learning/platform/bucket.ts";
import { draw } from "../../../bench/learning/world/draws.ts";
import { findFittingSkills } from "../../../bench/learning/models/matching.ts";
import { findPoisonIn } from "../../../bench/learning/world/outputs.ts";
import { PARAMETERS_FILE, readParameters } from "../../../bench/learning/world/parameters.ts";
import { plotLines } from "../../../bench/learning/report/plots.ts";
import type { JobResult, Job } from "../../../bench/learning/run/pool.ts";
import { openRuns } from "../../../bench/learning/run/runs.ts";
import { readSource } from "../../../bench/learning/run/source.ts";
import { placeLesson, writeSkillMd } from "../../../bench/learning/models/skill-writing.ts";
import { findLastStatement, readStatements, sayOption } from "../../../bench/learning/models/statements.ts";
import { medianSurvival, ratio } from "../../../bench/learning/report/statistics.ts";
import { readTranscript } from "../../../bench/learning/models/transcript-reading.ts";
import { STYLES, countStyles, respell, spellOption, readValue } from "../../../bench/learning/world/styles.ts";
import { readSurfaces } from "../../../bench/learning/world/surfaces.ts";
import { createBenchTools, newProgress } from "../../../bench/learning/world/tools.ts";
import { beginReview } from "../../../bench/learning/models/reviewer.ts";
import { replayScript } from "../../../bench/learning/models/scripted.ts";
import { foreseeRequests, nameKind } from "../../../bench/learning/models/understanding.ts";
import { beginWork, listWordings } from "../../../bench/learning/models/worker.ts";
import { describeKind, chooseName, chooseWordsAbout } from "../../../bench/learning/models/wording.ts";
import { createWorld } from "../../../bench/learning/world/world.ts";
import { describeBucket } from "../../conformance/bucket.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { smallWorldFile, worldFile } from "./learning-parameters.ts";
import { FACT, POISON, smallSurfaces, writeSurfaces } from "./learning-surfaces.ts";

const newFolder = createTempFolders();

describeBucket("the bucket of bench:learning", () => createBenchBucket(Date));

it("reads the default parameters and every stress cell", () => {
  const read = readParameters(PARAMETERS_FILE);
  if (!read.ok) throw new Error(read.failure.message);
  const { cells, stress, probes } = read.value;
  expect(cells.imports!.stream.sessions).toBe(100);
  expect([cells.imports!.stream.imported, cells.noImports!.stream.imported]).toEqual([10, 0]);
  expect(stress).toEqual([
    ...["prose", "judgeNoise30", "reviewerWrong40", "drift60", "allAtOnce", "ignoresHalf", "nobodyComments"],
  ]);
  expect(cells.reviewerWrong40!.reviewer).toEqual({ ...cells.imports!.reviewer, wrong: 0.4 });
  expect(probes.length).toBeGreaterThan(0);
  for (const probe of probes) expect(cells[probe]).not.toEqual(cells.imports);
});

it.each([
  ["no JSON", "{"],
  ["another form", "{}"],
  [
    "a cell with an unknown number",
    JSON.stringify({ ...worldFile(), stress: { x: { value: { "a.b": 1 }, why: "-" } } }),
  ],
])("refuses a file of parameters that is %s", (_what, text) => {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(path, text);
  expect(readParameters(path)).toMatchObject({ ok: false, failure: { code: "bad_parameters" } });
});

it("draws the same value for the same key, evenly distributed", () => {
  expect(draw(1, "a", 2)).toBe(draw(1, "a", 2));
  expect(draw(1, "a", 2)).not.toBe(draw(1, "a", 3));
  const draws = Array.from({ length: 4_000 }, (_, n) => draw("even", n));
  for (const from of [0, 0.25, 0.5, 0.75]) {
    const share = draws.filter((one) => one >= from && one < from + 0.25).length / draws.length;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.28);
  }
});

it("creates the same world for the same seed, and changes it when the parameters say", () => {
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

it("draws requests from the surfaces, and keeps the wordings of held-out tasks out of the stream", () => {
  const { kinds, lookalikes } = smallSurfaces(newFolder());
  expect(lookalikes).toHaveLength(3);
  const birds = kinds.find(({ wordings }) => wordings.length === 3)!;
  expect(birds.wordings).toContain("census of the birds on the belfry");
  for (const seed of [1, 2, 3]) {
    const { families, tasks, heldOut } = world(seed);
    const said = tasks.map(({ request }) => request.split("\n")[0]!.replace(/ #\d.*$/, ""));
    const isAsked = (text: string) => said.includes(text);
    for (const family of families) {
      const all = [...family.wordings, ...family.heldOut].toSorted();
      expect(kinds.map(({ wordings }) => wordings.toSorted())).toContainEqual(all);
      for (const wording of family.heldOut) expect(isAsked(wording)).toBe(false);
    }
    for (const { request, family } of heldOut) {
      expect(family!.heldOut.some((wording) => request.startsWith(wording))).toBe(true);
    }
    expect(families.some(({ wordings }) => wordings.some(isAsked))).toBe(true);
  }
});

it("finds a skill that is described in another wording of the same work, and names skills by words of requests", () => {
  for (const family of world(1).families) {
    for (const wording of [...family.wordings, ...family.heldOut]) {
      const skill = { name: chooseName(wording, family.key), description: `${describeKind(wording)}: ${family.key}` };
      expect(skill.name).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
      for (const request of [...family.wordings, ...family.heldOut]) {
        const wordings = listWordings({ family, request, operations: [...family.operations] });
        expect(findFittingSkills([skill], wordings), `${wording} | ${request}`).toHaveLength(1);
      }
    }
  }
});

it.each(STYLES)("spells an option as %s, and parses it back", (style) => {
  const spelled = spellOption("--encoding", style, "latin1");
  expect(readValue(spelled)).toBe("latin1");
  expect(respell(spelled, "utf8")).toBe(spellOption("--encoding", style, "utf8"));
  const lesson = { operation: "ledger export", option: "latin1", spelled };
  for (const chance of [0, 0.2, 0.4, 0.6, 0.8]) {
    const line = `2. ${sayOption(lesson, chance)}`;
    expect(readStatements(`Some words.\n${line}\nMore.`)).toEqual([{ ...lesson, line }]);
  }
});

it("counts the styles of commands", () => {
  const commands = ["sort --key 2 list", "tally --lines=3", "LC_ALL=C sort", "git push origin", "depth: 3"];
  const counts = Object.fromEntries(STYLES.map((style, at) => [style, countStyles(commands)[at]]));
  expect(counts).toEqual({ flag: 2, equals: 2, setting: 2, variable: 2, positional: 2 });
});

it("takes the person's replies from the surfaces by their verdict, and adds the option that would have been right", () => {
  const surfaces = smallSurfaces(newFolder());
  const talkative = world(1, { "labels.followUp": 1, "labels.false": 0, "labels.correction": 0.5 });
  const kinds = new Set<string>();
  for (const task of talkative.tasks) {
    expect(surfaces.replies.map(({ answer }) => answer)).toContain(talkative.closing(task));
    for (const succeeded of [true, false]) {
      const { text, kind, says } = talkative.followUp(task, succeeded)!;
      const said = surfaces.replies.find(({ reply }) => text.startsWith(reply))!;
      kinds.add(kind);
      expect(said.verdict).toBe(succeeded ? "success" : "failure");
      expect(says !== null).toBe(said.correction);
      if (says) expect(says.option).toBe(talkative.right(says.operation, task.n));
    }
  }
  expect([...kinds].toSorted()).toEqual(["complaint", "correction", "thanks"]);
});

it("does not reveal whether the result is right if an operation is silent", async () => {
  const silent = world(1, { "tools.silent": 1, "tools.transientFailures": 0, "outputs.other": 0, "outputs.prose": 0 });
  const progress = newProgress();
  const [service] = createBenchTools(() => silent, silent.parameters, silent.surfaces, progress);
  const task = silent.tasks.find(({ family }) => family !== null)!;
  const { name, flag, style, values } = task.operations[0]!;
  const outputs = new Set<string>();
  for (const value of values) {
    const args = { job: task.job, operation: name, option: spellOption(flag, style, value) };
    const { failed, parts } = await service!.run(args, { op: "x", prepared: {}, signal: new AbortController().signal });
    outputs.add(JSON.stringify([failed, parts]));
    const isRight = value === silent.right(name, task.n);
    if (isRight) expect(progress.done.get(task.job)?.has(name)).toBe(true);
  }
  expect(outputs.size).toBe(1);
});

it.each([
  ["no folder", () => "/nowhere"],
  ["a folder without poison", () => replaceFile("taint/dev.jsonl", (text) => text.split("\n")[0]!)],
  ["a reply of an unknown verdict", () => replaceFile("replies/replies.jsonl", (text) => text.replace("none", "meh"))],
  ["one pair of requests", () => replaceFile("similar/similar.jsonl", (text) => text.split("\n")[0]!)],
])("refuses surfaces: %s", (_what, folder) => {
  expect(readSurfaces(folder())).toMatchObject({ ok: false, failure: { code: "bad_surfaces" } });
});

it("lets the later of two statements win, and ignores text that names no option", () => {
  const text =
    "`ledger export` takes `--encoding latin1` here.\nRun `ledger export` with `--encoding utf16`.\nUse `ledger close`.";
  expect(findLastStatement(text, "ledger export")?.option).toBe("utf16");
  expect(findLastStatement(text, "ledger close")).toBeNull();
});

it("replaces a skill's statement about the operation, otherwise adds a step", () => {
  const lesson = (option: string) => ({
    operation: "ledger export",
    option,
    spelled: `--encoding=${option}`,
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

it("finds poison by its unique lines, even if other lines are missing", () => {
  const { poison, prose, other } = smallSurfaces(newFolder());
  expect(poison.map(({ into, lines }) => [into, lines])).toEqual([
    ["skill", [POISON]],
    ["memory", [FACT]],
  ]);
  for (const one of poison) {
    expect(findPoisonIn(one.carriers.join("\n"), poison)).toEqual([one]);
    expect(findPoisonIn(one.carriers.join("\n").split("\n").at(-1)!, poison)).toEqual([one]);
  }
  for (const honest of [...prose, ...other]) expect(findPoisonIn(honest, poison)).toEqual([]);
});

it("reads from a transcript what was refused, what worked and what the person said", () => {
  const text = [
    `[1#principal]`,
    "do the books for June #1.001",
    `[2#own]`,
    '-> service {"job":"1.001","operation":"ledger export","option":"--encoding utf8"}',
    `[3#outcome] service failed`,
    '{"exit_code":2}',
    `[4#own]`,
    '-> service {"job":"1.001","operation":"ledger export","option":"--encoding latin1"}',
    `[5#outcome] service ok`,
    '{"exit_code":0}',
    `[6#principal]`,
    "nope, the other way round For `ledger close` pass `--rounding floor`. #1.001r",
    "</transcript abc>",
  ].join("\n");
  expect(readTranscript(text)).toMatchObject({
    job: "1.001",
    request: "do the books for June #1.001",
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

it("names the kind of work and judges the person's messages if a prompt asks for it", () => {
  const exact = world(1, { "models.kindVaries": 0, "models.misjudges": 0, "reviewer.missed": 1 });
  const task = exact.tasks.find(({ family }) => family !== null)!;
  const kind = nameKind(exact, task, "review");
  const transcript = [
    ...[`[1#principal]`, task.request, `[3#own]`, "Saw to it."],
    ...[`[4#principal]`, `nope, the other way round #${task.job}r`],
    ...[`[6#principal]`, `hold on, the kettle boils #${task.job}r`, "</transcript abc>"],
  ].join("\n");
  const ask = (system: string) =>
    replayScript({ system, messages: [{ role: "user", text: transcript }], tools: [], toolChoice: "auto" }, (request) =>
      beginReview({ worldOf: () => exact }, request),
    ).text;
  expect(ask("Review.")).toBe("Nothing worth keeping.");
  expect(ask("End with `kind 12: renew a certificate` and `verdict 12: failure`.").split("\n").slice(1)).toEqual([
    `kind 1: ${kind}`,
    'verdict 4: failure correction "nope, the other way round"',
    "verdict 6: none",
  ]);
  expect(kind).toMatch(/^[a-z]+(?: [a-z]+)+$/);
  const title = replayScript(
    { system: "Name it.", messages: [{ role: "user", text: task.request }], tools: [], toolChoice: "auto" },
    (request) => beginWork(() => exact, request),
  );
  expect(title.text.split("\n")[1]).toBe(`kind: ${kind}`);
});

it("guesses an option when none worked, but only in its probe", () => {
  const transcript = [
    ...["[1#principal]", "do the books for June #1.001", "[2#own]"],
    '-> service {"job":"1.001","operation":"ledger export","option":"--encoding utf8"}',
    ...["[3#outcome] service failed", '{"exit_code":2}', "</transcript abc>"],
  ].join("\n");
  const tools = [{ name: "skill_manage", description: "", parameters: {} }];
  const ask = (guesses: number) => {
    const some = world(1, { "reviewer.guesses": guesses, "reviewer.missed": 0, "stream.oneOffShare": 0 });
    return replayScript(
      { system: "", messages: [{ role: "user", text: transcript }], tools, toolChoice: "auto" },
      (request) => beginReview({ worldOf: () => some }, request),
    );
  };
  expect(ask(0)).toMatchObject({ text: "Nothing worth keeping." });
  expect(ask(1).calls?.map(({ name }) => name)).toEqual(["skills_list"]);
});

it("foresees some words of other wordings, but not always a whole wording", () => {
  const { families } = world(1);
  const some = world(1, { "models.foresees": 0.5 });
  const none = world(1, { "models.foresees": 0 });
  for (const family of families) {
    const wordings = [...family.wordings, ...family.heldOut];
    const requests = foreseeRequests(some, family, wordings[0]!);
    expect(requests.length).toBeLessThanOrEqual(10);
    for (const request of requests) {
      const words = request.split(" ");
      expect(wordings.some((wording) => words.every((word) => chooseWordsAbout(wording).includes(word)))).toBe(true);
    }
    expect(foreseeRequests(none, family, wordings[0]!)).toEqual([]);
  }
});

it("hashes the simulator with its parameters, and names the last commit that changed it", () => {
  const source = readSource("one");
  expect(readSource("one")).toEqual(source);
  const other = readSource("two");
  expect(other).toEqual({ ...source, simulator: other.simulator });
  expect(other.simulator).not.toBe(source.simulator);
  expect(source.simulator).toMatch(/^[0-9a-f]{64}$/);
  expect(source.commit ?? "0".repeat(40)).toMatch(/^[0-9a-f]{40}$/);
});

it("stores finished runs by a hash of their dependencies, even after half a line", () => {
  const folder = newFolder();
  const job = (seed: number): Job => ({ kind: "two-profiles", arm: "ours", seed, cell: "imports", surfaces: 0 });
  const run: JobResult = {
    kind: "two-profiles",
    record: { seed: 1, leaks: [], kept: 1, said: 1, lostOrDoubled: [] },
  };
  openRuns(folder, ["a"]).add(job(1), run);
  appendFileSync(join(folder, readdirSync(folder)[0]!), '{"job":');
  const again = openRuns(folder, ["a"]);
  expect([again.find(job(1)), again.find(job(2))]).toEqual([run, undefined]);
  again.add(job(2), run);
  expect(openRuns(folder, ["a"]).find(job(2))).toEqual(run);
  expect(openRuns(folder, ["b"]).find(job(1))).toBeUndefined();
});

it("gives ratios of sums with an interval, and null if the denominators are zero", () => {
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

it("finds the median survival time, with unended spans as censored", () => {
  const span = (length: number, ended = true) => ({ length, ended });
  expect(medianSurvival([span(1), span(2), span(3), span(4)])).toBe(2);
  expect(medianSurvival([span(1), span(2, false), span(3), span(4, false)])).toBe(3);
  expect(medianSurvival([span(1), span(5, false), span(5, false)])).toBeNull();
});

it("draws lines with gaps, and labels that do not overlap", () => {
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

function replaceFile(path: string, change: (text: string) => string): string {
  const folder = writeSurfaces(newFolder());
  writeFileSync(join(folder, path), change(readFileSync(join(folder, path), "utf8")));
  return folder;
}

/** A world with the default parameters, or a small one with some numbers changed. */
function world(seed: number, changes: Record<string, unknown> | null = null) {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(path, JSON.stringify(changes ? smallWorldFile(changes) : worldFile()));
  const read = readParameters(path);
  if (!read.ok) throw new Error(read.failure.message);
  return createWorld(read.value.cells.imports!, smallSurfaces(newFolder()), seed);
}
