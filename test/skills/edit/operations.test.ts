import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import type { SkillNext, SkillSnapshot } from "../../../core/ports.ts";
import type { Result } from "../../../core/errors.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { EMPTY_INDEX, type SkillHead, type SkillIndex, toIndexLine } from "../../../core/schemas/skill.ts";
import { type SkillOperation, type Writer, createDecide } from "../../../core/skills/edit/operations.ts";
import { DOUBTFUL, REFUSED } from "../scanner/doubtful.ts";
import { skillMd } from "../skill-md.ts";

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
  operation: SkillOperation | SkillOperation[],
  on: { current?: SkillSnapshot; index?: SkillIndex; origin?: Writer; approved?: boolean } = {},
): Promise<Result<SkillNext>> {
  const { current = null, origin = "review" } = on;
  const index = on.index ?? (current ? indexOf(current) : EMPTY_INDEX);
  const operations = Array.isArray(operation) ? operation : [operation];
  const approved = on.approved === true;
  const context = { origin, seeds: SEEDS, settings: DEFAULTS.skills, citations: ["c"], approved };
  return createDecide(operations, context)(current, index);
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
  ] as const)("by %s makes a skill in state %s", async (origin, state) => {
    expect(await decide(create("reading-logs"), { origin })).toEqual({
      ok: true,
      value: { ...NEXT, files: { "SKILL.md": skillMd() }, state, origin },
    });
  });

  it("uses the given category, else the one in the text", async () => {
    const asked = await decide({ action: "create", name: "reading-logs", content: skillMd(), category: "My Work" });
    expect(asked).toMatchObject({ value: { category: "my-work" } });
  });

  it("is refused when the skill exists", async () => {
    expect(await decide(create("reading-logs"), { current: snapshot({ state: "stale" }) })).toMatchObject({
      failure: { code: "skill_exists" },
    });
  });

  it("restores an archived name with a new revision", async () => {
    expect(await decide(create("reading-logs"), { current: snapshot({ state: "archived" }) })).toEqual({
      ok: true,
      value: {
        ...NEXT,
        files: { "SKILL.md": skillMd() },
        ...{ state: "trial", reason: "written again by review", startsOver: true },
      },
    });
  });

  it("does not make a restored skill public because the archived one was public", async () => {
    const current = snapshot({ state: "archived", public: true });
    expect(await decide(create("reading-logs"), { current })).toMatchObject({ value: { public: false } });
    const living = snapshot({ public: true });
    const patched = await decide(
      { action: "write_file", name: "reading-logs", path: "references/b.md", content: "b" },
      { current: living },
    );
    expect(patched.ok && patched.value.public).toBeUndefined();
  });

  it("changes nothing if it is repeated after it restored the same text", async () => {
    const current = snapshot({}, { "SKILL.md": skillMd() });
    expect(await decide(create("reading-logs"), { current })).toEqual({ ok: true, value: {} });
  });

  it("is refused for a near duplicate, and names the existing skill", async () => {
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

  it("advises the companion if the near duplicate is protected", async () => {
    expect(await decide(create("bundle", { description: "Came with it." }))).toMatchObject({
      failure: { message: expect.stringContaining("into 'bundled-local'"), facts: { neighbour: "bundled" } },
    });
  });

  it("ignores an archived near duplicate", async () => {
    expect(await decide(create("logs-reading"), { index: indexOf(snapshot({ state: "archived" })) })).toMatchObject({
      ok: true,
    });
  });

  it.each([
    ["a bad name", create("Bad_Name"), "bad_skill_name"],
    ["no sections", { action: "create", name: "a", content: "---\nname: a\ndescription: b\n---\nx" }, "bad_skill_md"],
    ["another name in the text", { action: "create", name: "a", content: skillMd({ name: "b" }) }, "bad_skill_md"],
    ["a companion without a base", create("nothing-local"), "no_base"],
    ["a companion of a companion", create("bundled-local-local"), "bad_skill_name"],
    ["a bundled name", create("bundled"), "skill_protected"],
  ] as [string, SkillOperation, string][])("is refused with %s", async (_what, operation, code) => {
    expect(await decide(operation)).toMatchObject({ ok: false, failure: { code } });
  });
});

