// Writes the audit log: once a listed route has answered without a refusal. Every router adds it to the routes of audited-routes.ts.
import type { Context, MiddlewareHandler } from "hono";
import { askDesk } from "../sessions/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { toActor } from "./actor.ts";
import { AUDITED_ROUTES, type AuditedRoute } from "./audited-routes.ts";
import type { ApiEnv, Principal } from "./principal.ts";

/** Nothing for a route that is not listed. */
export function noteActs(operationId: string | undefined): MiddlewareHandler<ApiEnv>[] {
  const route = operationId === undefined ? undefined : AUDITED_ROUTES[operationId];
  if (!route) return [];
  return [
    async (c, next) => {
      await next();
      if (c.res.status >= 400) return;
      const { principal } = c.var as { principal?: Principal };
      const answer = principal && route.answer === undefined ? {} : await readAnswer(c.res);
      // The operator's acts are noted in the profile that they concern.
      const profile = principal?.profile ?? String(answer.profile ?? c.req.param("profile") ?? "");
      const { name: by, key } = toActor(principal);
      const target = await findTarget(c, route, answer);
      const entry = { by, ...(key !== undefined && { key }), act: route.act, target, isAdmin: route.isAdmin ?? false };
      try {
        await askDesk(openAccount(c.env, profile).keyDesk(), (desk) => desk.noteAct(entry));
      } catch (error) {
        // The change is made: a refusal would say that it was not.
        console.error(JSON.stringify({ event: "act_not_noted", act: route.act, error: String(error) }));
      }
    },
  ];
}

async function findTarget(
  c: Context<ApiEnv>,
  { answer: field, namesFields }: AuditedRoute,
  answer: Record<string, unknown>,
): Promise<string> {
  if (namesFields) return Object.keys(await c.req.json<object>()).join();
  const path = Object.values(c.req.param()).join("/");
  return field === undefined ? path : String(answer[field] ?? path);
}

async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return isJson ? await response.clone().json<Record<string, unknown>>() : {};
}
