// `npm run chaos [-- --turns N | --reviews N] [--seed N]`: kills the whole stack with SIGKILL while turns or reviews run, starts
// it again on the same state, and measures what was lost, done twice or left broken. Last line of output: one JSON object.
// Exit code 0 once everything was measured, whatever the figures are.
import { parseArgs } from "node:util";
import { runReviews } from "./chaos-reviews.ts";
import { runTurns } from "./chaos-turns.ts";

const { values } = parseArgs({
  options: { turns: { type: "string" }, reviews: { type: "string" }, seed: { type: "string", default: "1" } },
});
const seed = Number(values.seed);
const count = Number(values.turns ?? values.reviews ?? 3);
const isBoth = values.turns !== undefined && values.reviews !== undefined;
if (isBoth || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error("Usage: npm run chaos [-- --turns N | --reviews N] [--seed N], whole numbers, N at least 1");
  process.exit(2);
}

if (values.turns === undefined) {
  const run = await runReviews({ reviews: count, seed, say: (line) => console.log(line) });
  if (run.unhit.length > 0) console.log(`Not struck in this run: ${run.unhit.join(", ")}`);
  const { kills, lost, duplicated, brokenHeads, indexRepairs } = run;
  console.log(JSON.stringify({ kills, lost, duplicated, brokenHeads, indexRepairs }));
} else {
  const run = await runTurns({ turns: count, seed, say: (line) => console.log(line) });
  if (run.unhit.length > 0) console.log(`Not hit in this run: ${run.unhit.join(", ")}`);
  const { kills, lost, duplicated, unknown, unknownRerun, stuck, between } = run;
  console.log(`${between} unkeyed calls had an intent and no result when a kill came.`);
  console.log(JSON.stringify({ kills, lost, duplicated, unknown, unknownRerun, stuck }));
}
