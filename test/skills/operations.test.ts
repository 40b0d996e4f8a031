import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext, SkillSnapshot } from "../../core/ports.ts";
import type { Result } from "../../core/errors.ts";
import { sha256Hex } from "../../core/schemas/digest.ts";
import { EMPTY_INDEX, type SkillHead, type SkillIndex, toIndexLine } from "../../core/schemas/skill.ts";
import { type SkillOperation, type Writer, toDecide } from "../../core/skills/operations.ts";
import { skillMd } from "./skill-md.ts";

const SEEDS = {
  bundled: { "SKILL.md": skillMd({ name: "bundled", description: "Came with it.", category: "general" }) },
};

function snapshot(change: Partial<SkillHead> = {}, files?: Record<string, string>): SkillSnapshot {
  const name = change.name ?? "reading-logs";
  const contents = files ?? { "SKILL.md": skillMd({ name }), "references/a.md": "old" };
  const head: SkillHead = {
    v: 1,
    name,
    seq: 3,
    rev: 2,
    text: sha256Hex("text"),
    description: "Reads server logs. Use when one is given.",
    category: "ops",
    state: "trial",
    pinned: false,
    origin: "review",
    files: {},
    citations: [],
    op: "op",
    createdAt: 1,
    revisedAt: 1,
    updatedAt: 1,
    ...change,
  };
  return { head, files: contents };
}

function indexOf(...snapshots: SkillSnapshot[]): SkillIndex {
  return { v: 1, seq: 1, skills: Object.fromEntries(snapshots.map(({ head }) => [head.name, toIndexLine(head)])) };
}

async function decide(
  operation: SkillOperation,
  on: { current?: SkillSnapshot; index?: SkillIndex; origin?: Writer } = {},
): Promise<Result<SkillNext>> {
  const { current = null, origin = "review" } = on;
  const index = on.index ?? (current ? indexOf(current) : EMPTY_INDEX);
  return toDecide(operation, { origin, seeds: SEEDS, settings: DEFAULTS.skills, citations: ["c"] })(current, index);
}

const create = (name: string, change: Parameters<typeof skillMd>[0] = {}): SkillOperation => ({
  action: "create",
  name,
  content: skillMd({ name, ...change }),
});
const patch: SkillOperation = {
  action: "patch",
  name: "reading-logs",
  oldString: "Steps of reading-logs.",
  newString: "New steps.",
  replaceAll: false,
};
const patched = skillMd().replace("Steps of reading-logs.", "New steps.");
const NEXT = {
  description: "Reads server logs. Use when one is given.",
  category: "ops",
  origin: "review",
  citations: ["c"],
};

describe("create", () => {
  it.each([
    ["review", "trial"],
    ["foreground", "trial"],
    ["curator", "trial"],
    ["user", "active"],
  ] as const)("by %s makes a skill that is %s", async (origin, state) => {
    expect(await decide(create("reading-logs"), { origin })).toEqual({
      ok: true,
      value: { ...NEXT, files: { "SKILL.md": skillMd() }, state, origin },
    });
  });

  it("files it where it is told to, else where its text says", async () => {
    const asked = await decide({ action: "create", name: "reading-logs", content: skillMd(), category: "My Work" });
    expect(asked).toMatchObject({ value: { category: "my-work" } });
  });

  it("is refused on a living name", async () => {
    expect(await decide(create("reading-logs"), { current: snapshot({ state: "stale" }) })).toMatchObject({
      failure: { code: "skill_exists" },
    });
  });

  it("brings an archived name back with a new revision", async () => {
    expect(await decide(create("reading-logs"), { current: snapshot({ state: "archived" }) })).toEqual({
      ok: true,
      value: { ...NEXT, files: { "SKILL.md": skillMd() }, state: "trial", reason: "written again by review" },
    });
  });

  it("changes nothing when it is repeated after bringing the same text back", async () => {
    const current = snapshot({}, { "SKILL.md": skillMd() });
    expect(await decide(create("reading-logs"), { current })).toEqual({ ok: true, value: {} });
  });

  it("is refused beside a skill that is nearly the same, and names it", async () => {
    const index = indexOf(snapshot());
    expect(await decide(create("logs-reading"), { index })).toEqual({
      ok: false,
      failure: {
        code: "near_duplicate",
        message: "'reading-logs' is nearly the same skill: view it, and put what is new into 'reading-logs'.",
        facts: { neighbour: "reading-logs", similarity: 1 },
      },
    });
    const far = create("logs-reading", { description: "Counts visits by country." });
    expect(await decide(far, { index })).toMatchObject({ ok: true });
  });

  it("points to the companion of a near neighbour that is protected", async () => {
    expect(await decide(create("bundle", { description: "Came with it." }))).toMatchObject({
      failure: { message: expect.stringContaining("into 'bundled-local'"), facts: { neighbour: "bundled" } },
    });
  });

  it("does not mind an archived neighbour", async () => {
    expect(await decide(create("logs-reading"), { index: indexOf(snapshot({ state: "archived" })) })).toMatchObject({
      ok: true,
    });
  });

  it.each([
    ["a bad name", create("Bad_Name"), "bad_skill_name"],
    ["no sections", { action: "create", name: "a", content: "---\nname: a\ndescription: b\n---\nx" }, "bad_skill_md"],
    ["another name inside", { action: "create", name: "a", content: skillMd({ name: "b" }) }, "bad_skill_md"],
    ["a companion without a base", create("nothing-local"), "no_base"],
    ["a companion's companion", create("bundled-local-local"), "bad_skill_name"],
    ["a bundled name", create("bundled"), "skill_protected"],
  ] as [string, SkillOperation, string][])("is refused with %s", async (_what, operation, code) => {
    expect(await decide(operation)).toMatchObject({ ok: false, failure: { code } });
  });
});

