// Publishing a skill to a tap on GitHub: a pull request with a strict copy of its files. Repeated, it finds what it made before.
import { createRoute } from "@hono/zod-openapi";
import { openAccess, GITHUB_ACCESS, githubApi } from "../../../core/hub/access.ts";
import { createGithub } from "../../../core/hub/publish/github-client.ts";
import { prepareCopy } from "../../../core/hub/publish/prepare-copy.ts";
import { publishPull } from "../../../core/hub/publish/publish-pull.ts";
import { toTapRepository } from "../../../core/hub/taps.ts";
import { PublishToTap, PublishedPull } from "../../../core/schemas/hub/taps.ts";
import type { ProfileId, SkillName } from "../../../core/schemas/ids.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { openSealer } from "../../../wiring/sealing.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { presentFiles } from "../skills/skills.ts";
import { openSkills } from "../stores.ts";
import { readSections, tapNotFound } from "./taps.ts";

export const hubPublish = createRouter();

hubPublish.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/publish",
    operationId: "publishToTap",
    scope: "admin",
    ...refuses(
      ...([
        "tap_not_found",
        "tap_not_github",
        "skill_not_found",
        "skill_archived",
        "bad_skill_md",
        "publish_secret",
      ] as const),
      ...(["hub_token_missing", "secret_unreadable", "sealing_key_missing", "hub_forbidden", "hub_not_found"] as const),
      ...(["hub_rate_limited", "hub_refused", "hub_fork_pending", "hub_unreachable", "hub_bad_reply"] as const),
      ...(["hub_too_large", "url_refused"] as const),
    ),
    description:
      "Publishes a skill to a tap on GitHub as a pull request, with the profile's token: on a branch of the repository where the token may push, else of the " +
      "person's fork. Its files only, as a strict export; never its evidence, its requests or its companion. Refused with the places where it looks as if it had " +
      "secrets. Repeated, it makes nothing twice: the same text has the same branch, and an open, merged or closed pull request of it is the answer.",
    request: { body: jsonBody(PublishToTap) },
    responses: describeResponses(200, "The pull request", PublishedPull),
  }),
  async (c) => {
    const { skill, tap, message } = c.req.valid("json");
    const settings = parseEnvSettings(c.env);
    const sections = await readSections(c.env, c.var.profile);
    const known = Object.hasOwn(sections.hubTaps, tap) ? sections.hubTaps[tap]! : null;
    if (!known) throw tapNotFound();
    const place = toTapRepository(known);
    if (!place)
      throw new AppError("tap_not_github", "Only a repository on GitHub takes pull requests. Choose another tap.");
    const apiBase = githubApi(settings);
    const sealer = openSealer(c.env, c.var.profile);
    const token = unwrap(await openAccess(sealer, sections.hubAccess[GITHUB_ACCESS], apiBase));
    const { publication, hash, warnings } = unwrap(
      prepareCopy(await readPublished(c.env, c.var.profile, skill), place, message),
    );
    const { signal } = c.req.raw;
    const outbound = openOutbound(c.env, settings);
    const github = createGithub({ outbound, apiBase, token, signal, now: () => systemClock.now() });
    const published = unwrap(await publishPull({ github, clock: systemClock, signal }, publication));
    const { folder, branch } = publication;
    return c.json({ skill, tap, folder, branch, hash, ...published, warnings }, 200);
  },
);

async function readPublished(
  env: Env,
  profile: ProfileId,
  name: SkillName,
): Promise<Parameters<typeof prepareCopy>[0]> {
  const current = await openSkills(env, profile).open(name);
  const state = current?.head.state;
  if (state === "archived" || state === "pending")
    throw new AppError("skill_archived", `The skill \`${name}\` is ${state}. Only a skill on offer is published.`);
  const from = current?.head.from;
  return { name, files: presentFiles(name, current), ...(from?.source === "github" && { cameFrom: from.identifier }) };
}
