import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { ok } from "../../core/errors.ts";
import type { SkillNext, SkillStore } from "../../core/ports.ts";
import { sha256Hex, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { type Seeds, createLibrary } from "../../core/skills/library.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { skillMd } from "./skill-md.ts";

const BUNDLED = skillMd({ name: "bundled", description: "Came with it.", category: "general" });
const OTHER = skillMd({ name: "other", description: "Came too." });
const SEEDS = { bundled: { "references/a.md": "deep", "SKILL.md": BUNDLED }, other: { "SKILL.md": OTHER } };
const BUNDLED_TEXT = textOfFiles({
  "SKILL.md": { sha256: sha256Hex(BUNDLED) },
  "references/a.md": { sha256: sha256Hex("deep") },
});

const withFields = (name: string, fields: string) =>
  `---\nname: ${name}\ndescription: Does it.\n${fields}\n---\n\nDo it.\n`;

let store: SkillStore;
let ops = 0;

beforeEach(() => {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  store = createSkillStore({
    bucket: createMemoryBucket({ clock }),
    profile: newProfileId(),
    clock,
    random,
    swapMs: DEFAULTS.skills.swapMs,
    readConditions: conditionsOf,
  });
});

async function put(name: string, change: SkillNext): Promise<void> {
  const next = { description: "Own.", category: "ops", state: "trial", origin: "review", ...change } as const;
  const changed = await store.change({ name, op: `op-${++ops}`, since: 0, decide: () => ok(next) });
  expect(changed.ok).toBe(true);
}

const linesOf = async (library: ReturnType<typeof createLibrary>) =>
  (await library.lines()).map(({ name, origin, state, rev }) => ({ name, origin, state, rev }));

describe("the lines of a library", () => {
  it("are the bundled skills if nothing is learned", async () => {
    expect((await createLibrary({ store: null, seeds: SEEDS }).lines())[0]).toEqual({
      name: "bundled",
      description: "Came with it.",
      category: "general",
      state: "active",
      pinned: false,
      origin: "bundled",
      seq: 0,
      rev: 0,
      text: BUNDLED_TEXT,
    });
  });

  it("prefer a profile's own skills to bundled ones, including archived ones", async () => {
    await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }) } });
    await put("bundled", { files: SEEDS.bundled, state: "archived", origin: "bundled" });
    expect(await linesOf(createLibrary({ store, seeds: SEEDS }))).toEqual([
      { name: "bundled", origin: "bundled", state: "archived", rev: 1 },
      { name: "mine", origin: "review", state: "trial", rev: 1 },
      { name: "other", origin: "bundled", state: "active", rev: 0 },
    ]);
    expect(await linesOf(createLibrary({ store: null, seeds: SEEDS }))).toEqual([
      { name: "bundled", origin: "bundled", state: "active", rev: 0 },
      { name: "other", origin: "bundled", state: "active", rev: 0 },
    ]);
  });
});

