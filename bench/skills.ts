// `npm run bench:skills [-- --count 10000] [--data FILE]`: how much a large library adds to a session's start, and how often a
// search finds the right skill in it. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import { readFlags } from "../scripts/command-line.ts";
import { DEFAULTS } from "../core/limits.ts";
import { renderSkillIndex } from "../core/skills/index-block.ts";
import { estimateTokens } from "../core/tokens.ts";
import { type BenchLibrary, buildLibrary, readRows } from "./skills/library.ts";
import { measureRecall } from "./skills/recall.ts";
import { printSkills, toSkillsLine } from "./skills/report.ts";
import { toIndexedLine } from "./skills/search.ts";
import { measureSessionStart } from "./skills/session-start.ts";
import { measureUnasked } from "./skills/unasked.ts";

const FIXTURES = join(import.meta.dirname, "../test/fixtures/skills/library.jsonl");
const STARTS = 40;
/** Number of questions for which the index is rendered. Its length hardly depends on the question. */
const RENDERED = 40;
const MAX_COUNT = 100_000;

const { count, data } = readArguments();
const rows = readRows(data);
if (!rows.ok) refuse(rows.failure.message);
const began = performance.now();
const say = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);

say("building the library");
const library = buildLibrary(rows.value, count);
const start = await measureSessionStart(library, { starts: STARTS, say });
const recall = await measureRecall(library, say);
const measured = {
  library,
  start,
  recall,
  unasked: measureUnasked(library),
  indexTokens: Math.max(start.indexTokens, measureLongestIndex(library)),
};
printSkills(measured);
console.log(toSkillsLine(measured));

function measureLongestIndex({ skills, queries }: BenchLibrary): number {
  const lines = skills.map(toIndexedLine);
  const requests = queries.slice(0, RENDERED).map((query) => query.text);
  const { indexTokens } = DEFAULTS.skills;
  return Math.max(...["", ...requests].map((text) => estimateTokens(renderSkillIndex(lines, indexTokens, text))));
}

function readArguments(): { count: number; data: string } {
  const usage = `Usage: npm run bench:skills [-- --count N --data FILE]

  --count N    number of skills in the library (default 10000)
  --data FILE  skills as JSON lines, from which the questions are taken (default: a small fixture)
  -h, --help   this text; the method is in bench/README.md`;
  const values = readFlags(usage, {
    count: { type: "string", default: "10000" },
    data: { type: "string", default: FIXTURES },
  });
  const number = Number(values.count);
  if (!Number.isInteger(number) || number < 1 || number > MAX_COUNT) {
    refuse(`--count takes a whole number from 1 to ${MAX_COUNT}.`);
  }
  return { count: number, data: values.data };
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
