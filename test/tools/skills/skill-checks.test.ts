// How skill_manage and skill_view use checks and contracts. A failing check refuses a write, fingerprints are filled in, and a
// skill written for another version of a tool is reported and recorded.
import { describe, expect, it } from "vitest";
import type { Tool, ToolContext } from "../../../core/agent/contract.ts";
import { readOutcome } from "../../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Bucket } from "../../../core/ports.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import type { CheckResult, RunChecks } from "../../../core/skills/checks.ts";
import type { ToolFingerprints } from "../../../core/skills/format/contract.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { createCheckInspector } from "../../../core/tools/skills/check-inspector.ts";
import { createSkillTools } from "../../../core/tools/skills/skills.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { script } from "../../checks/hostile.ts";
import { skillMd } from "../../skills/skill-md.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { runChecks } from "../../support/quickjs.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const name = "reading-logs";
const READ = "0a1b2c3d";
const LATER = "ffffffff";
const withContract = (tools: string) =>
  skillMd().replace("  category: ops\n", `  category: ops\n  talaria.contract.tools: ${tools}\n`);

function createDesk({ prints = { read_file: READ } }: { prints?: ToolFingerprints } = {}) {
  const clock = createTestClock();
  const profile = newProfileId();
  const bucket = createMemoryBucket({ clock });
  const scene = { prints };
  const runs: CheckResult[] = [];
  const counted: RunChecks = async (files, paths) => {
    const results = await runChecks(files, paths);
    runs.push(...results);
    return results;
  };
  const toolsOver = (over: Bucket): Tool[] => {
    const store = createSkillStore({ bucket: over, profile, clock, random: createSeededRandom(1), swapMs: 10_000 });
    return createSkillTools({
      library: createLibrary({ store, seeds: {}, scene: { fingerprints: () => scene.prints } }),
      ...{ store, origin: "foreground", settings: DEFAULTS },
      fingerprints: () => scene.prints,
      inspectors: [createCheckInspector(counted)],
    });
  };
  let ops = 0;
  async function call(tool: string, args: JsonObject, over: Bucket = bucket, again: Partial<ToolContext> = {}) {
    const found = toolsOver(over).find((candidate) => candidate.name === tool)!;
    const prepared = (await found.prepare?.(args)) ?? {};
    const { signal } = new AbortController();
    const result = await found.run(args, { op: `turn-1.${++ops}`, prepared, signal, ...again });
    const [own = {}] = result.parts
      .filter(({ source }) => source === "own")
      .map(({ text }) => JSON.parse(text) as JsonObject);
    return { failed: result.failed, ...readOutcome(result), own } as JsonObject & { failed: boolean; own: JsonObject };
  }
  const store = createSkillStore({ bucket, profile, clock, random: createSeededRandom(2), swapMs: 10_000 });
  return { bucket, store, scene, runs, call };
}

/** Creates the skill together with more files. */
const create = (files: Record<string, string>, content = skillMd()): JsonObject => ({
  name,
  operations: [
    { action: "create", content },
    ...Object.entries(files)
      .filter(([path]) => path !== "SKILL.md")
      .map(([path, text]) => ({ action: "write_file", file_path: path, file_content: text })),
  ],
});

describe("a check", () => {
  it("that passes allows the write", async () => {
    const { call, store, runs } = createDesk();
    expect(await call("skill_manage", create(script("js", `console.log("ok")`)))).toMatchObject({
      failed: false,
      rev: 1,
    });
    expect(Object.keys((await store.open(name))!.files)).toEqual(["SKILL.md", "checks/a.json", "scripts/a.js"]);
    expect(runs).toMatchObject([{ check: "checks/a.json", ok: true }]);
  });

  it("that fails refuses the write, with the expected output and the actual one", async () => {
    const { call, store } = createDesk();
    const refused = await call("skill_manage", create(script("js", `console.log("seven")`)));
    expect(refused).toMatchObject({ failed: true, code: "check_failed" });
    expect(refused.own).toEqual({
      checks: [
        {
          check: "checks/a.json",
          why: "nothing in its output matches /^ok$/",
          expected: { pattern: "^ok$", exitCode: 0 },
          output: "seven\n",
        },
      ],
    });
    // A lesson may cite the harness's text. A script's output must not become part of it.
    expect(String(refused.error)).not.toMatch(/seven|a\.json/);
    expect(await store.head(name)).toBeNull();
  });

  it("is not run again for a crashed call, because the check may have caused the crash", async () => {
    const { call, store, bucket, runs } = createDesk();
    const again = { resumed: true as const };
    const args = create(script("js", `console.log("ok")`));
    expect(await call("skill_manage", args, bucket, again)).toMatchObject({ failed: true, code: "check_failed" });
    expect([runs, await store.head(name)]).toEqual([[], null]);
    expect(await call("skill_manage", args)).toMatchObject({ failed: false, rev: 1 });
    // A write that had already happened is reported as done, and a write without checks is carried out.
    expect(await call("skill_manage", args, bucket, { ...again, op: "turn-1.2" })).toMatchObject({ rev: 1 });
    const words = { action: "patch", name, old_string: "Steps of", new_string: "The steps of" };
    expect(await call("skill_manage", words, bucket, again)).toMatchObject({ failed: false, rev: 2 });
    expect(runs).toHaveLength(1);
  });

  it("of an invalid form refuses the write", async () => {
    const { call } = createDesk();
    expect(await call("skill_manage", create({ "checks/a.json": "{}" }))).toMatchObject({
      failed: true,
      code: "bad_check",
    });
  });

  it("that cannot run here does not refuse the write", async () => {
    const { call, runs } = createDesk();
    expect(await call("skill_manage", create(script("sh", "kubectl get pods")))).toMatchObject({ failed: false });
    expect(runs).toMatchObject([{ ok: false, runnable: false }]);
  });

  it("runs again if a file changes, and not if only words of SKILL.md change", async () => {
    const { call, runs } = createDesk();
    await call("skill_manage", create(script("js", `console.log("ok")`)));
    const words = { action: "patch", name, old_string: "Steps of", new_string: "The steps of" };
    expect(await call("skill_manage", words)).toMatchObject({ failed: false, rev: 2 });
    expect(runs).toHaveLength(1);
    const broken = { action: "write_file", name, file_path: "scripts/a.js", file_content: `console.log("no")` };
    expect(await call("skill_manage", broken)).toMatchObject({ failed: true, code: "check_failed" });
    const both = {
      name,
      operations: [
        { action: "write_file", file_path: "scripts/a.js", file_content: `console.log("yes")` },
        { action: "patch", file_path: "checks/a.json", old_string: "^ok$", new_string: "^yes$" },
      ],
    };
    expect(await call("skill_manage", both)).toMatchObject({ failed: false, rev: 3 });
    expect(await call("skill_manage", { action: "remove_file", name, file_path: "checks/a.json" })).toMatchObject({
      rev: 4,
    });
  });
});

