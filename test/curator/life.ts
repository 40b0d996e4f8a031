// The life of one skill on real stores: what turns, models, people and curations do to it, in the terms of the state table.
// Used by states.test.ts.
import { expect } from "vitest";
import { readOutcome } from "../../core/agent/tool-result.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { SkillNext, SkillSnapshot } from "../../core/ports.ts";
import type { CurationRun } from "../../core/schemas/learning/curation.ts";
import { type CurationId, toCurationId } from "../../core/schemas/ids.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import type { EvidenceInput, Outcome, SkillHead, SkillState } from "../../core/schemas/skill.ts";
import type { CheckResult, RunChecks } from "../../core/skills/checks.ts";
import { createLibrary } from "../../core/skills/library.ts";
import type { Writer } from "../../core/skills/edit/operations.ts";
import { createAskingSkillManage } from "../../core/tools/approval/approval.ts";
import { createPendingDesk } from "../../core/tools/approval/pending-desk.ts";
import { createSkillManage } from "../../core/tools/skills/skill-manage.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { skillMd } from "../skills/skill-md.ts";
import { createWorld, meet, use } from "./world.ts";

export const NAME = "reading-tables";
export const OTHER = "adding-columns";

export type Life = Awaited<ReturnType<typeof createLife>>;

/** The skill was made by a review, seen by a curation, and is in the given state. */
export async function createLife(state: SkillState, over: Partial<SkillNext> = {}) {
  const world = createWorld();
  const profile = newProfileId();
  const { skills, evidence } = world.profileOf(profile);
  const kv = createMemoryKv({ clock: world.clock });
  const { clock, settings } = world;
  let runs = 0;
  let ops = 0;
  let checks: CheckResult[] = [];
  const runChecks: RunChecks = async () => checks;
  const library = createLibrary({ store: skills, seeds: {} });
  const pending = createPendingStore({ bucket: world.bucket, profile, clock, random: () => 0.5 });

  async function add(name: string, next: Partial<SkillNext> = {}): Promise<void> {
    const description = next.description ?? `What to know of ${name}.`;
    await world.addSkill(profile, name, {
      files: { "SKILL.md": skillMd({ name, description }) },
      ...{ description, state: "trial", ...next },
    });
  }

  async function head(name = NAME): Promise<SkillHead> {
    return (await skills.head(name))!;
  }

  /** Applies a person's decision to the fresh head, as the API does. */
  async function person(decide: (current: SkillSnapshot | null) => Result<SkillNext>, name = NAME): Promise<void> {
    const since = (await skills.head(name))?.rev ?? 0;
    ops += 1;
    const changed = await skills.change({ name, op: `api:${ops}`, since, decide });
    if (!changed.ok) throw new Error(changed.failure.message);
  }

  async function call(tool: ReturnType<typeof createSkillManage>, args: JsonObject): Promise<JsonObject> {
    ops += 1;
    const prepared = (await tool.prepare?.(args as never)) ?? {};
    const context = { op: `turn.${ops}`, prepared, signal: new AbortController().signal };
    return readOutcome(await tool.run(args as never, context));
  }

  return {
    ...{ world, profile, skills, evidence, library, add, head, person, settings },
    /** Returns the code of a refusal, if any. */
    async write(origin: Writer, args: JsonObject, waits = false): Promise<JsonObject> {
      const options = { library, store: skills, origin, settings };
      const manage = waits
        ? createAskingSkillManage(
            { ...options, settings: { ...settings, skills: { ...settings.skills, writeApproval: true } } },
            { pending, clock },
          )
        : createSkillManage(options);
      return call(manage, args);
    },
    /** Makes a small change to the skill's text. */
    async patch(origin: Writer, waits = false) {
      const args = {
        action: "patch",
        name: NAME,
        old_string: `Steps of ${NAME}.`,
        new_string: "Look first, then read.",
      };
      return this.write(origin, args, waits);
    },
    async edit(word: string): Promise<void> {
      const files = { "SKILL.md": skillMd({ name: NAME, description: `What to know of ${NAME}.`, extra: word }) };
      await person(() => ok({ files, state: "active", origin: "user", citations: [] }));
    },
    approve: async (id: string) => {
      const memory = createMemoryStore({ kv, profile, clock, overlayMs: 0 });
      return createPendingDesk({ pending, skills, memory, seeds: {}, settings, clock }).decide(id, true);
    },
    used: (outcomes: Outcome[], more: Partial<EvidenceInput> = {}) => use(world, profile, NAME, outcomes, more),
    live: (days: number) => world.liveDays(profile, days),
    breaks(what: string | null): void {
      const broken = { check: "checks/reads.json", ok: false, runnable: true, why: what ?? "", output: "" };
      checks = what === null ? [] : [broken];
    },
    /** Runs today's curation and returns its report. */
    async curate(order: { undoes?: CurationId; settings?: typeof settings } = {}): Promise<CurationRun> {
      runs += 1;
      clock.advance(1_000);
      const run = toCurationId(clock.now(), () => (runs % 36) / 36);
      expect(await world.run(profile, run, { runChecks, settings, ...order })).toBe("done");
      return (await world.curation.report(profile, run))!.run;
    },
    async begin(): Promise<void> {
      await add(NAME, { state, ...over });
      await meet(world, profile);
    },
  };
}

/** In the terms of the table: the state, and anything else that changed. */
export async function describeSkill(life: Life, over: Partial<SkillNext> = {}): Promise<string> {
  const { state, rev, origin, pinned, reason } = await life.head();
  return [
    state,
    ...(rev > 1 ? [`rev ${rev}`] : []),
    ...(origin === (over.origin ?? "review") ? [] : [origin]),
    ...(pinned ? ["pinned"] : []),
    ...(reason?.startsWith("absorbed into") ? [reason] : []),
  ].join(", ");
}

export function pin(pinned: boolean) {
  return (current: SkillSnapshot | null): Result<SkillNext> =>
    current ? ok({ pinned }) : err("none", "There is none.");
}

export function archive(current: SkillSnapshot | null): Result<SkillNext> {
  return current ? ok({ state: "archived", reason: "Archived by a person." }) : err("none", "There is none.");
}
