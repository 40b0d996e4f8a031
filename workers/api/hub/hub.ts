// Skills of others: found, looked at, installed. Every package goes the same way: fetched, kept apart, scanned, shown, judged by its origin,
// and only then stored. The agent has no tool for any of it.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { openSource } from "../../../core/hub/desk.ts";
import { formatRef, parseIdentifier } from "../../../core/hub/finding/identifier.ts";
import { inspect, install, listInstalled } from "../../../core/hub/installed/install.ts";
import { trustOf } from "../../../core/hub/policy.ts";
import { searchHub } from "../../../core/hub/finding/search.ts";
import { settleLock } from "../../../core/hub/installed/settle-lock.ts";
import type { HubRef } from "../../../core/schemas/hub/lock.ts";
import { HubSourceName } from "../../../core/schemas/hub/lock.ts";
import {
  HubHits,
  HubInspection,
  HubInstalled,
  HubSkillList,
  InspectHub,
  InstallHub,
} from "../../../core/schemas/hub/hub-api.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { tryLater } from "../experiments/try-later.ts";
import { pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, numeric, refuses } from "../router.ts";
import { markSwept, openDesk, openReachingDesk } from "./open-desk.ts";

export const hub = createRouter();

/** Of a source, and of reading what it returned. */
export const SOURCE_REFUSALS = [
  ...([
    "bad_hub_ref",
    "hub_source_off",
    "hub_not_found",
    "hub_choose",
    "hub_forbidden",
    "hub_unreachable",
    "hub_rate_limited",
  ] as const),
  ...([
    "hub_bad_reply",
    "hub_too_large",
    "hub_digest_mismatch",
    "hub_link_refused",
    "hub_malicious",
    "url_refused",
  ] as const),
  ...([
    "bad_path",
    "bad_archive",
    "archive_too_large",
    "too_many_files",
    "bad_skill_md",
    "bad_skill_name",
    "bad_text",
  ] as const),
] as const;

const MAX_QUERY_CHARS = 200;
const MAX_HITS = 50;
const USUAL_HITS = 10;

hub.openapi(
  createRoute({
    method: "get",
    path: "/v1/hub/search",
    operationId: "searchHub",
    ...refuses("hub_source_off"),
    description:
      "Searches the sources of skills, and the profile's taps. A source that does not answer is named in `failed`, and the others are listed. Names and descriptions are " +
      "those of the sources: nothing of a hit was fetched or scanned.",
    request: {
      query: z.strictObject({
        query: z.string().trim().min(1).max(MAX_QUERY_CHARS),
        source: HubSourceName.optional(),
        limit: numeric(1, MAX_HITS).default(USUAL_HITS).meta({ description: "Hits, at most" }),
      }),
    },
    responses: describeResponses(200, "Hits, best first", HubHits),
  }),
  async (c) => {
    const { query, source, limit } = c.req.valid("query");
    const { taps, ...desk } = await openReachingDesk(c);
    const sources = source === undefined ? desk.sources : { [source]: unwrap(openSource(desk, source)) };
    const found = await searchHub(sources, { query, taps, limit, signal: desk.signal });
    const { skills } = await desk.lock.read();
    const hits = found.hits.map(({ ref, name, description, installs, warning, tap }) => {
      const installed = Object.keys(skills).find((own) => isAt(skills[own]!, ref));
      return {
        ...{ ref, identifier: formatRef(ref), name, description, trust: trustOf(ref, desk.trusted) },
        ...(installs !== undefined && { installs }),
        ...(warning !== undefined && { warning }),
        ...(tap !== undefined && { tap }),
        ...(installed !== undefined && { installed }),
      };
    });
    const failed = found.failures.map(({ from, failure: { code, message } }) => ({ from, code, message }));
    return c.json({ hits, failed }, 200);
  },
);

hub.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/inspect",
    operationId: "inspectHub",
    ...refuses(...SOURCE_REFUSALS, "profile_gone"),
    description:
      "Fetches a package and shows what it is, what it needs and what it runs, and what the scanner finds in it. Nothing is installed. The bytes are " +
      "kept for a day: an install with their `hash` installs exactly these.",
    request: { body: jsonBody(InspectHub) },
    responses: describeResponses(200, "What an install would do", HubInspection),
  }),
  async (c) => {
    const { source, name } = c.req.valid("json");
    const inspected = unwrap(await inspect(await openReachingDesk(c), { ref: readRef(source), name }));
    await markSwept(c);
    return c.json(inspected, 200);
  },
);

hub.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/install",
    operationId: "installHub",
    ...refuses(
      ...SOURCE_REFUSALS,
      ...([
        "hub_not_inspected",
        "hub_dangerous",
        "hub_ask",
        "too_many_installed",
        "hub_lock_full",
        "skill_exists",
        "skill_deleted",
      ] as const),
      ...(["companion_name", "profile_gone", "busy"] as const),
    ),
    description:
      "Installs a skill, on trial. With `hash`: exactly what was inspected. Without: what the source has now, if the policy allows it without a " +
      "question (`hub_ask` says why not). A dangerous package is refused whatever its source. The same package again changes nothing.",
    request: { body: jsonBody(InstallHub) },
    responses: describeResponses(200, "The installed skill", HubInstalled),
  }),
  async (c) => {
    const { source, hash, name } = c.req.valid("json");
    const installed = unwrap(await install(await openReachingDesk(c), { ref: readRef(source), hash, name }));
    if (installed.outcome === "installed") tryLater(c, installed.name, "hub");
    return c.json(installed, 200);
  },
);

/** Lines of a page; each may name 500 files in the lock, and none here. */
const MAX_LISTED = 100;

hub.openapi(
  createRoute({
    method: "get",
    path: "/v1/hub/skills",
    operationId: "listHubSkills",
    description:
      "Lists the skills that were installed from the hub, with their source, version and hash, and what the last check saw.",
    request: { query: z.strictObject(pageQuery(MAX_LISTED, { after: SkillName })) },
    responses: describeResponses(200, "Installed skills, by name", HubSkillList),
  }),
  async (c) => {
    const { lock, index } = await settleLock(openDesk(c));
    const { page, next } = toPage(listInstalled(lock, index), { ...c.req.valid("query"), sortKey: ({ name }) => name });
    return c.json({ skills: page, ...(next !== undefined && { next }) }, 200);
  },
);

function readRef(source: string): HubRef {
  return unwrap(parseIdentifier(source));
}

function isAt(line: Pick<HubRef, "source" | "identifier">, ref: HubRef): boolean {
  return line.source === ref.source && line.identifier === ref.identifier;
}
