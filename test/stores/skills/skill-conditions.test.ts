// The conditions of a SKILL.md are stored in its head and in the index, whichever way its files were written.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SkillNext } from "../../../core/ports.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const md = (fields: string) => ({ "SKILL.md": `---\nname: mine\ndescription: Mine.\n${fields}\n---\n\nDo it.\n` });

function setUp() {
  const clock = createTestClock();
  const options = {
    bucket: createMemoryBucket({ clock }),
    profile: newProfileId(),
    clock,
    random: createSeededRandom(1),
  };
  const store = createSkillStore({ ...options, swapMs: 60_000, readConditions: conditionsOf });
  let ops = 0;
  const put = async (next: SkillNext) => {
    const whole = { description: "Mine.", state: "active", origin: "user", ...next } as const;
    const made = await store.change({
      name: "mine",
      op: `op-${++ops}`,
      since: 0,
      decide: () => ({ ok: true, value: whole }),
    });
    expect(made.ok).toBe(true);
  };
  const kept = async () => [(await store.head("mine"))?.conditions, (await store.index()).skills.mine?.conditions];
  return { store, put, kept };
}

describe("the conditions of a skill", () => {
  it("depend on its files alone", async () => {
    const { store, put, kept } = setUp();
    await put({ files: md("platforms: [macos]") });
    const mac = { platforms: ["macos"] };
    expect(await kept()).toEqual([mac, mac]);
    await put({ pinned: true });
    await put({ state: "archived" });
    expect(await kept()).toEqual([mac, mac]);
    await put({ files: { ...md("license: MIT"), "references/a.md": "more" } });
    expect(await kept()).toEqual([undefined, undefined]);
    await put({ files: md("platforms: [macos]") });
    expect(await kept()).toEqual([mac, mac]);
    await store.rebuildIndex(() => null);
    expect(await kept()).toEqual([mac, mac]);
  });

  it("are absent for a SKILL.md that is not text", async () => {
    const { put, kept } = setUp();
    await put({ files: { "SKILL.md": new Uint8Array([0xff, 0xfe]) } });
    expect(await kept()).toEqual([undefined, undefined]);
  });
});

it("the one skill store that all Workers open reads conditions", () => {
  const source = readFileSync(join(import.meta.dirname, "../../../wiring/stores.ts"), "utf8");
  const made = source.split("createSkillStore({").slice(1);
  expect(made).toHaveLength(1);
  expect(made[0]!.split("})")[0]).toContain("readConditions: conditionsOf");
});
