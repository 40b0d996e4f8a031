// The ledger of learning: what the profile has learned, whether it helps, what it cost and what it saved. Read only. core/learning/ledger/
// gathers the facts and computes the figures.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { readLedger } from "../../../core/learning/ledger/read-ledger.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { LearningLedger } from "../../../core/schemas/learning/ledger.ts";
import { openExperiments } from "../../../wiring/experiments.ts";
import { parseEnvSettings } from "../env.ts";
import { unwrap } from "../problems.ts";
import { describeResponses, createRouter, numeric, refuses } from "../router.ts";
import { openArchive } from "../sessions/session-rpc.ts";
import { openCuration, openEvidence, openPending, openReviews, openSkills } from "../stores.ts";
import { fetchUsage } from "../profiles/usage.ts";

export const learning = createRouter();

/** Entries of one page. */
const MAX_PAGE = 50;

learning.openapi(
  createRoute({
    method: "get",
    path: "/v1/learning",
    operationId: "readLearning",
    ...refuses("skill_not_found"),
    description:
      "Reports whether learning helps, from the newest thousand turns and the newest fifty reviews. `skills` is one page, " +
      "ordered by name: ask for more with `after`. `skill` selects one skill and adds its history. `by` groups the turns over time.",
    request: {
      query: z.strictObject({
        skill: SkillName.optional(),
        after: SkillName.optional(),
        limit: numeric(1, MAX_PAGE).optional(),
        by: z.enum(["day", "week"]).optional(),
      }),
    },
    responses: describeResponses(
      200,
      "What was learned, whether it helps, what it cost and what it saved",
      LearningLedger,
    ),
  }),
  async (c) => {
    const { env } = c;
    const { profile } = c.var;
    const archive = openArchive(env, profile);
    const ledger = unwrap(
      await readLedger(
        {
          ...{ profile, archive, skills: openSkills(env, profile), evidence: openEvidence(env, profile) },
          ...{ reviews: openReviews(env, profile), pending: openPending(env, profile), curation: openCuration(env) },
          usage: (asked) => fetchUsage(env, profile, asked),
          experiments: { sum: async (asked) => openExperiments(env, profile).sum(asked) },
          rules: parseEnvSettings(env).learning,
        },
        { ...c.req.valid("query"), now: Date.now() },
      ),
    );
    return c.json(ledger, 200);
  },
);
