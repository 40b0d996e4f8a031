// The ledger of learning: what the profile has learned, whether it helps, what it cost and what it saved. Read only. Gathers
// the facts within limits; core/learning/ledger/ledger.ts computes the figures.
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { toLedger } from "../../../core/learning/ledger/ledger.ts";
import type { CurationStore, EvidenceStore, ReviewStore } from "../../../core/ports.ts";
import { type CurationId, DAY_MS, type ProfileId, SkillName, dayOf } from "../../../core/schemas/ids.ts";
import { LearningLedger } from "../../../core/schemas/learning/ledger.ts";
import type { Evidence, SkillIndex } from "../../../core/schemas/skill.ts";
import { countTokens } from "../../../core/schemas/usage.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError } from "../problems.ts";
import { describeResponses, createRouter, numeric, refuses } from "../router.ts";
import { openArchive } from "../sessions/session-rpc.ts";
import { openCuration, openEvidence, openPending, openReviews, openSkills } from "../stores.ts";
import { fetchUsage } from "../profiles/usage.ts";

export const learning = createRouter();

// Limits on the cost of one response: see docs/LIMITS.md.
const DEFAULT_PAGE = 20;
const MAX_PAGE = 50;
/** Learned skills whose evidence is listed, most recently used first. */
const MAX_COUNTED = 100;
const MAX_TURNS = 1_000;
const MAX_REVIEWS = 50;
const MAX_RUNS = 20;
/** Revisions in the history of one skill. `GET …/revisions` pages through all of them. */
const MAX_HISTORY = 100;
/** The account's ledger keeps entries for this long. */
const USAGE_DAYS = 400;

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
    const { skill, after, limit = DEFAULT_PAGE, by } = c.req.valid("query");
    const { env } = c;
    const { profile } = c.var;
    const skills = openSkills(env, profile);
    const archive = openArchive(env, profile);
    const found = await collect(skills.scan());
    const names = found.map(({ name }) => name).sort();
    if (skill !== undefined && !names.includes(skill)) {
      throw new AppError(
        "skill_not_found",
        `The profile has no skill of its own named ${skill}. List the skills with GET /v1/skills.`,
      );
    }
    const rest = names.filter((name) => after === undefined || name > after);
    const page = skill === undefined ? rest.slice(0, limit) : [skill];
    const counted = usedLast(found, await skills.index());

    const [turns, evidence, heads, reviews, pending, cost] = await Promise.all([
      archive.turnsOf({ limit: MAX_TURNS }),
      readEvidence(openEvidence(env, profile), [...new Set([...page, ...counted])]),
      mapLimit(page, MAX_CONNECTIONS, (name) => skills.head(name)),
      readReviews(openReviews(env, profile)),
      openPending(env, profile).list(),
      readCost(env, profile, Date.now()),
    ]);
    const described = await mapLimit(
      heads.filter((head) => head !== null),
      MAX_CONNECTIONS,
      async (head) => ({
        head,
        // Left out when the Archive cannot answer, as in a search.
        lift: await archive.liftOf(head.name, `${head.name} ${head.description}`, head.createdAt).catch(() => null),
        ...(skill !== undefined && { revisions: await skills.revisions(skill, { limit: MAX_HISTORY }) }),
      }),
    );
    const ledger = toLedger({
      turns,
      moreTurns: turns.length === MAX_TURNS,
      skills: found,
      evidence,
      page: described,
      pending,
      cost,
      reviews: reviews.lines,
      moreReviews: reviews.more,
      rules: parseEnvSettings(env).learning,
      ...(by && { by }),
      ...(skill === undefined && rest.length > limit && { next: page.at(-1)! }),
    });
    return c.json(ledger, 200);
  },
);

/** Names of learned skills, most recently used first according to the index. */
function usedLast(found: { name: SkillName; mirror: { origin: string } }[], { skills }: SkillIndex): SkillName[] {
  const lastUse = (name: SkillName) => skills[name]?.use?.lastUsedDay ?? "";
  return found
    .filter(({ mirror }) => mirror.origin !== "user" && mirror.origin !== "hub")
    .map(({ name }) => name)
    .toSorted((a, b) => Number(lastUse(a) < lastUse(b)) - Number(lastUse(a) > lastUse(b)))
    .slice(0, MAX_COUNTED);
}

async function readEvidence(store: EvidenceStore, names: SkillName[]): Promise<Map<SkillName, Evidence[]>> {
  return new Map(
    await mapLimit(names, MAX_CONNECTIONS, async (name) => [name, await collect(store.list(name))] as const),
  );
}

async function readReviews(store: ReviewStore) {
  const lines = await store.list();
  const newest = lines.slice(0, MAX_REVIEWS);
  return {
    more: lines.length > newest.length,
    lines: await mapLimit(newest, MAX_CONNECTIONS, async ({ review, state }) => ({
      state,
      outcome: state === "waiting" ? null : await store.outcome(review),
    })),
  };
}

/** Reviews book with the account. The cost of curation is in the curator's own records. */
async function readCost(env: Env, profile: ProfileId, now: number): Promise<LearningLedger["cost"]> {
  const [from, to] = [dayOf(now - (USAGE_DAYS - 1) * DAY_MS), dayOf(now)];
  const [{ lines }, curation] = await Promise.all([
    fetchUsage(env, profile, { from, to, by: "kind" }),
    readCuration(openCuration(env), profile),
  ]);
  const { calls = 0, tokens = 0, usd = 0 } = lines.find(({ key }) => key === "review") ?? {};
  return { from, to, review: { calls, tokens, usd }, curation };
}

async function readCuration(store: CurationStore, profile: ProfileId): Promise<LearningLedger["cost"]["curation"]> {
  const runs: CurationId[] = (await store.runs(profile)).slice(0, MAX_RUNS);
  const works = (await mapLimit(runs, MAX_CONNECTIONS, (run) => store.works(profile, run))).flat();
  const spent = works.flatMap((work) => work.spent);
  return {
    runs: runs.length,
    oldest: runs.at(-1) ?? null,
    calls: spent.reduce((sum, { calls }) => sum + calls, 0),
    tokens: spent.reduce((sum, { usage }) => sum + countTokens(usage), 0),
    usd: spent.reduce((sum, { cost }) => sum + cost.usdMicros, 0) / 1_000_000,
  };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
