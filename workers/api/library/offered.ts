// What a followed profile offers, and its installation through the hub's pipeline: scanned, judged by its origin, stored on trial, and locked.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { install } from "../../../core/hub/installed/install.ts";
import type { SharedSkill } from "../../../core/hub/sources/library.ts";
import { toLibraryId } from "../../../core/library/offer.ts";
import { ProfileId, type SkillName } from "../../../core/schemas/ids.ts";
import { InstallOffered, InstalledOffered, OfferedSkills } from "../../../core/schemas/library/library.ts";
import { lineOf } from "../../../core/schemas/skill.ts";
import { createHubLockStore } from "../../../stores/hub/lock-store.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openLibraryPort, openLibrarySource } from "../../../wiring/library.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { openDesk } from "../hub/open-desk.ts";
import { AppError } from "../problems.ts";
import { createRouter, describeResponses, optionalJsonBody, refuses } from "../router.ts";
import { openBucket, openSkills } from "../stores.ts";

export const offered = createRouter();

/** [own] Each takes up to a hundred reads and writes of R2, and an invocation has ten thousand. */
const MAX_INSTALLED = 20;
const ProfileParams = z.object({ profile: ProfileId });

offered.openapi(
  createRoute({
    method: "get",
    path: "/v1/library/following/{profile}/skills",
    operationId: "listOffered",
    ...refuses("not_followed"),
    description: "Lists the skills that a followed profile shares, and which of them are installed here.",
    request: { params: ProfileParams },
    responses: describeResponses(200, "Shared skills, by name", OfferedSkills),
  }),
  async (c) => {
    const { profile: publisher } = c.req.valid("param");
    const shared = await listShared(c, publisher);
    const lock = createHubLockStore({
      ...{ bucket: openBucket(c.env), profile: c.var.profile, clock: systemClock, random: Math.random },
    });
    const [{ skills: locked }, index] = await Promise.all([lock.read(), openSkills(c.env, c.var.profile).index()]);
    const skills = shared.map(({ name, description, text }) => {
      const id = toLibraryId(publisher, name);
      const copy = Object.entries(locked).find(([, one]) => one.source === "library" && one.identifier === id);
      const state = copy && lineOf(index, copy[0])?.state;
      const installed = state !== undefined && state !== "archived";
      return { name, description, text, installed, update: installed && copy![1].version !== text };
    });
    return c.json({ skills }, 200);
  },
);

offered.openapi(
  createRoute({
    method: "post",
    path: "/v1/library/following/{profile}/install",
    operationId: "installOffered",
    scope: "admin",
    ...refuses("not_followed"),
    description:
      `Installs the named skills of a followed profile, or all that it shares, on trial; at most ${MAX_INSTALLED} with one request. Each is scanned ` +
      "first. `refused` says which could not be installed and why.",
    request: { params: ProfileParams, body: optionalJsonBody(InstallOffered) },
    responses: describeResponses(200, "What was installed, refused and left", InstalledOffered),
  }),
  async (c) => {
    const { profile: publisher } = c.req.valid("param");
    const shared = await listShared(c, publisher);
    const names = c.req.valid("json").skills ?? shared.map(({ name }) => name);
    const library = openLibrarySource({ env: c.env, settings: parseEnvSettings(c.env), profile: c.var.profile });
    const desk = { ...openDesk(c), sources: { library } };
    const installed: { name: SkillName; rev: number }[] = [];
    const refused: { name: SkillName; code: string; detail: string }[] = [];
    for (const name of names.slice(0, MAX_INSTALLED)) {
      const ref = { source: "library" as const, identifier: toLibraryId(publisher, name) };
      const made = await install(desk, { ref });
      if (made.ok) installed.push({ name: made.value.skill.name, rev: made.value.skill.rev });
      else refused.push({ name, code: made.failure.code, detail: made.failure.message });
    }
    return c.json({ installed, refused, left: names.slice(MAX_INSTALLED) }, 200);
  },
);

/** Throws `not_followed`, also if the publisher has removed this profile. */
async function listShared(c: Context<ApiEnv>, publisher: ProfileId): Promise<SharedSkill[]> {
  const port = openLibraryPort({ env: c.env, settings: parseEnvSettings(c.env), profile: c.var.profile });
  const shared = (await port.publishers()).includes(publisher) ? await port.list(publisher) : null;
  if (shared === null) throw new AppError("not_followed", "This profile does not follow a profile of that id.");
  return shared;
}
