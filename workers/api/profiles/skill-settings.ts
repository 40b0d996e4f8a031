// What a profile's owner allows its skills: whether one that is loaded by a slash command may run its inline shell snippets.
import { createRoute } from "@hono/zod-openapi";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { SkillSettings } from "../../../core/schemas/profile/skills.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const skillSettings = createRouter();

skillSettings.openapi(
  createRoute({
    method: "get",
    path: "/v1/skill-settings",
    operationId: "readSkillSettings",
    description: "Reads what the profile allows its skills.",
    responses: describeResponses(200, "The settings", SkillSettings),
  }),
  async (c) => {
    const { sections } = (await openAccount(c.env, c.var.profile).readSettings()) as ProfileSettings;
    return c.json(sections.skills.all ?? { inlineShell: false }, 200);
  },
);

skillSettings.openapi(
  createRoute({
    method: "put",
    path: "/v1/skill-settings",
    operationId: "putSkillSettings",
    scope: "admin",
    ...refuses("setting_too_large", "too_many_settings"),
    description:
      "With `inlineShell` a skill that is loaded by a slash command runs its inline snippets (!`command`) in the session's shell, within its " +
      "limits, and the model reads what they printed. That holds for every skill, imported ones included. Off by default.",
    request: { body: jsonBody(SkillSettings) },
    responses: describeResponses(200, "Stored", SkillSettings),
  }),
  async (c) => {
    const value = c.req.valid("json");
    unwrap(await openAccount(c.env, c.var.profile).putSetting("skills", "all", value));
    forgetAcceptedKeys(c.var.profile);
    return c.json(value, 200);
  },
);