describe("a companion", () => {
  const companion = create("bundled-local", { description: "Came with it.", category: "general" });

  it("extends its base, takes its category, and is not a duplicate of it", async () => {
    expect(await decide(companion)).toMatchObject({
      value: { extends: "bundled", category: "general", state: "trial", origin: "review" },
    });
  });

  it("is linked to its base again when it is edited", async () => {
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
    { action: "delete", name: "reading-logs", absorbedInto: "" },
    { action: "write_file", name: "reading-logs", path: "assets/a", content: "x" },
    { action: "remove_file", name: "reading-logs", path: "references/a.md" },
  ];

  it.each(CASES)("of a skill with %j allows changes by %j", async (who, allowed) => {
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

  it("keeps a person's skill in their name and form", async () => {
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

  it.each([
    ["review", "review", "active", "trial"],
    ["curator", "foreground", "stale", "trial"],
    ["foreground", "review", "active", "trial"],
    ["review", "review", "trial", undefined],
    ["review", "review", "pending", undefined],
    ["foreground", "user", "active", undefined],
    ["foreground", "user", "trial", undefined],
    ["user", "review", "trial", "active"],
    ["user", "user", "stale", "active"],
  ] as const)("by %s of a skill with origin %s in state %s sets the state %s", async (writer, origin, state, after) => {
    const decided = await decide(patch, { current: snapshot({ origin, state }), origin: writer });
    expect(decided.ok && [decided.value.state, decided.value.reason]).toEqual([after, after && `changed by ${writer}`]);
  });

  it("that leaves the text unchanged leaves the state unchanged", async () => {
    const current = snapshot({ state: "active" }, { "SKILL.md": patched });
    const same: SkillOperation = { action: "edit", name: "reading-logs", content: patched };
    expect(await decide(same, { current })).toEqual({ ok: true, value: { ...NEXT, files: { "SKILL.md": patched } } });
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
    ["a passage that does not exist", { ...patch, oldString: "zzz" }, "not_found"],
    ["a passage whose removal empties a section", { ...patch, oldString: "## Steps\n", newString: "" }, "bad_skill_md"],
    ["a file that does not exist", { ...patch, path: "references/b.md" }, "file_missing"],
    ["an inherited key as a file", { ...patch, path: "constructor" }, "file_missing"],
    ["removing a file that does not exist", { action: "remove_file", name, path: "references/b.md" }, "file_missing"],
    ["removing SKILL.md", { action: "remove_file", name, path: "SKILL.md" }, "bad_path"],
    ["writing SKILL.md as a file", { action: "write_file", name, path: "SKILL.md", content: "x" }, "bad_path"],
    ["writing outside the skill", { action: "write_file", name, path: "references/../../x", content: "x" }, "bad_path"],
    [
      "absorbed into a skill that does not exist",
      { action: "delete", name, absorbedInto: "nowhere" },
      "bad_absorbed_into",
    ],
    ["absorbed into itself", { action: "delete", name, absorbedInto: name }, "bad_absorbed_into"],
  ] as [string, SkillOperation, string][])("is refused with %s", async (_what, operation, code) => {
    const current = operation.name === name ? snapshot() : undefined;
    expect(await decide(operation, { current, index: indexOf(snapshot()) })).toMatchObject({ failure: { code } });
  });

  it("of an archived skill is refused, and says how to restore it", async () => {
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
    const remove: SkillOperation = { action: "delete", name: "reading-logs", absorbedInto: "" };
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

describe("a delete in the background", () => {
  const remove = { action: "delete", name: "reading-logs" } as const;

  it.each(["review", "curator"] as const)(
    "by %s is refused until it says what becomes of the lesson",
    async (origin) => {
      const current = snapshot();
      expect(await decide(remove, { current, origin })).toEqual({
        ok: false,
        failure: {
          code: "absorbed_into_missing",
          message:
            "No person can be asked here: delete needs absorbed_into, the skill that now contains this one's content, or an empty text when nothing needs to be kept.",
        },
      });
      expect(await decide({ ...remove, absorbedInto: "" }, { current, origin })).toMatchObject({
        value: { reason: `deleted by ${origin}` },
      });
      expect(await decide({ ...remove, absorbedInto: "bundled" }, { current, origin })).toMatchObject({
        value: { reason: "absorbed into bundled" },
      });
    },
  );

  it.each(["foreground", "user"] as const)("by %s needs no reason", async (origin) => {
    expect(await decide(remove, { current: snapshot(), origin })).toMatchObject({ value: { state: "archived" } });
  });
});

describe("a list of operations", () => {
  const name = "reading-logs";
  const write = (path: string, content = "new"): SkillOperation => ({ action: "write_file", name, path, content });

  it("makes a skill with all its files at once", async () => {
    const list = [create(name), write("references/b.md"), { ...patch, newString: "New steps." } as SkillOperation];
    expect(await decide(list)).toEqual({
      ok: true,
      value: { ...NEXT, files: { "SKILL.md": patched, "references/b.md": "new" }, state: "trial" },
    });
  });

  it("changes files in order, each operation on the result of the one before it", async () => {
    const list: SkillOperation[] = [
      patch,
      { ...patch, oldString: "New steps.", newString: "Newest steps." },
      write("scripts/a.sh", "ls"),
      { action: "patch", name, path: "scripts/a.sh", oldString: "ls", newString: "ls -l", replaceAll: false },
      { action: "remove_file", name, path: "references/a.md" },
    ];
    expect(await decide(list, { current: snapshot() })).toEqual({
      ok: true,
      value: {
        ...NEXT,
        files: { "SKILL.md": patched.replace("New steps.", "Newest steps."), "scripts/a.sh": "ls -l" },
      },
    });
  });

  it("validates the final result, not the intermediate ones", async () => {
    const current = snapshot();
    const cut: SkillOperation = { ...patch, oldString: "## Steps\n", newString: "" };
    const mend: SkillOperation = { ...patch, oldString: "Steps of", newString: "## Steps\n\nSteps of" };
    expect(await decide(cut, { current })).toMatchObject({ failure: { code: "bad_skill_md" } });
    expect(await decide([cut, mend], { current })).toMatchObject({ ok: true });
  });

  it("is all or nothing, and names the failing operation", async () => {
    const list = [patch, { ...patch, oldString: "zzz" } as SkillOperation];
    expect(await decide(list, { current: snapshot() })).toMatchObject({
      ok: false,
      failure: {
        code: "not_found",
        message: expect.stringMatching(
          /^Operation 2 \(patch\): old_string is not in the file.* Nothing was changed\.$/,
        ),
        facts: { operation: 2, preview: expect.any(String) },
      },
    });
  });

  it("is evaluated again as a whole on each newer head", async () => {
    const list = [patch, write("references/b.md")];
    const moved = snapshot({}, { "SKILL.md": skillMd({ extra: "More.\n" }), "references/c.md": "theirs" });
    expect(await decide(list, { current: moved })).toMatchObject({
      value: {
        files: {
          "SKILL.md": skillMd({ extra: "More.\n" }).replace("Steps of reading-logs.", "New steps."),
          "references/b.md": "new",
          "references/c.md": "theirs",
        },
      },
    });
    const gone = snapshot({}, { "SKILL.md": patched });
    expect(await decide(list, { current: gone })).toMatchObject({ failure: { code: "not_found" } });
  });

  it("changes nothing if it is repeated after it restored the same files", async () => {
    const current = snapshot({}, { "SKILL.md": skillMd(), "references/b.md": "new" });
    expect(await decide([create(name), write("references/b.md")], { current })).toEqual({ ok: true, value: {} });
    expect(await decide([create(name), write("references/b.md", "other")], { current })).toMatchObject({
      failure: { code: "skill_exists" },
    });
  });

  const remove: SkillOperation = { action: "delete", name, absorbedInto: "" };
  it.each([
    ["nothing", [], "no_operations"],
    ["21 operations", Array.from({ length: 21 }, (_, i) => write(`references/${i}.md`)), "too_many_operations"],
    ["two skills", [write("references/b.md"), { ...patch, name: "other" }], "several_skills"],
    ["a delete with other operations", [write("references/b.md"), remove], "delete_not_alone"],
    ["a create that is not first", [write("references/b.md"), create(name)], "create_not_first"],
    ["two creates", [create(name), create(name)], "create_not_first"],
    ["a create and an edit", [create(name), { action: "edit", name, content: patched }], "file_twice"],
    ["a file written twice", [write("references/b.md"), write("references/b.md", "c")], "file_twice"],
    ["a file written and removed", [write("a/b"), { action: "remove_file", name, path: "a/b" }], "file_twice"],
  ] as [string, SkillOperation[], string][])("is refused with %s", async (_what, list, code) => {
    expect(await decide(list, { current: snapshot() })).toMatchObject({ ok: false, failure: { code } });
  });

  it("may hold 20 operations", async () => {
    const list = Array.from({ length: 20 }, (_, i) => write(`references/${i}.md`));
    expect(await decide(list, { current: snapshot() })).toMatchObject({ ok: true });
  });

  it("advises one list per skill if it names several skills", async () => {
    expect(await decide([patch, { ...patch, name: "b" }])).toMatchObject({
      failure: { message: "One list changes one skill, and this one names 'reading-logs', 'b': send one list each." },
    });
  });
});

describe("what an agent writes", () => {
  const name = "reading-logs";
  const write = (content: string, path = "references/b.md"): SkillOperation => ({
    action: "write_file",
    name,
    path,
    content,
  });

  it.each(["review", "curator", "foreground", "user"] as const)("is scanned, also with origin %s", async (origin) => {
    const origins = { current: snapshot({ origin: origin === "user" ? "user" : "review" }), origin };
    const refused = await decide(write(REFUSED), origins);
    expect(refused).toMatchObject({ ok: false, failure: { code: expect.stringMatching(/^scan_(refused|doubtful)$/) } });
    const { message, facts } = refused.ok ? expect.fail() : refused.failure;
    const [first] = facts!.findings as { path: string; line: number; reason: string }[];
    expect(first).toEqual({ path: "references/b.md", line: 1, reason: expect.any(String) });
    expect(message).toContain(`references/b.md, line 1: ${first!.reason}`);
  });

  it("is scanned in a created SKILL.md and in a patch", async () => {
    const scan = { failure: { code: expect.stringMatching(/^scan_/) } };
    expect(await decide(create(name, { extra: `\n${REFUSED}\n` }))).toMatchObject(scan);
    expect(await decide({ ...patch, newString: REFUSED } as SkillOperation, { current: snapshot() })).toMatchObject(
      scan,
    );
  });

  it("is kept after a person approved the doubtful part, but not a part that is refused", async () => {
    expect(await decide(write(DOUBTFUL), { current: snapshot() })).toMatchObject({
      failure: { code: "scan_doubtful" },
    });
    expect(await decide(write(DOUBTFUL), { current: snapshot(), approved: true })).toMatchObject({ ok: true });
    const worse = await decide(write(REFUSED), { current: snapshot(), approved: true });
    expect(worse).toMatchObject({ failure: { code: "scan_refused" } });
  });

  it("is not blocked by old findings, even in the same file", async () => {
    const files = { "SKILL.md": skillMd({ extra: `\n${REFUSED}\n` }), "references/a.md": REFUSED };
    const current = snapshot({ origin: "user" }, files);
    const on = { current, origin: "foreground" as const };
    expect(await decide(write("Harmless."), on)).toMatchObject({ ok: true });
    expect(await decide(patch, on)).toMatchObject({ ok: true });
    const more: SkillOperation = { ...patch, newString: `Now. ${REFUSED}` } as SkillOperation;
    expect(await decide(more, on)).toMatchObject({ failure: { code: expect.stringMatching(/^scan_/) } });
    const again: SkillOperation = { ...patch, newString: REFUSED } as SkillOperation;
    expect(await decide(again, on)).toMatchObject({ failure: { code: expect.stringMatching(/^scan_/) } });
  });
});

describe("existing content", () => {
  const old = skillMd().replace("metadata:\n  category: ops", "category: ops\nversion: 1");

  it("may have a non-standard frontmatter until a change rewrites it", async () => {
    const current = snapshot({}, { "SKILL.md": old });
    expect(await decide(patch, { current })).toMatchObject({ ok: true });
    const reworded: SkillOperation = {
      ...patch,
      oldString: "Reads server logs.",
      newString: "Reads logs.",
    } as SkillOperation;
    expect(await decide(reworded, { current })).toMatchObject({ failure: { facts: { reason: "standard" } } });
  });

  it("may have more files, any paths, a long description and no name", async () => {
    const files = {
      "SKILL.md": `---\ndescription: ${"x".repeat(2_000)}\n---\nSteps of reading-logs.\n`,
      LICENSE: "MIT",
      ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`docs/${i}.md`, "x"])),
    };
    const current = snapshot({ origin: "user" }, files);
    const on = { current, origin: "foreground" as const };
    expect(await decide(patch, on)).toMatchObject({ ok: true, value: { description: `${"x".repeat(1_023)}…` } });
    const write: SkillOperation = { action: "write_file", name: "reading-logs", path: "LICENSE", content: "MIT-0" };
    expect(await decide(write, on)).toMatchObject({ ok: true, value: { files: { LICENSE: "MIT-0" } } });
    expect(await decide({ ...write, path: "NOTICE" }, on)).toMatchObject({ failure: { code: "bad_path" } });
    expect(await decide({ ...write, path: "references/a" }, on)).toMatchObject({ failure: { code: "too_many_files" } });
  });
});