describe("the view of a skill", () => {
  const view = (name: string, path?: string) => createLibrary({ store, seeds: SEEDS }).view(name, path);

  it("gives the content and the fingerprint of the text that was read", async () => {
    expect(await view("bundled")).toEqual({
      ok: true,
      value: {
        name: "bundled",
        path: "SKILL.md",
        content: BUNDLED,
        files: ["SKILL.md", "references/a.md"],
        text: BUNDLED_TEXT,
        rev: 0,
        state: "active",
        origin: "bundled",
      },
    });
    expect(await view("bundled", "references/a.md")).toMatchObject({ value: { content: "deep", text: BUNDLED_TEXT } });
  });

  it("adds the companion's text to its base, and names the companion", async () => {
    const text = skillMd({ name: "bundled-local" });
    await put("bundled-local", { files: { "SKILL.md": text }, extends: "bundled" });
    const companion = {
      name: "bundled-local",
      text: textOfFiles({ "SKILL.md": { sha256: sha256Hex(text) } }),
      state: "trial",
    };
    const seen = await view("bundled");
    const body = text.slice(text.indexOf("## When to use"));
    expect(seen).toMatchObject({
      value: {
        text: BUNDLED_TEXT,
        companion,
        content: `${BUNDLED.trimEnd()}\n\n# Learned here, in bundled-local\n\n${body}`,
      },
    });
    expect(await view("bundled-local")).toMatchObject({ value: { content: text, extends: "bundled" } });
    expect(await view("bundled-local")).not.toHaveProperty("value.companion");
    expect((await view("bundled", "references/a.md")).ok && (await view("bundled", "references/a.md"))).toMatchObject({
      value: { content: "deep" },
    });
  });

  it.each<[string, SkillNext | null]>([
    ["there is none", null],
    ["it is archived", { state: "archived" }],
    ["it waits for a person", { state: "pending" }],
    ["it is for another platform", { files: { "SKILL.md": withFields("mine", "platforms: [macos]") } }],
  ])("refuses a companion alone if its base has this problem: %s", async (_what, base) => {
    if (base) await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }) }, ...base });
    await put("mine-local", { files: { "SKILL.md": skillMd({ name: "mine-local" }) }, extends: "mine" });
    const library = createLibrary({ store, seeds: SEEDS, scene: {} });
    expect(await library.view("mine-local")).toMatchObject({ failure: { code: "no_base" } });
    expect((await library.offered()).map((line) => line.name)).not.toContain("mine-local");
  });

  it("does not load a skill as a companion by its name alone", async () => {
    await put("mine-local", { files: { "SKILL.md": skillMd({ name: "mine-local" }) }, origin: "user" });
    expect(await view("mine-local")).toMatchObject({ ok: true });
  });

  it("reads no skill with one that a stranger gave the name of its companion", async () => {
    await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }) }, origin: "user" });
    await put("mine-local", { files: { "SKILL.md": skillMd({ name: "mine-local" }) }, origin: "hub" });
    expect(await view("mine")).toMatchObject({ ok: true });
    expect(await view("mine")).not.toHaveProperty("value.companion");
  });

  it("leaves out an archived companion", async () => {
    await put("bundled-local", { files: { "SKILL.md": skillMd({ name: "bundled-local" }) }, state: "archived" });
    expect(await view("bundled")).toMatchObject({ value: { content: BUNDLED } });
  });

  it("notes that a skill is archived, even a bundled one", async () => {
    await put("bundled", { files: SEEDS.bundled, state: "archived", origin: "bundled" });
    expect(await view("bundled")).toMatchObject({
      value: { state: "archived", notice: expect.stringContaining("archived"), content: BUNDLED },
    });
  });

  it("shows the profile's own skill instead of a bundled one with its name", async () => {
    const text = skillMd({ name: "bundled", description: "Mine." });
    await put("bundled", { files: { "SKILL.md": text }, origin: "user", state: "active" });
    expect(await view("bundled")).toMatchObject({ value: { content: text, origin: "user", rev: 1 } });
  });

  it("refuses a skill that waits for approval", async () => {
    await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }) }, state: "pending" });
    expect(await view("mine")).toMatchObject({ failure: { code: "skill_pending" } });
  });

  it("suggests similar names for an unknown name, and lists the files for an unknown path", async () => {
    expect(await view("bundle")).toEqual({
      ok: false,
      failure: { code: "skill_missing", message: 'There is no skill called "bundle". Did you mean bundled?' },
    });
    expect(await view("bundled", "references/b.md")).toEqual({
      ok: false,
      failure: {
        code: "file_missing",
        message: "'bundled' has no file \"references/b.md\". It has: SKILL.md, references/a.md.",
      },
    });
  });

  it.each(["../other", "constructor", "__proto__", "Bundled", ""])("finds no skill named %j", async (name) => {
    expect(await view(name)).toMatchObject({ failure: { code: "skill_missing" } });
  });

  it("finds no file by an inherited key", async () => {
    expect(await view("bundled", "constructor")).toMatchObject({ failure: { code: "file_missing" } });
  });
});

