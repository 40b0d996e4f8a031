// A review with many refusals, by rules that read stores. It is killed after every write, delivered three times, delivered
// twice at once, and run over a failing bucket. It always stores the same, and asks the model nothing twice.
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { HELD, PARAPHRASED } from "../../learning/review/duplicate-pairs.ts";
import { SESSION, sampleJob } from "../../learning/sample.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { CITED, SKILL, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const manage = (args: JsonObject) => ({ name: "skill_manage", args: { citations: CITED, ...args } });
const textOf = ({ name, description, body }: (typeof HELD)[number]) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${body}\n`;
const held = HELD[1]!;
const [, paraphrase] = PARAPHRASED[1]!;
const create = (name: string, content: string) => manage({ action: "create", name, content });
const patchHeld = (new_string: string, more: JsonObject = {}) =>
  manage({
    action: "patch",
    name: held.name,
    old_string: "## Verify",
    new_string: `${new_string}\n\n## Verify`,
    ...more,
  });

const LINES: ScriptLine[] = [
  {
    calls: [
      create("fix-pr-12", SKILL_MD.replace(`name: ${SKILL}`, "name: fix-pr-12")),
      create(held.name, textOf(held)),
    ],
  },
  { calls: [create(SKILL, SKILL_MD), create(paraphrase.name, textOf(paraphrase))] },
  { calls: [{ name: "skill_view", args: { name: held.name } }] },
  { calls: [patchHeld("- The terminal does not work.")] },
  {
    calls: [
      patchHeld("- Stop writers first, because they lock tables.", { overlaps: [SKILL, "nowhere"] }),
      { name: "memory", args: { action: "add", store: "memory", content: "The browser is broken.", citations: CITED } },
      { name: "memory", args: { action: "add", store: "memory", content: "Dumps come at night.", citations: CITED } },
    ],
  },
  { text: "Kept how dumps are restored." },
];

const settings = { ...DEFAULTS, review: { ...DEFAULTS.review, maxFailures: 1_000 } };
const job = sampleJob({ because: "the last turn failed twice" });
const setUp = () => createWorld(LINES, { settings, job });
type World = Awaited<ReturnType<typeof setUp>>;

async function tracesOf({ skills, memory, reviews, job: { review } }: World) {
  const names = Object.keys((await skills.index()).skills).sort();
  const outcome = await reviews.outcome(review);
  const steps = (await reviews.script(review)).steps;
  return {
    heads: await Promise.all(
      names.map(async (name) => {
        const { rev, text, op, overlaps } = (await skills.head(name))!;
        const ops = (await skills.revisions(name)).map((revision) => revision.op);
        return { name, rev, text, op, ops, overlaps };
      }),
    ),
    memory: (await memory.list("memory")).map(({ text, adds }) => ({ text, adds })),
    result: outcome && "lessons" in outcome ? { ...outcome, finishedAt: 0 } : outcome,
    watermark: await reviews.watermark(SESSION),
    steps: steps.map((step) => step.kind),
  };
}

async function runUninterrupted() {
  const world = await setUp();
  const { process, killed } = await world.deliverAndCopy();
  return { traces: await tracesOf(world), calls: process.calls(), asked: process.model.requests.length, killed };
}

describe("a review with refused writes", () => {
  let whole: Awaited<ReturnType<typeof runUninterrupted>>;
  beforeAll(async () => {
    whole = await runUninterrupted();
  });

  it("keeps the accepted writes and reports the refused ones", () => {
    const { traces } = whole;
    expect(traces.result).toMatchObject({
      because: "the last turn failed twice",
      summary: `Learned: created skill ${held.name}; created skill ${SKILL}; remembered 1 fact.`,
    });
    const codes = ["artefact_name", "near_duplicate", "tool_claim", "tool_claim"];
    expect((traces.result as { refused: { code: string }[] }).refused.map(({ code }) => code)).toEqual(codes);
    expect(traces.heads).toMatchObject([
      { name: SKILL, rev: 1 },
      { name: held.name, rev: 2, overlaps: [SKILL] },
    ]);
  });

  it("makes each write once, wherever it is killed", async () => {
    expect(whole.killed.length).toBeGreaterThan(20);
    for (const [writes, { world, asked }] of whole.killed.entries()) {
      const end = await world.deliverToEnd();
      expect(await tracesOf(world), `killed after ${writes} writes`).toEqual(whole.traces);
      // Only an answer that was lost before it was recorded is requested again.
      expect(asked + end.asked).toBeLessThanOrEqual(whole.asked + 1);
    }
  });

  it("makes each write once in three deliveries, the first of which returns last, and in two concurrent ones", async () => {
    const world = await setUp();
    const first = world.start({ atCall: Math.floor(whole.calls / 2), afterwards: true });
    await first.deliver();
    world.clock.advance(60_000);
    await Promise.all([world.start().deliver(), world.start().deliver()]);
    world.clock.advance(60_000);
    await world.deliverToEnd();
    const late = world.start();
    expect(await late.deliver()).toEqual({ act: "ack" });
    expect(late.model.requests).toEqual([]);
    expect(await tracesOf(world)).toEqual(whole.traces);
  });

  it.each([1, 2, 3])("makes each write once over a bucket that fails at random (seed %i)", async (seed) => {
    const world = await setUp();
    Object.assign(world.bucket.faults, { failOneIn: 6, loseAnswerOneIn: 6, isRateLimited: seed % 2 === 0, seed });
    for (let n = 0; n < seed; n++) await world.bucket.put(`noise/${n}`, "x").catch(() => {});
    await Promise.all([world.start().deliver(), world.start().deliver()]);
    world.clock.advance(60_000);
    await world.deliverToEnd(300);
    Object.assign(world.bucket.faults, { failOneIn: undefined, loseAnswerOneIn: undefined, isRateLimited: false });
    await world.deliverToEnd(300);
    expect(await tracesOf(world)).toEqual(whole.traces);
  });
});
