// A session whose model answers from a script, booted over a harness, for tests of one session. `createLearningSession` adds the
// stores of learning and what tests of observations ask of them.
import { expect } from "vitest";
import type { Result } from "../../../core/errors.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { NewSession } from "../../../core/session/engine.ts";
import type { Evidence } from "../../../core/schemas/skill.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { JUDGE } from "../skills/reviews.ts";
import { creation } from "../skills/skills.ts";
import { type ScriptLine, createScriptedModel } from "../wires/scripted-model.ts";
import { collect } from "./collect.ts";
import { type HarnessOptions, PROFILE, SESSION, createSessionHarness } from "./session-harness.ts";

export const view: ScriptLine = { calls: [{ name: "skill_view", args: { name: SKILL } }] };
export const write: ScriptLine = { calls: [{ name: "write_file", args: { path: "a.txt", content: "x" } }] };
export const done: ScriptLine = { text: "Done." };
/** No trigger for reviews, except for the one a test sets. */
export const quiet = { review: { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000 } };

export type SessionOptions = Partial<HarnessOptions> & { learning?: "on" | "off"; kind?: NewSession["kind"] };
export type LearningSession = Awaited<ReturnType<typeof createLearningSession>>;

/** The value of a result that must not be a failure. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

/** Lets pending promises run. */
export async function ticks(count = 300): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

export async function createScriptedSession(
  script: ScriptLine[],
  { learning = "on", kind, ...rest }: SessionOptions = {},
) {
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, ...rest });
  const life = harness.boot();
  const { engine } = life;
  await engine.create({ learning, title: "", ...(kind && { kind }) });
  return {
    ...harness,
    ...{ model, life, engine },
    async say(text: string) {
      expect(await engine.post({ text })).toMatchObject({ ok: true });
      await life.settled();
    },
    entries: (): Entry[] => must(engine.entries(0)),
  };
}

export async function createLearningSession(script: ScriptLine[], options: SessionOptions = {}) {
  const session = await createScriptedSession(script, { settings: quiet, ...options });
  const { bucket, clock, engine, life, sql, sent } = session;
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const evidence = createEvidenceStore({ bucket, profile: PROFILE, judge: JUDGE });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  const rows = () => sql.run<{ id: string }>("SELECT id FROM job ORDER BY id").map(({ id }) => id);
  const reviewsSent = () => [...new Set(sent.map(({ review }) => review))];
  return {
    ...session,
    ...{ skills, reviews, evidenceStore: evidence, rows, reviewsSent },
    async rate(n: number, rating: Parameters<typeof engine.rate>[1]) {
      const rated = await engine.rate(n, rating);
      await life.settled();
      return rated;
    },
    async learn(skill = SKILL, text = SKILL_MD, next: Parameters<typeof creation>[3] = {}) {
      await skills.change(creation(skill, text, `learn ${skill}`, next));
      return (await skills.head(skill))!.text;
    },
    observation: (n: number) => must(engine.observation(n)).observation,
    evidence: async (skill = SKILL) =>
      (await collect(evidence.list(skill))).map(({ turn, judge, nth, outcome }: Evidence) =>
        [turn.slice(SESSION.length + 1), judge, nth, outcome].join(" "),
      ),
    fullEvidence: () => collect(evidence.list(SKILL)),
    jobOf: async (at = 0) => (await reviews.job(reviewsSent()[at]!))!,
    notices: () => session.entries().filter((entry) => entry.kind === "notice"),
    /** Wakes the session as often as it asks, until no row with `prefix` is left. Returns how often, and how long it took. */
    async drain(prefix = "", most = 9) {
      const began = clock.now();
      let wakes = 0;
      for (; rows().some((id) => id.startsWith(prefix)) && wakes < most; wakes++) await life.wake();
      return { wakes, ms: clock.now() - began };
    },
    /** Wakes the session until another review was sent. */
    async nextReview() {
      const before = reviewsSent().length;
      for (let wakes = 0; reviewsSent().length === before && wakes < 9; wakes++) await life.wake();
    },
  };
}
