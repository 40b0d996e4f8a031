// How long a skill is held back: a field of its head and of its index line that belongs to one text.
import { expect, it } from "vitest";
import type { SkillNext } from "../../../core/ports.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { createTestClock } from "../../support/clock.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";

const UNTIL = 1_800_000_000_000;
const md = (step: string) => ({ "SKILL.md": `---\nname: mine\ndescription: Mine.\n---\n\n${step}\n` });

async function setUp() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const store = createSkillStore({
    bucket,
    profile: newProfileId(),
    clock,
    random: createSeededRandom(1),
    swapMs: 60_000,
  });
  let ops = 0;
  /** Makes the change, and returns how long the head and the index line say that the skill is held. */
  const put = async (value: SkillNext) => {
    const made = await store.change({ name: "mine", op: `op-${++ops}`, since: 0, decide: () => ({ ok: true, value }) });
    expect(made.ok).toBe(true);
    return [(await store.head("mine"))?.heldUntil, (await store.index()).skills.mine?.heldUntil];
  };
  const held = await put({
    files: md("One."),
    description: "Mine.",
    state: "trial",
    origin: "review",
    heldUntil: UNTIL,
  });
  expect(held).toEqual([UNTIL, UNTIL]);
  return { put, store };
}

it.each<[string, SkillNext, number | undefined]>([
  ["stays while only its findings change", { health: { checkedAt: 1, broken: ["a check"] } }, UNTIL],
  [
    "stays with other requests for the same text",
    { files: { ...md("One."), "talaria-requests.md": "- Do mine." } },
    UNTIL,
  ],
  ["is set again by a later lesson", { files: md("Two."), origin: "review", heldUntil: UNTIL + 1 }, UNTIL + 1],
  ["is released", { heldUntil: null }, undefined],
  ["ends with another text that nobody holds", { files: md("Two."), origin: "foreground" }, undefined],
  ["ends with a person's edit", { files: md("One."), origin: "user", state: "active" }, undefined],
  ["ends when a person archives it", { state: "archived", reason: "Archived by a person." }, undefined],
  ["ends when a person pins it", { pinned: true }, undefined],
])("a hold %s", async (_, next, expected) => {
  const { put, store } = await setUp();
  expect(await put(next)).toEqual([expected, expected]);
  await store.rebuildIndex(() => null);
  expect((await store.index()).skills.mine?.heldUntil).toBe(expected);
});
