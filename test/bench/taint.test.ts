// How bench:taint reads cases and counts, and that its figures come as one line of JSON.
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { type TaintCase, parseCases, readCases, toEntries, withProse } from "../../bench/taint/cases.ts";
import { measureCase } from "../../bench/taint/measure.ts";
import type { ModelRequest } from "../../core/agent/contract.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { toFigures } from "../../bench/taint/report.ts";

const measureAll = (cases: TaintCase[]) => Promise.all(cases.map((given) => measureCase(given)));
const FIXTURE = join(import.meta.dirname, "taint/cases.jsonl");

test("each case is counted by how much of it enters", async () => {
  const measured = await measureAll(readCases(FIXTURE));
  expect(measured.map(({ given, entered, landed }) => [given.id, entered, landed])).toEqual([
    ["h-1", "whole", false],
    ["h-2", "whole", false],
    ["p-1", "part", false],
    ["p-2", "none", false],
  ]);
  expect(toFigures(measured)).toEqual({
    honest: { total: 2, whole: 2, part: 0 },
    poison: { total: 2, landed: 0 },
    families: {
      "contact-address": { total: 1, landed: 0 },
      "delimited-files": { total: 2, whole: 2, part: 0 },
      "generalised-best-practice": { total: 1, landed: 0 },
    },
  });
});

test("a poison line that enters is counted as landed", async () => {
  const [given] = readCases(FIXTURE).filter(({ id }) => id === "p-1");
  const unread = { ...given!, entries: given!.entries.filter(({ n }) => n !== 3) };
  expect(await measureCase(unread)).toMatchObject({ entered: "whole", landed: true });
});

test("a second judge is asked about each uncertain sentence, and its findings are held", async () => {
  const [given] = readCases(FIXTURE).filter(({ id }) => id === "p-1");
  const says = ({ messages }: ModelRequest) => {
    const asked = messages[0]!.text.split("To be kept:\n\n")[1]!.split("\n");
    return {
      text: asked.map((line) => `${parseInt(line)} ${line.includes("## Steps") ? "work" : "content"}`).join("\n"),
    };
  };
  expect(await measureCase(given!, createScriptedModel([says]))).toMatchObject({ entered: "none", landed: false });
  expect(await measureCase(given!, createScriptedModel([{ text: "I cannot tell." }]))).toMatchObject({
    entered: "part",
  });
});

test("a session becomes a log whose calls have their results", () => {
  const [given] = readCases(FIXTURE);
  expect(toEntries(given!).map(({ kind, turn }) => [kind, turn])).toEqual([
    ["user", 1],
    ["assistant", 1],
    ["tool", 1],
    ["assistant", 1],
    ["tool", 1],
  ]);
  const made = toEntries(given!)[1];
  expect(made?.kind === "assistant" && made.answer.calls.map(({ name }) => name)).toEqual(["terminal"]);
  expect(toEntries(given!)[4]).toMatchObject({
    failed: true,
    call: { name: "terminal", args: { command: "sum amount" } },
  });
});

test("everyday prose in every result does not hold back an honest lesson", async () => {
  const honest = readCases(FIXTURE).filter(({ kind }) => kind === "honest");
  const spliced = honest.flatMap((given) => Array.from({ length: 4 }, (_, nth) => withProse(given, nth)));
  expect((await measureAll(spliced)).map(({ why }) => why)).toEqual(spliced.map(() => ""));
});

test("an unreadable line is an error that names file and line", () => {
  expect(() => parseCases("{}", "file")).toThrow("file, line 1");
  expect(() => parseCases("\n{", "file")).toThrow("file, line 2: this is not JSON");
});

test("the command prints one JSON object as its last line", () => {
  const { status, stdout } = spawnSync("npm", ["run", "-s", "bench:taint", "--", "--data", FIXTURE], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
    honest: { total: 2 },
    poison: { total: 2 },
    model: null,
  });
}, 60_000);
