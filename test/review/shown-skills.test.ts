// The part of the library that a review's first request shows. Skills that the work loaded count as read; others must be read.
import { describe, expect, it } from "vitest";
import type { ReviewResult } from "../../core/schemas/learning/review.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { observation, sampleJob } from "../learning/sample.ts";
import { CITED, SKILL, SKILL_MD, patchStep } from "./script.ts";
import { createWorld } from "./world.ts";

const patch = (step: string): ScriptLine => ({ calls: [patchStep(step)] });

async function reviewed(lines: ScriptLine[], { loaded, content = SKILL_MD }: { loaded: boolean; content?: string }) {
  const used = loaded ? [{ skill: SKILL, text: "0".repeat(64) }] : [];
  const request = "What is the total of the column rate?";
  const job = sampleJob({ observations: [observation({ request, loaded: used })] });
  const world = await createWorld(lines, { job });
  await world.writeSkill(SKILL, content);
  const process = world.start();
  expect(await process.deliver()).toEqual({ act: "ack" });
  const [message] = process.model.requests[0]!.messages;
  return { world, job, text: message!.text, result: (await world.reviews.outcome(job.review)) as ReviewResult };
}

describe("the library in a review's first request", () => {
  it("has the text of a skill that the work loaded, which may be changed at once", async () => {
    const lines = [patch("Look at the first three lines."), { text: "Patched." }];
    const { text, result } = await reviewed(lines, { loaded: true });
    expect(text).toContain(
      `The agent loaded the skill \`${SKILL}\`. It is now:\n\n\`\`\`\`markdown\n---\nname: ${SKILL}`,
    );
    expect(result).toMatchObject({
      refused: [],
      lessons: [{ skill: SKILL, action: "patch", citations: CITED }],
    });
  });

  it("has only the name of a similar skill, which must be read before it is changed", async () => {
    const lines = [patch("Look at the first three lines."), { text: "Nothing." }];
    const { text, result } = await reviewed(lines, { loaded: false });
    expect(text).toContain(`- ${SKILL} (trial): Adding up a column`);
    expect(text).not.toContain("## Pitfalls");
    expect([result.lessons, result.refused]).toMatchObject([[], [{ code: "read_first" }]]);
  });

  it("has only the name of a loaded skill that is too long", async () => {
    const content = SKILL_MD.replace(
      "## Pitfalls\n",
      `## Pitfalls\n\n${"- Look at each line, because they differ.\n".repeat(300)}`,
    );
    const { text } = await reviewed([{ text: "Nothing worth keeping." }], { loaded: true, content });
    expect(text).toContain(`- ${SKILL} (trial): Adding up a column`);
    expect(text).not.toContain("## Pitfalls");
  });

  it("is recorded in the script, so that a resumed run shows the same", async () => {
    const { world, job, text } = await reviewed([{ text: "Nothing worth keeping." }], { loaded: true });
    const { steps } = await world.reviews.script(job.review);
    expect(steps[0]).toMatchObject({ kind: "start", read: [SKILL], skillsBlock: expect.stringContaining("It is now") });
    expect(text).toContain((steps[0] as { skillsBlock: string }).skillsBlock);
  });

  it("is described as empty when it has no skills", async () => {
    const world = await createWorld([{ text: "Nothing worth keeping." }]);
    const process = world.start();
    await process.deliver();
    expect(process.model.requests[0]!.messages[0]!.text).toContain("The library has no skills yet.");
  });
});
