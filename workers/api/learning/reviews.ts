// Reviews of the profile's sessions: what they looked at, learned and gave up. Read only.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { ReviewStore } from "../../../core/ports.ts";
import { ReviewDetail, ReviewLineList } from "../../../core/schemas/api.ts";
import { ReviewId, SessionId } from "../../../core/schemas/ids.ts";
import type { ReviewDead, ReviewJob, ReviewResult } from "../../../core/schemas/learning/review.ts";
import { countTokens } from "../../../core/schemas/usage.ts";
import { descending, pageQuery, toPage } from "../pages.ts";
import { AppError } from "../problems.ts";
import { describeResponses, createRouter, refuses } from "../router.ts";
import { openReviews } from "../stores.ts";

export const reviews = createRouter();

/** Every finished review on a page costs one read. */
const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

/** Both numbers at their longest: a longer id would not fit into a key. */
const MAX_REVIEW_ID_CHARS = 60;
const ReviewParams = z.object({ review: ReviewId.max(MAX_REVIEW_ID_CHARS, "no review id is that long") });

reviews.openapi(
  createRoute({
    method: "get",
    path: "/v1/reviews",
    operationId: "listReviews",
    description: "Lists the reviews of the profile.",
    request: {
      query: z.strictObject({ session: SessionId.optional(), ...pageQuery(MAX_PAGE, { usual: DEFAULT_PAGE }) }),
    },
    responses: describeResponses(200, "Reviews, newest first", ReviewLineList),
  }),
  async (c) => {
    const { session, after, limit } = c.req.valid("query");
    const store = openReviews(c.env, c.var.profile);
    const lines = (await store.list(session)).map((line) => ({
      ...line,
      place: `${descending(line.at)}.${line.review}`,
    }));
    const { page, next } = toPage(lines.toSorted(byPlace), { after, limit, sortKey: ({ place }) => place });
    const reviews: DescribedReview[] = [];
    for (const line of page) reviews.push(await describe(store, line));
    return c.json({ reviews, ...(next !== undefined && { next }) }, 200);
  },
);

reviews.openapi(
  createRoute({
    method: "get",
    path: "/v1/reviews/{review}",
    operationId: "readReview",
    ...refuses("review_not_found"),
    description: "Reads a review: why it started, what it was shown, what it did and what it cost.",
    request: { params: ReviewParams },
    responses: describeResponses(200, "The review", ReviewDetail),
  }),
  async (c) => {
    const { review } = c.req.valid("param");
    const store = openReviews(c.env, c.var.profile);
    const [job, outcome] = await Promise.all([store.job(review), store.outcome(review)]);
    if (!job && !outcome) throw new AppError("review_not_found", "This profile has no review of that id.");
    const result = outcome && isResult(outcome) ? outcome : null;
    const dead = outcome && !isResult(outcome) ? outcome : null;
    const state: ListedReview["state"] = result?.state ?? (dead ? "dead" : "waiting");
    return c.json({ review, state, job: job && withoutPrefix(job), result, dead }, 200);
  },
);

/** Left out: it repeats the session's entries in the provider's format. */
function withoutPrefix({ prefix: _prefix, ...job }: ReviewJob): ReviewJob {
  return job;
}

function byPlace(a: { place: string }, b: { place: string }): number {
  return a.place < b.place ? -1 : 1;
}

type ListedReview = Awaited<ReturnType<ReviewStore["list"]>>[number];

type DescribedReview = z.input<typeof ReviewLineList>["reviews"][number];

async function describe(store: ReviewStore, { review, state, at }: ListedReview): Promise<DescribedReview> {
  const line = { review, state, at };
  const outcome = line.state === "waiting" ? null : await store.outcome(line.review);
  if (!outcome) return line;
  if (!isResult(outcome)) return { ...line, summary: outcome.message };
  const { summary, trigger, lessons, refused, modelCalls, usage, spent = [] } = outcome;
  const usd = spent.reduce((sum, { cost }) => sum + cost.usdMicros, 0) / 1_000_000;
  return {
    ...{ ...line, summary, trigger, lessons, refused: refused.length },
    spent: { calls: modelCalls, tokens: countTokens(usage), usd },
  };
}

function isResult(outcome: ReviewResult | ReviewDead): outcome is ReviewResult {
  return "summary" in outcome;
}