describe("a companion", () => {
  const companion = create("bundled-local", { description: "Came with it.", category: "general" });

  it("extends its base, whose category it takes, and is no duplicate of it", async () => {
    expect(await decide(companion)).toMatchObject({
      value: { extends: "bundled", category: "general", state: "trial", origin: "review" },
    });
  });

  it("gets its base again when it is edited", async () => {
    const current = snapshot({ name: "bundled-local" });
    const edit: SkillOperation = { ...companion, action: "edit" } as SkillOperation;
    expect(await decide(edit, { current })).toMatchObject({ value: { extends: "bundled" } });
  });
});

describe("protection", () => {
  const CASES: [who: Partial<SkillHead>, allowed: Writer[]][] = [
    [{ origin: "review" }, ["review", "curator", "foreground", "user"]],
    [{ origin: "curator" }, ["review", "curator", "foreground", "user"]],
    [{ origin: "foreground" }, ["review", "curator", "foreground", "user"]],
    [{ origin: "user" }, ["foreground", "user"]],
    [{ origin: "hub" }, []],
    [{ origin: "bundled" }, []],
    [{ origin: "review", pinned: true }, []],
    [{ origin: "user", pinned: true }, []],
  ];
  const OPERATIONS: SkillOperation[] = [
    patch,
    { action: "edit", name: "reading-logs", content: patched },
    { action: "delete", name: "reading-logs" },
    { action: "write_file", name: "reading-logs", path: "assets/a", content: "x" },
    { action: "remove_file", name: "reading-logs", path: "references/a.md" },
  ];

  it.each(CASES)("of %j leaves it to %j", async (who, allowed) => {
    for (const origin of ["review", "curator", "foreground", "user"] as const) {
      for (const operation of OPERATIONS) {
        const decided = await decide(operation, { current: snapshot(who), origin });
        const code = decided.ok ? "ok" : decided.failure.code;
        expect([operation.action, origin, code]).toEqual([
          operation.action,
          origin,
          allowed.includes(origin) ? "ok" : "skill_protected",
        ]);
      }
    }
  });

  it("advises the companion", async () => {
    const decided = await decide({ action: "delete", name: "bundled" }, { origin: "foreground" });
    expect(decided).toMatchObject({
      failure: {
        code: "skill_protected",
        message: expect.stringContaining("'bundled-local'"),
        facts: { advice: "bundled-local" },
      },
    });
  });

  it("advises no companion for a companion", async () => {
    const current = snapshot({ name: "bundled-local", pinned: true });
    expect(await decide({ action: "delete", name: "bundled-local" }, { current })).toMatchObject({
      failure: { code: "skill_protected", facts: { advice: null } },
    });
  });
});

