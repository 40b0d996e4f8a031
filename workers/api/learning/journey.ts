// The journey of a profile: one time line of everything learned, corrected, withdrawn and merged, and the graph of where skills came from
// and which were used together. Read only. core/learning/journey/ finds the events.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import { readGraph } from "../../../core/learning/journey/read-graph.ts";
import { findMoments } from "../../../core/learning/journey/read-journey.ts";
import { Journey, JourneyAbout, LearningGraph } from "../../../core/schemas/learning/journey.ts";
import { descending, pageQuery, toPage } from "../pages.ts";
import { createRouter, describeResponses, numeric } from "../router.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import { openCuration, openMemory, openPending, openReviews, openSkills } from "../stores.ts";

export const journey = createRouter();

/** An event costs up to six reads. */
const MAX_PAGE = 50;

journey.openapi(
  createRoute({
    method: "get",
    path: "/v1/learning/journey",
    operationId: "listJourney",
    description:
      "Lists what was learned, corrected, withdrawn, merged, forgotten and decided. `about` selects one kind. Reviews, curations and " +
      "decisions go back as far as their records are kept. A page may hold fewer events than `limit` while `next` is present.",
    request: {
      query: z.strictObject({ about: JourneyAbout.optional(), ...pageQuery(MAX_PAGE, { usual: 30 }) }),
    },
    responses: describeResponses(200, "Events, newest first", Journey),
  }),
  async (c) => {
    const { env } = c;
    const { profile } = c.var;
    const { about, after, limit } = c.req.valid("query");
    const sources = {
      ...{ profile, skills: openSkills(env, profile), memory: openMemory(env, profile), curation: openCuration(env) },
      ...{ reviews: openReviews(env, profile), pending: openPending(env, profile) },
    };
    const { moments, cut } = await findMoments(sources, about);
    const placed = moments
      .map((moment) => ({ ...moment, place: `${descending(moment.at)}.${moment.id}` }))
      .toSorted((a, b) => (a.place < b.place ? -1 : 1));
    const { page, next } = toPage(placed, { after, limit, sortKey: ({ place }) => place });
    const events = (await mapLimit(page, MAX_CONNECTIONS, (moment) => moment.tell())).filter((event) => event !== null);
    return c.json({ events, cut, ...(next !== undefined && { next }) }, 200);
  },
);

/** Each skill is one object to read. */
const MAX_SKILLS = 200;
const DEFAULT_SKILLS = 100;

journey.openapi(
  createRoute({
    method: "get",
    path: "/v1/learning/graph",
    operationId: "readLearningGraph",
    description:
      "Reads which skills came from which sessions and which were used together, from the newest thousand turns. It shows the most used " +
      "skills, and the strongest two hundred connections of each kind.",
    request: {
      query: z.strictObject({
        skills: numeric(1, MAX_SKILLS)
          .default(DEFAULT_SKILLS)
          .meta({ description: `How many skills: 1 to ${MAX_SKILLS}, ${DEFAULT_SKILLS} without it.` }),
      }),
    },
    responses: describeResponses(200, "Skills, work, and how they are connected", LearningGraph),
  }),
  async (c) => {
    const { env } = c;
    const { profile } = c.var;
    const graph = await readGraph(
      {
        skills: openSkills(env, profile),
        turnsOf: (asked) => openArchive(env, profile).turnsOf(asked),
        findSessions: (sessions) => openAccount(env, profile).findSessions(sessions),
      },
      c.req.valid("query").skills,
    );
    return c.json(graph, 200);
  },
);
