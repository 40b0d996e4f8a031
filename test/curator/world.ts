// A world for curation: one bucket, one queue and one clock, with any number of profiles and skills of any age.
import { ok } from "../../core/errors.ts";
import { runWork } from "../../core/learning/curation/work/run-work.ts";
import { toHeadCheck } from "../../core/learning/curation/head-check.ts";
import { runCuration } from "../../core/learning/curation/run-curation.ts";
import type { CurationOptions } from "../../core/learning/curation/run-options.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext } from "../../core/ports.ts";
import type { CurationMessage, WorkId } from "../../core/schemas/learning/curation.ts";
import { type ProfileId, dayOf, toCurationId } from "../../core/schemas/ids.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { REQUESTS_FILE } from "../../core/schemas/skill-requests.ts";
import type { EvidenceInput, Outcome } from "../../core/schemas/skill.ts";
import type { RunChecks } from "../../core/skills/checks.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import type { DeliverOptions } from "../../workers/curator/deliver.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { type MemoryBucket, createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { type ScriptLine, type ScriptedModel, createScriptedModel } from "../support/wires/scripted-model.ts";
import { SESSION } from "../learning/sample.ts";
import { byStep } from "../review/world.ts";

export const DAY_MS = 24 * 60 * 60_000;

/** Without a grant, no work is assigned to a model. */
export function createWorld(given: { pageProfiles?: number; grantTokens?: number } = {}) {
  const clock = createTestClock();
  return openWorld(given, clock, createMemoryBucket({ clock }));
}

function openWorld({ pageProfiles = 100, grantTokens = 0 }, clock: TestClock, bucket: MemoryBucket) {
  const curation = createCurationStore({ bucket, pageProfiles });
  const random = createSeededRandom(7);
  const sent: { message: CurationMessage; delaySeconds: number }[] = [];
  const log: Record<string, unknown>[] = [];

  function profileOf(
    profile: ProfileId,
    over = bucket as Pick<typeof bucket, "get" | "getUnless" | "put" | "list" | "delete">,
  ) {
    const skills = createSkillStore({ bucket: over, profile, clock, random, swapMs: 10_000 });
    const evidence = createEvidenceStore({ bucket: over, profile, judge: toJudge(DEFAULTS.learning) });
    return { skills, evidence, reviews: createReviewStore({ bucket: over, profile }) };
  }

  /** Creates a skill now. `isBare`: without requests, so that a run would ask a model for them. */
  async function addSkill(
    profile: ProfileId,
    name: string,
    { isBare = false, ...over }: Partial<SkillNext> & { isBare?: boolean } = {},
  ): Promise<void> {
    const text = `---\nname: ${name}\ndescription: All about ${name}.\n---\n`;
    const next: SkillNext = {
      files: { "SKILL.md": text },
      description: `All about ${name}.`,
      category: "general",
      state: "trial",
      origin: "review",
      citations: [],
      ...over,
    };
    if (!isBare) next.files = { ...next.files, [REQUESTS_FILE]: `what about ${name}\n` };
    const made = await profileOf(profile).skills.change({
      name,
      op: `make ${name}`,
      since: 0,
      decide: () => ({ ok: true, value: next }),
    });
    if (!made.ok) throw new Error(made.failure.message);
  }

  /** Makes the profile active on each of the next days, and does nothing else. */
  async function liveDays(profile: ProfileId, days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY_MS);
      await profileOf(profile).evidence.markActive(dayOf(clock.now()));
    }
  }

  interface Over {
    dryRun?: boolean;
    bucket?: Parameters<typeof profileOf>[1];
    consolidate?: boolean;
    undoes?: string;
    allowance?: CurationOptions["allowance"];
    runChecks?: RunChecks;
    settings?: Settings;
  }

  function run(
    profile: ProfileId,
    id: string,
    { dryRun = false, bucket: over, settings = world.settings, ...rest }: Over = {},
  ) {
    return runCuration({
      ...profileOf(profile, over ?? bucket),
      ...{ profile, run: id, dryRun, settings, clock, ...rest },
      curation: over ? createCurationStore({ bucket: over, pageProfiles }) : curation,
      work: { queue, seeds: {} },
      checkHead: toHeadCheck({}, settings.skills),
    });
  }

  /** Does a piece of work. `lines` is the model's script, one line for each step of the conversation. */
  function work(
    profile: ProfileId,
    id: string,
    name: WorkId,
    lines: ScriptLine[],
    { bucket: over, settings = world.settings, runChecks }: Over = {},
  ) {
    const model = createScriptedModel(byStep(lines));
    world.models.push(model);
    return runWork({
      ...profileOf(profile, over ?? bucket),
      ...{ profile, run: id, work: name, seeds: {}, settings, clock, random, runChecks },
      curation: over ? createCurationStore({ bucket: over, pageProfiles }) : curation,
      models: () => ok([model]),
      signal: new AbortController().signal,
    });
  }

  const queue: DeliverOptions["queue"] = {
    send: async (message, { delaySeconds = 0 } = {}) => void sent.push({ message, delaySeconds }),
  };
  const options: DeliverOptions = {
    curation,
    queue,
    run: (profile, id, dryRun, order) => run(profile, id, { dryRun, ...order }),
    clock,
    random,
    log: (line) => void log.push(line),
  };

  /** The same stores, time, messages and requests. What happens later to one world does not show in the other. */
  function copy(): World {
    const ofCopy = createTestClock(clock.now());
    const copied = openWorld({ pageProfiles, grantTokens }, ofCopy, bucket.copy(ofCopy));
    copied.sent.push(...sent);
    copied.models.push(
      ...world.models.map(({ requests }) => ({ ...createScriptedModel([]), requests: [...requests] })),
    );
    copied.uses = world.uses;
    return copied;
  }

  /**
   * Does the work, and copies the world before its first write and after each. A kill anywhere leaves the stores as one of these
   * copies, because reads change nothing. In each copy the lease has expired.
   */
  async function copyAtWrites(work: () => Promise<unknown>): Promise<World[]> {
    const killed = [copy()];
    bucket.onChange = () => void killed.push(copy());
    await work();
    bucket.onChange = undefined;
    for (const one of killed) one.clock.advance(DEFAULTS.curation.leaseMs + 1_000);
    return killed;
  }

  const world = {
    ...{ copy, copyAtWrites, clock, bucket, curation, sent, log, options, profileOf, addSkill, liveDays, run, work },
    settings: { ...DEFAULTS, curation: { ...DEFAULTS.curation, grantTokens } },
    /** The model of each piece of work, in order. */
    models: [] as ScriptedModel[],
    uses: 0,
  };
  return world;
}

