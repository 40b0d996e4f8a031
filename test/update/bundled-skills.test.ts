// What becomes of the bundled skills of a profile when a new version brings other texts: followed while nobody has touched them.
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext, SkillStore } from "../../core/ports.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { type Seeds, createLibrary } from "../../core/skills/library.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { skillMd } from "../skills/skill-md.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createTestClock } from "../support/clock.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

const NAMES = ["untouched", "unpinned", "edited", "pinned", "archived", "dropped"];
const toSeeds = (names: string[], version: string): Seeds =>
  Object.fromEntries(
    names.map((name) => [name, { "SKILL.md": skillMd({ name, description: `Of the ${version} version.` }) }]),
  );
const OLD = toSeeds(NAMES, "old");
const NEW = toSeeds([...NAMES.filter((name) => name !== "dropped"), "brought"], "new");

let store: SkillStore;

beforeEach(async () => {
  const clock = createTestClock();
  const parts = {
    bucket: createMemoryBucket({ clock }),
    profile: newProfileId(),
    clock,
    random: createSeededRandom(1),
  };
  store = createSkillStore({ ...parts, swapMs: DEFAULTS.skills.swapMs, readConditions: conditionsOf });
  // What a profile stores when it pins, unpins, archives or edits a bundled skill: a head with the text of that time.
  const touched = {
    description: "Of the old version.",
    category: "general",
    state: "active",
    origin: "bundled",
  } as const;
  await put("unpinned", { ...touched, files: OLD.unpinned! });
  await put("pinned", { ...touched, files: OLD.pinned!, pinned: true });
  await put("archived", { ...touched, files: OLD.archived!, state: "archived" });
  const edited = { "SKILL.md": skillMd({ name: "edited", description: "Mine." }) };
  await put("edited", { ...touched, files: edited, description: "Mine.", origin: "user" });
});

async function put(name: string, next: Pick<SkillNext, "files" | "pinned"> & Record<string, unknown>): Promise<void> {
  const changed = await store.change({
    name,
    op: `op-${name}`,
    since: 0,
    decide: () => ok(next as unknown as SkillNext),
  });
  expect(changed.ok).toBe(true);
}

async function read(seeds: Seeds): Promise<Record<string, string>> {
  const lines = await createLibrary({ store, seeds }).lines();
  return Object.fromEntries(lines.map(({ name, description, state }) => [name, `${state}: ${description}`]));
}

describe("after an update, a bundled skill", () => {
  it("follows while it is untouched, stays when it was edited or pinned, and stays away when it was archived", async () => {
    const kept = {
      edited: "active: Mine.",
      pinned: "active: Of the old version.",
      archived: "archived: Of the old version.",
    };
    expect(await read(OLD)).toEqual({
      ...kept,
      untouched: "active: Of the old version.",
      unpinned: "active: Of the old version.",
      dropped: "active: Of the old version.",
    });
    expect(await read(NEW)).toEqual({
      ...kept,
      untouched: "active: Of the new version.",
      unpinned: "active: Of the new version.",
      brought: "active: Of the new version.",
    });
  });

  it("is read with the text that its line shows", async () => {
    const library = createLibrary({ store, seeds: NEW });
    const texts = await Promise.all(
      ["untouched", "unpinned", "edited", "pinned"].map(async (name) => {
        const viewed = await library.view(name, undefined);
        return viewed.ok ? /description: (.*)/.exec(viewed.value.content)?.[1] : viewed.failure.code;
      }),
    );
    expect(texts).toEqual(["Of the new version.", "Of the new version.", "Mine.", "Of the old version."]);
  });
});
