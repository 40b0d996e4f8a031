// The roles of a profile: what a session that works on a card is made of. The profile's Agenda keeps them.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { readModelChoices } from "../../../wiring/models.ts";
import { PERSONALITIES } from "../../../core/prompts/personalities/index.ts";
import { Role, RoleName } from "../../../core/schemas/agenda/role.ts";
import { RoleInfo, RoleList } from "../../../core/schemas/agenda/role-api.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { parseEnvSettings } from "../env.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { assertToolWords } from "../tools/tool-words.ts";
import { openAgenda } from "./open-agenda.ts";

export const roles = createRouter();

const RoleParams = z.object({ role: RoleName });

roles.openapi(
  createRoute({
    method: "get",
    path: "/v1/roles",
    operationId: "listRoles",
    description:
      "Lists the profile's roles, at most 50. A card that is assigned to a role is worked on by a session of that role.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Roles, by name", RoleList),
  }),
  async (c) => {
    const listed = (await openAgenda(c).listRoles()).map(({ name, role }) => ({ ...role, name }));
    const { page, ...next } = toSortedPage(listed, { ...c.req.valid("query"), sortKey: ({ name }) => name });
    return c.json({ roles: page, ...next }, 200);
  },
);

roles.openapi(
  createRoute({
    method: "get",
    path: "/v1/roles/{role}",
    operationId: "readRole",
    ...refuses("role_not_found"),
    description: "Reads a role.",
    request: { params: RoleParams },
    responses: describeResponses(200, "The role", RoleInfo),
  }),
  async (c) => {
    const { role: name } = c.req.valid("param");
    return c.json({ ...unwrap(await openAgenda(c).readRole(name)), name }, 200);
  },
);

roles.openapi(
  createRoute({
    method: "put",
    path: "/v1/roles/{role}",
    operationId: "putRole",
    ...refuses("unknown_model", "unknown_personality", "tool_unknown", "too_many_roles", "profile_gone"),
    description:
      "Stores a role. Its personality must be one of GET /v1/personalities, its model one of the operator's choices, its tools those of GET " +
      "/v1/tools. Runs that have begun keep what they began with.",
    request: { params: RoleParams, body: jsonBody(Role) },
    responses: describeResponses(200, "Stored", RoleInfo),
  }),
  async (c) => {
    const { role: name } = c.req.valid("param");
    const role = c.req.valid("json");
    if (role.tools) assertToolWords(role.tools);
    const { model, personality } = role;
    if (model !== undefined) {
      const names = readModelChoices(c.env, parseEnvSettings(c.env)).map((choice) => choice.name);
      if (!names.includes(model)) {
        const known = names.length > 0 ? `There are: ${names.join(", ")}.` : "The operator offers none: leave it out.";
        throw new AppError("unknown_model", `There is no model '${model}' to choose. ${known}`);
      }
    }
    if (personality !== undefined && !Object.hasOwn(PERSONALITIES, personality)) {
      // The values cross unchanged; the platform's types lose them.
      const { sections } = (await openAccount(c.env, c.var.profile).readSettings()) as ProfileSettings;
      if (!Object.hasOwn(sections.personalities, personality)) {
        const detail = `There is no personality '${personality}'. List them with GET /v1/personalities.`;
        throw new AppError("unknown_personality", detail);
      }
    }
    return c.json({ ...unwrap(await openAgenda(c).putRole(name, role)), name }, 200);
  },
);

roles.openapi(
  createRoute({
    method: "delete",
    path: "/v1/roles/{role}",
    operationId: "deleteRole",
    ...refuses("role_not_found"),
    description: "Deletes a role. Cards that are assigned to it wait until there is one of that name again.",
    request: { params: RoleParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAgenda(c).removeRole(c.req.valid("param").role));
    return c.body(null, 204);
  },
);
