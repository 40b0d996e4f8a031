// The object of a request's profile that lists its boards and roles. Called by the routes of both.
import type { Context } from "hono";
import type { Agenda } from "../../../durable-objects/agenda/agenda.ts";
import type { ApiEnv } from "../auth/principal.ts";

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openAgenda({ env, var: { profile } }: Context<ApiEnv>): Omit<Agenda, "fetch" | "alarm"> {
  return env.AGENDA.getByName(profile) as unknown as Agenda;
}
