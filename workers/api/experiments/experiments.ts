// Experiments: a skill's text is tried by running earlier turns again, with it and without it. The profile's Experiments object decides and
// keeps the results; these routes ask for one, read it and stop it. An experiment spends tokens: only what a person grants.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import type { ExperimentCalls, NewExperiment } from "../../../core/experiments/ports.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import {
  ExperimentLine,
  ExperimentList,
  MAX_TURNS,
  NamedTurns,
  ReplaySkill,
  RunEntries,
} from "../../../core/schemas/learning/experiment-api.ts";
import { Experiment, ExperimentId, ReplayId } from "../../../core/schemas/learning/experiment.ts";
import { openExperiments, openReplay } from "../../../wiring/experiments.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { pageQuery } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, numeric, optionalJsonBody, refuses } from "../router.ts";
import { IdempotencyKey } from "../sessions/messages.ts";
import { BODY_REFUSALS, TRIED_BODY, readTried } from "../skills/read-import.ts";
import { openSkills } from "../stores.ts";
import { readSources } from "../profiles/settings.ts";
import { applyPreferences } from "../../../core/preferences.ts";
import { ofGiven, ofRevision } from "./new-experiment.ts";

export const experiments = createRouter();

export const TRY_ROUTE = "/v1/skills/try";

/** Experiments of one page. */
const MAX_PAGE = 100;
const USUAL_PAGE = 20;
/** Entries of one page of a run, as of a session's log. */
const MAX_ENTRIES = 500;

const OnceHeaders = z.object({ "idempotency-key": IdempotencyKey.optional() });
const Params = z.object({ experiment: ExperimentId });
/** In a query: with commas between them. */
const TurnList = z
  .string()
  .transform((text) => text.split(","))
  .pipe(NamedTurns)
  .meta({ type: "string", description: `${NamedTurns.description} Up to ${MAX_TURNS}, with commas between them.` });
const TAKE_REFUSALS = ["replay_not_granted", "idempotency_conflict", "too_many_experiments"] as const;
const REPEATED = "Repeated with the same `Idempotency-Key`, it answers with the experiment that it made.";

experiments.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/replay",
    operationId: "replaySkill",
    ...refuses(...TAKE_REFUSALS, "skill_not_found", "revision_not_found", "revision_purged"),
    description:
      "Tries a skill on earlier turns of this profile: each is run again with the text and without it, in its workspace as it was. Nothing outside " +
      "is touched. It needs a grant: `tokens` here, or the day's `review.replayTokens` (PATCH /v1/settings); without one it is refused " +
      `(\`replay_not_granted\`). The answer comes later: read the experiment again. ${REPEATED}`,
    request: {
      params: z.object({ name: SkillName }),
      headers: OnceHeaders,
      body: optionalJsonBody(ReplaySkill),
    },
    responses: describeResponses(202, "The experiment, as it begins", Experiment),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { rev, ...given } = c.req.valid("json");
    const by = { key: c.req.valid("header")["idempotency-key"], tokens: given.tokens, turns: given.turns };
    const asked = await ofRevision(openSkills(c.env, c.var.profile), { name, rev }, by);
    return answerTaken(c, await take(c, asked));
  },
);

experiments.openapi(
  createRoute({
    method: "post",
    path: TRY_ROUTE,
    operationId: "trySkill",
    ...refuses(...TAKE_REFUSALS, ...BODY_REFUSALS, "skill_dangerous"),
    description:
      "Tries a text that is not in the library on earlier turns: would it have helped? It takes what an import takes, at most 1 MB, and stores " +
      "nothing in the library. A text that the scanner calls dangerous is refused. `tokens`, in the query or in JSON, grants what it may use, as for " +
      `POST /v1/skills/{name}/replay. ${REPEATED}`,
    request: {
      headers: OnceHeaders,
      query: z.strictObject({
        name: z.string().optional(),
        tokens: numeric(1, 999_999_999).optional(),
        turns: TurnList.optional(),
      }),
      body: TRIED_BODY,
    },
    responses: describeResponses(202, "The experiment, as it begins", Experiment),
  }),
  async (c) => {
    const { name, tokens, turns } = c.req.valid("query");
    const skill = unwrap(await readTried(c, { name }));
    const by = { key: c.req.valid("header")["idempotency-key"], tokens: tokens ?? skill.tokens, turns };
    return answerTaken(c, await take(c, await ofGiven(openSkills(c.env, c.var.profile), skill, by)));
  },
);

