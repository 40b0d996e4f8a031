// The arm of bench:learning that represents Hermes Agent: one test per rule of its triggers, skill tool, review and curator. The
// simulated reviewer replaces its prompts' wording, as in every arm.
import { describe, expect, it } from "vitest";
import type { Model, ModelRequest } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { createHermesCurator } from "../../../bench/learning/hermes/curator.ts";
import { runHermesReview } from "../../../bench/learning/hermes/review.ts";
import { HERMES, countTurn, moveByAge, newTelemetry, choosePrompt } from "../../../bench/learning/hermes/rules.ts";
import { type HermesShelf, manageSkill } from "../../../bench/learning/hermes/skill-tool.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../../support/bindings/memory-kv.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { PROFILE } from "../../support/session/session-harness.ts";

const DAY_MS = 24 * 60 * 60_000;
const turn = { modelCalls: 4, tools: [] as string[], finalResponse: "Done.", interrupted: false };

describe("triggers", () => {
  it("counts model calls over turns, including the final one, and reviews skills at ten", () => {
    const first = countTurn({ sinceSkill: 0, sinceMemory: 0 }, turn);
    expect([first.skills, first.counters.sinceSkill]).toEqual([false, 4]);
    const second = countTurn(first.counters, { ...turn, modelCalls: 6 });
    expect([second.skills, second.counters.sinceSkill]).toEqual([true, 0]);
  });

  it("counts the person's turns, and reviews memory at the tenth", () => {
    const ninth = countTurn({ sinceSkill: 0, sinceMemory: 8 }, turn);
    expect([ninth.memory, ninth.counters.sinceMemory]).toEqual([false, 9]);
    const tenth = countTurn(ninth.counters, turn);
    expect([tenth.memory, tenth.counters.sinceMemory]).toEqual([true, 0]);
  });

  it("resets a counter when the agent saves by itself", () => {
    const saved = countTurn({ sinceSkill: 9, sinceMemory: 5 }, { ...turn, tools: ["service", "skill_manage"] });
    expect([saved.skills, saved.counters.sinceSkill]).toEqual([false, 2]);
    expect(countTurn({ sinceSkill: 0, sinceMemory: 5 }, { ...turn, tools: ["memory"] }).counters.sinceMemory).toBe(0);
  });

  it("starts no review after a turn that was interrupted or not answered", () => {
    for (const bad of [{ interrupted: true }, { finalResponse: " " }]) {
      expect(countTurn({ sinceSkill: 9, sinceMemory: 9 }, { ...turn, ...bad })).toMatchObject({
        skills: false,
        memory: false,
      });
    }
  });

  it("reviews both when both are due, otherwise the one that is due", () => {
    expect(choosePrompt({ memory: true, skills: true })).toBe("combined");
    expect(choosePrompt({ memory: true, skills: false })).toBe("memory");
    expect(choosePrompt({ memory: false, skills: true })).toBe("skills");
    expect(choosePrompt({ memory: false, skills: false })).toBeNull();
  });
});

