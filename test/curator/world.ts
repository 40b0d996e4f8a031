// A world for curation: one bucket, one queue and one clock, and as many profiles as wanted, each with skills of any age.
import { runCuration, toHeadCheck } from "../../core/learning/run-curation.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext } from "../../core/ports.ts";
import type { CurationMessage } from "../../core/schemas/curation.ts";
import { type ProfileId, dayOf } from "../../core/schemas/ids.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { createSkillStore } from "../../stores/skill-store.ts";
import type { DeliverOptions } from "../../workers/curator/deliver.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/memory-bucket.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

export const DAY_MS = 24 * 60 * 60_000;

export function createWorld({ pageProfiles = 100 } = {}) {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const curation = createCurationStore({ bucket, pageProfiles });
  const random = createSeededRandom(7);
  const sent: { message: CurationMessage; delaySeconds: number }[] = [];
  const log: Record<string, unknown>[] = [];

  function profileOf(
    profile: ProfileId,
    over = bucket as Pick<typeof bucket, "get" | "getUnless" | "put" | "list" | "delete">,
  ) {
    const skills = createSkillStore({ bucket: over, profile, clock, random, swapMs: 10_000 });
    const evidence = createEvidenceStore({ bucket: over, profile });
    return { skills, evidence };
  }

  /** Creates a skill now. */
  async function addSkill(profile: ProfileId, name: string, over: Partial<SkillNext> = {}): Promise<void> {
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
    const made = await profileOf(profile).skills.change({
      name,
      op: `make ${name}`,
      since: 0,
      decide: () => ({ ok: true, value: next }),
    });
    if (!made.ok) throw new Error(made.failure.message);
  }

  /** The profile is active on each of the next days, and nothing else happens. */
  async function liveDays(profile: ProfileId, days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY_MS);
      await profileOf(profile).evidence.markActive(dayOf(clock.now()));
    }
  }

  function run(
    profile: ProfileId,
    id: string,
    over: { dryRun?: boolean; bucket?: Parameters<typeof profileOf>[1] } = {},
  ) {
    const stores = profileOf(profile, over.bucket ?? bucket);
    return runCuration({
      ...stores,
      profile,
      run: id,
      dryRun: over.dryRun ?? false,
      curation: over.bucket ? createCurationStore({ bucket: over.bucket, pageProfiles }) : curation,
      checkHead: toHeadCheck({}, DEFAULTS.skills),
      clock,
      settings: DEFAULTS,
    });
  }

  const options: DeliverOptions = {
    curation,
    queue: { send: async (message, { delaySeconds = 0 } = {}) => void sent.push({ message, delaySeconds }) },
    run: (profile, id, dryRun) => run(profile, id, { dryRun }),
    clock,
    random,
    log: (line) => void log.push(line),
  };

  return { clock, bucket, curation, sent, log, options, profileOf, addSkill, liveDays, run };
}

export type World = ReturnType<typeof createWorld>;

export async function statesOf(world: World, profile: ProfileId): Promise<Record<string, string>> {
  const { skills } = (await world.profileOf(profile).skills.index()) ?? {};
  return Object.fromEntries(Object.entries(skills).map(([name, line]) => [name, line.state]));
}