experiments.openapi(
  createRoute({
    method: "get",
    path: "/v1/experiments",
    operationId: "listExperiments",
    description: "Lists the experiments of the profile, or those of one skill, without their runs.",
    request: {
      query: z.strictObject({
        skill: SkillName.optional(),
        ...pageQuery(MAX_PAGE, { usual: USUAL_PAGE, after: ExperimentId }),
      }),
    },
    responses: describeResponses(200, "Experiments, newest first", ExperimentList),
  }),
  async (c) => {
    const { skill, after, limit } = c.req.valid("query");
    const asked = { limit: limit + 1, ...(skill !== undefined && { skill }), ...(after !== undefined && { after }) };
    const found = await openDesk(c).list(asked);
    const page = found.slice(0, limit);
    const next = found.length > limit && { next: page.at(-1)!.id };
    return c.json({ experiments: page.map((one) => ExperimentLine.parse(one)), ...next }, 200);
  },
);

experiments.openapi(
  createRoute({
    method: "get",
    path: "/v1/experiments/{experiment}",
    operationId: "readExperiment",
    ...refuses("experiment_not_found"),
    description:
      "Reads an experiment: the turns that were chosen, each run with its judge, the sum of each arm, and the outcome with its figures.",
    request: { params: Params },
    responses: describeResponses(200, "The experiment", Experiment),
  }),
  async (c) => c.json(unwrap(await openDesk(c).read(c.req.valid("param").experiment)), 200),
);

experiments.openapi(
  createRoute({
    method: "post",
    path: "/v1/experiments/{experiment}/stop",
    operationId: "stopExperiment",
    ...refuses("experiment_not_found"),
    description:
      "Stops an experiment: no further run, no outcome. What its runs have used stays booked. One that has ended stays as it is.",
    request: { params: Params },
    responses: describeResponses(200, "The experiment as it is now", Experiment),
  }),
  async (c) => c.json(unwrap(await openDesk(c).stop(c.req.valid("param").experiment)), 200),
);

experiments.openapi(
  createRoute({
    method: "get",
    path: "/v1/experiments/{experiment}/runs/{replay}",
    operationId: "listRunEntries",
    ...refuses("experiment_not_found", "replay_not_found", "replay_erased"),
    description:
      "Reads what one run wrote, from its message on, numbered as in the recorded turn. Runs are erased 7 days after the experiment has ended " +
      "(`replay_erased`). A run whose `replay` is `null` is the recorded turn itself: its entries are in its session's log.",
    request: {
      params: Params.extend({ replay: ReplayId }),
      query: z.strictObject(pageQuery(MAX_ENTRIES, { after: numeric(0, 999_999_999) })),
    },
    responses: describeResponses(200, "The entries, oldest first", RunEntries),
  }),
  async (c) => {
    const { experiment: id, replay } = c.req.valid("param");
    const { after = 0, limit } = c.req.valid("query");
    const { runs, runsUntil } = unwrap(await openDesk(c).read(id));
    const run = runs.find((one) => one.replay === replay);
    if (!run) throw new AppError("replay_not_found", `The experiment ${id} has no run ${replay}.`);
    if (runsUntil !== null && Date.now() >= runsUntil) throw erased();
    // A run that waits has no object yet.
    const isOpen = run.state !== "waiting";
    const page = isOpen ? await openReplay(c.env, c.var.profile, replay).entryPage({ after, limit }) : null;
    // It went with the session that it came from.
    if (page === null && run.state === "done") throw erased();
    return c.json({ experiment: id, run, ...(page ?? { entries: [] }) }, 200);
  },
);

function openDesk({ env, var: { profile } }: Context<ApiEnv>): ExperimentCalls {
  return openExperiments(env, profile);
}

/** Throws `replay_not_granted`, `idempotency_conflict` and `too_many_experiments`. */
async function take(c: Context<ApiEnv>, asked: NewExperiment): Promise<Experiment> {
  if (asked.tokens === undefined) await assertGranted(c);
  return unwrap(await openDesk(c).take(asked));
}

async function assertGranted(c: Context<ApiEnv>): Promise<void> {
  const { operator, own } = await readSources(c.env, c.var.profile);
  if (applyPreferences(operator, own).review.replayTokens > 0) return;
  const most = operator.review.replayTokens;
  const forEach =
    most > 0
      ? `set \`review.replayTokens\` with PATCH /v1/settings, at most ${most} a day`
      : "have the operator set `review.replayTokens`";
  const detail = `An experiment spends tokens, and this profile grants none. Send \`tokens\` for this one, or ${forEach}.`;
  throw new AppError("replay_not_granted", detail);
}

function answerTaken(c: Context<ApiEnv>, made: Experiment) {
  return c.json(made, 202, { location: `/v1/experiments/${made.id}` });
}

function erased(): AppError {
  return new AppError("replay_erased", "This run was erased. Its result is in the experiment.");
}
