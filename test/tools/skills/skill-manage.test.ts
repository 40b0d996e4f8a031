// The tool's own part: both forms of its arguments, and that a call with any arguments is refused or leaves a valid skill. What
// each operation does to a skill is tested in test/skills/edit/operations.test.ts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../core/agent/contract.ts";
import { readOutcome, renderParts } from "../../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Bucket, SkillStore } from "../../../core/ports.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import type { Writer } from "../../../core/skills/edit/operations.ts";
import { validateSkill } from "../../../core/skills/format/validate.ts";
import { readRecordedAction, createSkillManage, toOperations } from "../../../core/tools/skills/skill-manage.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { DOUBTFUL } from "../../skills/scanner/doubtful.ts";
import { skillMd } from "../../skills/skill-md.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { expectSound } from "../../support/skills/skills.ts";
import { runs } from "../../support/thorough.ts";

const SEEDS = { bundled: { "SKILL.md": skillMd({ name: "bundled", description: "Came with it." }) } };

type Change = Partial<Parameters<typeof createSkillManage>[0]>;

function createScene(change: Change = {}) {
  const clock = createTestClock();
  const profile = newProfileId();
  const bucket = createMemoryBucket({ clock });
  const random = createSeededRandom(1);
  const storeOver = (over: Bucket) =>
    createSkillStore({ bucket: over, profile, clock, random, swapMs: DEFAULTS.skills.swapMs });
  const store = storeOver(bucket);
  const toolFor = (origin: Writer, over = store) =>
    createSkillManage({
      library: createLibrary({ store: over, seeds: SEEDS }),
      store: over,
      origin,
      settings: DEFAULTS,
      ...change,
    }) as Tool;
  let ops = 0;
  /** Returns `null` for arguments that the schema refuses. */
  async function call(args: JsonObject, origin: Writer = "foreground") {
    const tool = toolFor(origin);
    const parsed = tool.parameters.safeParse(args);
    if (!parsed.success) return null;
    const prepared = (await tool.prepare?.(parsed.data)) ?? {};
    const context = { op: `turn-1.${++ops}`, prepared, signal: new AbortController().signal };
    const result = await tool.run(parsed.data, context);
    return { failed: result.failed, outcome: readOutcome(result), shown: JSON.parse(renderParts(result.parts)) };
  }
  return { bucket, profile, store, storeOver, toolFor, call };
}

const name = "reading-logs";
const create = { action: "create", content: skillMd() };
const reference = { action: "write_file", file_path: "references/a.md", file_content: "deep" };

describe("a list of operations", () => {
  it.each([
    [
      "the name in each operation",
      {
        operations: [
          { ...create, name },
          { ...reference, name },
        ],
      },
    ],
    ["the name once for all", { name, operations: [create, reference] }],
    ["the name in the first operation", { operations: [{ ...create, name }, reference] }],
  ])("is one revision, with %s", async (_what, args) => {
    const { call, store } = createScene();
    const { outcome } = (await call(args))!;
    expect(outcome).toEqual({ done: "created, file written", name, rev: 1, text: outcome.text, state: "trial" });
    expect((await store.open(name))?.files).toEqual({ "SKILL.md": skillMd(), "references/a.md": "deep" });
    expect(await store.revisions(name)).toHaveLength(1);
  });

  it("leaves the skill unchanged if one operation cannot be done", async () => {
    const { call, store } = createScene();
    await call({ name, ...create });
    const before = await store.head(name);
    const patch = { action: "patch", old_string: "zzz", new_string: "x" };
    expect((await call({ name, operations: [reference, patch] }))!.shown).toMatchObject({
      code: "not_found",
      error: expect.stringMatching(/^Operation 2 \(patch\): .* Nothing was changed\.$/),
      operation: 2,
      preview: skillMd().slice(0, 500),
    });
    expect(await store.head(name)).toEqual(before);
  });

  it("may change a skill that it creates without reading it, and no other skill", async () => {
    const { call } = createScene({ isViewed: () => false });
    expect((await call({ name, operations: [create, reference] }))!.failed).toBe(false);
    expect((await call({ name, operations: [reference] }))!.outcome).toMatchObject({ code: "read_first" });
  });

  it.each([
    [{}, "bad_arguments", "skill_manage needs an action with its fields, or operations: call it again with one."],
    [{ name, operations: [] }, "no_operations", "operations is empty: give at least one."],
    [
      { name, action: "edit", content: "x", operations: [reference] },
      "bad_arguments",
      "Give operations or action, content, not both: put each operation into the list.",
    ],
    [
      { operations: [reference] },
      "bad_arguments",
      "Operation 1: write_file needs name: call skill_manage again with it.",
    ],
    [
      { name, operations: [reference, { action: "edit" }] },
      "bad_arguments",
      "Operation 2: edit needs content: call skill_manage again with it.",
    ],
    [
      {
        operations: [
          { ...reference, name },
          { ...reference, name: "other" },
        ],
      },
      "several_skills",
      "One list changes one skill, and this one names 'reading-logs', 'other': send one list each.",
    ],
  ])("with %j is refused", async (args, code, error) => {
    expect((await createScene().call(args))!.outcome).toEqual({ code, error });
  });
});

