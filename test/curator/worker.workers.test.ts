// The wiring of the curator Worker over real R2: from the markers of a past day to a report.
import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import type { Env } from "../../workers/curator/env.ts";
import worker from "../../workers/curator/index.ts";
import { toCurationId } from "../../core/schemas/ids.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { skillMd } from "../skills/skill-md.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { JUDGE } from "../support/skills/reviews.ts";

const { SKILLS } = env as unknown as Pick<Env, "SKILLS">;

/** An environment whose queue records what is sent. */
function createEnv(): { bindings: Env; sent: CurationMessage[] } {
  const sent: CurationMessage[] = [];
  const CURATION = { send: async (message: CurationMessage) => void sent.push(message) } as unknown as Env["CURATION"];
  return { bindings: { SKILLS, CURATION }, sent };
}

async function deliver(body: unknown, bindings: Env) {
  const batch = createMessageBatch("talaria-curation", [{ id: "m1", timestamp: new Date(), attempts: 1, body }]);
  await worker.queue(batch, bindings);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  return { explicitAcks, retryMessages };
}

it("a marker of a past day leads to a report and is cleared", async () => {
  const profile = newProfileId();
  // A leap day, because tests share the bucket and no other test uses that day.
  const day = "2024-02-29";
  const curation = createCurationStore({ bucket: toBucket(SKILLS) });
  await createEvidenceStore({ bucket: toBucket(SKILLS), profile, judge: JUDGE }).markActive(day);
  const schedule = async () => {
    const { bindings, sent } = createEnv();
    await worker.scheduled(createScheduledController(), bindings);
    return { bindings, sent };
  };
  const first = await schedule();
  const marked = first.sent.filter((message) => message.kind === "shard" && message.day === day);
  expect(marked).toHaveLength(1);
  const sweepsBefore = first.sent.filter((message) => "sweep" in message);
  expect(await deliver(marked[0], first.bindings)).toEqual({ explicitAcks: ["m1"], retryMessages: [] });
  const [run = ""] = await curation.runs(profile);
  expect((await curation.report(profile, run))?.run).toMatchObject({ profile, dryRun: false, skills: 0, moves: [] });
  // The profile's retention days are long over, so it is swept once and then left alone.
  const second = await schedule();
  const asText = new Set(sweepsBefore.map((message) => JSON.stringify(message)));
  const sweeps = second.sent.filter((message) => "sweep" in message && !asText.has(JSON.stringify(message)));
  expect(sweeps).toMatchObject([{ kind: "shard", sweep: true }]);
  expect(await deliver(sweeps[0], second.bindings)).toEqual({ explicitAcks: ["m1"], retryMessages: [] });
  const again = await schedule();
  expect(again.sent.filter((message) => JSON.stringify(message) === JSON.stringify(marked[0]))).toEqual([]);
});

it("a run that a person requested reports under the id they received", async () => {
  const profile = newProfileId();
  const run = "20260501T000000Z-abcd";
  const { bindings } = createEnv();
  await deliver({ v: 1, kind: "profile", profile, run, dryRun: true }, bindings);
  const report = await createCurationStore({ bucket: toBucket(SKILLS) }).report(profile, run);
  expect(report?.markdown).toContain("This was a dry run");
});

it("model work uses the models of its slot, and its outcome is stored with the run", async () => {
  const profile = newProfileId();
  const run = toCurationId(Date.now(), Math.random);
  const { bindings } = createEnv();
  const skills = createSkillStore({
    ...{ bucket: toBucket(SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 10_000 },
  });
  const files = { "SKILL.md": skillMd({ name: "reading-tables" }) };
  const next = { files, description: "Reads.", state: "trial", origin: "review" } as const;
  await skills.change({ name: "reading-tables", op: "make", since: 0, decide: () => ({ ok: true, value: next }) });
  const message = { v: 1, kind: "rewrite", profile, run, skill: "reading-tables" };
  const nobody = await deliver(message, { ...bindings, TALARIA_MODEL: "no-such-thing" });
  expect(nobody.retryMessages).toMatchObject([{ msgId: "m1" }]);
  const done = await deliver(message, { ...bindings, TALARIA_MODEL: "rehearsal" });
  expect(done).toEqual({ explicitAcks: ["m1"], retryMessages: [] });
  const [work] = await createCurationStore({ bucket: toBucket(SKILLS) }).works(profile, run);
  expect(work).toMatchObject({ work: "rewrite.reading-tables", state: "left", modelCalls: 1, changes: [] });
});
