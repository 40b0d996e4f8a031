// `talaria skills try|replay|experiments`: a skill's text is tried by running earlier turns again, with it and without it.
import { randomUUID } from "node:crypto";
import { ExperimentList } from "../../core/schemas/learning/experiment-api.ts";
import { Experiment, ExperimentId } from "../../core/schemas/learning/experiment.ts";
import { EXIT, type ExitCode } from "../command-line/exit-codes.ts";
import { PAGE_FLAGS } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import { type Action, type FlagValues, type Flags, type VerbCall, textFlag } from "../command-line/verb.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import { createProgress } from "../moving/progress.ts";
import {
  ARM_SUM,
  EXPERIMENT,
  RUN,
  describeOutcome,
  describeProgress,
  listRuns,
  listSums,
} from "../output/experiment-report.ts";
import type { Output } from "../output/output.ts";
import { trySkill } from "../output/skill-files.ts";

const ASKED_FLAGS = {
  tokens: { type: "string", value: "N", help: "grant this many tokens for it" },
  turns: { type: "string", value: "IDS", help: "on these turns alone, with commas between them" },
} as const satisfies Flags;

export const EXPERIMENT_ACTIONS: Action[] = [
  {
    name: "try",
    words: "FILE",
    help: "would this file have helped? runs earlier turns with it and without it",
    flags: { name: { type: "string", value: "SKILL", help: "under this name" }, ...ASKED_FLAGS },
    run: (call) =>
      follow(call, (client) => {
        const { words, flags } = call;
        const asked = {
          name: textFlag(flags, "name"),
          tokens: readNumber(flags, "tokens"),
          turns: textFlag(flags, "turns"),
        };
        return trySkill(client, words[0]!, { ...asked, key: randomUUID() });
      }),
  },
  {
    name: "replay",
    words: "SKILL",
    help: "the same for a skill of yours; exit code 1 if it does not help",
    flags: { rev: { type: "string", value: "REV", help: "this revision; else the present one" }, ...ASKED_FLAGS },
    run: (call) =>
      follow(call, (client) => {
        const { words, flags } = call;
        return client.call(Experiment, "POST /v1/skills/{name}/replay", {
          params: { name: words[0]! },
          body: {
            ...{ rev: readNumber(flags, "rev"), tokens: readNumber(flags, "tokens") },
            turns: textFlag(flags, "turns")?.split(","),
          },
          headers: { "idempotency-key": randomUUID() },
        });
      }),
  },
  {
    name: "experiments",
    words: "[SKILL|ID]",
    help: "what was tried, newest first; with an ID, that one and its runs",
    flags: { stop: { type: "boolean", help: "stop the experiment ID" }, ...PAGE_FLAGS },
    async run(call) {
      const { words, flags, json, output, client } = call;
      const [named] = words;
      if (ExperimentId.safeParse(named).success) {
        const params = { experiment: named! };
        const found =
          flags.stop === true
            ? await client().call(Experiment, "POST /v1/experiments/{experiment}/stop", { params })
            : await client().call(Experiment, "GET /v1/experiments/{experiment}", { params });
        return json ? output.json(found) : show(output, found);
      }
      if (flags.stop === true) throw new UsageError("--stop takes the ID of an experiment.");
      return showList(call, {
        schema: ExperimentList,
        route: "GET /v1/experiments",
        field: "experiments",
        itemsOf: (answer) => answer.experiments,
        query: { skill: named },
        columns: EXPERIMENT,
        empty: "Nothing was tried yet. `talaria skills replay SKILL` tries a skill.",
      });
    },
  },
];

/** Asks for an experiment and waits for its end. 1: the text does not help, or nobody can say. */
async function follow(call: VerbCall, begin: (client: Client) => Promise<Experiment>): Promise<ExitCode> {
  const { json, output } = call;
  const client = call.client();
  const begun = await begin(client).catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.code === "replay_not_granted")
      output.note("--tokens N grants N tokens for this experiment.");
    throw error;
  });
  output.note(`Experiment ${begun.id}. Interrupted, it goes on: talaria skills experiments ${begun.id}`);
  const ended = await wait(client, output, begun);
  if (json) output.json(ended);
  else show(output, ended);
  return ended.outcome === "helps" ? EXIT.answered : EXIT.failed;
}

/** Soon at first, since an experiment without a turn to run ends at once. */
const WAITS_MS = [100, 500, 1_000, 2_000, 5_000];
/** A grant of the day that is spent comes again tomorrow: nobody waits for it here. */
const MAX_WAIT_FOR_GRANT_MS = 60_000;

async function wait(client: Client, output: Output, begun: Experiment): Promise<Experiment> {
  const progress = createProgress(output);
  const params = { experiment: begun.id };
  let waited = 0;
  let experiment = begun;
  for (let n = 0; experiment.state !== "done"; n++) {
    if (experiment.state === "waiting" && waited >= MAX_WAIT_FOR_GRANT_MS) break;
    const ms = WAITS_MS[Math.min(n, WAITS_MS.length - 1)]!;
    await new Promise((done) => setTimeout(done, ms));
    waited += ms;
    experiment = await client.call(Experiment, "GET /v1/experiments/{experiment}", { params });
    progress(describeProgress(experiment));
  }
  return experiment;
}

function show(output: Output, experiment: Experiment): void {
  if (experiment.state !== "done") return output.text(describeProgress(experiment));
  output.text(describeOutcome(experiment));
  const sums = listSums(experiment);
  if (sums.length > 0) output.table(sums, ARM_SUM, "");
  const runs = listRuns(experiment);
  if (runs.length > 0) output.table(runs, RUN, "");
}

function readNumber(flags: FlagValues, name: "tokens" | "rev"): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number from 1 to 999999999, not ${JSON.stringify(text)}.`);
}
