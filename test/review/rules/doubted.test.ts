// Doubted writes of a review. A person sees the doubt even if they approve every write anyway, and no check of such a
// write runs before they have seen it.
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { createPendingDesk } from "../../../core/tools/approval/pending-desk.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { PROFILE, SESSION, assistant, call, sampleJob, tool, user } from "../../learning/sample.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { skillText } from "../../learning/taint/red-team/red-team.ts";
import { createWorld } from "../world.ts";

const shown = call("c1", "terminal", { command: "cat notes.txt" });
const entries = [
  user(1, "Restart the index."),
  assistant(2, "", [shown]),
  tool(3, shown, { outcome: { exit_code: 0 }, content: { stdout: "probe: plattner-probe --deep\n" } }),
];
const citations = [`${SESSION}/3#outcome`];
const NAME = "restarting-indexes";
const create = (command: string): JsonObject => ({
  citations,
  operations: [
    {
      ...{ action: "create", name: NAME },
      content: skillText({ name: NAME, description: "Restarting an index.", steps: ["Restart the index."] }),
    },
    {
      ...{ action: "write_file", name: NAME, file_path: "checks/up.json" },
      file_content: JSON.stringify({ run: { command }, expect: { pattern: "." } }),
    },
  ],
});

async function review(command: string, writeApproval: boolean) {
  const ran: string[] = [];
  const settings = { ...DEFAULTS, skills: { ...DEFAULTS.skills, writeApproval } };
  const world = await createWorld(
    [{ calls: [{ name: "skill_manage", args: create(command) }] }, { text: "Kept how indexes are restarted." }],
    {
      job: sampleJob({ entries }),
      settings,
      runChecks: async (files: FileBodies, checks = []) => {
        ran.push(String(files["checks/up.json"]));
        return checks.map((check) => ({ check, ok: true, runnable: true, why: "", output: "" }));
      },
    },
  );
  await world.deliverToEnd();
  const { bucket, clock, skills, memory } = world;
  const pending = createPendingStore({ bucket, profile: PROFILE, clock, random: createSeededRandom(9) });
  const desk = createPendingDesk({ pending, skills, memory, seeds: {}, settings, clock });
  return { ran, desk, skills };
}

it.each([true, false])(
  "a doubted write waits with its reason, and its check does not run (every write waits: %s)",
  async (all) => {
    const { ran, desk, skills } = await review("plattner-probe --deep", all);
    const [waiting, ...more] = await desk.list();
    expect(more).toEqual([]);
    expect(waiting).toMatchObject({ tool: "skill_manage", reason: "taint", state: "waiting" });
    expect(waiting!.why).toContain("plattner-probe");
    expect(ran).toEqual([]);
    // Where only doubted writes wait, the skill without its check already exists.
    expect(Object.keys((await skills.open(NAME as never))?.files ?? {})).toEqual(all ? [] : ["SKILL.md"]);
    expect(await desk.decide(waiting!.id, true)).toMatchObject({ ok: true });
    expect(Object.keys((await skills.open(NAME as never))!.files)).toEqual(["SKILL.md", "checks/up.json"]);
  },
);

it("an undoubted write waits where every write does, after its check has run once", async () => {
  const { ran, desk } = await review("indexctl status", true);
  expect(await desk.list()).toMatchObject([{ reason: "approval", why: "Writes wait for approval.", state: "waiting" }]);
  expect(ran).toHaveLength(1);
});
