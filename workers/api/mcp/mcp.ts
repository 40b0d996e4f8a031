// The route /mcp: the Model Context Protocol for programs that hold a key of the profile. The SDK is loaded with the first request,
// so that no other route waits for it. Authentication is the API's own.
import { createRouter, refuseQuery } from "../router.ts";

export const MCP_ROUTE = "/mcp";

export const mcp = createRouter();

mcp.all(MCP_ROUTE, refuseQuery, async (c) => {
  const { serveMcp } = await import("./serve.ts");
  return serveMcp(c.req.raw, { env: c.env, profile: c.var.profile, settingsRev: c.var.settingsRev });
});
