// What the library of a replay holds beside the tested text: skills that are held, bundled skills, and texts that the turn itself had loaded.
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import type { ReplayOrder } from "../../../core/experiments/ports.ts";
import type { SkillNext } from "../../../core/ports.ts";
import { createLearningSession } from "../../support/session/scripted-session.ts";
import { adjustment } from "../../support/skills/skills.ts";
import { createReplayRun } from "../../support/session/replay-run.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const TESTED = "count-rows";
const OTHER = "weigh-rows";
const md = (name: string, say: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\n${say}\n`;

/** `skills`: in the library when the turn runs. The turn is run again a day later. */
async function record(skills: Record<string, SkillNext>, says = "Count the rows.") {
  const session = await createLearningSession([{ text: "One." }]);
  for (const [name, next] of Object.entries(skills)) await session.learn(name, md(name, `Present ${name}.`), next);
  await session.say(says);
  session.clock.advance(DAY_MS);
  const { life, engine, clock } = session;
  return {
    now: () => clock.now(),
    learn: session.learn,
    noteUse: session.skills.noteUse,
    revise: (name: string, text: string) =>
      session.skills.change(adjustment(name, { files: { "SKILL.md": text } }, `revise ${name}`)),
    async runAgain(order: Pick<ReplayOrder, "arm"> & Partial<ReplayOrder>) {
      const model = createScriptedModel([{ calls: [{ name: "skills_list", args: {} }] }, { text: "One." }]);
      const host = { ...life.host, models: () => ({ ok: true as const, value: [model] as const }) };
      const { skill = TESTED, arm } = order;
      const text = arm === "without" ? null : { "SKILL.md": md(skill, "The tested way.") };
      const replay = createReplayRun({ host, source: engine, order: { skill, ...order }, text });
      const run = replay.boot();
      await run.begin();
      await run.run();
      expect(run.faults).toEqual([]);
      expect(replay.reports).toMatchObject([{ end: "answered", loaded: arm !== "without" }]);
      const { system, messages } = model.requests[0]!;
      const listed = JSON.stringify(run.entries().find(({ kind }) => kind === "tool"));
      return { system, listed, read: JSON.stringify(messages) };
    },
  };
}

describe("skills that are held", () => {
  test("are held in an arm as they are now, not as they were when the turn ran", async () => {
    const { now, learn, runAgain } = await record({});
    await learn("long-free", md("long-free", "Free."), { heldUntil: now() - 60_000 });
    await learn("still-held", md("still-held", "Held."), { heldUntil: now() + DAY_MS });
    for (const arm of ["without", "with"] as const) {
      const { system, listed } = await runAgain({ arm });
      for (const shown of [system, listed]) {
        expect(shown).toContain("long-free");
        expect(shown).not.toContain("still-held");
      }
    }
  });

  test("the tested text never is", async () => {
    const { now, learn, runAgain } = await record({});
    await learn(TESTED, md(TESTED, "The tested way."), { heldUntil: now() + DAY_MS });
    const { system, listed, read } = await runAgain({ arm: "with" });
    expect(system).toContain(TESTED);
    expect(listed).toContain(TESTED);
    expect(read).toContain("The tested way.");
    expect(read).not.toMatch(/being tried/i);
  });
});

test("a bundled skill stands for the arm's text, or for nothing, as any other", async () => {
  const skill = "using-the-workspace";
  const { runAgain } = await record({});
  const without = await runAgain({ arm: "without", skill });
  expect(without.system).toContain("checking-your-own-work");
  for (const shown of Object.values(without)) expect(shown).not.toContain(skill);
  const { system, read } = await runAgain({ arm: "with", skill });
  expect(system).toContain(`About ${skill}.`);
  expect(read).toContain("The tested way.");
});

describe("a text that the turn itself had loaded", () => {
  test("of another skill is shown as then, beside the tested text, although it has changed since", async () => {
    const { revise, runAgain } = await record({ [OTHER]: {} }, `/${OTHER} Count the rows.`);
    await revise(OTHER, md(OTHER, "Written since."));
    const [without, tested] = [await runAgain({ arm: "without" }), await runAgain({ arm: "with" })];
    for (const { read } of [without, tested]) {
      expect(read.split(`Present ${OTHER}.`)).toHaveLength(2);
      expect(read).not.toContain("Written since.");
    }
    expect(without.read).not.toContain("The tested way.");
    expect(tested.read.split("The tested way.")).toHaveLength(2);
  });

  test("of the tested skill is left out", async () => {
    const { runAgain } = await record({ [TESTED]: {} }, `/${TESTED} Count the rows.`);
    const [without, tested] = [await runAgain({ arm: "without" }), await runAgain({ arm: "with" })];
    for (const { read } of [without, tested]) expect(read).not.toContain(`Present ${TESTED}.`);
    expect(tested.read).toContain("The tested way.");
  });
});

test("a skill that would be recalled today is not loaded beside the tested text", async () => {
  const { learn, noteUse, runAgain } = await record({}, "Export the ledger for the auditors, please.");
  const description = "Exporting a ledger for the auditors.";
  await learn("ledgers", md("ledgers", "Use latin1."), { origin: "review", description });
  await noteUse({ ledgers: { uses: 2, successes: 2, failures: 0, lastUsedDay: "2026-01-01" } });
  const { system, read } = await runAgain({ arm: "without" });
  expect(system).toContain("ledgers");
  expect(read).not.toContain("Use latin1.");
});