it(
  "a list of operations that crashes anywhere is applied whole or not at all, and is complete after a repetition",
  { timeout: 30_000 },
  async () => {
    const args = { name, operations: [create, reference] };
    const context = { op: "op-1", prepared: { rev: 0 }, signal: new AbortController().signal };
    for (let atCall = 1; ; atCall++) {
      for (const afterwards of [false, true]) {
        const { bucket, profile, store, storeOver, toolFor } = createScene();
        const crashing = createCrashingBucket(bucket, { atCall, afterwards });
        await toolFor("foreground", storeOver(crashing))
          .run(args, context)
          .catch(() => null);
        if (!crashing.hasCrashed()) return;
        const cut = await store.open(name);
        expect(Object.keys(cut?.files ?? {}).length).not.toBe(1);
        expect(await toolFor("foreground").run(args, context)).toMatchObject({ failed: false });
        expect((await store.open(name))?.files).toEqual({ "SKILL.md": skillMd(), "references/a.md": "deep" });
        expect((await store.revisions(name)).map(({ op }) => op)).toEqual(["op-1"]);
        await expectSound(bucket, profile, store);
      }
    }
  },
);

it(
  "writers that change different files of one skill all succeed, each list as a whole",
  { timeout: 30_000 },
  async () => {
    const { call, store } = createScene();
    await call({ name, ...create });
    const lists = Array.from({ length: 8 }, (_, i) => [
      { action: "write_file", file_path: `references/${i}.md`, file_content: `deep ${i}` },
      { action: "patch", old_string: "## Verify", new_string: `Point ${i}.\n\n## Verify` },
    ]);
    const made = await Promise.all(lists.map((operations) => call({ name, operations })));
    expect(made.filter((one) => one?.failed)).toEqual([]);
    const { files } = (await store.open(name))!;
    for (const i of lists.keys()) {
      expect(files[`references/${i}.md`]).toBe(`deep ${i}`);
      expect(files["SKILL.md"]).toContain(`Point ${i}.`);
    }
  },
);

it("a file's content may be passed as content or as file_content", async () => {
  const { call, store } = createScene();
  await call({ name, ...create });
  await call({ name, action: "write_file", file_path: "references/a.md", content: "deep" });
  expect((await store.open(name))?.files["references/a.md"]).toBe("deep");
});

describe("a text that the scanner doubts", () => {
  const doubtful = {
    name,
    operations: [create, { ...reference, file_content: DOUBTFUL }],
  };

  it("is quoted in the refusal as the model's own words", async () => {
    const { outcome, shown } = (await createScene().call(doubtful))!;
    expect(outcome).toEqual({ code: "scan_doubtful", error: expect.stringContaining("references/a.md, line 1: ") });
    expect(shown).toMatchObject({ findings: [{ path: "references/a.md", line: 1, reason: expect.any(String) }] });
  });

  it("is kept once a person has approved it", async () => {
    const { outcome } = (await createScene({ approved: true }).call(doubtful))!;
    expect(outcome).toMatchObject({ done: "created, file written" });
  });
});

