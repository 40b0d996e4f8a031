// Which tools the agent has, which it lacks and why, and which of them the profile has switched off.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { type ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { ToolSettings } from "../../../core/schemas/profile/tools.ts";
import { type ListedTool, ToolList } from "../../../core/schemas/tool-list.ts";
import { createAvailability } from "../../../core/tools/availability.ts";
import { listTools } from "../../../core/tools/tool-list.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openExecHost } from "../../../wiring/exec.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { listDeploymentTools } from "../../../wiring/tool-names.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount, openSession } from "../sessions/session-rpc.ts";
import { assertToolWords } from "./tool-words.ts";
import { pageQuery, toSortedPage } from "../pages.ts";

export const tools = createRouter();

const availability = createAvailability(systemClock);
const PROBE_MS = 5_000;

tools.openapi(
  createRoute({
    method: "get",
    path: "/v1/tools",
    operationId: "listTools",
    ...refuses("session_not_found"),
    description:
      "Lists the tools of a session, or without `session` those of a new chat: which are there, which are not, and why. " +
      "Whether an exec host answers is asked at most every 30 seconds.",
    request: { query: z.strictObject({ session: SessionId.optional(), ...pageQuery(1_000) }) },
    responses: describeResponses(200, "All tools, by name", ToolList),
  }),
  async (c) => {
    const { profile } = c.var;
    const { session, ...asked } = c.req.valid("query");
    const sortKey = ({ name }: ListedTool) => name;
    const settings = (await openAccount(c.env, profile).readSettings()) as ProfileSettings;
    const own = settings.sections.tools.all ?? {};
    if (session === undefined) {
      const { page, ...next } = toSortedPage(await listForChat(c.env, profile, settings), { ...asked, sortKey });
      return c.json({ tools: page, settings: own, ...next }, 200);
    }
    const listed = await openSession(c.env, profile, session).listTools();
    if (!listed) throw new AppError("session_not_found", "This profile has no session with that id.");
    const listing = listed.isOnHost ? await probeHost(c.env, profile, listed.tools) : listed.tools;
    const { page, ...next } = toSortedPage(listing, { ...asked, sortKey });
    return c.json({ tools: page, settings: own, ...next }, 200);
  },
);

tools.openapi(
  createRoute({
    method: "put",
    path: "/v1/tools",
    operationId: "putToolSettings",
    scope: "admin",
    ...refuses("tool_unknown", "setting_too_large"),
    description:
      "Switches tools off for all sessions of the profile, by name or by toolset. In force from each session's next message on. An empty object switches all on again.",
    request: { body: jsonBody(ToolSettings) },
    responses: describeResponses(200, "All tools of a new chat, by name", ToolList),
  }),
  async (c) => {
    const { profile } = c.var;
    const own = c.req.valid("json");
    assertToolWords(own);
    unwrap(await openAccount(c.env, profile).putSetting("tools", "all", own));
    forgetAcceptedKeys(profile);
    const settings = (await openAccount(c.env, profile).readSettings()) as ProfileSettings;
    return c.json({ tools: await listForChat(c.env, profile, settings), settings: own }, 200);
  },
);

async function listForChat(env: Env, profile: ProfileId, { sections }: ProfileSettings): Promise<ListedTool[]> {
  const settings = parseEnvSettings(env);
  const outbound = openOutbound(env, settings);
  const made = listDeploymentTools(env, settings, { outbound, sections, tenant: { profile, session: "new" } });
  const { all } = sections.tools;
  return listTools(made, { role: "chat", operator: settings.tools, ...(all && { profile: all }) });
}

const MACHINE_TOOLSETS = new Set(["files", "shell"]);

/** Tools on a machine that does not answer are listed as unavailable. They stay offered: their calls fail with the reason. */
async function probeHost(env: Env, profile: ProfileId, listed: ListedTool[]): Promise<ListedTool[]> {
  const exec = openExecHost(env, profile, openOutbound(env, parseEnvSettings(env)));
  if (!exec.ok || !exec.value) return listed;
  const host = exec.value;
  const problem = await availability.check(`exec ${profile}`, async () => {
    const answer = await host.commands("no-such-command", AbortSignal.timeout(PROBE_MS));
    return answer.ok ? null : `The exec host does not answer: ${answer.failure.message}`;
  });
  if (problem === null) return listed;
  return listed.map((tool) =>
    tool.available && MACHINE_TOOLSETS.has(tool.toolset) ? { ...tool, available: false, reason: problem } : tool,
  );
}
