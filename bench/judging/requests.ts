// Lets a model write requests for skills that have none. Each batch runs the product's own curation work (prompt, loop, tools and
// rules) over an in-memory library that holds only that batch.
import type { Model } from "../../core/agent/contract.ts";
import { messageOf, ok } from "../../core/errors.ts";
import { runWork } from "../../core/learning/curation/work/run-work.ts";
import { SKILLS_PER_CALL, WORK_TOKENS } from "../../core/learning/curation/work/work.ts";
import { withFailureListener } from "../../core/learning/script/script-run.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { DEFAULTS, FIXED } from "../../core/limits.ts";
import type { SkillStore } from "../../core/ports.ts";
import { toWorkId } from "../../core/schemas/learning/curation.ts";
import { textOrEmpty } from "../../core/schemas/file-body.ts";
import { DAY_MS, toCurationId } from "../../core/schemas/ids.ts";
import { REQUESTS_FILE } from "../../core/schemas/skill-requests.ts";
import { SKILL_MD } from "../../core/skills/format/format.ts";
import { validateSkill } from "../../core/skills/format/validate.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createBenchBucket } from "../learning/platform/bucket.ts";
import type { BenchSkill } from "../skills/bench-skill.ts";
import { openSearch, toSkillMd } from "../skills/search.ts";
import type { QueryRow } from "./rows.ts";

/**
 * The most skills given to a model: twenty batches. At an estimated ten minutes per batch (1.5 billion parameters on two cores)
 * this takes three to four hours. A whole library of 1,200 skills would take most of a day.
 */
export const MAX_SKILLS = 20 * SKILLS_PER_CALL;

/**
 * Selects skills named by a query first, then those that the search finds for the queries, then the rest in library order.
 * Found skills compete with the named ones: requests for the named skills alone would flatter the figures.
 */
export async function selectSkills(queries: readonly QueryRow[], skills: BenchSkill[]): Promise<BenchSkill[]> {
  if (skills.length <= MAX_SKILLS) return skills;
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const search = await openSearch(skills);
  const found = await Promise.all(queries.map(({ query }) => search(query)));
  const byRank = Array.from({ length: MAX_SKILLS }, (_, rank) => found.flatMap((names) => names[rank] ?? [])).flat();
  const names = new Set([...queries.flatMap(({ name }) => name ?? []), ...byRank, ...byName.keys()]);
  return [...names].flatMap((name) => byName.get(name) ?? []).slice(0, MAX_SKILLS);
}

export interface WrittenRequests {
  /** Request files by skill. A skill without requests is absent. */
  files: Map<string, string>;
  /** One line per failed call, refused write, skill that was not stored, and batch without a result. */
  failures: string[];
}

/** `onBatch` is called after each batch with the number of skills so far. */
export async function writeRequests(
  model: Model,
  skills: readonly BenchSkill[],
  onBatch: (done: number, of: number) => void,
): Promise<WrittenRequests> {
  const files = new Map<string, string>();
  const failures: string[] = [];
  for (let at = 0; at < skills.length; at += SKILLS_PER_CALL) {
    const batch = skills.slice(at, at + SKILLS_PER_CALL);
    try {
      for (const [name, file] of await runBatch(model, batch, failures)) files.set(name, file);
    } catch (thrown) {
      failures.push(`batch of ${batch[0]!.name}: ${messageOf(thrown)}`);
    }
    onBatch(Math.min(skills.length, at + SKILLS_PER_CALL), skills.length);
  }
  return { files, failures };
}

const PROFILE = "0123456789abcdefghjkmnpqrs";
/** Limit for the model's final text in a failure line. */
const SHOWN_CHARS = 200;
/** In the product, a further delivery continues a run that reached its time limit. The bench has none, so a run may take a day. */
const SETTINGS = { ...DEFAULTS, review: { ...DEFAULTS.review, runMs: DAY_MS } };

async function runBatch(model: Model, batch: readonly BenchSkill[], failures: string[]): Promise<[string, string][]> {
  const place = { bucket: createBenchBucket(systemClock), profile: PROFILE };
  const run = toCurationId(systemClock.now(), Math.random);
  const work = toWorkId("requests");
  const curation = createCurationStore({ bucket: place.bucket, pageProfiles: 1 });
  const skills = createSkillStore({
    ...place,
    clock: systemClock,
    random: Math.random,
    swapMs: SETTINGS.skills.swapMs,
  });
  const names = await storeSkills(skills, batch, failures);
  const grant = { tokens: WORK_TOKENS, expiresAt: systemClock.now() + DAY_MS };
  const item = { work, skills: names, because: "they have no requests", grant };
  await curation.putPlan({
    v: 1,
    run,
    profile: PROFILE,
    at: systemClock.now(),
    dryRun: false,
    moves: [],
    work: [item],
  });
  const end = await runWork({
    ...{ profile: PROFILE, run, work, curation, skills, seeds: {}, settings: SETTINGS },
    evidence: createEvidenceStore({ ...place, judge: toJudge(SETTINGS.learning) }),
    reviews: createReviewStore(place),
    models: () => ok([withFailureListener(model, ({ message }) => failures.push(`call for requests: ${message}`))]),
    ...{ clock: systemClock, random: Math.random, signal: new AbortController().signal },
  });
  if (end.state === "failed") failures.push(`batch of ${names[0]}: ${end.failure.message}`);
  if (end.state === "finished") {
    const { state, note, refused } = end.result;
    for (const { tool, message } of refused) failures.push(`${tool} refused: ${message}`);
    if (state === "left") failures.push(`batch of ${names[0]}: nothing written. ${note.slice(0, SHOWN_CHARS)}`);
  }
  const written: [string, string][] = [];
  for (const name of names) {
    const file = textOrEmpty((await skills.open(name))?.files[REQUESTS_FILE]);
    if (file !== "") written.push([name, file]);
  }
  return written;
}

/** Stores the batch as learned skills, because curation writes requests only for those. Returns the names that were stored. */
async function storeSkills(store: SkillStore, batch: readonly BenchSkill[], failures: string[]): Promise<string[]> {
  const names: string[] = [];
  for (const skill of batch) {
    const { name } = skill;
    const description = skill.description.slice(0, FIXED.descriptionChars).toWellFormed();
    const files = { [SKILL_MD]: withSections(name, toSkillMd({ ...skill, description })) };
    const next = { files, description, category: "general", state: "active", origin: "review" } as const;
    try {
      const stored = await store.change({ name, op: "bench", since: 0, decide: () => ok({ ...next, citations: [] }) });
      if (stored.ok) names.push(name);
      else failures.push(`${name} was not stored: ${stored.failure.message}`);
    } catch (thrown) {
      failures.push(`${name} was not stored: ${messageOf(thrown)}`);
    }
  }
  return names;
}

/** Adds missing sections. Curation refuses to change a learned skill without them, and people's skills may lack them. */
function withSections(name: string, skillMd: string): string {
  const files = { [SKILL_MD]: skillMd };
  const valid = validateSkill({ name, files, maxFiles: 1, writer: "model", currentFiles: files });
  const missing = valid.ok ? [] : ((valid.failure.facts?.missing ?? []) as string[]);
  return [skillMd, ...missing.map((section) => `## ${section}\n\nNothing noted.`)].join("\n\n");
}