export type World = ReturnType<typeof openWorld>;

export async function statesOf(world: World, profile: ProfileId): Promise<Record<string, string>> {
  const { skills } = (await world.profileOf(profile).skills.index()) ?? {};
  return Object.fromEntries(Object.entries(skills).map(([name, line]) => [name, line.state]));
}

/** Runs a first curation, which sees the profile's skills: from now on they age. */
export async function meet(world: World, profile: ProfileId): Promise<void> {
  await world.run(
    profile,
    toCurationId(world.clock.now(), () => 0.5),
  );
}

/** Adds past turns that used a skill's current text, one for each outcome. */
export async function use(
  world: World,
  profile: ProfileId,
  name: string,
  outcomes: Outcome[],
  over: Partial<EvidenceInput> = {},
): Promise<void> {
  const { skills, evidence } = world.profileOf(profile);
  const { text } = (await skills.head(name))!;
  for (const outcome of outcomes) {
    world.uses += 1;
    await evidence.put({
      ...{ v: 2, skill: name, text, turn: `${SESSION}-${world.uses}`, judge: "exit", outcome },
      ...{ day: dayOf(world.clock.now()), at: world.clock.now() + world.uses, task: `task ${world.uses}` },
      ...{ modelCalls: 2, toolCalls: 1, failedCalls: 0 },
      ...over,
    });
  }
}
