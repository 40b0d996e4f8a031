import { describe, expect, it } from "vitest";
import type { Tool } from "../../../core/agent/contract.ts";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { type Failure, err, ok } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Bucket, SkillNext } from "../../../core/ports.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { createSkillTools } from "../../../core/tools/skills/skills.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { expectSound } from "../../support/skills/skills.ts";
import { skillMd } from "../../skills/skill-md.ts";

type Options = Partial<Parameters<typeof createSkillTools>[0]>;

function createScene(options: Options = {}) {
  const clock = createTestClock();
  const profile = newProfileId();
  const bucket = createMemoryBucket({ clock });
  const storeOver = (over: Bucket) =>
    createSkillStore({ bucket: over, profile, clock, random: createSeededRandom(1), swapMs: DEFAULTS.skills.swapMs });
  const toolsOver = (over: Bucket) => {
    const store = storeOver(over);
    return createSkillTools({
      library: createLibrary({ store, seeds }),
      store,
      origin: "foreground",
      settings: DEFAULTS,
      ...options,
    });
  };
  const store = storeOver(bucket);
  const tools = toolsOver(bucket);
  let ops = 0;
  return {
    bucket,
    profile,
    store,
    toolsOver,
    tools,
    call: (name: string, args: JsonObject, op = `turn-1.${++ops}`) => callTool(tools, name, args, op),
    put: (name: string, next: SkillNext) =>
      store.change({
        name,
        op: `put-${++ops}`,
        since: 0,
        decide: () => ok({ description: "d", category: "ops", state: "trial", origin: "review", ...next }),
      }),
  };
}

async function callTool(tools: Tool[], name: string, args: JsonObject, op: string) {
  const tool = tools.find((candidate) => candidate.name === name)!;
  const parsed = tool.parameters.parse(args);
  const prepared = (await tool.prepare?.(parsed)) ?? {};
  const result = await tool.run(parsed, { op, prepared, signal: new AbortController().signal });
  const parts = result.parts.map((part) => [part.source, JSON.parse(part.text) as JsonObject]);
  const sources: { outcome?: JsonObject; own?: JsonObject } = Object.fromEntries(parts);
  return { failed: result.failed, ...sources, shown: JSON.parse(renderParts(result.parts)) as JsonObject };
}

const create = (name: string, description = "Reads server logs. Use when one is given.") => ({
  action: "create",
  name,
  content: skillMd({ name, description }),
});

describe("the skill tools", () => {
  it.each([
    ["a session", {}, ["skills_list", "skill_view", "skill_manage"]],
    ["a session without learning", { store: null }, ["skills_list", "skill_view"]],
  ])("are offered to %s", (_what, options, names) => {
    expect(createScene(options).tools.map((tool) => tool.name)).toEqual(names);
  });

  it("state what a crash means for each of them", () => {
    expect(createScene().tools.map((tool) => tool.effect)).toEqual(["read", "read", "keyed"]);
  });
});

describe("skills_list", () => {
  it("lists what is offered, with a skill's own text separate from the harness's", async () => {
    const { call } = createScene();
    await call("skill_manage", create("reading-logs"));
    await call("skill_manage", create("old", "Something else."));
    await call("skill_manage", { action: "delete", name: "old" });
    const listed = await call("skills_list", { category: "ops" });
    expect(listed).toMatchObject({
      failed: false,
      outcome: { count: 1 },
      own: {
        skills: [
          {
            name: "reading-logs",
            description: "Reads server logs. Use when one is given.",
            category: "ops",
            state: "trial",
          },
        ],
      },
    });
    expect((await call("skills_list", {})).outcome).toMatchObject({ count: 1 + Object.keys(seeds).length });
  });

  it("ranks by a query and reports if nothing matches", async () => {
    const { call } = createScene();
    await call("skill_manage", create("reading-logs"));
    const found = await call("skills_list", { query: "server log" });
    expect((found.shown.skills as { name: string }[])[0]?.name).toBe("reading-logs");
    expect((await call("skills_list", { query: "zebra" })).shown).toMatchObject({
      count: 0,
      skills: [],
      hint: expect.stringContaining("Nothing matches"),
    });
  });
});

