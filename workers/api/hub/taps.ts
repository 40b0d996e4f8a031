// The taps of a profile, and its token of GitHub: list, set, remove. No answer holds the token.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { Result } from "../../../core/errors.ts";
import { GITHUB_ACCESS, githubApi, sealAccess } from "../../../core/hub/access.ts";
import { parseTap } from "../../../core/hub/taps.ts";
import { judgeUrl } from "../../../core/outbound/judge-url.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { PutGithubToken, PutTap, TapInfo, TapList, TapName } from "../../../core/schemas/hub/taps.ts";
import type { ProfileSection, ProfileSections, ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { readPolicy } from "../../../wiring/outbound.ts";
import { openSealer } from "../../../wiring/sealing.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const taps = createRouter();

const params = z.object({ tap: TapName });

taps.openapi(
  createRoute({
    method: "get",
    path: "/v1/hub/taps",
    operationId: "listTaps",
    description:
      "Lists the profile's taps: repositories on GitHub and indexes whose skills a search also names. `githubToken` says that a token is set, for " +
      "which server and since when, and never what it is.",
    request: { query: z.strictObject(pageQuery(50)) },
    responses: describeResponses(200, "The taps, by name", TapList),
  }),
  async (c) => {
    const { hubTaps, hubAccess } = await readSections(c.env, c.var.profile);
    const access = hubAccess[GITHUB_ACCESS];
    const all = Object.entries(hubTaps).map(([tap, value]) => ({ tap, ...value }));
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey: ({ tap }) => tap });
    const usable = access?.server === githubApi(parseEnvSettings(c.env));
    const githubToken = access ? { server: access.server, setAt: access.setAt, usable } : null;
    return c.json({ taps: page, githubToken, ...next }, 200);
  },
);

taps.openapi(
  createRoute({
    method: "put",
    path: "/v1/hub/taps/{tap}",
    operationId: "putTap",
    scope: "admin",
    ...refuses("bad_hub_ref", "url_refused", "too_many_settings"),
    description: "Adds a tap, or says where it is now. Nothing is asked of it before a search.",
    request: { params, body: jsonBody(PutTap) },
    responses: describeResponses(200, "The tap as it is stored", TapInfo),
  }),
  async (c) => {
    const { tap } = c.req.valid("param");
    const place = unwrap(parseTap(c.req.valid("json").source));
    // Refused here already, so that the owner hears of it at once. Each request is judged again.
    if (place.source === "well-known") unwrap(judgeUrl(place.identifier, readPolicy(c.env, parseEnvSettings(c.env))));
    const value = { ...place, addedAt: Date.now() };
    unwrap((await openAccount(c.env, c.var.profile).putSetting("hubTaps", tap, value)) as Result<null>);
    forgetAcceptedKeys(c.var.profile);
    return c.json({ tap, ...value }, 200);
  },
);

taps.openapi(
  createRoute({
    method: "delete",
    path: "/v1/hub/taps/{tap}",
    operationId: "deleteTap",
    scope: "admin",
    ...refuses("tap_not_found"),
    description: "Removes a tap. Skills that were installed from it stay.",
    request: { params },
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    await remove(c.env, c.var.profile, ["hubTaps", c.req.valid("param").tap]);
    return c.body(null, 204);
  },
);

taps.openapi(
  createRoute({
    method: "put",
    path: "/v1/hub/github-token",
    operationId: "putGithubToken",
    scope: "admin",
    ...refuses("sealing_key_missing"),
    description:
      "Sets the token with which skills are read from and published to GitHub. It is stored sealed and bound to the server that this deployment asks: " +
      "no other one is ever sent it. It is not checked before it is used.",
    request: { body: jsonBody(PutGithubToken) },
    responses: { 204: { description: "Set" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const server = githubApi(parseEnvSettings(c.env));
    const sealer = unwrap(openSealer(c.env, c.var.profile));
    const access = await sealAccess(sealer, { server, token: c.req.valid("json").token }, Date.now());
    const account = openAccount(c.env, c.var.profile);
    unwrap((await account.putSetting("hubAccess", GITHUB_ACCESS, access)) as Result<null>);
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);

taps.openapi(
  createRoute({
    method: "delete",
    path: "/v1/hub/github-token",
    operationId: "deleteGithubToken",
    scope: "admin",
    ...refuses("hub_token_missing"),
    description: "Removes the token of GitHub. It stays valid at GitHub: revoke it there.",
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    await remove(c.env, c.var.profile, ["hubAccess", GITHUB_ACCESS]);
    return c.body(null, 204);
  },
);

/** The values cross unchanged; the platform's types lose them. */
export async function readSections(env: Env, profile: ProfileId): Promise<ProfileSections> {
  return ((await openAccount(env, profile).readSettings()) as ProfileSettings).sections;
}

async function remove(env: Env, profile: ProfileId, setting: [section: ProfileSection, key: string]): Promise<void> {
  const removed = (await openAccount(env, profile).removeSetting(...setting)) as Result<null>;
  if (!removed.ok && removed.failure.code === "setting_not_found") {
    throw setting[0] === "hubTaps" ? tapNotFound() : new AppError("hub_token_missing", "No GitHub token is set.");
  }
  unwrap(removed);
  forgetAcceptedKeys(profile);
}

export function tapNotFound(): AppError {
  return new AppError("tap_not_found", "This profile has no tap of that name. `GET /v1/hub/taps` lists them.");
}
