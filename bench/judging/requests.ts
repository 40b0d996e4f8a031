// The requests that a model writes for skills that have none. Each portion is the product's own piece of curation work: its
// prompt, loop, tools and rules, over a library of that portion in memory.
import type { Model } from "../../core/agent/contract.ts";
import { messageOf, ok } from "../../core/errors.ts";
import { runWork } from "../../core/learning/curation/run-work.ts";
import { SKILLS_A_CALL, WORK_TOKENS } from "../../core/learning/curation/work.ts";
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
import { createCurationStore } from "../../stores/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createBenchBucket } from "../learning/platform/bucket.ts";
import type { BenchSkill } from "../skills/bench-skill.ts";
import { openSearch, toSkillMd } from "../skills/search.ts";
import type { QueryRow } from "./rows.ts";

/**
 * Most skills that a model is asked for: twenty portions. At an estimated ten minutes a portion (a model with 1.5 billion
 * parameters on two cores) that is three to four hours; all of a library of 1,200 skills would take most of a day.
 */
export const MAX_ASKED = 20 * SKILLS_A_CALL;

/**
 * Skills that a query names come first, then those that the search finds for the queries: they compete with the named ones, and
 * requests for named skills alone would flatter the figures. Then the rest, in the library's order.
 */
export async function chooseAsked(queries: readonly QueryRow[], skills: BenchSkill[]): Promise<BenchSkill[]> {
  if (skills.length <= MAX_ASKED) return skills;
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const search = await openSearch(skills);
  const found = await Promise.all(queries.map(({ query }) => search(query)));
  const byRank = Array.from({ length: MAX_ASKED }, (_, rank) => found.flatMap((names) => names[rank] ?? [])).flat();
  const names = new Set([...queries.flatMap(({ name }) => name ?? []), ...byRank, ...byName.keys()]);
  return [...names].flatMap((name) => byName.get(name) ?? []).slice(0, MAX_ASKED);
}

export interface WrittenRequests {
  /** Files of requests by skill. Absent: the skill got none. */
  files: Map<string, string>;
  /** A line for each failed call, refused write, skill that was not stored, and portion without a result. */
  failures: string[];
}

/** `onPortion`: told after each portion how many skills were asked for. */
export async function writeRequests(
  model: Model,
  skills: readonly BenchSkill[],
  onPortion: (done: number, of: number) => void,
): Promise<WrittenRequests> {
  const files = new Map<string, string>();
  const failures: string[] = [];
  for (let at = 0; at < skills.length; at += SKILLS_A_CALL) {
    const portion = skills.slice(at, at + SKILLS_A_CALL);
    try {
      for (const [name, file] of await askPortion(model, portion, failures)) files.set(name, file);
    } catch (thrown) {
      failures.push(`portion of ${portion[0]!.name}: ${messageOf(thrown)}`);
    }
    onPortion(Math.min(skills.length, at + SKILLS_A_CALL), skills.length);
  }
  return { files, failures };
}

const PROFILE = "0123456789abcdefghjkmnpqrs";
/** Of a model's last words. */
const SHOWN_CHARS = 200;
/** In the product another delivery continues a run that has used its time. The bench has none, so its runs have a day. */
const SETTINGS = { ...DEFAULTS, review: { ...DEFAULTS.review, runMs: DAY_MS } };

async function askPortion(
  model: Model,
  portion: readonly BenchSkill[],
  failures: string[],
): Promise<[string, string][]> {
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
  const names = await storeSkills(skills, portion, failures);
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
  if (end.state === "failed") failures.push(`portion of ${names[0]}: ${end.failure.message}`);
  if (end.state === "finished") {
    const { state, note, refused } = end.result;
    for (const { tool, message } of refused) failures.push(`${tool} refused: ${message}`);
    if (state === "left") failures.push(`portion of ${names[0]}: nothing written. ${note.slice(0, SHOWN_CHARS)}`);
  }
  const written: [string, string][] = [];
  for (const name of names) {
    const file = textOrEmpty((await skills.open(name))?.files[REQUESTS_FILE]);
    if (file !== "") written.push([name, file]);
  }
  return written;
}

/** As skills that the agent learned: curation asks for no others. Returns the names of those that a library can hold. */
async function storeSkills(store: SkillStore, portion: readonly BenchSkill[], failures: string[]): Promise<string[]> {
  const names: string[] = [];
  for (const skill of portion) {
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

/** Curation changes no skill of a model's that lacks a section, and people's skills may lack them: each gets a line, at the end. */
function withSections(name: string, skillMd: string): string {
  const files = { [SKILL_MD]: skillMd };
  const valid = validateSkill({ name, files, maxFiles: 1, writer: "model", standing: files });
  const missing = valid.ok ? [] : ((valid.failure.facts?.missing ?? []) as string[]);
  return [skillMd, ...missing.map((section) => `## ${section}\n\nNothing noted.`)].join("\n\n");
}
