// The route /mcp: the Model Context Protocol for programs that hold a key of the profile. Authentication is the API's own.
import { createRouter, refuseQuery } from "../router.ts";
import { serveMcp } from "./serve.ts";

export const MCP_ROUTE = "/mcp";

export const mcp = createRouter();

mcp.all(MCP_ROUTE, refuseQuery, (c) => {
  const { profile, settingsRev } = c.var;
  return serveMcp(c.req.raw, { env: c.env, profile, settingsRev });
});
