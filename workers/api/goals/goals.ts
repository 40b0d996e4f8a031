// The goals of a profile, and the goal of one session. The profile's Agenda keeps them; each session works at its own.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  CreateGoal,
  Goal,
  GoalChange,
  GoalDetail,
  GoalId,
  GoalList,
  GoalSpec,
} from "../../../core/schemas/agenda/goal.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { openAgenda } from "../boards/open-agenda.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openSession } from "../sessions/session-rpc.ts";

export const goals = createRouter();

const GoalParams = z.object({ goal: GoalId });
const SessionParams = z.object({ session: SessionId });

goals.openapi(
  createRoute({
    method: "get",
    path: "/v1/goals",
    operationId: "listGoals",
    description:
      "Lists the profile's goals, also those that have ended, at most as many as the operator's `goals.maxPerProfile`.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Goals, by id", GoalList),
  }),
  async (c) => {
    const all = await openAgenda(c).listGoals();
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey: ({ id }) => id });
    return c.json({ goals: page, ...next }, 200);
  },
);

goals.openapi(
  createRoute({
    method: "post",
    path: "/v1/goals",
    operationId: "createGoal",
    ...refuses("goal_open", "goal_not_here", "too_many_goals", "session_not_found", "profile_gone"),
    description:
      "Gives a session a goal. The session works at it turn by turn; after each turn its checks run and a judge says whether it is reached. " +
      "A message of a person always goes first.",
    request: { body: jsonBody(CreateGoal) },
    responses: describeResponses(201, "The goal", Goal),
  }),
  async (c) => {
    const { session, ...spec } = c.req.valid("json");
    return c.json(await begin(c, session, spec, false), 201);
  },
);

goals.openapi(
  createRoute({
    method: "get",
    path: "/v1/goals/{goal}",
    operationId: "readGoal",
    ...refuses("goal_not_found"),
    description: "Reads a goal: its state, why, how many turns it has used, and what was said of each.",
    request: { params: GoalParams },
    responses: describeResponses(200, "The goal", GoalDetail),
  }),
  async (c) => c.json(unwrap(await openAgenda(c).showGoal(c.req.valid("param").goal)), 200),
);

goals.openapi(
  createRoute({
    method: "post",
    path: "/v1/goals/{goal}",
    operationId: "changeGoal",
    ...refuses("goal_not_found", "goal_ended", "goal_state", "goal_open", "goal_not_here", "session_not_found"),
    description:
      'Does one thing with a goal: `{"do":"pause"}`, `resume`, `clear`, `wait` for `seconds`, `unwait`, `subgoals` (all of them anew), or `move` to ' +
      "another `session`. What is so already stays so.",
    request: { params: GoalParams, body: jsonBody(GoalChange) },
    responses: describeResponses(200, "The goal", Goal),
  }),
  async (c) => {
    const change = c.req.valid("json");
    if (change.do === "move") await assertChat(c, change.session);
    return c.json(unwrap(await openAgenda(c).changeGoal(c.req.valid("param").goal, change)), 200);
  },
);

goals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/goal",
    operationId: "readSessionGoal",
    ...refuses("goal_not_found"),
    description: "Reads the session's newest goal.",
    request: { params: SessionParams },
    responses: describeResponses(200, "The goal", Goal),
  }),
  async (c) => c.json(await readNewest(c, c.req.valid("param").session), 200),
);

goals.openapi(
  createRoute({
    method: "put",
    path: "/v1/sessions/{session}/goal",
    operationId: "putSessionGoal",
    ...refuses("goal_not_here", "too_many_goals", "session_not_found", "profile_gone"),
    description:
      "Gives the session a goal in place of the one it may have. The same goal again changes nothing while it is active.",
    request: { params: SessionParams, body: jsonBody(GoalSpec) },
    responses: describeResponses(200, "The goal", Goal),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const spec = c.req.valid("json");
    const known = await openAgenda(c).newestGoal(session);
    if (known?.state === "active" && isSame(known, spec)) return c.json(known, 200);
    return c.json(await begin(c, session, spec, true), 200);
  },
);

goals.openapi(
  createRoute({
    method: "delete",
    path: "/v1/sessions/{session}/goal",
    operationId: "clearSessionGoal",
    ...refuses("goal_not_found", "goal_ended"),
    description: "Clears the session's goal: it stays in the list, and nobody works at it.",
    request: { params: SessionParams },
    responses: { 204: { description: "Cleared" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { id } = await readNewest(c, c.req.valid("param").session);
    unwrap(await openAgenda(c).changeGoal(id, { do: "clear" }));
    return c.body(null, 204);
  },
);

async function readNewest(c: Context<ApiEnv>, session: SessionId): Promise<Goal> {
  const goal = await openAgenda(c).newestGoal(session);
  if (!goal) throw new AppError("goal_not_found", "This session has no goal. PUT one here.");
  return goal;
}

async function begin(c: Context<ApiEnv>, session: SessionId, spec: GoalSpec, replace: boolean): Promise<Goal> {
  const since = await assertChat(c, session);
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  return unwrap(await openAgenda(c).beginGoal({ id, session, spec, since }, replace));
}

/** Returns the number of the session's newest turn. Failures: `session_not_found`, `goal_not_here`. */
export async function assertChat({ env, var: { profile } }: Context<ApiEnv>, session: SessionId): Promise<number> {
  const detail = await openSession(env, profile, session).detail();
  if (!detail) throw new AppError("session_not_found", "There is no such session.");
  if (detail.kind !== undefined && detail.kind !== "chat") {
    throw new AppError(
      "goal_not_here",
      `Only a chat can work at a goal, and this session is of the kind ${detail.kind}.`,
    );
  }
  return detail.turns.at(-1)?.n ?? 0;
}

function isSame(known: Goal, spec: GoalSpec): boolean {
  const pick = ({ text, contract, subgoals, checks }: GoalSpec) => JSON.stringify([text, contract, subgoals, checks]);
  return pick(known) === pick(spec) && (spec.maxTurns === undefined || spec.maxTurns === known.maxTurns);
}
