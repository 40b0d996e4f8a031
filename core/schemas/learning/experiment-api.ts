// What the API takes and answers about experiments. Forms only; experiment.ts has the stored ones.
import * as z from "zod";
import { Entry } from "../entry.ts";
import { TurnId } from "../ids.ts";
import { Experiment, ExperimentId, ExperimentRun } from "./experiment.ts";

/** [own] A text that is tried without being in the library, over all its files. It is kept in one row of the profile's experiments. */
export const MAX_TRIED_BYTES = 1_000_000;

/** [own] Far above what sixteen runs of long turns use. */
const MAX_TOKENS = 1_000_000_000;

/** What a person grants for one experiment. */
export const GivenTokens = z
  .int()
  .min(1)
  .max(MAX_TOKENS)
  .describe("Tokens that this experiment may use at most. Without it: what the day's `review.replayTokens` leaves.");

/** Of one experiment. */
export const MAX_TURNS = 4;

/** What a person wants a text tried on. */
export const NamedTurns = z
  .array(TurnId)
  .min(1)
  .max(MAX_TURNS)
  .describe("Earlier turns to try it on, these alone. Without it: those that the text cites, and similar ones.");

export const ReplaySkill = z.strictObject({
  rev: z.int().min(1).optional().describe("The revision to try; without it the present one."),
  tokens: GivenTokens.optional(),
  turns: NamedTurns.optional(),
});
export type ReplaySkill = z.infer<typeof ReplaySkill>;

/** In a list: without its runs, which hold whole answers. */
export const ExperimentLine = Experiment.omit({ runs: true });
export type ExperimentLine = z.infer<typeof ExperimentLine>;

export const ExperimentList = z.object({ experiments: z.array(ExperimentLine), next: z.string().optional() });
export type ExperimentList = z.infer<typeof ExperimentList>;

/** One page of what a run wrote. `entries`: numbered as in the recorded turn. */
export const RunEntries = z.object({
  experiment: ExperimentId,
  run: ExperimentRun,
  entries: z.array(Entry),
  next: z.string().optional(),
});
export type RunEntries = z.infer<typeof RunEntries>;
