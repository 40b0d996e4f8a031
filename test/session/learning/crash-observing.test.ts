// Two turns under a learned skill, the second of which corrects the first, a review that agrees, and two ratings crash at every
// write of any port. The log, the Archive and the evidence end as if nothing had happened.
import { describe, expect, it } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { collect } from "../../support/session/collect.ts";
import { JUDGE, reviewResult } from "../../support/skills/reviews.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import {
  Crash,
  type SessionLife,
  PROFILE,
  SESSION,
  createSessionHarness,
} from "../../support/session/session-harness.ts";
import { creation } from "../../support/skills/skills.ts";

const TEXTS = ["Average the prices in the export", "No, use the median instead."];
const RATINGS = [{ rating: "up" }, { rating: "down", correction: "Round it." }] as const;
/** What each review says about the first turn; the first review counts. After a crash, the message has another number. */
function verdictsIn({ engine }: SessionLife) {
  const entries = engine.entries(0);
  const message = entries.ok && entries.value.find((entry) => entry.kind === "user" && textOf(entry) === TEXTS[1]);
  if (!message) throw new Error("no message");
  return [{ entry: message.n, verdict: "failure" as const, correction: true, words: "use the median" }];
}
const OLD_MS = 5_000;

async function runWithCrash(crashAt: number) {
  // A crash repeats requests, so the answer depends on the content of a request, not on how many came before.
  const model = createScriptedModel(
    Array.from({ length: 60 }, () => (request) => {
      const last = request.messages.at(-1)!;
      if (last.role !== "tool")
        return { calls: [{ id: `v${request.messages.length}`, name: "skill_view", args: { name: SKILL } }] };
      const calls = [{ id: `w${request.messages.length}`, name: "write_file", args: { path: "a.txt", content: "x" } }];
      return last.name === "skill_view" ? { calls } : { text: "Done." };
    }),
  );
  const harness = createSessionHarness({ model, settings: { review: { afterModelCalls: 1_000, minValue: 1 } } });
  const { bucket, clock } = harness;
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  await skills.change(creation(SKILL, SKILL_MD, "learn"));
  const reviews = createReviewStore({ bucket, profile: PROFILE });

  const settle = async (life: SessionLife) => {
    await life.settled();
    const isOpen = () => harness.sql.run("SELECT 1 FROM job").length > 0;
    for (let wakes = 0; isOpen() && harness.alarmAt() !== null && wakes < 40; wakes++) {
      for (const { review } of harness.sent)
        await reviews.finish({ ...reviewResult(review), verdicts: verdictsIn(life) });
      await life.wake();
    }
  };
  /** Like a client that repeats its request until it gets a response. */
  const drive = async (life: SessionLife) => {
    const { engine } = life;
    await engine.create({ learning: "on", title: "" });
    for (const text of TEXTS) {
      expect(await engine.post({ text, key: text })).toMatchObject({ ok: true });
      await settle(life);
    }
    const now = () => engine.observation(2);
    for (const [i, rating] of RATINGS.entries()) {
      const seen = now();
      const given = seen.ok ? seen.value.observation?.judgements?.filter(({ judge }) => judge === "rating").length : 0;
      // The latest stored rating is sent again, because the client does not know whether it was answered.
      if ((given ?? 0) > i + 1) continue;
      expect(await engine.rate(2, rating)).toMatchObject({ ok: true });
      clock.advance(OLD_MS);
      await settle(life);
    }
    await settle(life);
  };
  const first = harness.boot({ crashAt });
  await drive(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  const second = harness.boot();
  await drive(second);
  return { harness, engine: second.engine, reports: second.reports, skills, reviews };
}

async function outcomeOf(world: Awaited<ReturnType<typeof runWithCrash>>) {
  const { harness, engine, reviews, skills } = world;
  const evidence = createEvidenceStore({ bucket: harness.bucket, profile: PROFILE, judge: JUDGE });
  const entries = engine.entries(0);
  const observed = [1, 2].map((n) => engine.observation(n));
  if (!entries.ok || !observed.every((one) => one.ok)) throw new Error("no log");
  const jobs = await Promise.all([...new Set(harness.sent.map(({ review }) => review))].map((id) => reviews.job(id)));
  return {
    said: entries.value.filter(({ kind }) => kind === "user").map(textOf),
    notes: entries.value.filter((entry) => entry.kind === "note" && entry.code === "rating").map(textOf),
    observed: observed.map(({ value }) => {
      const { outcome, judge, judgements, corrections, loaded, similar } = value.observation!;
      const judges = judgements!.map((one) => `${one.judge} ${one.outcome}`);
      return { outcome, judge, judges, corrected: corrections!.length, loaded: loaded.length, similar };
    }),
    recorded: harness.records.turns({ limit: 9 }).map(({ turn, judge, outcome }) => `${turn} ${judge} ${outcome}`),
    evidence: (await collect(evidence.list(SKILL))).map(({ turn, judge, nth, outcome }) =>
      [turn, judge, nth, outcome].join(" "),
    ),
    state: (await skills.head(SKILL))!.state,
    triggers: jobs.map((job) => job!.trigger),
    left: harness.sql.run("SELECT id FROM job"),
  };
}

const whole = await runWithCrash(Infinity);
const WRITES = whole.harness.crashPoints();
const WHOLE = await outcomeOf(whole);

describe("turns that are observed, corrected and rated", () => {
  it("end with the expected outcomes", () => {
    expect(WHOLE).toEqual({
      said: TEXTS,
      notes: ["The person rated turn 2 down. What would have been right, in their words:\nRound it."],
      observed: [
        {
          outcome: "failure",
          judge: "reviewer",
          judges: ["exit success", "message failure", "reviewer failure"],
          corrected: 1,
          loaded: 1,
          similar: 0,
        },
        {
          ...{ outcome: "failure", judge: "rating", judges: ["exit success", "rating success", "rating failure"] },
          ...{ corrected: 1, loaded: 1, similar: 0 },
        },
      ],
      recorded: [`${SESSION}-2 rating failure`, `${SESSION}-1 reviewer failure`],
      evidence: [
        `${SESSION}-1 exit 1 success`,
        `${SESSION}-1 message 1 failure`,
        `${SESSION}-1 reviewer 1 failure`,
        `${SESSION}-2 exit 1 success`,
        `${SESSION}-2 rating 1 success`,
        `${SESSION}-2 rating 2 failure`,
      ],
      state: "trial",
      triggers: ["correction", "rating"],
      left: [],
    });
  });

  it.each(Array.from({ length: WRITES }, (_, index) => index + 1))(
    "end with the same outcomes after a crash at write %i",
    async (at) => {
      const world = await runWithCrash(at);
      expect(await outcomeOf(world)).toEqual(WHOLE);
    },
  );
});
