// The route /mcp: the Model Context Protocol for programs that hold a key of the profile. Authentication is the API's own.
import type { MiddlewareHandler } from "hono";
import { requireScope } from "../auth/guard-route.ts";
import { noteAct } from "../auth/note-act.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { createRouter, refuseQuery } from "../router.ts";
import { serveMcp } from "./serve.ts";

export const MCP_ROUTE = "/mcp";

export const mcp = createRouter();

const mayRead = requireScope("read");
const mayWrite = requireScope("write");
/** Every message to the server is a POST, also one that only asks: its tools write memory and post messages. */
const guard: MiddlewareHandler<ApiEnv> = (c, next) => (c.req.method === "GET" ? mayRead(c, next) : mayWrite(c, next));

mcp.all(MCP_ROUTE, guard, refuseQuery, (c) => {
  const { profile, settingsRev, principal } = c.var;
  const note = (act: string, target: string) => noteAct(c.env, { profile, principal, act, target, isAdmin: false });
  return serveMcp(c.req.raw, { env: c.env, profile, settingsRev, note });
});
