import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { ok } from "../../core/errors.ts";
import type { SkillNext, SkillStore } from "../../core/ports.ts";
import { sha256Hex, textOfFiles } from "../../core/schemas/digest.ts";
import { createLibrary } from "../../core/skills/library.ts";
import { createSkillStore } from "../../stores/skill-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/memory-bucket.ts";
import { newProfileId } from "../support/profile-ids.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { skillMd } from "./skill-md.ts";

const BUNDLED = skillMd({ name: "bundled", description: "Came with it.", category: "general" });
const OTHER = skillMd({ name: "other", description: "Came too." });
const SEEDS = { bundled: { "references/a.md": "deep", "SKILL.md": BUNDLED }, other: { "SKILL.md": OTHER } };
const BUNDLED_TEXT = textOfFiles({
  "SKILL.md": { sha256: sha256Hex(BUNDLED) },
  "references/a.md": { sha256: sha256Hex("deep") },
});

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
  });
});

async function put(name: string, change: SkillNext): Promise<void> {
  const next = { description: "Own.", category: "ops", state: "trial", origin: "review", ...change } as const;
  const changed = await store.change({ name, op: `op-${++ops}`, since: 0, decide: () => ok(next) });
  expect(changed.ok).toBe(true);
}

const linesOf = async (library: ReturnType<typeof createLibrary>) =>
  (await library.lines()).map(({ name, origin, state, rev }) => ({ name, origin, state, rev }));

describe("lines", () => {
  it("are the bundled skills where nothing is learned", async () => {
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

  it("put a profile's own over the bundled ones, archived heads too", async () => {
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

describe("view", () => {
  const view = (name: string, path?: string) => createLibrary({ store, seeds: SEEDS }).view(name, path);

  it("gives the content and names the text that was read", async () => {
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

  it("adds the companion's text to its base, and says whose it is", async () => {
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
    expect((await view("bundled", "references/a.md")).ok && (await view("bundled", "references/a.md"))).toMatchObject({
      value: { content: "deep" },
    });
  });

  it("leaves an archived companion out", async () => {
    await put("bundled-local", { files: { "SKILL.md": skillMd({ name: "bundled-local" }) }, state: "archived" });
    expect(await view("bundled")).toMatchObject({ value: { content: BUNDLED } });
  });

  it("notes that a skill is archived, also one that came with Talaria", async () => {
    await put("bundled", { files: SEEDS.bundled, state: "archived", origin: "bundled" });
    expect(await view("bundled")).toMatchObject({
      value: { state: "archived", notice: expect.stringContaining("archived"), content: BUNDLED },
    });
  });

  it("shows an own skill instead of the bundled one of that name", async () => {
    const text = skillMd({ name: "bundled", description: "Mine." });
    await put("bundled", { files: { "SKILL.md": text }, origin: "user", state: "active" });
    expect(await view("bundled")).toMatchObject({ value: { content: text, origin: "user", rev: 1 } });
  });

  it("refuses one that waits for a person", async () => {
    await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }) }, state: "pending" });
    expect(await view("mine")).toMatchObject({ failure: { code: "skill_pending" } });
  });

  it("names the nearest skills for an unknown name, and the files for an unknown path", async () => {
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

  it.each(["../other", "constructor", "__proto__", "Bundled", ""])("knows no skill called %j", async (name) => {
    expect(await view(name)).toMatchObject({ failure: { code: "skill_missing" } });
  });

  it("knows no file by an inherited key", async () => {
    expect(await view("bundled", "constructor")).toMatchObject({ failure: { code: "file_missing" } });
  });
});
