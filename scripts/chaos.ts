// `npm run chaos [-- --turns N | --reviews N | --delegations N | --board N | --jobs N | --replays N] [--seed N]`: kills the whole stack with
// SIGKILL while they run, starts it again on the same state, and measures what was lost, done twice or left broken. Last line of output: one
// JSON object.
// Exit code 0 once everything was measured, whatever the figures are.
import { createNodeSql } from "../test/support/bindings/node-sql.ts";
import { runBoardOnStack } from "./chaos/board-stack.ts";
import { runBoardChaos } from "./chaos/board.ts";
import { runJobs } from "./chaos/jobs.ts";
import { runDelegations } from "./chaos/delegations.ts";
import { runReplaysOnStack } from "./chaos/replay-stack.ts";
import { runReplaysInProcess } from "./chaos/replays.ts";
import { runReviews } from "./chaos/reviews.ts";
import { runTurns } from "./chaos/turns.ts";
import { readFlags, refuseFlags, runCommand } from "./command-line.ts";

const USAGE = `Usage: npm run chaos [-- --turns N | --reviews N | --delegations N | --board N | --jobs N | --replays N] [--seed N]

Kills the whole local stack with SIGKILL while they run, and measures what was lost or done twice.

  --reviews N  reviews to interrupt with kills (default: 3)
  --delegations N  turns that delegate three tasks each, with kills at points of the parents and of the children
  --board N    kills of the stack while sessions work on a board's cards, N times; before that, kills of a board's
               object in one process, at each point between claim and completion and at least N times
  --jobs N     kills of the stack while jobs run, N times
  --replays N  kills of the stack while experiments run earlier turns again, N times; before that, kills in one process at
               each write of experiments and of replays
  --turns N    turns to interrupt with kills, instead of reviews
  --seed N     seed for the random moments of the kills (default: 1)
  -h, --help   this text`;

const values = readFlags(USAGE, {
  turns: { type: "string" },
  reviews: { type: "string" },
  delegations: { type: "string" },
  board: { type: "string" },
  jobs: { type: "string" },
  replays: { type: "string" },
  seed: { type: "string", default: "1" },
});
const seed = Number(values.seed);
const { turns, reviews, delegations, board, jobs, replays } = values;
const given = [turns, reviews, delegations, board, jobs, replays].filter((value) => value !== undefined);
const count = Number(given[0] ?? 3);
if (given.length > 1 || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  refuseFlags(
    "Give one of --turns, --reviews, --delegations, --board, --jobs and --replays, and whole numbers, N at least 1.",
    USAGE,
  );
}

await runCommand(USAGE, async () => {
  if (values.board !== undefined) {
    const options = { kills: count, seed, say: (line: string) => console.log(line) };
    const inProcess = await runBoardChaos(options, createNodeSql);
    console.log(`In one process: ${describe(inProcess)}`);
    const onStack = await runBoardOnStack(options);
    console.log(`Points without a kill of the stack in this run: ${onStack.unhit.join(", ") || "none"}`);
    console.log(`With kills of the whole stack: ${describe(onStack)}`);
    console.log(describe(add(inProcess, onStack)));
  } else if (replays !== undefined) {
    const options = { kills: count, seed, say: (line: string) => console.log(line) };
    const inProcess = await runReplaysInProcess(options);
    console.log(`In one process: ${describeReplays(inProcess)}`);
    const onStack = await runReplaysOnStack(options);
    console.log(`With kills of the whole stack: ${describeReplays(onStack)}`);
    console.log(describeReplays({ ...add(inProcess, onStack), outward: inProcess.outward + onStack.outward }));
  } else if (values.jobs !== undefined) {
    const run = await runJobs({ kills: count, seed, say: (line) => console.log(line) });
    console.log(`Points without a kill in this run: ${run.unhit.join(", ") || "none"}`);
    console.log(
      JSON.stringify({
        kills: run.kills,
        lost: run.lost,
        duplicated: run.duplicated,
        stuck: run.stuck,
        unknown: run.unknown,
      }),
    );
  } else if (values.delegations !== undefined) {
    const run = await runDelegations({ delegations: count, seed, say: (line) => console.log(line) });
    const { kills, lost, duplicated, stuck } = run;
    console.log(JSON.stringify({ kills, lost, duplicated, stuck }));
  } else if (values.turns === undefined) {
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

interface Figures {
  kills: number;
  lost: number;
  duplicated: number;
  stuck: number;
}

function add(one: Figures, other: Figures): Figures {
  const { kills, lost, duplicated, stuck } = other;
  return {
    kills: one.kills + kills,
    lost: one.lost + lost,
    duplicated: one.duplicated + duplicated,
    stuck: one.stuck + stuck,
  };
}

function describeReplays({ kills, lost, duplicated, outward, stuck }: Figures & { outward: number }): string {
  return JSON.stringify({ kills, lost, duplicated, outward, stuck });
}

function describe({ kills, lost, duplicated, stuck }: Figures): string {
  return JSON.stringify({ kills, lost, duplicated, stuck });
}
