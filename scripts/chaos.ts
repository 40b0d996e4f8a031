// `npm run chaos [-- --turns N | --reviews N] [--seed N]`: kills the whole stack with SIGKILL while turns or reviews run, starts
// it again on the same state, and measures what was lost, done twice or left broken. Last line of output: one JSON object.
// Exit code 0 once everything was measured, whatever the figures are.
import { runReviews } from "./chaos/reviews.ts";
import { runTurns } from "./chaos/turns.ts";
import { readFlags, refuseFlags, runCommand } from "./command-line.ts";

const USAGE = `Usage: npm run chaos [-- --turns N | --reviews N] [--seed N]

Kills the whole local stack with SIGKILL while turns or reviews run, and measures what was lost or done twice.

  --reviews N  reviews to interrupt with kills (default: 3)
  --turns N    turns to interrupt with kills, instead of reviews
  --seed N     seed for the random moments of the kills (default: 1)
  -h, --help   this text`;

const values = readFlags(USAGE, {
  turns: { type: "string" },
  reviews: { type: "string" },
  seed: { type: "string", default: "1" },
});
const seed = Number(values.seed);
const count = Number(values.turns ?? values.reviews ?? 3);
const isBoth = values.turns !== undefined && values.reviews !== undefined;
if (isBoth || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  refuseFlags("Give --turns or --reviews, and whole numbers, N at least 1.", USAGE);
}

await runCommand(USAGE, async () => {
  if (values.turns === undefined) {
    const run = await runReviews({ reviews: count, seed, say: (line) => console.log(line) });
    if (run.unhit.length > 0) console.log(`Store calls without a kill in this run: ${run.unhit.join(", ")}`);
    const { kills, lost, duplicated, brokenHeads, indexRepairs } = run;
    console.log(JSON.stringify({ kills, lost, duplicated, brokenHeads, indexRepairs }));
  } else {
    const run = await runTurns({ turns: count, seed, say: (line) => console.log(line) });
    if (run.unhit.length > 0) console.log(`Points without a kill in this run: ${run.unhit.join(", ")}`);
    const { kills, lost, duplicated, unknown, unknownRerun, stuck, between } = run;
    console.log(`${between} unkeyed calls had an intent and no result when a kill came.`);
    console.log(JSON.stringify({ kills, lost, duplicated, unknown, unknownRerun, stuck }));
  }
  return 0;
});