describe("a bundled skill, after a deployment that brings another bundle", () => {
  const OLD = skillMd({ name: "bundled", description: "The old one." });
  const NEW = skillMd({ name: "bundled", description: "The new one." });
  const OWN = skillMd({ name: "bundled", description: "My own." });
  const old: SkillNext = {
    files: { "SKILL.md": OLD },
    description: "The old one.",
    origin: "bundled",
    state: "active",
  };
  const own: SkillNext = { files: { "SKILL.md": OWN }, description: "My own.", origin: "user", state: "active" };
  const none: SkillNext[] = [];

  it.each<[string, SkillNext[], boolean, { content: string; state: string } | null, boolean]>([
    // Columns: the person's changes, whether the new bundle has the skill, what is loaded, whether it is offered.
    ["is new, or was never changed", none, true, { content: NEW, state: "active" }, true],
    [
      "was pinned and unpinned",
      [{ ...old, pinned: true }, { pinned: false }],
      true,
      { content: NEW, state: "active" },
      true,
    ],
    [
      "was archived and restored",
      [{ ...old, state: "archived" }, { state: "active" }],
      true,
      { content: NEW, state: "active" },
      true,
    ],
    ["is stale", [{ ...old, state: "stale" }], true, { content: NEW, state: "stale" }, true],
    ["was changed", [own], true, { content: OWN, state: "active" }, true],
    ["was copied, then changed", [old, own], true, { content: OWN, state: "active" }, true],
    ["is pinned", [{ ...old, pinned: true }], true, { content: OLD, state: "active" }, true],
    ["was deleted", [{ ...old, state: "archived" }], true, { content: OLD, state: "archived" }, false],
    ["is gone", none, false, null, false],
    ["is gone, and was only pinned and unpinned", [{ ...old, pinned: true }, { pinned: false }], false, null, false],
    ["is gone, and was changed", [own], false, { content: OWN, state: "active" }, true],
    ["is gone, and is pinned", [{ ...old, pinned: true }], false, { content: OLD, state: "active" }, true],
    ["is gone, and was deleted", [{ ...old, state: "archived" }], false, { content: OLD, state: "archived" }, false],
  ])("%s", async (_what, changes, isThere, expected, isOffered) => {
    for (const change of changes) {
      const made = await store.change({ name: "bundled", op: `op-${++ops}`, since: 0, decide: () => ok(change) });
      expect(made.ok).toBe(true);
    }
    const seeds: Seeds = isThere ? { bundled: { "SKILL.md": NEW } } : {};
    const library = createLibrary({ store, seeds });
    const seen = await library.view("bundled");
    if (expected) expect(seen).toMatchObject({ value: expected });
    else expect(seen).toMatchObject({ failure: { code: "skill_missing" } });
    expect((await library.offered()).map((line) => line.name)).toEqual(isOffered ? ["bundled"] : []);
    const lines = await library.lines();
    expect(lines.map((line) => line.state)).toEqual(expected ? [expected.state] : []);
    if (expected) expect(lines[0]).toMatchObject({ text: seen.ok && seen.value.text });
  });

  it("hides its companion while it is gone", async () => {
    await put("bundled-local", { files: { "SKILL.md": skillMd({ name: "bundled-local" }) }, extends: "bundled" });
    const gone = createLibrary({ store, seeds: {} });
    expect(await gone.offered()).toEqual([]);
    expect(await gone.view("bundled-local")).toMatchObject({ failure: { code: "no_base" } });
    const back = createLibrary({ store, seeds: { bundled: { "SKILL.md": NEW } } });
    expect((await back.offered()).map((line) => line.name)).toEqual(["bundled", "bundled-local"]);
    expect(await back.view("bundled")).toMatchObject({ value: { companion: { name: "bundled-local" } } });
  });
});

