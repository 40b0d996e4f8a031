// Gathers the facts of the ledger of learning, within limits; ledger.ts computes the figures. Called by the API and by the Channels object.
// Reads only.
import { type Result, err, ok } from "../../errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../map-limit.ts";
import type { CurationStore, EvidenceStore, PendingStore, ReviewStore, SkillStore } from "../../ports.ts";
import { type CurationId, DAY_MS, type ProfileId, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { ExperimentSum } from "../../schemas/learning/experiment.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";
import type { LearningLedger } from "../../schemas/learning/ledger.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Evidence, SkillIndex } from "../../schemas/skill.ts";
import { type UsageAsked, type UsageReport, countTokens } from "../../schemas/usage.ts";
import { type LedgerFacts, toLedger } from "./ledger.ts";

// Limits on the cost of one response: see docs/LIMITS.md.
const DEFAULT_PAGE = 20;
/** Learned skills whose evidence is listed, most recently used first. */
const MAX_COUNTED = 100;
const MAX_TURNS = 1_000;
const MAX_REVIEWS = 50;
const MAX_RUNS = 20;
/** Revisions in the history of one skill. `GET …/revisions` pages through all of them. */
const MAX_HISTORY = 100;
/** The account's ledger keeps entries for this long. */
const USAGE_DAYS = 400;

export interface LedgerSources {
  profile: ProfileId;
  skills: Pick<SkillStore, "scan" | "index" | "head" | "revisions">;
  evidence: EvidenceStore;
  reviews: ReviewStore;
  pending: Pick<PendingStore, "list">;
  curation: CurationStore;
  archive: {
    turnsOf(asked: { limit: number }): Promise<TurnSignature[]>;
    liftOf(
      skill: SkillName,
      words: string,
      createdAt: number,
    ): Promise<NonNullable<LedgerFacts["page"][number]["lift"]>>;
  };
  usage(asked: UsageAsked): Promise<UsageReport>;
  /** Absent where their sum is not shown. */
  experiments?: { sum(asked: { since: number }): Promise<ExperimentSum> };
  rules: Settings["learning"];
}

export interface AskedLedger {
  now: number;
  /** One skill, with its history. */
  skill?: SkillName | undefined;
  after?: SkillName | undefined;
  limit?: number | undefined;
  by?: "day" | "week" | undefined;
}

/** Failure: `skill_not_found`. */
export async function readLedger(sources: LedgerSources, asked: AskedLedger): Promise<Result<LearningLedger>> {
  const { now, skill, after, limit = DEFAULT_PAGE, by } = asked;
  const { skills, archive } = sources;
  const found = await collect(skills.scan());
  const names = found.map(({ name }) => name).sort();
  if (skill !== undefined && !names.includes(skill)) {
    return err(
      "skill_not_found",
      `The profile has no skill of its own named ${skill}. List the skills with GET /v1/skills.`,
    );
  }
  const rest = names.filter((name) => after === undefined || name > after);
  const page = skill === undefined ? rest.slice(0, limit) : [skill];
  const counted = usedLast(found, await skills.index());

  const [turns, evidence, heads, reviews, pending, cost, experiments] = await Promise.all([
    archive.turnsOf({ limit: MAX_TURNS }),
    readEvidence(sources.evidence, [...new Set([...page, ...counted])]),
    mapLimit(page, MAX_CONNECTIONS, (name) => skills.head(name)),
    readReviews(sources.reviews),
    sources.pending.list(),
    readCost(sources, now),
    // Left out when the object cannot answer.
    sources.experiments?.sum({ since: now - USAGE_DAYS * DAY_MS }).catch(() => null) ?? null,
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
  return ok(
    toLedger({
      turns,
      moreTurns: turns.length === MAX_TURNS,
      skills: found,
      evidence,
      page: described,
      pending,
      cost,
      experiments,
      reviews: reviews.lines,
      moreReviews: reviews.more,
      rules: sources.rules,
      ...(by && { by }),
      ...(skill === undefined && rest.length > limit && { next: page.at(-1)! }),
    }),
  );
}

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
async function readCost(
  { usage, curation: store, profile }: LedgerSources,
  now: number,
): Promise<LearningLedger["cost"]> {
  const [from, to] = [dayOf(now - (USAGE_DAYS - 1) * DAY_MS), dayOf(now)];
  const [{ lines }, curation] = await Promise.all([usage({ from, to, by: "kind" }), readCuration(store, profile)]);
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