describe("a contract", () => {
  it("gets the fingerprints of the present tools", async () => {
    const { call, store } = createDesk();
    await call("skill_manage", create({}, withContract("read_file")));
    expect((await store.open(name))!.files["SKILL.md"]).toBe(withContract(`"read_file@${READ}"`));
    const unknown = await call("skill_manage", {
      ...create({}, withContract("write_all").replaceAll(name, "other")),
      name: "other",
    });
    expect(unknown).toMatchObject({ failed: true, code: "bad_contract" });
  });

  it("that no longer holds is reported when the skill is loaded, and recorded with it once", async () => {
    const { call, store, scene } = createDesk();
    await call("skill_manage", create({}, withContract("read_file")));
    expect(await call("skill_view", { name })).not.toHaveProperty("notice");
    scene.prints = { read_file: LATER };
    const viewed = await call("skill_view", { name });
    expect(viewed.notice).toMatch(/written for another version of read_file/);
    const head = (await store.head(name))!;
    expect(head).toMatchObject({
      rev: 1,
      health: { checkedAt: 0, broken: [`contract: read_file@${READ} is read_file@${LATER} now`] },
    });
    expect((await call("skill_view", { name })).notice).toBe(viewed.notice);
    expect((await store.head(name))!.seq).toBe(head.seq);
  });

  it("is repaired by a write that names the tool without its fingerprint, and the finding is removed with the old text", async () => {
    const { call, store, scene } = createDesk();
    await call("skill_manage", create({}, withContract("read_file")));
    scene.prints = { read_file: LATER };
    await call("skill_view", { name });
    const patch = { action: "patch", name, old_string: `"read_file@${READ}"`, new_string: "read_file" };
    expect(await call("skill_manage", patch)).toMatchObject({ failed: false, rev: 2 });
    expect((await store.head(name))!.health).toBeUndefined();
    expect(await call("skill_view", { name })).not.toHaveProperty("notice");
  });

  it("with a missing tool is reported, but not recorded against the skill", async () => {
    const { call, store, scene } = createDesk();
    await call("skill_manage", create({}, withContract("read_file")));
    scene.prints = {};
    const viewed = await call("skill_view", { name });
    expect(viewed).toMatchObject({
      notice: expect.stringContaining("`broken`"),
      own: { broken: ["there is no tool read_file"] },
    });
    expect((await store.head(name))!.health).toBeUndefined();
  });

  it("does not stop the skill from being read if the finding cannot be recorded", async () => {
    const { call, scene, bucket } = createDesk();
    await call("skill_manage", create({}, withContract("read_file")));
    scene.prints = { read_file: LATER };
    const dead: Bucket = { ...bucket, put: () => Promise.reject(new Error("429")) };
    const viewed = await call("skill_view", { name }, dead);
    expect(viewed).toMatchObject({ failed: false, notice: expect.stringMatching(/another version/) });
  });

  it("has its finding recorded once, however often the process dies meanwhile", async () => {
    const desk = createDesk();
    await desk.call("skill_manage", create({}, withContract("read_file")));
    desk.scene.prints = { read_file: LATER };
    for (let atCall = 1; atCall <= 14; atCall++) {
      const dying = createCrashingBucket(desk.bucket, { atCall, afterwards: atCall % 2 === 0 });
      await desk.call("skill_view", { name }, dying).catch(() => null);
    }
    expect(await desk.call("skill_view", { name })).toMatchObject({ failed: false });
    expect((await desk.store.head(name))!.health?.broken).toHaveLength(1);
  });
});

it("recorded findings are reported, and their text is not labelled as the harness's", async () => {
  const { call, store } = createDesk();
  await call("skill_manage", create({}));
  const broken = ["checks/a.json: it ended with exit code 1", "checks/b.json: x"];
  await store.change({
    name,
    op: "look",
    since: 1,
    decide: () => ({ ok: true, value: { health: { checkedAt: 1, broken } } }),
  });
  const viewed = await call("skill_view", { name });
  expect(viewed).toMatchObject({ notice: expect.stringContaining("`broken`"), own: { broken } });
  expect(String(viewed.notice)).not.toContain("checks/");
});