describe("skill_view", () => {
  it("returns the content as own words, and the fingerprint of the text as outcome", async () => {
    const { call, store } = createScene();
    await call("skill_manage", create("reading-logs"));
    const head = (await store.head("reading-logs"))!;
    expect(await call("skill_view", { name: "reading-logs" })).toEqual({
      failed: false,
      outcome: {
        ...{ name: "reading-logs", path: "SKILL.md", text: head.text, state: "trial", files: ["SKILL.md"] },
        readiness: "available",
      },
      own: { content: skillMd() },
      shown: expect.anything(),
    });
  });

  it("shows a long file in pieces", async () => {
    const { call, put } = createScene({ settings: { ...DEFAULTS, turn: { ...DEFAULTS.turn, maxResultChars: 1_000 } } });
    const long = Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\n");
    await put("mine", { files: { "SKILL.md": skillMd({ name: "mine" }), "references/a.md": long } });
    let content = "";
    for (let offset: unknown = 0; offset !== undefined;) {
      const { shown } = await call("skill_view", { name: "mine", path: "references/a.md", offset });
      content += shown.content as string;
      offset = shown.next_offset;
    }
    expect(content).toBe(long);
  });

  it("fails for an unknown name and suggests similar names", async () => {
    expect(await createScene().call("skill_view", { name: "using-workspaces" })).toMatchObject({
      failed: true,
      outcome: { code: "skill_missing", error: expect.stringContaining("Did you mean using-the-workspace") },
    });
  });
});

