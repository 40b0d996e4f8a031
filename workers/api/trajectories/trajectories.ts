// Data to train on: the profile's conversations in a form that trainers read, and the consent without which nothing leaves.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { SessionId } from "../../../core/schemas/ids.ts";
import {
  PutTrajectoryConsent,
  type TrajectoryAsked,
  TrajectoryConsent,
  TrajectoryFormat,
  TrajectoryPlace,
  TurnFilter,
} from "../../../core/schemas/trajectories.ts";
import { TRAJECTORY_START } from "../../../core/trajectories/pages.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { toActor } from "../auth/actor.ts";
import { AppError, unwrap } from "../problems.ts";
import {
  CalendarDay,
  PROBLEM_RESPONSE,
  createRouter,
  describeResponses,
  jsonBody,
  numeric,
  refuses,
} from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { CONSENT_KEY, presentConsent, readConsent, toStoredConsent } from "./consent.ts";
import { openTrajectoryReader } from "./read-page.ts";

export const trajectories = createRouter();

/** A shorter conversation has no room for what is protected. */
const MIN_COMPRESS_TOKENS = 1_000;
const MAX_COMPRESS_TOKENS = 10_000_000;
const MAX_PLACE_CHARS = 200;

const TrajectoryQuery = z.strictObject({
  format: TrajectoryFormat.default("sharegpt"),
  rated: TurnFilter.shape.rated.meta({ description: "Only turns that a person rated so." }),
  successful: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Only turns that succeeded, by their strongest judge; `false`: only the others." }),
  tool: TurnFilter.shape.tool.meta({ description: "Only turns that called this tool." }),
  skill: TurnFilter.shape.skill.meta({ description: "Only turns whose model had this skill." }),
  since: CalendarDay.optional().meta({ description: "Only turns that ended on this UTC day or later." }),
  session: SessionId.optional().meta({ description: "Only this session, even if it does not learn." }),
  compress: numeric(MIN_COMPRESS_TOKENS, MAX_COMPRESS_TOKENS)
    .optional()
    .meta({ description: "Tokens that a longer conversation is shortened to. Not for `preferences`." }),
  after: z.string().max(MAX_PLACE_CHARS).optional().meta({ description: "From the `Link` of the page before" }),
});

trajectories.openapi(
  createRoute({
    method: "get",
    path: "/v1/trajectories",
    operationId: "readTrajectories",
    scope: "admin",
    ...refuses("trajectories_not_allowed", "session_not_found", "bad_session_id", "bad_skill_name"),
    description:
      "One page of the profile's conversations as data to train on, as JSON lines; it may be empty. While there is more, `Link` has the next " +
      'page (`rel="next"`). `talaria-redactions` counts what was replaced in this page, `talaria-left-out` which sessions were left out and ' +
      "why; both are JSON. Refused until the profile has agreed (PUT /v1/trajectories/consent). Left out: sessions that do not learn, and " +
      "those in which somebody else wrote.",
    request: { query: TrajectoryQuery },
    responses: {
      200: { description: "JSON lines", content: { "application/x-ndjson": { schema: z.string() } } },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const asked = toAsked(query);
    const place = query.after === undefined ? TRAJECTORY_START : parsePlace(query.after);
    // Texts of skills are pairs, and of no session.
    const hasSkills = asked.format === "preferences" && asked.session === undefined;
    if (!place || (place.in === "skills" && !hasSkills))
      throw new AppError("query_invalid", "`after` is not the place of a page. Follow the `Link` of the page before.");
    const read = openTrajectoryReader(c.env, c.var.profile);
    const { lines, next, redactions, leftOut } = unwrap(await read(asked, place));
    const page = new Response(lines.map((line) => `${line}\n`).join(""), {
      headers: {
        "content-type": "application/x-ndjson",
        "talaria-redactions": JSON.stringify(redactions),
        "talaria-left-out": JSON.stringify(leftOut),
        ...(next && { link: `<${toNextPath(c.req.query(), formatPlace(next))}>; rel="next"` }),
      },
    });
    // The router takes the type of content for JSON.
    return page as never;
  },
);

trajectories.openapi(
  createRoute({
    method: "get",
    path: "/v1/trajectories/consent",
    operationId: "readTrajectoryConsent",
    description: "Reads whether the profile's conversations may leave as data to train on.",
    responses: describeResponses(200, "The consent", TrajectoryConsent),
  }),
  async (c) => c.json(presentConsent(await readConsent(c.env, c.var.profile)), 200),
);

trajectories.openapi(
  createRoute({
    method: "put",
    path: "/v1/trajectories/consent",
    operationId: "putTrajectoryConsent",
    scope: "admin",
    ...refuses("setting_too_large", "too_many_settings"),
    description:
      "Allows or forbids that the profile's conversations leave as data to train on. Off by default. A withdrawal holds from the next page of " +
      "an export; what has left cannot be called back.",
    request: { body: jsonBody(PutTrajectoryConsent) },
    responses: describeResponses(200, "Stored", TrajectoryConsent),
  }),
  async (c) => {
    const { env } = c;
    const { profile, principal } = c.var;
    const given = { allowed: c.req.valid("json").allowed, by: toActor(principal).name, now: Date.now() };
    const consent = toStoredConsent(await readConsent(env, profile), given);
    unwrap(await openAccount(env, profile).putSetting("trajectories", CONSENT_KEY, consent));
    forgetAcceptedKeys(profile);
    return c.json(presentConsent(consent), 200);
  },
);

function toAsked({
  format,
  successful,
  session,
  compress,
  ...rest
}: z.output<typeof TrajectoryQuery>): TrajectoryAsked {
  const { rated, tool, skill, since } = rest;
  if (format === "preferences" && compress !== undefined) {
    throw new AppError("query_invalid", "`compress` is for `sharegpt` and `openai`. Leave it out for `preferences`.");
  }
  const filter = { rated, tool, skill, since, ...(successful !== undefined && { successful: successful === "true" }) };
  return { format, filter, ...(session !== undefined && { session }), ...(compress !== undefined && { compress }) };
}

/** `sessions.<id>`: after this session. */
function formatPlace(place: TrajectoryPlace): string {
  return `${place.in}.${place.after ?? ""}`;
}

/** `null` for a text that is not a place. */
function parsePlace(text: string): TrajectoryPlace | null {
  const [section, after = ""] = text.split(".");
  return TrajectoryPlace.safeParse({ in: section, ...(after !== "" && { after }) }).data ?? null;
}

function toNextPath(query: Record<string, string>, after: string): string {
  return `/v1/trajectories?${new URLSearchParams({ ...query, after }).toString()}`;
}