it("a call gives the same operations each time it is parsed", () => {
  const args = { name, operations: [reference, { action: "patch", old_string: "a", new_string: "" }] } as const;
  const made = toOperations(structuredClone(args) as never);
  expect(made).toEqual({
    ok: true,
    value: [
      { action: "write_file", name, path: "references/a.md", content: "deep" },
      { action: "patch", name, path: "SKILL.md", oldString: "a", newString: "", replaceAll: false },
    ],
  });
});

it.each([
  [{ action: "create" }, "create"],
  [{ operations: [{ action: "create", name }, reference] }, "create"],
  [{ operations: [] }, ""],
  [{ operations: "x" }, ""],
  [{ action: "fly" }, ""],
])("the action of %j is %j", (args, action) => {
  expect(readRecordedAction(args as JsonObject)).toBe(action);
});

describe("for any arguments from a model", () => {
  const NAMES = [
    "reading-logs",
    "writing-letters",
    "bundled",
    "bundled-local",
    "reading-logs-local",
    "Bad Name",
    "",
    "__proto__",
  ];
  const PATHS = [
    "SKILL.md",
    "references/a.md",
    "scripts/run.sh",
    "assets/../x",
    "a.md",
    "",
    "__proto__",
    "references/a",
  ];
  const texts = fc.oneof(
    fc.constantFrom(...NAMES.map((own) => skillMd({ name: own, description: `What ${own} is for.` }))),
    fc.constantFrom(
      skillMd({ extra: "more" }),
      "---\nname: x\n---\n",
      "# No frontmatter",
      "Steps of reading-logs.",
      "\ud83d",
    ),
    fc.constantFrom("## Steps", "Steps of", "  steps OF", "\\n", "\n", "", " ", "a"),
    fc.string({ maxLength: 40 }),
  );
  const operation = fc.record(
    {
      action: fc.constantFrom("create", "create", "edit", "patch", "patch", "delete", "write_file", "remove_file"),
      name: fc.constantFrom(...NAMES, "reading-logs", "reading-logs"),
      content: texts,
      old_string: texts,
      new_string: texts,
      replace_all: fc.boolean(),
      file_path: fc.constantFrom(...PATHS),
      file_content: texts,
      absorbed_into: fc.constantFrom(...NAMES),
      category: fc.constantFrom("ops", "", "Ä!"),
    },
    { requiredKeys: ["action"] },
  );
  const listed = fc.record({
    name: fc.constantFrom(...NAMES.slice(0, 2)),
    operations: fc.array(operation, { maxLength: 4 }),
  });
  const origins = fc.constantFrom<Writer>("user", "foreground", "review", "curator");
  const CODE = /^[a-z_]+$/;

  it(
    "a call succeeds or is refused with an explanation, and every skill stays valid",
    { timeout: 60_000 },
    async () => {
      const call = fc.tuple(fc.oneof(operation, listed), origins);
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
          const scene = createScene();
          await scene.call({ name, ...create });
          for (const [args, origin] of calls) {
            const made = (await scene.call(args as JsonObject, origin))!;
            if (!made.failed) continue;
            expect(made.outcome).toMatchObject({
              code: expect.stringMatching(CODE),
              error: expect.stringMatching(/\S/),
            });
          }
          await expectSound(scene.bucket, scene.profile, scene.store);
          await expectValid(scene.store);
        }),
        { numRuns: runs(150) },
      );
    },
  );

  it("arguments of any form are refused by the schema or with an explanation", { timeout: 60_000 }, async () => {
    const anything = fc.dictionary(
      fc.constantFrom("action", "name", "content", "old_string", "new_string", "operations", "file_path", "x"),
      fc.oneof(fc.anything(), fc.constantFrom("create", "patch", name), fc.array(fc.anything(), { maxLength: 3 })),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (args) => {
        const made = await createScene().call(args as JsonObject);
        if (made) expect(made.failed).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** Applies the rules for the skill's origin, as far as a change could have broken them. */
async function expectValid(store: SkillStore): Promise<void> {
  for (const skill of Object.keys((await store.index()).skills)) {
    const { head, files } = (await store.open(skill))!;
    const writer = head.origin === "user" ? "person" : "model";
    const checked = validateSkill({ name: skill, files, maxFiles: DEFAULTS.skills.maxFiles, writer });
    expect(checked).toMatchObject({ ok: true, value: { description: head.description } });
  }
}