describe("skill_manage", () => {
  it("creates skills that the curator manages, and takes no citations", async () => {
    const { shelf, manage } = setUp();
    expect(await manage({ action: "create", name: "reading-logs", content: skillMd("reading-logs") })).toMatchObject({
      ok: true,
    });
    expect(await shelf.skills.head("reading-logs")).toMatchObject({ state: "active", origin: "review", citations: [] });
    expect(shelf.telemetry.get("reading-logs")?.createdBy).toBe("agent");
  });

  it("refuses a second skill with the same name, bundled ones included", async () => {
    const { manage } = setUp();
    const create = { action: "create", name: "reading-logs", content: skillMd("reading-logs") };
    await manage(create);
    expect(await manage(create)).toMatchObject({ ok: false, failure: { code: "skill_exists" } });
    expect(await manage({ ...create, name: "bundled-one" })).toMatchObject({
      ok: false,
      failure: { code: "skill_exists" },
    });
  });

  it("accepts a near-duplicate", async () => {
    const { manage } = setUp();
    await manage({ action: "create", name: "reading-logs", content: skillMd("reading-logs") });
    expect(
      await manage({ action: "create", name: "reading-log-files", content: skillMd("reading-log-files") }),
    ).toMatchObject({ ok: true });
  });

  it.each([
    ["a description of more than 60 characters", skillMd("a", "x".repeat(61))],
    ["no frontmatter", "# Only a title"],
    ["no body", "---\nname: a\ndescription: b\n---\n"],
    ["more than 100,000 characters", skillMd("a") + "x".repeat(HERMES.skillMdChars)],
  ])("refuses %s", async (_what, content) => {
    expect(await setUp().manage({ action: "create", name: "a", content })).toMatchObject({ ok: false });
  });

  it("requires no sections", async () => {
    expect(
      await setUp().manage({ action: "create", name: "a", content: "---\nname: a\ndescription: b\n---\nDo it." }),
    ).toMatchObject({ ok: true });
  });

  it.each([
    ["a person's own", "persons", "skill_protected"],
    ["a bundled one", "bundled-one", "skill_protected"],
    ["a pinned one", "pinned", "skill_protected"],
    ["one that was not viewed in this review", "unread", "read_first"],
    ["one that is not there", "nowhere", "skill_missing"],
  ])("leaves alone %s", async (_what, name, code) => {
    const { manage, shelf } = setUp();
    for (const made of ["persons", "pinned", "unread"]) {
      await manage({ action: "create", name: made, content: skillMd(made) });
    }
    shelf.telemetry.get("persons")!.createdBy = null;
    shelf.telemetry.get("pinned")!.pinned = true;
    const patch = { action: "patch", name, old_string: "Open the file.", new_string: "Read it." };
    const read = new Set(["persons", "pinned", "bundled-one", "nowhere"]);
    expect(await manage(patch, read)).toMatchObject({ ok: false, failure: { code } });
  });

  it("patches approximate matches, adds and removes files in the four folders, and applies a list of operations atomically", async () => {
    const { manage, shelf } = setUp();
    await manage({ action: "create", name: "a", content: skillMd("a") });
    const read = new Set(["a"]);
    const file = { action: "write_file", name: "a", file_path: "references/more.md", file_content: "More." };
    expect(
      await manage(
        { operations: [{ action: "patch", name: "a", old_string: " Open  the file.", new_string: "Read it." }, file] },
        read,
      ),
    ).toMatchObject({ ok: true });
    const files = (await shelf.skills.open("a"))!.files;
    expect(files["SKILL.md"]).toContain("Read it.");
    expect(files["references/more.md"]).toBe("More.");
    const half = [
      { action: "remove_file", name: "a", file_path: "references/more.md" },
      { action: "patch", name: "a", old_string: "nowhere", new_string: "x" },
    ];
    expect(await manage({ operations: half }, read)).toMatchObject({ ok: false });
    expect((await shelf.skills.open("a"))!.files["references/more.md"]).toBe("More.");
    expect(await manage({ ...file, file_path: "else/where.md" }, read)).toMatchObject({ ok: false });
  });

  it("accepts at most twenty operations, a delete only alone, a create only first", async () => {
    const { manage } = setUp();
    const patch = { action: "patch", name: "a", old_string: "a", new_string: "b" };
    const create = { action: "create", name: "a", content: skillMd("a") };
    for (const operations of [
      Array(21).fill(patch),
      [patch, { action: "delete", name: "a", absorbed_into: "" }],
      [patch, create],
    ]) {
      expect(await manage({ operations })).toMatchObject({ ok: false });
    }
  });

  it("archives a deleted skill, if the call declares what absorbed it", async () => {
    const { manage, shelf } = setUp();
    for (const name of ["a", "b"]) await manage({ action: "create", name, content: skillMd(name) });
    const read = new Set(["a", "b"]);
    const remove = { action: "delete", name: "a" };
    expect(await manage(remove, read)).toMatchObject({ ok: false, failure: { code: "absorbed_into_missing" } });
    for (const wrong of ["a", "nowhere"]) {
      expect(await manage({ ...remove, absorbed_into: wrong }, read)).toMatchObject({
        ok: false,
        failure: { code: "bad_absorbed_into" },
      });
    }
    expect(await manage({ ...remove, absorbed_into: "b" }, read)).toMatchObject({ ok: true });
    expect(await shelf.skills.head("a")).toMatchObject({ state: "archived" });
  });
});