describe("skill_manage", () => {
  it("creates, patches, adds and removes a file, edits and archives, with one revision each", async () => {
    const { call, store } = createScene();
    const name = "reading-logs";
    const done = async (args: JsonObject) => (await call("skill_manage", { name, ...args })).outcome as JsonObject;
    const created = await done(create(name));
    expect(created).toEqual({ done: "created", name, rev: 1, text: created.text, state: "trial" });
    const steps = [
      await done({ action: "patch", old_string: "Steps of reading-logs.", new_string: "Read them." }),
      await done({ action: "write_file", file_path: "references/a.md", file_content: "deep" }),
      await done({ action: "patch", file_path: "references/a.md", old_string: "deep", new_string: "deeper" }),
      await done({ action: "remove_file", file_path: "references/a.md" }),
      await done({ ...create(name), action: "edit" }),
      await done({ action: "delete", absorbed_into: "" }),
    ];
    expect(steps.map((step) => [step.done, step.rev, step.state])).toEqual([
      ["patched", 2, "trial"],
      ["file written", 3, "trial"],
      ["patched", 4, "trial"],
      ["file removed", 5, "trial"],
      ["edited", 6, "trial"],
      ["archived", 6, "archived"],
    ]);
    expect((await store.revisions(name)).map((revision) => revision.op)).toEqual([
      "turn-1.6",
      "turn-1.5",
      "turn-1.4",
      "turn-1.3",
      "turn-1.2",
      "turn-1.1",
    ]);
    expect(await done(create(name))).toMatchObject({ done: "created", rev: 6, state: "trial" });
  });

  it("finds its own change when it runs again", async () => {
    const { tools, store } = createScene();
    const tool = tools.find((candidate) => candidate.name === "skill_manage")!;
    const context = {
      op: "op-1",
      prepared: await tool.prepare!(create("reading-logs")),
      signal: new AbortController().signal,
    };
    const first = await tool.run(create("reading-logs"), context);
    expect(await tool.run(create("reading-logs"), context)).toEqual(first);
    const args = { action: "patch", name: "reading-logs", old_string: "Steps of", new_string: "The steps of" };
    const second = { ...context, op: "op-2", prepared: await tool.prepare!(args) };
    expect(second.prepared).toEqual({ rev: 1, state: "trial" });
    const patched = await tool.run(args, second);
    expect(patched.failed).toBe(false);
    expect(await tool.run(args, second)).toEqual(patched);
    expect((await store.revisions("reading-logs")).map(({ op }) => op)).toEqual(["op-2", "op-1"]);
  });

  it("reports that nothing changed if the skill already had every byte", async () => {
    const { tools, store } = createScene();
    const tool = tools.find((candidate) => candidate.name === "skill_manage")!;
    const signal = new AbortController().signal;
    const made = create("reading-logs");
    await tool.run(made, { op: "op-1", prepared: await tool.prepare!(made), signal });
    const args = { action: "edit", name: "reading-logs", content: made.content };
    const again = { op: "op-2", prepared: await tool.prepare!(args), signal };
    const result = await tool.run(args, again);
    expect(result.parts[0]!.text).toContain('"done":"unchanged"');
    expect(await tool.run(args, again)).toEqual(result);
    expect((await store.head("reading-logs"))!.rev).toBe(1);
  });

  it("leaves one valid skill after a crash anywhere, once it has run again", async () => {
    for (let atCall = 1; ; atCall++) {
      for (const afterwards of [false, true]) {
        const { bucket, profile, store, toolsOver, tools } = createScene();
        const crashing = createCrashingBucket(bucket, { atCall, afterwards });
        const signal = new AbortController().signal;
        const attempt = (all: Tool[]) =>
          all[2]!.run(create("reading-logs"), { op: "op-1", prepared: { rev: 0 }, signal });
        await attempt(toolsOver(crashing)).catch(() => null);
        if (!crashing.hasCrashed()) return;
        expect(await attempt(tools)).toMatchObject({ failed: false });
        expect((await store.revisions("reading-logs")).map(({ op }) => op)).toEqual(["op-1"]);
        await expectSound(bucket, profile, store);
      }
    }
  });

  it("asks for the arguments that an action lacks", async () => {
    const { call } = createScene();
    const missing = async (args: JsonObject) => (await call("skill_manage", { name: "a", ...args })).outcome;
    expect([
      await missing({ action: "create" }),
      await missing({ action: "patch", old_string: "a" }),
      await missing({ action: "write_file", file_path: "references/a" }),
      await missing({ action: "remove_file", file_path: "" }),
    ]).toEqual(
      [
        "create needs content",
        "patch needs old_string and new_string",
        "write_file needs file_path and file_content",
        "remove_file needs file_path",
      ].map((what) => ({ code: "bad_arguments", error: `${what}: call skill_manage again with it.` })),
    );
  });

  it("quotes a skill's text as own words if a patch does not match", async () => {
    const { call } = createScene();
    await call("skill_manage", create("reading-logs"));
    const args = { action: "patch", name: "reading-logs", old_string: "Steps of reading-log!", new_string: "x" };
    const line = skillMd().split("\n").indexOf("Steps of reading-logs.") + 1;
    expect(await call("skill_manage", args)).toMatchObject({
      failed: true,
      outcome: { code: "not_found", error: expect.not.stringContaining("Steps of reading-logs.") },
      own: {
        nearest: expect.arrayContaining([{ line, text: "Steps of reading-logs." }]),
        preview: skillMd().slice(0, 500),
      },
    });
  });

  it("refuses a near duplicate, and names the existing skill", async () => {
    const { call } = createScene();
    await call("skill_manage", create("reading-logs"));
    expect((await call("skill_manage", create("log-reading"))).outcome).toMatchObject({
      code: "near_duplicate",
      neighbour: "reading-logs",
    });
  });

  it("refers from a bundled skill to its companion, which is then loaded with it", async () => {
    const { call } = createScene();
    const name = "using-the-workspace";
    const refused = await call("skill_manage", { action: "patch", name, old_string: "Look", new_string: "See" });
    expect(refused.outcome).toMatchObject({ code: "skill_protected", advice: `${name}-local` });
    await call("skill_manage", create(`${name}-local`));
    const { shown } = await call("skill_view", { name });
    expect(shown).toMatchObject({ companion: { name: `${name}-local`, state: "trial" } });
    expect(shown.content).toContain(`# Learned here, in ${name}-local`);
  });

  it("does not change a skill that this run has not read", async () => {
    const viewed = new Set<string>();
    const { call } = createScene({ isViewed: (name) => viewed.has(name) });
    const write = async (name: string) => {
      const args = { action: "write_file", name, file_path: "references/a.md", file_content: "x" };
      return (await call("skill_manage", args)).outcome as JsonObject;
    };
    await call("skill_manage", create("reading-logs"));
    expect(await write("reading-logs")).toEqual({
      code: "read_first",
      error: "Load 'reading-logs' with skill_view before you change it.",
    });
    viewed.add("reading-logs");
    expect(await write("reading-logs")).toMatchObject({ done: "file written" });
    await call("skill_manage", create("using-the-workspace-local", "Local ways."));
    viewed.add("using-the-workspace");
    expect(await write("using-the-workspace-local")).toMatchObject({ done: "file written" });
  });

  it("stores nothing without valid citations, if citations are required", async () => {
    const cite = (citations: string[]): Failure | null =>
      citations.includes("bad") ? err("citation_missing", "There is no such entry.").failure : null;
    const { call, store } = createScene({ origin: "review", cite });
    const write = async (citations?: string[]) =>
      (await call("skill_manage", { ...create("reading-logs"), ...(citations && { citations }) }))
        .outcome as JsonObject;
    expect([(await write()).code, (await write([])).code, (await write(["bad"])).code]).toEqual([
      "citations_missing",
      "citations_missing",
      "citation_missing",
    ]);
    expect(await store.head("reading-logs")).toBeNull();
    const cited = "01J00000000000000000000000/3#outcome";
    expect(await write([cited])).toMatchObject({ done: "created" });
    expect(await store.head("reading-logs")).toMatchObject({ citations: [cited], origin: "review" });
  });

  it("ignores citations if nothing checks them", async () => {
    const { call, store } = createScene();
    const given = { ...create("reading-logs"), citations: ["made up"], overlaps: ["using-the-workspace"] };
    expect((await call("skill_manage", given)).outcome).toMatchObject({ done: "created" });
    const head = await store.head("reading-logs");
    expect([head?.citations, head?.overlaps]).toEqual([[], undefined]);
  });

  it("records which skills a review found to overlap, and ignores names that are not other skills", async () => {
    const { call, store } = createScene({ origin: "review" });
    await call("skill_manage", create("writing-minutes", "Minutes of a meeting."));
    const overlaps = [
      "writing-minutes",
      "using-the-workspace",
      "nowhere",
      "reading-logs",
      "reading-logs-local",
      "../x",
    ];
    expect((await call("skill_manage", { ...create("reading-logs"), overlaps })).outcome).toMatchObject({
      done: "created",
    });
    expect((await store.head("reading-logs"))?.overlaps).toEqual(["using-the-workspace", "writing-minutes"]);
    const patch = { action: "write_file", name: "reading-logs", file_path: "references/a.md", file_content: "x" };
    await call("skill_manage", patch);
    expect((await store.head("reading-logs"))?.overlaps).toEqual(["using-the-workspace", "writing-minutes"]);
  });

  it("can be used without companions, and without the search for duplicates", async () => {
    const { call } = createScene({ origin: "review", rules: { companions: false, duplicates: false } });
    const patch = { action: "patch", name: "using-the-workspace", old_string: "the", new_string: "a" };
    const { error } = (await call("skill_manage", patch)).outcome as JsonObject;
    expect(error).not.toContain("-local");
    const companion = await call("skill_manage", create("using-the-workspace-local", "Local ways."));
    expect(companion.outcome).toMatchObject({ code: "skill_protected" });
    await call("skill_manage", create("reading-logs", "Reading log files of a server."));
    const again = await call("skill_manage", create("reading-log-files", "Reading log files of a server."));
    expect(again.outcome).toMatchObject({ done: "created" });
  });
});
