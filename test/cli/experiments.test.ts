// `talaria skills try|replay|experiments`, against a fake API: what it requests, how it waits, what it prints, and the exit codes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderSkills } from "../../cli/pages/pages.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";
import { answerJson, answerProblem } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAX";
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const AT = `/v1/experiments/${ID}`;
const MD = "---\nname: rain\ndescription: Reads rain.\n---\n\nRead it.\n";

const report = (toolCalls: number, input: number, end = "answered") => ({
  ...{ v: 1, end, code: null, answer: "5 mm", exit: "success", loaded: true, contradicted: false, left: null },
  stats: { ...NO_STATS, toolCalls, usage: { ...NO_STATS.usage, input } },
  ...{ failedWords: [], refusedWords: [], workedWords: [], lines: [], endedAt: 1 },
});
const run = (n: number, arm: string, more: object) => ({
  ...{ replay: ID, turn: `${SESSION}-${n}`, arm, nth: 1, state: "done", verdict: "right", judge: "answer", ...more },
});
const turn = (n: number, more: object = {}) => ({
  ...{ turn: `${SESSION}-${n}`, cited: false, request: "How much\u001b[2K rain?" },
  ...{ replayability: { replayable: true }, ...more },
});
const begun = {
  ...{ v: 1, id: ID, skill: "rain", text: "a".repeat(64), parent: null, rev: null, occasion: "try", session: null },
  ...{ state: "waiting", outcome: null, why: "", turns: [], runs: [], arms: {}, createdAt: 1, endedAt: null },
  ...{ tokens: { granted: 9_000, used: 0 }, runsUntil: null },
};
const lost = { replayable: false, reason: "effect_outside", why: "It sent a message with send_message." };
const helps = {
  ...{ ...begun, state: "done", outcome: "helps", why: "Right with it 1 of 1 times, and 0 of 1 without.", endedAt: 2 },
  turns: [turn(3, { cited: true }), turn(5), turn(9, { replayability: lost, request: null })],
  runs: [
    run(3, "without", { replay: null, verdict: "wrong", judge: "exit", report: report(9, 5_000) }),
    run(3, "with", { report: report(2, 1_000) }),
    run(5, "without", { replay: null, judge: "exit", report: report(9, 5_000) }),
  ],
  arms: {
    with: { runs: 1, right: 1, wrong: 0, calls: 2, failedCalls: 0, tokens: 1_000 },
    without: { runs: 1, right: 0, wrong: 1, calls: 9, failedCalls: 1, tokens: 5_000 },
  },
  ...{ tokens: { granted: 9_000, used: 1_000 }, runsUntil: 3 },
};

it("tries a file that is not installed: waits for the end, and says in a sentence and in tables what came of it", async () => {
  const file = join(tempFolder(), "SKILL.md");
  writeFileSync(file, MD);
  const running = { ...begun, state: "running" };
  const { code, stdout, stderr, requests } = await ask(
    ["skills", "try", file, "--tokens", "9000"],
    [answerJson(202, running), answerJson(200, helps)],
  );
  expect(requests).toEqual([`POST /v1/skills/try?tokens=9000 ${MD}`, `GET ${AT}`]);
  expect(stdout.split("\n")).toEqual([
    "rain: helps. Right with it 1 of 1 times, and 0 of 1 without. 1,000 of 9,000 tokens used.",
    "arm         right   calls  failed  tokens",
    "with it     1 of 1      2       0    1000",
    "without it  0 of 1      9       1    5000",
    "turn                                      run                      answer                                calls  tokens  what was asked",
    `${SESSION} turn 3, cited  with it                  right (answer)                        2      1000    How much[2K rain?`,
    `${SESSION} turn 3, cited  without it, as recorded  wrong (exit)                          9      5000    How much[2K rain?`,
    `${SESSION} turn 5         –                        not run                               –      –       How much[2K rain?`,
    `${SESSION} turn 9         –                        It sent a message with send_message.  –      –       (deleted)`,
    "",
  ]);
  expect(stderr).toContain(`talaria skills experiments ${ID}`);
  expect(code).toBe(0);
});

it("tries a folder as files under its name", async () => {
  const folder = join(tempFolder(), "rainfall");
  mkdirSync(folder);
  writeFileSync(join(folder, "SKILL.md"), MD);
  const { requests } = await ask(["skills", "try", folder, "--json"], [answerJson(202, helps)]);
  expect(requests).toEqual([`POST /v1/skills/try?name=rainfall ${JSON.stringify({ files: { "SKILL.md": MD } })}`]);
});

it("tries a skill of the library, and ends with 1 where it does not help", async () => {
  const harms = { ...helps, outcome: "harms", why: "Wrong with it." };
  const words = ["skills", "replay", "rain", "--rev", "2", "--tokens", "500"];
  const { code, stdout, requests } = await ask(words, [answerJson(202, harms)]);
  expect([code, requests]).toEqual([1, ['POST /v1/skills/rain/replay {"rev":2,"tokens":500}']]);
  expect(stdout).toContain("rain: harms. Wrong with it.");
  expect((await ask(["skills", "replay", "rain", "--tokens", "all"], [])).code).toBe(2);
});

it("does not send an empty file", async () => {
  const file = join(tempFolder(), "SKILL.md");
  writeFileSync(file, "");
  const { code, stderr, requests } = await ask(["skills", "try", file], []);
  expect([code, stderr, requests]).toEqual([2, expect.stringContaining(`${file} is empty.`), []]);
});

it("says without a grant how to give one", async () => {
  const { code, stderr } = await ask(["skills", "replay", "rain"], [answerProblem(409, "replay_not_granted")]);
  expect(code).toBe(3);
  expect(stderr).toContain("--tokens N grants N tokens for this experiment.");
});

it("lists experiments, shows one and stops one", async () => {
  const list = await ask(
    ["skills", "experiments", "rain", "--limit", "5"],
    [answerJson(200, { experiments: [helps] })],
  );
  expect(list.requests).toEqual(["GET /v1/experiments?skill=rain&limit=5"]);
  expect(list.stdout).toContain("helps");
  const one = await ask(["skills", "experiments", ID], [answerJson(200, helps)]);
  expect([one.requests, one.stdout]).toEqual([[`GET ${AT}`], expect.stringContaining("with it     1 of 1")]);
  const stopped = { ...begun, state: "done" };
  const { requests, stdout } = await ask(["skills", "experiments", ID, "--stop"], [answerJson(200, stopped)]);
  expect([requests, stdout]).toEqual([[`POST ${AT}/stop`], "rain: no outcome. 0 of 9,000 tokens used.\n"]);
  expect((await ask(["skills", "experiments", "rain", "--stop"], [])).code).toBe(2);
});

it("is named with the skill in a conversation", async () => {
  const client = { skill: async () => ({ files: { "SKILL.md": MD } }), call: async () => ({ experiments: [helps] }) };
  const page = await renderSkills(client as never, "rain");
  expect(page).toMatch(/Read it\.\n\nTried 1970-01-01 \d\d:\d\d: rain: helps\. Right with it 1 of 1 times/);
});
