// What a person changes of the operator's settings for their own profile. Never to more than the operator allows: such a value is
// refused, and a stored one that has become one is cut when it is used (core/preferences.ts).
import { createRoute } from "@hono/zod-openapi";
import {
  describePreference,
  describeSetting,
  isSettingName,
  isTooWide,
  readPreferences,
} from "../../../core/preferences.ts";
import { applyQuota } from "../../../core/quota.ts";
import { PERSONALITIES } from "../../../core/prompts/personalities/index.ts";
import {
  ChangePreferences,
  PREFERENCE_NAMES,
  PreferenceList,
  type PreferenceInfo,
  type PreferenceName,
  type Preferences,
  type StoredPreference,
} from "../../../core/schemas/profile/preferences.ts";
import { QUOTA_KEY } from "../../../core/schemas/profile/quota.ts";
import type { ProfileSections, ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { readModelChoices } from "../../../wiring/models.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const settings = createRouter();

/** Other routes by which a person sets what their agent does. */
const ELSEWHERE = {
  approvals: "/v1/approvals",
  tools: "/v1/tools",
  policies: "/v1/policies",
  personalities: "/v1/personalities",
  skills: "/v1/skill-settings",
  curation: "/v1/curator",
  mcpServers: "/v1/mcp/servers",
  hooks: "/v1/hooks",
};

settings.openapi(
  createRoute({
    method: "get",
    path: "/v1/settings",
    operationId: "readSettings",
    description:
      "Lists what the person may change of the operator's settings: of each the value in force, the operator's, the person's own, and which " +
      "values are allowed. `elsewhere` names the routes of everything else that a person sets.",
    responses: describeResponses(200, "The settings, by name", PreferenceList),
  }),
  async (c) => c.json(describe(await readSources(c.env, c.var.profile)), 200),
);

settings.openapi(
  createRoute({
    method: "patch",
    path: "/v1/settings",
    operationId: "changeSettings",
    ...refuses("setting_too_wide", "unknown_model", "unknown_personality", "setting_too_large"),
    description:
      "Changes settings of the profile. An absent field stays as it is; `null` goes back to the operator's value. A value that allows more than " +
      "the operator does is refused (`setting_too_wide`), and then nothing is changed. A running turn keeps what it began with; other isolates " +
      "know the change within 30 seconds.",
    request: { body: jsonBody(ChangePreferences) },
    responses: describeResponses(200, "The settings as they are now", PreferenceList),
  }),
  async (c) => {
    const { profile } = c.var;
    const changes = toChanges(c.req.valid("json"));
    const sources = await readSources(c.env, profile);
    for (const [name, value] of changes) if (value !== null) assertAllowed(sources, name, value);
    unwrap(await openAccount(c.env, profile).changeSettings("preferences", Object.fromEntries(changes)));
    forgetAcceptedKeys(profile);
    return c.json(describe(await readSources(c.env, profile)), 200);
  },
);

interface Sources {
  operator: Settings;
  own: Preferences;
  models: string[];
  personalities: string[];
}

export async function readSources(env: Env, profile: string): Promise<Sources> {
  // The values cross unchanged; the platform's types lose them.
  const { sections } = (await openAccount(env, profile).readSettings()) as ProfileSettings;
  const operator = applyQuota(parseEnvSettings(env), sections.quota[QUOTA_KEY]);
  return {
    operator,
    own: readPreferences(sections.preferences),
    models: readModelChoices(env, operator).map(({ name }) => name),
    personalities: listNames(sections),
  };
}

function listNames({ personalities }: ProfileSections): string[] {
  return [...new Set([...Object.keys(PERSONALITIES), ...Object.keys(personalities)])].toSorted();
}

function toChanges(body: ChangePreferences): [PreferenceName, StoredPreference | null][] {
  return PREFERENCE_NAMES.flatMap((name) => {
    const value = body[name];
    return value === undefined ? [] : [[name, value] as [PreferenceName, StoredPreference | null]];
  });
}

function assertAllowed(
  { operator, models, personalities }: Sources,
  name: PreferenceName,
  value: StoredPreference,
): void {
  const listed = (names: string[]) => `There are: ${names.slice(0, 30).join(", ") || "none"}.`;
  if (name === "model" && !models.includes(String(value)))
    throw new AppError("unknown_model", `There is no such model to choose. ${listed(models)}`);
  if (name === "personality" && !personalities.includes(String(value)))
    throw new AppError("unknown_personality", `There is no such personality. ${listed(personalities)}`);
  if (!isSettingName(name) || !isTooWide(operator, name, value)) return;
  const { allowed, operator: limit } = describeSetting(operator, name, value);
  throw new AppError(
    "setting_too_wide",
    `\`${name}\` may not be ${JSON.stringify(value)}: the operator has set ${JSON.stringify(limit)}. Allowed: ${JSON.stringify(allowed)}.`,
    { facts: { name } },
  );
}

function describe(sources: Sources): PreferenceList {
  const settings = Object.fromEntries(PREFERENCE_NAMES.map((name) => [name, describeOne(sources, name)]));
  return { settings, elsewhere: ELSEWHERE };
}

function describeOne({ operator, own, models, personalities }: Sources, name: PreferenceName): PreferenceInfo {
  if (isSettingName(name)) return describeSetting(operator, name, own[name]);
  const [choices, known] =
    name === "model"
      ? [models, models[0] ?? null]
      : name === "personality"
        ? [personalities, null]
        : [["on", "off"], "on"];
  const set = own[name];
  // A model or a personality that is gone is not in force.
  const isThere = set !== undefined && choices.includes(set);
  return {
    value: isThere ? set : known,
    operator: known,
    own: set ?? null,
    allowed: { oneOf: choices },
    about: describePreference(name),
  };
}
