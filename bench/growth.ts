// `npm run bench:growth [-- --up-to 10]`: the cost of a turn as its session grows (up to ten times the context budget) and as its
// profile grows, and the memory of 200 live sessions. Prints a report; the last line is one JSON object.
// Method and limits: bench/README.md.
import { readFlags, refuseFlags } from "../scripts/command-line.ts";
import { growSession } from "./growth/measure.ts";
import { measureMemory } from "./growth/memory.ts";
import { measureProfile } from "./growth/profile.ts";
import { printGrowth, printProfile, toGrowthLine } from "./growth/report.ts";
import { toRows } from "./growth/samples.ts";
import { BENCH_MODEL, startStage } from "./support/stage.ts";
import { createTalaria } from "./support/subjects/talaria.ts";

const WINDOW_TOKENS = 200_000;
const MULTIPLES = [1, 2, 4, 7, 10];
const LIVE_SESSIONS = 200;
const PROFILE_TURNS = [100, 1_000, 10_000, 100_000];

const USAGE = `Usage: npm run bench:growth [-- --up-to N]

  --up-to N   grow the session to N times the context budget (default 10)
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, { "up-to": { type: "string", default: "10" } });
const upTo = Number(values["up-to"]);
if (!(upTo >= 1 && Number.isFinite(upTo))) refuseFlags("--up-to takes a number from 1.", USAGE);
const began = performance.now();
const say = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);

say("growing a profile");
const profile = measureProfile(PROFILE_TURNS, say);
say("bundling the Workers");
const stage = await startStage({ peer: false, settings: { models: { windows: { [BENCH_MODEL]: WINDOW_TOKENS } } } });
try {
  const talaria = await createTalaria(stage.oursUrl);
  say("growing a session");
  const samples = await growSession({ server: stage.server, talaria, upTo, maxTokens: WINDOW_TOKENS, say });
  say(`${LIVE_SESSIONS} live sessions`);
  const rssMiB = await measureMemory(talaria, LIVE_SESSIONS);
  const rows = toRows(
    samples,
    MULTIPLES.filter((multiple) => multiple <= upTo),
  );
  printGrowth(rows, samples, rssMiB);
  printProfile(profile);
  console.log(toGrowthLine(rows, rssMiB, profile));
} finally {
  await stage.stop();
}