describe("a skill that is held back", () => {
  const file = (name: string) => ({ "SKILL.md": skillMd({ name, description: "Own." }) });
  const at = (now: number) => createLibrary({ store, seeds: {}, scene: { now: () => now } });
  const named = async (library: ReturnType<typeof createLibrary>) => (await library.offered()).map(({ name }) => name);

  it("is not offered until the time is over, and can be loaded by its name with a notice", async () => {
    await put("mine", { files: file("mine"), heldUntil: 1_000 });
    expect([await named(at(999)), await named(at(1_000))]).toEqual([[], ["mine"]]);
    expect(await at(999).view("mine")).toMatchObject({ value: { notice: expect.stringMatching(/is being tried/) } });
    expect(await at(1_000).view("mine")).not.toHaveProperty("value.notice");
    expect(JSON.stringify(await at(999).view("mine-too"))).not.toContain("Did you mean");
  });

  it("is offered where no time is given: a review and a curation must know of it", async () => {
    await put("mine", { files: file("mine"), heldUntil: 1_000 });
    expect(await named(createLibrary({ store, seeds: {} }))).toEqual(["mine"]);
  });

  it("adds nothing to its base", async () => {
    await put("base", { files: file("base"), origin: "user" });
    await put("base-local", { files: file("base-local"), extends: "base", heldUntil: 1_000 });
    expect(await named(at(999))).toEqual(["base"]);
    expect(await at(999).view("base")).not.toHaveProperty("value.companion");
    expect(await at(1_000).view("base")).toMatchObject({ value: { companion: { name: "base-local" } } });
  });
});

describe("a skill that cannot be used here", () => {
  const files = (fields: string) => ({ "SKILL.md": withFields("mine", fields) });

  it("is neither listed nor loaded, by the conditions in its current text", async () => {
    await put("mine", { files: files("platforms: [macos]") });
    const library = createLibrary({ store, seeds: {} });
    expect(await library.lines()).toMatchObject([{ name: "mine", conditions: { platforms: ["macos"] } }]);
    expect(await library.offered()).toEqual([]);
    expect(await library.view("mine")).toMatchObject({ failure: { code: "skill_unsupported" } });
    expect(await library.view("mine", "references/none.md")).toMatchObject({ failure: { code: "skill_unsupported" } });
    await put("mine", { files: files("license: MIT") });
    expect(await library.view("mine")).toMatchObject({ ok: true });
    expect((await library.lines())[0]).not.toHaveProperty("conditions.platforms");
  });

  it("can be loaded by name if only a tool is missing", async () => {
    await put("mine", { files: files("metadata:\n  hermes:\n    requires_tools: [web_search]") });
    const library = createLibrary({ store, seeds: {}, scene: { tools: () => ["terminal"] } });
    expect(await library.offered()).toEqual([]);
    expect(await library.view("mine")).toMatchObject({ ok: true });
    const web = createLibrary({ store, seeds: {}, scene: { tools: () => ["web_search"] } });
    expect((await web.offered()).map((line) => line.name)).toEqual(["mine"]);
  });

  it("is not suggested for an unknown name", async () => {
    await put("mine", { files: files("") });
    const library = createLibrary({ store, seeds: {}, scene: { disabled: ["mine"] } });
    const missing = await library.view("mine-too");
    expect(missing).toMatchObject({ failure: { code: "skill_missing" } });
    expect(JSON.stringify(missing)).not.toContain("Did you mean");
    expect(await library.view("mine")).toMatchObject({ failure: { code: "skill_disabled" } });
  });

  it("may also be a bundled skill, or only a base's companion", async () => {
    const seeds = { mine: { "SKILL.md": withFields("mine", "platforms: windows") }, other: { "SKILL.md": OTHER } };
    const library = createLibrary({ store, seeds });
    expect((await library.offered()).map((line) => line.name)).toEqual(["other"]);
    expect(await library.view("mine")).toMatchObject({ failure: { code: "skill_unsupported" } });
    await put("other-local", {
      files: { "SKILL.md": withFields("other-local", "platforms: macos") },
      extends: "other",
    });
    const base = await library.view("other");
    expect(base.ok && base.value.companion).toBeUndefined();
  });

  it("lists the settings it needs that are not set, and the skills of its bundle", async () => {
    await put("mine", { files: files("required_environment_variables: [KEY]\nmetadata:\n  bundle: a, b") });
    const isSet = (name: string) => name === "KEY";
    const missing = { variables: ["KEY"], files: [] };
    expect(await createLibrary({ store, seeds: {} }).view("mine")).toMatchObject({
      value: { missing, bundle: ["a", "b"] },
    });
    const set = await createLibrary({ store, seeds: {}, scene: { isSet } }).view("mine");
    expect(set.ok && set.value.missing).toBeUndefined();
  });
});
