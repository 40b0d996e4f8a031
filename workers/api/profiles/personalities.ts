// The personalities of a profile: those that ship, and its own. A session chooses one by name.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { PERSONALITIES } from "../../../core/prompts/personalities/index.ts";
import { PersonalityInfo, PersonalityList } from "../../../core/schemas/api.ts";
import { Personality, PersonalityName } from "../../../core/schemas/profile/personality.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { decide, scanText } from "../../../core/skills/scanner/scanner.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { pageQuery, toSortedPage } from "../pages.ts";

export const personalities = createRouter();

const PersonalityParams = z.object({ personality: PersonalityName });

personalities.openapi(
  createRoute({
    method: "get",
    path: "/v1/personalities",
    operationId: "listPersonalities",
    description:
      "Lists the personalities that a session may choose. An own one takes the place of a shipped one of its name.",
    request: { query: z.strictObject(pageQuery(200)) },
    responses: describeResponses(200, "The personalities, by name", PersonalityList),
  }),
  async (c) => {
    // The values cross unchanged; the platform's types lose them.
    const { sections } = (await openAccount(c.env, c.var.profile).readSettings()) as ProfileSettings;
    const own = Object.entries(sections.personalities).map(([name, one]) => ({ ...one, name, own: true }));
    const shipped = Object.entries(PERSONALITIES).map(([name, one]) => ({ ...one, name, own: false }));
    const all = [...own, ...shipped.filter(({ name }) => !Object.hasOwn(sections.personalities, name))];
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey: ({ name }) => name });
    return c.json({ personalities: page, ...next }, 200);
  },
);

personalities.openapi(
  createRoute({
    method: "put",
    path: "/v1/personalities/{personality}",
    operationId: "putPersonality",
    ...refuses("personality_refused", "too_many_settings", "setting_too_large"),
    description:
      "Stores a personality of the profile's own: instructions to the agent that become a part of its prompt in sessions that choose it. " +
      "A text that attacks an agent is refused.",
    request: { params: PersonalityParams, body: jsonBody(Personality) },
    responses: describeResponses(200, "Stored", PersonalityInfo),
  }),
  async (c) => {
    const { personality: name } = c.req.valid("param");
    const value = c.req.valid("json");
    const threat = scanText(value.text, "guide").find((finding) => decide([finding], "context") !== "allow");
    if (threat) {
      const detail = `Line ${threat.line} matches the pattern ${threat.pattern} of texts that attack an agent. Write it in other words.`;
      throw new AppError("personality_refused", detail);
    }
    unwrap(await openAccount(c.env, c.var.profile).putSetting("personalities", name, value));
    forgetAcceptedKeys(c.var.profile);
    return c.json({ ...value, name, own: true }, 200);
  },
);

personalities.openapi(
  createRoute({
    method: "delete",
    path: "/v1/personalities/{personality}",
    operationId: "deletePersonality",
    ...refuses("setting_not_found"),
    description:
      "Deletes a personality of the profile's own. Sessions that chose it go on with a shipped one of its name, or without one.",
    request: { params: PersonalityParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAccount(c.env, c.var.profile).removeSetting("personalities", c.req.valid("param").personality));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);
