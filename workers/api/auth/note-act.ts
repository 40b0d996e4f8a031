// Writes the audit log: once a listed route has answered without a refusal. Every router adds it to the routes of audited-routes.ts.
import type { Context, MiddlewareHandler } from "hono";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { NewAuditEntry } from "../../../core/schemas/keys/audit.ts";
import type { Env } from "../env.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
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
      const isInPath = route.answer === undefined && !route.ofSkill && !route.when;
      const answer = principal && isInPath ? {} : await readAnswer(c.res);
      if (route.when && answer[route.when[0]] !== route.when[1]) return;
      // The operator's acts are noted in the profile that they concern.
      const profile = principal?.profile ?? String(answer.profile ?? c.req.param("profile") ?? "");
      const target = await findTarget(c, route, answer);
      await noteAct(c.env, { profile, principal, act: route.act, target, isAdmin: route.isAdmin ?? false });
    },
  ];
}

/** Also for what changes the same through another door (mcp/mcp.ts). Without a principal: the operator. Never throws. */
export async function noteAct(
  env: Env,
  { profile, principal, ...act }: { profile: ProfileId; principal: Principal | undefined } & Act,
): Promise<void> {
  const { name: by, key } = toActor(principal);
  try {
    const entry = { by, ...(key !== undefined && { key }), ...act };
    await askDesk(openAccount(env, profile).keyDesk(), (desk) => desk.noteAct(entry));
  } catch (error) {
    // The change is made: a refusal would say that it was not.
    console.error(JSON.stringify({ event: "act_not_noted", act: act.act, error: String(error) }));
  }
}

type Act = Pick<NewAuditEntry, "act" | "target" | "isAdmin">;

async function findTarget(
  c: Context<ApiEnv>,
  { answer: field, namesFields, ofSkill }: AuditedRoute,
  answer: Record<string, unknown>,
): Promise<string> {
  if (ofSkill) {
    const { skill } = (answer.seen ?? {}) as { skill?: string };
    return [...Object.values(c.req.param()), ...(skill === undefined ? [] : [skill])].join(" ");
  }
  if (namesFields) return Object.keys(await c.req.json<object>()).join();
  const path = Object.values(c.req.param()).join("/");
  return field === undefined ? path : String(answer[field] ?? path);
}

async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return isJson ? await response.clone().json<Record<string, unknown>>() : {};
}
