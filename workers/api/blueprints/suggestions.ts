// Suggestions: blueprints that fit what the owner asks for again and again. They are computed from records of turns when they are asked for, and
// only what the owner said of one is stored.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  type Candidate,
  SUGGESTION_DAYS,
  SUGGESTION_TURNS,
  findCandidate,
  suggest,
} from "../../../core/blueprints/suggestions/suggest.ts";
import type { Result } from "../../../core/errors.ts";
import {
  AcceptSuggestion,
  MadeOfBlueprint,
  type SuggestionDecision,
  SuggestionId,
  SuggestionList,
} from "../../../core/schemas/agenda/blueprint.ts";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { openAgenda } from "../boards/open-agenda.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, optionalJsonBody, refuses } from "../router.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import { MAKE_REFUSALS, makeOfBlueprint } from "./make-of-blueprint.ts";

export const suggestions = createRouter();

const SuggestionParams = z.object({ suggestion: SuggestionId });
/** Jobs that are compared with what the owner asks for. */
const COMPARED_JOBS = 200;

suggestions.openapi(
  createRoute({
    method: "get",
    path: "/v1/suggestions",
    operationId: "listSuggestions",
    ...refuses("profile_gone"),
    description:
      "Suggests at most five blueprints from what the owner has asked for in the last 28 days, with the reason and its sources. Nobody else's " +
      "words count. Nothing is made; one that was dismissed never comes again.",
    responses: describeResponses(200, "Suggestions, best first", SuggestionList),
  }),
  async (c) => {
    const [turns, jobs, decisions] = await Promise.all([
      readTurns(c),
      openAgenda(c).listJobs({ after: "", limit: COMPARED_JOBS }),
      readDecisions(c),
    ]);
    return c.json({ suggestions: suggest({ turns, jobs, decisions }) }, 200);
  },
);

suggestions.openapi(
  createRoute({
    method: "post",
    path: "/v1/suggestions/{suggestion}/accept",
    operationId: "acceptSuggestion",
    ...refuses("suggestion_not_found", ...MAKE_REFUSALS),
    description:
      "Makes the job that is suggested, with the slots of the request in place of the proposed ones. Repeated, it answers the same job.",
    request: { params: SuggestionParams, body: optionalJsonBody(AcceptSuggestion) },
    responses: describeResponses(201, "What was made", MadeOfBlueprint),
  }),
  async (c) => {
    const { suggestion: id } = c.req.valid("param");
    const [turns, decisions] = await Promise.all([readTurns(c), readDecisions(c)]);
    const isDismissed = decisions.some((decision) => decision.id === id && decision.state === "dismissed");
    const found = isDismissed ? null : findCandidate(turns, id);
    if (!found) throw notFound();
    const { name, slots } = c.req.valid("json");
    const { blueprint, slots: proposed } = found.suggestion;
    const wish = { blueprint, slots: { ...proposed, ...slots }, name: name ?? `${blueprint}-${id.slice(0, 6)}` };
    const made = await makeOfBlueprint(c, { ...wish, key: `suggestion:${id}` });
    await decide(c, found, "accepted");
    return c.json(made, 201);
  },
);

suggestions.openapi(
  createRoute({
    method: "post",
    path: "/v1/suggestions/{suggestion}/dismiss",
    operationId: "dismissSuggestion",
    ...refuses("suggestion_not_found", "profile_gone"),
    description: "Takes a suggestion away, also in other words, and also after the profile has moved. Idempotent.",
    request: { params: SuggestionParams },
    responses: { 204: { description: "Dismissed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { suggestion: id } = c.req.valid("param");
    const [turns, decisions] = await Promise.all([readTurns(c), readDecisions(c)]);
    if (!decisions.some((decision) => decision.id === id)) {
      const found = findCandidate(turns, id);
      if (!found) throw notFound();
      await decide(c, found, "dismissed");
    }
    return c.body(null, 204);
  },
);

function readTurns({ env, var: { profile } }: Context<ApiEnv>): Promise<TurnSignature[]> {
  const since = Date.now() - SUGGESTION_DAYS * DAY_MS;
  return openArchive(env, profile).turnsOf({ since, limit: SUGGESTION_TURNS, own: true });
}

/** With `decision`, which is stored first. */
async function readDecisions(
  { env, var: { profile } }: Context<ApiEnv>,
  decision: SuggestionDecision | null = null,
): Promise<SuggestionDecision[]> {
  return unwrap((await openAccount(env, profile).suggestionDecisions(decision)) as Result<SuggestionDecision[]>);
}

async function decide(
  c: Context<ApiEnv>,
  { suggestion: { id, blueprint }, words }: Candidate,
  state: SuggestionDecision["state"],
): Promise<void> {
  await readDecisions(c, { v: 1, id, blueprint, state, words, at: Date.now() });
}

function notFound(): AppError {
  return new AppError("suggestion_not_found", "There is no such suggestion, or the turns that it rests on are gone.");
}
