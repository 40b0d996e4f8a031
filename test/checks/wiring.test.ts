// Checks and contracts end to end: a session's own save, the job that it hands to a review, and a whole review.
import { expect, it } from "vitest";
import { contractOf } from "../../core/skills/format/contract.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { sampleJob } from "../learning/sample.ts";
import { CITED, SKILL, SKILL_MD } from "../review/script.ts";
import { createWorld } from "../review/world.ts";
import { runChecks } from "../support/quickjs.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { PROFILE, createSessionHarness } from "../support/session/session-harness.ts";
import { script } from "./hostile.ts";

const withContract = (tools: string) =>
  SKILL_MD.replace("\n---\n\n# Adding", `\nmetadata:\n  talaria.contract.tools: ${tools}\n---\n\n# Adding`);

function create(print: string, citations?: string[], content = SKILL_MD) {
  const files = script("js", `console.log("${print}")`);
  const beside = Object.keys(files)
    .filter((path) => path !== "SKILL.md")
    .map((path) => ({ action: "write_file", file_path: path, file_content: files[path]! }));
  const operations = [{ action: "create", content }, ...beside];
  return { name: "skill_manage", args: { name: SKILL, operations, ...(citations && { citations }) } };
}

it("a session's save runs its checks and gets its fingerprints, which are passed on to the review", async () => {
  const model = createScriptedModel([
    { calls: [create("no")] },
    { calls: [create("ok", undefined, withContract("terminal, read_file"))] },
    ...Array.from({ length: 12 }, (_, i) => ({ calls: [{ name: "terminal", args: { command: `echo ${i}` } }] })),
    { text: "Saved." },
  ]);
  const { boot, bucket, clock } = createSessionHarness({ model, runChecks });
  const life = boot();
  await life.engine.create({ learning: "on", title: "t" });
  await life.engine.post({ text: "Save what you did." });
  await life.settled();
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const stored = (await skills.open(SKILL))!;
  expect(stored.head.rev).toBe(1);
  expect(stored.files["scripts/a.js"]).toBe(`console.log("ok")`);
  const contract = contractOf(stored.files["SKILL.md"] as string)!;
  expect(contract.tools).toEqual({
    terminal: expect.stringMatching(/^[0-9a-f]{8}$/),
    read_file: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  const entries = life.engine.entries(0);
  expect(JSON.stringify(entries)).toContain("check_failed");

  const reviews = createReviewStore({ bucket, profile: PROFILE });
  const [listed] = await reviews.list();
  const job = (await reviews.job(listed!.review))!;
  expect(job.tools).toMatchObject(contract.tools);
  expect(Object.keys(job.tools!).sort()).toEqual(model.requests[0]!.tools.map(({ name }) => name).sort());
});

/** A new skill with a script that is not JavaScript. */
const UNPARSABLE = {
  name: "skill_manage",
  args: {
    name: SKILL,
    operations: [
      { action: "create", content: SKILL_MD },
      { action: "write_file", file_path: "scripts/a.js", file_content: "const a = ;" },
    ],
    citations: CITED,
  },
};

it("a session's save of a script that cannot be parsed is refused, and nothing is stored", async () => {
  const model = createScriptedModel([{ calls: [UNPARSABLE] }, { text: "Not saved." }]);
  const { boot, bucket, clock } = createSessionHarness({ model, runChecks });
  const life = boot();
  await life.engine.create({ learning: "on", title: "t" });
  await life.engine.post({ text: "Save what you did." });
  await life.settled();
  expect(JSON.stringify(life.engine.entries(0))).toContain("bad_script");
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  expect(await skills.open(SKILL)).toBeNull();
});

it("a review's write of a script that cannot be parsed is refused, and nothing is stored", async () => {
  const job = sampleJob();
  const world = await createWorld([{ calls: [UNPARSABLE] }, { text: "Nothing kept." }], { job, runChecks });
  expect(await world.start().deliver()).toEqual({ act: "ack" });
  const refused = [{ tool: "skill_manage", code: "bad_script" }];
  expect(await world.reviews.outcome(job.review)).toMatchObject({ refused });
  expect(await world.skills.open(SKILL)).toBeNull();
});

it("a review's write runs its checks and takes the fingerprints of the session's tools", async () => {
  const job = sampleJob({ tools: { terminal: "0a1b2c3d" } });
  const lines = [
    { calls: [create("no", CITED)] },
    { calls: [create("ok", CITED, withContract("terminal"))] },
    { text: "Kept." },
  ];
  const world = await createWorld(lines, { job, runChecks });
  expect(await world.start().deliver()).toEqual({ act: "ack" });
  expect(await world.reviews.outcome(job.review)).toMatchObject({
    refused: [{ tool: "skill_manage", code: "check_failed" }],
  });
  const stored = (await world.skills.open(SKILL))!;
  expect(stored.files["scripts/a.js"]).toBe(`console.log("ok")`);
  expect(stored.files["SKILL.md"]).toBe(withContract(`"terminal@0a1b2c3d"`));
});

it("a review tells the reviewer that a skill was written for another version of the session's tools", async () => {
  const job = sampleJob({ tools: { terminal: "ffffffff" } });
  const world = await createWorld([{ calls: [{ name: "skill_view", args: { name: SKILL } }] }, { text: "Seen." }], {
    job,
  });
  await world.skills.change({
    ...{ name: SKILL, op: "made", since: 0 },
    decide: () => ({
      ok: true,
      value: {
        files: { "SKILL.md": withContract(`"terminal@0a1b2c3d"`) },
        description: "d",
        origin: "review",
        state: "trial",
      },
    }),
  });
  const process = world.start();
  await process.deliver();
  expect(JSON.stringify(process.model.requests.at(-1))).toContain("written for another version of terminal");
  expect((await world.skills.head(SKILL))!.health?.broken).toEqual([
    "contract: terminal@0a1b2c3d is terminal@ffffffff now",
  ]);
});
