// `npm run demo`: the product on real data and on the three real Workers. Session 1 solves a task by trial and error. The
// review learns from it. Session 2 gets another task of the same kind. Session 3 is the control: the same task without
// learning. A table compares them. `npm run demo -- workbench`: the same with a task that needs eight tools. Last line with --json:
// the figures as one JSON object.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../cli/connection/client.ts";
import { checkVars } from "./check/vars.ts";
import { UsageError, runCommand } from "./command-line.ts";
import { describeConventions } from "./demo/conventions.ts";
import { type DemoOptions, USAGE, isRehearsal, parseOptions } from "./demo/options.ts";
import { dim, say } from "./demo/screen.ts";
import { type StoryOutcome, tellTableStory } from "./demo/table-story.ts";
import { loadTables } from "./demo/tables.ts";
import { type DrawnTasks, drawTasks } from "./demo/tasks.ts";
import { tellWorkbenchStory } from "./demo/workbench-story.ts";
import { readOperatorToken } from "./stack/local-state.ts";
import { onStopSignal } from "./stack/processes.ts";
import { startStack } from "./stack/stack.ts";
import { selectWorkerVars } from "./stack/worker-vars.ts";

const rehearsal = isRehearsal(process.env);

await runCommand(USAGE, () => runDemo(parseOptions(process.argv.slice(2))));

async function runDemo(options: DemoOptions): Promise<number> {
  checkVars(process.env);
  const drawn = draw(options);
  say(
    rehearsal
      ? "Model: rehearsal, the small deterministic model that ships with Talaria (no model key is set)"
      : `Model: the provider's, as ${process.env.TALARIA_MODEL ? "TALARIA_MODEL says" : "the model key in the environment says"}`,
  );
  say(
    dim(
      `Data: ${options.data ?? "the npm package vega-datasets"}, exported as an office would (seed ${options.seed}):`,
    ),
  );
  say(dim(`${describeConventions(drawn.conventions)}. The agent is not told.`));
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-demo-"));
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  try {
    const token = readOperatorToken(stateDir);
    const began = performance.now();
    const tell = (line: string) => say(dim(line));
    const stack = await startStack({
      stateDir,
      vars: selectWorkerVars(process.env, token),
      signal: abort.signal,
      say: tell,
    });
    const stopEarly = () =>
      void stack.kill().finally(() => {
        rmSync(stateDir, { recursive: true, force: true });
        process.exit(130);
      });
    abort.signal.addEventListener("abort", stopEarly);
    try {
      const operator = createClient({ url: stack.url, key: token });
      say(
        dim(
          `Three Workers (api, review, curator) at ${stack.url}, ready in ${formatSeconds(performance.now() - began)};`,
        ),
      );
      say(dim(`they run on ${(await operator.health()).model}.`));
      const { key } = await operator.createProfile();
      const client = createClient({ url: stack.url, key });
      const told = await (options.story === "workbench"
        ? tellWorkbenchStory(client, drawn)
        : tellTableStory(client, drawn, options));
      return conclude(told, options);
    } finally {
      abort.signal.removeEventListener("abort", stopEarly);
      await stack.stop();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function draw(options: DemoOptions): DrawnTasks {
  try {
    return drawTasks(loadTables(options.data).tables, options.seed, { dated: options.story === "table" });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Returns the exit code: 1 if rehearsal gave a wrong answer. */
function conclude({ rows, learned }: StoryOutcome, { json }: DemoOptions): number {
  if (json) say(JSON.stringify({ sessions: rows.map(({ ms: _ms, ...row }) => row), learned }));
  return rehearsal && rows.some(({ correct }) => !correct) ? 1 : 0;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