describe("a review", () => {
  it("may change a skill only after reading it", async () => {
    const world = setUp();
    await world.manage({ action: "create", name: "a", content: skillMd("a") });
    const patch = {
      name: "skill_manage",
      args: { action: "patch", name: "a", old_string: "Open the file.", new_string: "Read it." },
    };
    const end = await world.review([
      { calls: [patch] },
      { calls: [{ name: "skill_view", args: { name: "a" } }] },
      { calls: [patch] },
      { text: "Done." },
    ]);
    expect(end).toMatchObject({ modelCalls: 4, refused: [{ code: "read_first" }], actions: ["skill_manage patch"] });
  });

  it("may call only the six tools, and a refusal names them", async () => {
    const end = await setUp().review([{ calls: [{ name: "terminal", args: { command: "ls" } }] }, { text: "Done." }]);
    expect(end.refused).toEqual([{ code: "not_permitted", message: expect.stringContaining("skill_manage") }]);
  });

  it("ends after sixteen model calls", async () => {
    const lines = Array.from({ length: 30 }, (): ScriptLine => ({ calls: [{ name: "skills_list", args: {} }] }));
    expect((await setUp().review(lines)).modelCalls).toBe(HERMES.reviewIterations);
  });

  it("ends when its token budget is used up", async () => {
    const lines = Array.from({ length: 30 }, (): ScriptLine => ({
      calls: [{ name: "skills_list", args: {} }],
      usage: { input: 80_000 },
    }));
    expect((await setUp().review(lines)).modelCalls).toBe(2);
  });

  it("offers the tools of its kind", async () => {
    const names = async (kind: "combined" | "memory" | "skills") => {
      const requests: ModelRequest[] = [];
      await setUp().review([{ text: "Nothing." }], kind, requests);
      return requests[0]!.tools.map(({ name }) => name);
    };
    expect(await names("memory")).toEqual(["memory"]);
    expect(await names("skills")).not.toContain("memory");
    expect(await names("combined")).toContain("memory");
  });

  it("writes every fact to memory until the store is full", async () => {
    const add = (content: string): ScriptLine => ({
      calls: [{ name: "memory", args: { store: "user", action: "add", content } }],
    });
    const world = setUp();
    const end = await world.review([add("Likes tea."), add("x".repeat(HERMES.userChars)), { text: "Done." }], "memory");
    expect(end).toMatchObject({ actions: ["memory added"], refused: [{ code: "memory_full" }] });
    expect((await world.memory.list("user")).map(({ text }) => text)).toEqual(["Likes tea."]);
  });
});

describe("the curator", () => {
  it("runs for the first time after a week, and then weekly", async () => {
    const { shelf, clock } = setUp();
    const curator = createHermesCurator(shelf);
    const runsAfter = async (days: number) => {
      clock.advance(days * DAY_MS);
      await curator.idle();
      return curator.runs();
    };
    expect([
      await runsAfter(0),
      await runsAfter(6),
      await runsAfter(1),
      await runsAfter(6),
      await runsAfter(1),
    ]).toEqual([0, 0, 1, 1, 2]);
  });

  it.each([
    ["stale after 14 days without use", { createdAt: 0 }, 14, "stale"],
    ["left alone before", { createdAt: 0 }, 13, null],
    ["archived after 30", { createdAt: 0, state: "stale" }, 30, "archived"],
    ["active again when it was used", { createdAt: 0, state: "stale", lastUsedAt: 29 * DAY_MS }, 30, "active"],
    ["left alone when it is pinned", { createdAt: 0, pinned: true }, 99, null],
    ["left alone when a person made it", { createdAt: 0, createdBy: null }, 99, null],
    ["as young as its last patch", { createdAt: 0, lastPatchedAt: 20 * DAY_MS }, 30, null],
  ] as const)("%s", (_what, known, days, to) => {
    expect(moveByAge({ ...newTelemetry("agent", 0), ...known }, days * DAY_MS)).toBe(to);
  });

  it("moves skills by age alone: a skill that harmed in every use stays active", async () => {
    const { shelf, manage, clock } = setUp();
    const curator = createHermesCurator(shelf);
    await curator.idle();
    await manage({ action: "create", name: "harmful", content: skillMd("harmful") });
    clock.advance(8 * DAY_MS);
    shelf.telemetry.get("harmful")!.lastUsedAt = clock.now();
    await curator.idle();
    expect(await shelf.skills.head("harmful")).toMatchObject({ state: "active" });
    clock.advance(14 * DAY_MS);
    await curator.idle();
    expect(await shelf.skills.head("harmful")).toMatchObject({ state: "stale" });
  });
});

function skillMd(name: string, description = "Reads log files."): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n## Steps\n\nOpen the file.\n`;
}

function setUp() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const memory = createMemoryStore({ kv: createMemoryKv({ clock }), profile: PROFILE, clock, overlayMs: 0 });
  const shelf: HermesShelf = { skills, telemetry: new Map(), now: clock.now, bundled: new Set(["bundled-one"]) };
  let calls = 0;
  return {
    clock,
    shelf,
    memory,
    manage: (args: JsonObject, read: Set<string> = new Set()) =>
      manageSkill(args, { shelf, read, op: `op-${++calls}` }),
    review(lines: ScriptLine[], kind: "combined" | "memory" | "skills" = "combined", requests: ModelRequest[] = []) {
      const scripted = createScriptedModel(lines);
      const model: Model = {
        ...scripted,
        stream: (request, signal) => (requests.push(request), scripted.stream(request, signal)),
      };
      const library = createLibrary({ store: skills, seeds: {} });
      return runHermesReview({
        id: "r",
        kind,
        transcript: "It was done.",
        shelf,
        library,
        memory,
        model,
        settings: DEFAULTS,
      });
    },
  };
}