describe("a change", () => {
  it("patches SKILL.md and keeps the other files and the state", async () => {
    expect(await decide(patch, { current: snapshot() })).toEqual({
      ok: true,
      value: { ...NEXT, files: { "SKILL.md": patched, "references/a.md": "old" } },
    });
  });

  it("leaves a person's skill theirs, and in their form", async () => {
    const text = "---\nname: Logs\ndescription: b\n---\nJust read.";
    const current = snapshot({ origin: "user", state: "active", category: "mine" }, { "SKILL.md": text });
    const operation: SkillOperation = { ...patch, oldString: "Just read.", newString: "Read twice." } as SkillOperation;
    expect(await decide(operation, { current, origin: "foreground" })).toEqual({
      ok: true,
      value: {
        files: { "SKILL.md": text.replace("Just read.", "Read twice.") },
        description: "b",
        origin: "user",
        citations: ["c"],
      },
    });
  });

  it("edits, writes and removes", async () => {
    const filesAfter = async (operation: SkillOperation) => {
      const decided = await decide(operation, { current: snapshot() });
      return decided.ok && decided.value.files;
    };
    const name = "reading-logs";
    expect(await filesAfter({ action: "edit", name, content: patched })).toEqual({
      "SKILL.md": patched,
      "references/a.md": "old",
    });
    expect(await filesAfter({ action: "write_file", name, path: "scripts/b.sh", content: "ls" })).toEqual({
      "SKILL.md": skillMd(),
      "references/a.md": "old",
      "scripts/b.sh": "ls",
    });
    expect(await filesAfter({ action: "remove_file", name, path: "references/a.md" })).toEqual({
      "SKILL.md": skillMd(),
    });
    expect(
      await filesAfter({
        action: "patch",
        name,
        path: "references/a.md",
        oldString: "old",
        newString: "new",
        replaceAll: false,
      }),
    ).toEqual({ "SKILL.md": skillMd(), "references/a.md": "new" });
  });

  const name = "reading-logs";
  it.each([
    ["an unknown skill", { ...patch, name: "reading-logbooks" }, "skill_missing"],
    ["a passage that is not there", { ...patch, oldString: "zzz" }, "not_found"],
    ["a passage that leaves no section", { ...patch, oldString: "## Steps\n", newString: "" }, "bad_skill_md"],
    ["a file that is not there", { ...patch, path: "references/b.md" }, "file_missing"],
    ["an inherited key as a file", { ...patch, path: "constructor" }, "file_missing"],
    ["removing a file that is not there", { action: "remove_file", name, path: "references/b.md" }, "file_missing"],
    ["removing SKILL.md", { action: "remove_file", name, path: "SKILL.md" }, "bad_path"],
    ["writing SKILL.md as a file", { action: "write_file", name, path: "SKILL.md", content: "x" }, "bad_path"],
    ["writing outside", { action: "write_file", name, path: "references/../../x", content: "x" }, "bad_path"],
    ["absorbed into nothing", { action: "delete", name, absorbedInto: "nowhere" }, "bad_absorbed_into"],
    ["absorbed into itself", { action: "delete", name, absorbedInto: name }, "bad_absorbed_into"],
  ] as [string, SkillOperation, string][])("is refused with %s", async (_what, operation, code) => {
    const current = operation.name === name ? snapshot() : undefined;
    expect(await decide(operation, { current, index: indexOf(snapshot()) })).toMatchObject({ failure: { code } });
  });

  it("of an archived skill is refused, and says how to bring it back", async () => {
    expect(await decide(patch, { current: snapshot({ state: "archived" }) })).toEqual({
      ok: false,
      failure: {
        code: "skill_archived",
        message: "'reading-logs' is archived and cannot be changed. Create it again to bring it back.",
      },
    });
  });
});

describe("delete", () => {
  it("archives, with the reason", async () => {
    const remove: SkillOperation = { action: "delete", name: "reading-logs" };
    expect(await decide(remove, { current: snapshot() })).toEqual({
      ok: true,
      value: { state: "archived", reason: "deleted by review" },
    });
    expect(await decide({ ...remove, absorbedInto: "bundled" }, { current: snapshot() })).toEqual({
      ok: true,
      value: { state: "archived", reason: "absorbed into bundled" },
    });
  });

  it("changes nothing the second time", async () => {
    const current = snapshot({ state: "archived" });
    expect(await decide({ action: "delete", name: "reading-logs" }, { current })).toEqual({ ok: true, value: {} });
  });
});
