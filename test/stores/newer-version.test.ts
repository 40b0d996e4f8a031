// State that a newer version of the program wrote is refused with a code and a message, and is never overwritten.
import { describe, expect, it } from "vitest";
import { StateNewerError, newerStateOf, ok } from "../../core/errors.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createHubLockStore } from "../../stores/hub/lock-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createSessionHarness } from "../support/session/session-harness.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { JUDGE } from "../support/skills/reviews.ts";

const profile = "0123456789abcdefghjkmnpqrs";
const run = "20260501T000000Z-abcd";
const review = "01JZZZZZZZZZZZZZZZZZZZZZZZ.1-2";
const session = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

function open() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const kv = createMemoryKv({ clock });
  const of = { bucket, profile, clock, random: () => 0.5 };
  const skills = createSkillStore({ ...of, swapMs: 5_000 });
  const curation = createCurationStore({ bucket });
  const next = { files: { "SKILL.md": "x" }, description: "d", state: "active", origin: "user" } as const;
  const write = () => skills.change({ name: "a-skill", op: "o", since: 0, decide: () => ok(next) });
  const id = memoryId("A fact.");
  const touches: Record<string, () => Promise<unknown>> = {
    [`p/${profile}/index`]: write,
    [`p/${profile}/heads/a-skill`]: write,
    [`p/${profile}/purge`]: write,
    [`p/${profile}/deleted/skills/a-skill`]: write,
    [`p/${profile}/stats/a-skill`]: () => createEvidenceStore({ bucket, profile, judge: JUDGE }).fold("a-skill"),
    [`p/${profile}/reviews/${review}/job`]: () => createReviewStore(of).job(review),
    [`p/${profile}/reviews/${review}/0000`]: () => createReviewStore(of).script(review),
    [`p/${profile}/reviews/${review}/result`]: () => createReviewStore(of).outcome(review),
    [`p/${profile}/reviewed/${session}`]: () => createReviewStore(of).raiseWatermark(session, 9),
    [`p/${profile}/pending/${"a".repeat(20)}`]: () => createPendingStore(of).update("a".repeat(20), (now) => now),
    [`p/${profile}/curation/lease`]: () => curation.lease(profile, run, 1, 2),
    [`p/${profile}/curation/allowance`]: () => curation.takeAllowance(profile, "2026-05-01", run),
    [`p/${profile}/curation/${run}/plan`]: () => curation.openPlan(profile),
    [`p/${profile}/checking/a-skill`]: () =>
      curation.beginCheck(profile, "a-skill", { text: sha256Hex("t"), now: 1, since: 0 }),
    [`p/${profile}/curator`]: () => curation.changeNotes(profile, (notes) => ({ ...notes, last: run })),
    [`p/${profile}/hub.lock`]: () => createHubLockStore(of).change((lock) => lock),
    [`p/${profile}/policy.json`]: () => curation.changePolicy(profile, (policy) => ({ ...policy, paused: true })),
    [`p/${profile}/memory/${id}/+op`]: () => createMemoryStore({ kv, profile, clock, overlayMs: 0 }).list("memory"),
  };
  return { bucket, kv, touches };
}

describe("a record of a newer version", () => {
  it.each(Object.keys(open().touches))("at %s is refused and left unchanged", async (key) => {
    const { bucket, kv, touches } = open();
    const body = JSON.stringify({ v: 9, kind: "start", from: "the future" });
    if (key.includes("/memory/")) await kv.put(key, body);
    else await bucket.put(key, body);
    const refused = await touches[key]!().then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(StateNewerError);
    expect(newerStateOf(refused)).toMatch(
      /newer version of Talaria \(format 9; this one knows [12]\)\. Nothing was changed/,
    );
    expect(key.includes("/memory/") ? await kv.get(key) : await (await bucket.get(key))!.text()).toBe(body);
  });

  it("is distinguished from a broken record", async () => {
    const { bucket, touches } = open();
    const key = `p/${profile}/policy.json`;
    await bucket.put(key, JSON.stringify({ v: 1, paused: "perhaps" }));
    await expect(touches[key]!()).rejects.toThrow("does not parse");
  });
});

it("a session with tables of a newer version is neither opened nor migrated", async () => {
  const harness = createSessionHarness({ model: createScriptedModel([]) });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  harness.sql.run("UPDATE meta SET value = '99' WHERE key = 'schema'");
  expect(() => harness.boot()).toThrow(StateNewerError);
  expect(harness.sql.run("SELECT value FROM meta WHERE key = 'schema'")).toEqual([{ value: "99" }]);
});
