// A person edits skills over HTTP: every write, and the way to reverse it.
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { beforeAll, describe, expect, it } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { SkillDetail, SkillLine } from "../../../core/schemas/api.ts";
import type { SkillNext } from "../../../core/ports.ts";
import type { SkillHead } from "../../../core/schemas/skill.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { evidence } from "../../support/skills/reviews.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { connect } from "../mcp/mcp-client.ts";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

const skillMd = (name: string, body = "Look at it.") =>
  `---\nname: ${name}\ndescription: How to do ${name}.\n---\n\n# ${name}\n\n${body}\n`;

const BARE = { tags: [], parameters: {}, dependencies: [] };
const CONTRACT = "metadata:\n  talaria.contract.tools: terminal@0123abcd\n  talaria.contract.hosts: example.com\n";
const BUNDLED = Object.keys(seeds).toSorted()[0]!;

async function openProfile() {
  const { profile, key } = await createProfile();
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await ask(method, `/v1/skills${path}`, { key, body });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as T;
  };
  return {
    key,
    profile,
    call,
    put: (name: string, files: Record<string, string>) => call<SkillHead>("PUT", `/${name}`, { files }),
    line: async (name: string) =>
      (await call<{ skills: SkillLine[] }>("GET", "")).skills.find((line) => line.name === name),
  };
}

describe("a companion of a bundled skill", () => {
  const name = `${BUNDLED}-local`;
  const answer = [409, "companion_name", "The name of a skill's companion"] as const;

  /** Archives a companion that was learned, or that predates the refusal of such names. */
  async function archive(profile: string, origin: "user" | "review") {
    const store = createSkillStore({
      ...{ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 5_000 },
    });
    const files = { "SKILL.md": skillMd(name) };
    const next: SkillNext = { files, description: "d", category: "general", state: "archived", origin, citations: [] };
    const made = await store.change({ name, op: "make", since: 0, decide: () => ({ ok: true, value: next }) });
    expect(made.ok).toBe(true);
  }

  it("cannot be created by a person under its name", async () => {
    const { key } = await openProfile();
    const body = { files: { "SKILL.md": skillMd(name) } };
    expectProblem(await ask("PUT", `/v1/skills/${name}`, { key, body }), ...answer, { facts: { base: BUNDLED } });
    expect((await ask("GET", `/v1/skills/${name}`, { key })).status).toBe(404);
  });

  it("that a person wrote stays archived: a restore and a put are refused", async () => {
    const { key, profile } = await openProfile();
    await archive(profile, "user");
    const body = { files: { "SKILL.md": skillMd(name) } };
    expectProblem(await ask("POST", `/v1/skills/${name}/restore`, { key }), ...answer, { facts: { base: BUNDLED } });
    expectProblem(await ask("PUT", `/v1/skills/${name}`, { key, body }), ...answer, { facts: { base: BUNDLED } });
  });

  it("that was learned can be restored, and then edited by the person", async () => {
    const { key, profile, put } = await openProfile();
    await archive(profile, "review");
    expect((await ask("POST", `/v1/skills/${name}/restore`, { key })).body).toMatchObject({ state: "trial" });
    expect(await put(name, { "SKILL.md": skillMd(name, "Edited.") })).toMatchObject({ rev: 2, origin: "user" });
  });
});

describe("a search", () => {
  const names = async (call: Awaited<ReturnType<typeof openProfile>>["call"], query: string) =>
    (await call<{ skills: SkillLine[] }>("GET", query)).skills.map(({ name }) => name);

  it("finds skills by text and by requests, best first, without archived ones", async () => {
    const { call, put } = await openProfile();
    await put("walrus", { "SKILL.md": skillMd("walrus", "Feeds a zebrafish at noon.") });
    await put("penguin", { "SKILL.md": skillMd("penguin"), "talaria-requests.md": "dem Zebrafisch Futter geben\n" });
    expect(await names(call, "?query=zebrafish")).toEqual(["walrus"]);
    expect(await names(call, "?query=Zebrafisch%20Futter")).toEqual(["penguin"]);
    await call("POST", "/walrus/archive");
    expect(await names(call, "?query=zebrafish")).toEqual([]);
  });

  it("leaves a skill out that is being tried, as MCP does; its owner sees it", async () => {
    const { key, profile, call, put, line } = await openProfile();
    for (const name of ["walrus", "penguin"]) await put(name, { "SKILL.md": skillMd(name, "Feeds a zebrafish.") });
    const store = createSkillStore({
      ...{ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 5_000 },
    });
    const hold = async (heldUntil: number) => {
      const decide = () => ok({ heldUntil });
      expect(await store.change({ name: "walrus", op: `hold ${heldUntil}`, since: 1, decide })).toMatchObject({
        ok: true,
      });
    };
    const client = await connect(key);
    const seen = async () => {
      const { prompts } = await client.listPrompts();
      const { resources } = await client.listResources();
      const { skills } = await new SkillsClient(client).list();
      const listed = [prompts.map(({ name }) => name), resources.map(({ uri }) => uri), skills.map(({ uri }) => uri)];
      const found = await names(call, "?query=zebrafish");
      return [found, ...listed].map((all) =>
        ["penguin", "walrus"].filter((name) => JSON.stringify(all).includes(name)),
      );
    };
    await hold(Date.now() + 600_000);
    expect(await seen()).toEqual(Array(4).fill(["penguin"]));
    expect(await line("walrus")).toMatchObject({ heldUntil: expect.any(Number) });
    await hold(Date.now() - 1);
    expect(await seen()).toEqual(Array(4).fill(["penguin", "walrus"]));
  });

  it("is paged in the order of relevance", async () => {
    const { call, put, key } = await openProfile();
    for (const name of ["aa", "bb", "cc"]) await put(name, { "SKILL.md": skillMd(name, "Feeds a zebrafish.") });
    const all = await names(call, "?query=zebrafish");
    const paged: string[] = [];
    for (let after = ""; ;) {
      const at = await call<{ skills: SkillLine[]; next?: string }>("GET", `?query=zebrafish&limit=2${after}`);
      paged.push(...at.skills.map(({ name }) => name));
      if (at.next === undefined) break;
      after = `&after=${at.next}`;
    }
    expect(paged).toEqual(all);
    expect(all.toSorted()).toEqual(["aa", "bb", "cc"]);
    expect((await ask("GET", "/v1/skills?query=", { key })).body).toMatchObject({ code: "query_invalid" });
  });
});

describe("skills", () => {
  it("of a new profile are the bundled ones, readable and without revisions", async () => {
    const { call } = await openProfile();
    const { skills } = await call<{ skills: SkillLine[] }>("GET", "");
    expect(skills.map(({ name }) => name)).toEqual(Object.keys(seeds).toSorted());
    expect(new Set(skills.map(({ origin, state, rev }) => `${origin} ${state} ${rev}`))).toEqual(
      new Set(["bundled active 0"]),
    );
    expect(await call("GET", `/${BUNDLED}`)).toEqual({
      name: BUNDLED,
      head: null,
      traits: BARE,
      contract: null,
      files: seeds[BUNDLED],
    });
    expect(await call("GET", `/${BUNDLED}/revisions`)).toEqual({ revisions: [], acts: [] });
  });

  it("that a person puts are active, have the origin `user`, and are listed", async () => {
    const { put, call, line } = await openProfile();
    const said = 'license: MIT\nmetadata:\n  tags: mail\n  parameters: "folder: where it lies"';
    const text = skillMd("sorting-mail").replace("\n---\n\n", `\n${said}\n---\n\n`);
    const files = { "SKILL.md": text, "references/more.md": "more" };
    const head = await put("sorting-mail", files);
    expect(head).toMatchObject({
      ...{ name: "sorting-mail", rev: 1, state: "active", origin: "user", pinned: false, citations: [] },
      ...{ description: "How to do sorting-mail.", category: "general" },
    });
    expect(Object.keys(head.files).toSorted()).toEqual(["SKILL.md", "references/more.md"]);
    expect(await call("GET", "/sorting-mail")).toEqual({
      ...{ name: "sorting-mail", head, files },
      traits: { tags: ["mail"], parameters: { folder: "where it lies" }, dependencies: [] },
      contract: null,
    });
    expect(await line("sorting-mail")).toMatchObject({ rev: 1, state: "active", origin: "user", text: head.text });
  });

  it("are replaced as a whole, and any revision can be read and restored", async () => {
    const { put, call } = await openProfile();
    const first = { "SKILL.md": skillMd("a", "One."), "references/x.md": "x" };
    const second = { "SKILL.md": skillMd("a", "Two.") };
    const before = await put("a", first);
    const after = await put("a", second);
    expect([before.rev, after.rev]).toEqual([1, 2]);
    expect((await call<SkillDetail>("GET", "/a")).files).toEqual(second);
    expect(await call("GET", "/a/revisions/1")).toMatchObject({
      revision: { rev: 1, text: before.text },
      files: first,
    });
    const restored = await call<SkillHead>("POST", "/a/restore", { rev: 1 });
    expect(restored).toMatchObject({ rev: 3, text: before.text, state: "active", origin: "user" });
    expect((await call<SkillDetail>("GET", "/a")).files).toEqual(first);
    const { revisions } = await call<{ revisions: { rev: number; text: string }[] }>("GET", "/a/revisions");
    expect(revisions.map(({ rev, text }) => [rev, text])).toEqual([
      [3, before.text],
      [2, after.text],
      [1, before.text],
    ]);
  });

  it("show in a listing what they lack and where they are unusable", async () => {
    const { put, line } = await openProfile();
    const skillWithFields = (name: string, fields: string) => ({
      "SKILL.md": skillMd(name).replace("\n---\n\n", `\n${fields}\n---\n\n`),
    });
    await put("a", skillWithFields("a", "license: MIT"));
    await put("b", skillWithFields("b", "required_environment_variables: [API_KEY]"));
    await put("c", skillWithFields("c", "platforms: [macos]"));
    expect(await line("a")).toMatchObject({ readiness: "available" });
    expect(await line("b")).toMatchObject({
      readiness: "setup_needed",
      missing: { variables: ["API_KEY"], files: [] },
    });
    expect(await line("c")).toMatchObject({ readiness: "unsupported", conditions: { platforms: ["macos"] } });
  });

  it("that are unedited copies of bundled ones still follow the deployment", async () => {
    const { call, key, profile } = await openProfile();
    const old = { "SKILL.md": skillMd(BUNDLED, "Of an earlier deployment.") };
    const store = createSkillStore({
      ...{ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 60_000 },
    });
    const copied = { files: old, description: "Old.", state: "active", origin: "bundled" } as const;
    await store.change({ name: BUNDLED, op: "copied", since: 0, decide: () => ({ ok: true, value: copied }) });
    expect(await call("GET", `/${BUNDLED}`)).toEqual({
      name: BUNDLED,
      head: null,
      traits: BARE,
      contract: null,
      files: seeds[BUNDLED],
    });
    const pinned = await call<SkillHead>("POST", `/${BUNDLED}/pin`, { pinned: true });
    expect(pinned).toMatchObject({ pinned: true, origin: "bundled", rev: 2 });
    expect(await call<SkillDetail>("GET", `/${BUNDLED}`)).toMatchObject({ head: { rev: 2 }, files: seeds[BUNDLED] });
    await call("POST", `/${BUNDLED}/pin`, { pinned: false });
    expect(await call("POST", `/${BUNDLED}/restore`, { rev: 1 })).toMatchObject({ rev: 3, origin: "user" });
    expect(await call<SkillDetail>("GET", `/${BUNDLED}`)).toMatchObject({ files: old });
    expect(await ask("GET", `/v1/skills/${BUNDLED}/revisions`, { key })).toMatchObject({ status: 200 });
  });

  it("that were imported over the file limit can be put with as many files, but not with more", async () => {
    const { key, call } = await openProfile();
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`fonts/${n}.ttf`, { base64: "/wA=" }]));
    const files = { "SKILL.md": skillMd("a"), ...many };
    await ask("POST", "/v1/skills/import", { key, body: { files } });
    const changed = { ...files, "SKILL.md": `${skillMd("a")}\nMore.\n` };
    expect(await call<SkillHead>("PUT", "/a", { files: changed })).toMatchObject({ rev: 2 });
    const more = await ask("PUT", "/v1/skills/a", { key, body: { files: { ...changed, "more.md": "" } } });
    expect(more).toMatchObject({ status: 422, body: { code: "too_many_files" } });
  });

  it("do not inherit the public state of an archived skill with the same name", async () => {
    const { put, call } = await openProfile();
    await put("a", { "SKILL.md": skillMd("a") });
    await call("POST", "/a/publish", { public: true });
    expect(await put("a", { "SKILL.md": skillMd("a", "More.") })).toMatchObject({ public: true });
    await call("POST", "/a/archive");
    const recreated = await put("a", { "SKILL.md": skillMd("a", "Another.") });
    expect(recreated).toMatchObject({ state: "active" });
    expect(recreated).not.toHaveProperty("public");
  });

  it("that are put twice with the same files have one revision", async () => {
    const { put } = await openProfile();
    await put("a", { "SKILL.md": skillMd("a") });
    expect(await put("a", { "SKILL.md": skillMd("a") })).toMatchObject({ rev: 1 });
  });

  it("are pinned, archived and restored from the archive without a new revision", async () => {
    const { put, call, line } = await openProfile();
    await put("a", { "SKILL.md": skillMd("a") });
    expect(await call("POST", "/a/pin", { pinned: true })).toMatchObject({ pinned: true, rev: 1 });
    expect(await call("POST", "/a/pin", { pinned: false })).toMatchObject({ pinned: false, rev: 1 });
    expect(await call("POST", "/a/archive")).toMatchObject({ state: "archived", rev: 1 });
    expect(await line("a")).toMatchObject({ state: "archived" });
    expect(await call("POST", "/a/restore", {})).toMatchObject({ state: "active", rev: 1 });
    expect(await call("POST", "/a/restore", {})).toMatchObject({ state: "active", rev: 1 });
    expect(await line("a")).toMatchObject({ state: "active" });
  });

  it("that the agent made can be archived from any state, and are restored on trial", async () => {
    const { profile, call } = await openProfile();
    const store = createSkillStore({
      ...{ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 10_000 },
    });
    for (const state of ["pending", "trial", "active", "stale"] as const) {
      const name = `was-${state}`;
      const next = { files: { "SKILL.md": skillMd(name) }, description: "d", category: "c", citations: [] };
      const decide = () => ({ ok: true as const, value: { ...next, state, origin: "review" as const } });
      expect(await store.change({ name, op: "r1", since: 0, decide })).toMatchObject({ ok: true });
      expect(await call("POST", `/${name}/archive`)).toMatchObject({ state: "archived", rev: 1 });
      expect(await call("POST", `/${name}/restore`, {})).toMatchObject({ state: "trial", origin: "review", rev: 1 });
    }
  });

  it("with a withdrawn text can be restored by a person, whom earlier evidence does not overrule", async () => {
    const { profile, call } = await openProfile();
    const store = createSkillStore({
      ...{ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 10_000 },
    });
    const write = async (op: string, body: string, more: Partial<SkillNext> = {}) => {
      const files = { "SKILL.md": skillMd("b", body) };
      const next = { files, description: "d", category: "c", state: "trial", origin: "review", ...more } as const;
      const changed = await store.change({ name: "b", op, since: 0, decide: () => ({ ok: true, value: next }) });
      return changed.ok ? changed.value.head : expect.unreachable();
    };
    const first = await write("one", "One.");
    const second = await write("two", "Two.");
    expect(second).toMatchObject({ rev: 2, parent: first.text });
    await write("three", "One.", { withdrawn: [second.text], state: "active" });
    const back = await call<SkillHead>("POST", "/b/restore", { rev: 2 });
    expect(back).toMatchObject({ rev: 4, text: second.text, state: "active", withdrawn: [], parent: first.text });
    expect(back.restoredAt).toBe(back.revisedAt);
    // The undo brings back the first text, which was never withdrawn.
    const undone = await call<SkillHead>("POST", "/b/revisions/4/undo");
    expect([undone.text, undone.restoredAt]).toEqual([first.text, undefined]);
    await write("gone", "One.", { withdrawn: [first.text], state: "archived" });
    expect(await call("POST", "/b/restore", {})).toMatchObject({
      ...{ state: "trial", withdrawn: [], restoredAt: expect.any(Number) },
    });
  });

  it("that are bundled can be hidden, shown and replaced", async () => {
    const { call, line, put } = await openProfile();
    expect(await call("POST", `/${BUNDLED}/archive`)).toMatchObject({ state: "archived", origin: "bundled" });
    expect(await line(BUNDLED)).toMatchObject({ state: "archived", origin: "bundled" });
    expect(await call("POST", `/${BUNDLED}/restore`, {})).toMatchObject({ state: "active", origin: "bundled" });
    expect((await call<SkillDetail>("GET", `/${BUNDLED}`)).files).toEqual(seeds[BUNDLED]);
    expect(await put(BUNDLED, { "SKILL.md": skillMd(BUNDLED) })).toMatchObject({ origin: "user", rev: 2 });
  });

  it("may be called `constructor`, which is not a bundled skill", async () => {
    const { key, put } = await openProfile();
    for (const [op, body] of [
      ["pin", { pinned: true }],
      ["archive", undefined],
      ["restore", {}],
    ] as const) {
      const answer = await ask("POST", `/v1/skills/constructor/${op}`, { key, body });
      expectProblem(answer, 404, "skill_not_found", "No such skill");
    }
    expect(await put("constructor", { "SKILL.md": skillMd("constructor") })).toMatchObject({ rev: 1 });
    const pinned = await ask("POST", "/v1/skills/constructor/pin", { key, body: { pinned: true } });
    expect(pinned.body).toMatchObject({ name: "constructor", pinned: true });
  });

  it("of one profile are invisible to another", async () => {
    const [a, b] = [await openProfile(), await openProfile()];
    await a.put("mine", { "SKILL.md": skillMd("mine") });
    expectProblem(await ask("GET", "/v1/skills/mine", { key: b.key }), 404, "skill_not_found", "No such skill");
  });
});

describe("an invalid skill", () => {
  it.each([
    ["a name too long to have a companion", "a".repeat(59), { "SKILL.md": skillMd("a") }, 400, "bad_skill_name"],
    ["no SKILL.md", "a", { "references/x.md": "x" }, 422, "bad_skill_md"],
    ["no frontmatter", "a", { "SKILL.md": "just text" }, 422, "bad_skill_md"],
    ["a file outside the skill", "a", { "SKILL.md": skillMd("a"), "../b/SKILL.md": "x" }, 400, "bad_path"],
    ["a SKILL.md too long", "a", { "SKILL.md": skillMd("a", "x".repeat(100_001)) }, 413, "too_large"],
    ["a lone surrogate", "a", { "SKILL.md": skillMd("a"), "references/x.md": "\ud800" }, 422, "bad_text"],
  ])("is refused for %s", async (_, name, files, status, code) => {
    const { key } = await openProfile();
    const answer = await ask("PUT", `/v1/skills/${name}`, { key, body: { files } });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { status, code } });
    expect((await ask("GET", `/v1/skills/${name}`, { key })).status).toBe(404);
  });

  it("is refused for too many files", async () => {
    const { key } = await openProfile();
    const more = Array.from({ length: 50 }, (_, i) => [`references/${i}.md`, "x"]);
    const files = { "SKILL.md": skillMd("a"), ...Object.fromEntries(more) };
    const answer = await ask("PUT", "/v1/skills/a", { key, body: { files } });
    expect(answer.body).toMatchObject({ status: 422, code: "too_many_files" });
  });
});

describe("an edit", () => {
  it("of a revision that is no longer the present one is refused, and changes nothing", async () => {
    const { key, call, put } = await openProfile();
    const put2 = (base: number, body: string) =>
      ask("PUT", "/v1/skills/guarded", { key, body: { files: { "SKILL.md": skillMd("guarded", body) }, base } });
    expect((await put2(0, "First.")).body).toMatchObject({ rev: 1 });
    await put("guarded", { "SKILL.md": skillMd("guarded", "Second.") });
    for (const base of [0, 1, 3]) {
      const refused = await put2(base, "Lost.");
      expectProblem(refused, 409, "skill_changed", "The skill has changed", { facts: { base, rev: 2 } });
    }
    expect((await call<SkillDetail>("GET", "/guarded")).files["SKILL.md"]).toContain("Second.");
    expect((await put2(2, "Third.")).body).toMatchObject({ rev: 3 });
  });

  it("of a bundled skill that the profile has only pinned has the base 0", async () => {
    const { key, call } = await openProfile();
    await call("POST", `/${BUNDLED}/pin`, { pinned: true });
    const body = { files: { "SKILL.md": skillMd(BUNDLED, "Mine.") }, base: 1 };
    expect((await ask("PUT", `/v1/skills/${BUNDLED}`, { key, body })).body).toMatchObject({ rev: 2, origin: "user" });
  });
});

describe("a skill as it is read", () => {
  it("shows the contract of its frontmatter", async () => {
    const { call, put } = await openProfile();
    await put("promised", { "SKILL.md": skillMd("promised").replace("---\n\n", `${CONTRACT}---\n\n`) });
    expect(await call<SkillDetail>("GET", "/promised")).toMatchObject({
      contract: { tools: { terminal: "0123abcd" }, hosts: ["example.com"], formats: [] },
    });
    expect(await call<SkillDetail>("GET", `/${BUNDLED}`)).toHaveProperty("contract");
  });

  it("is listed with the counts of its last judged use where they are asked for", async () => {
    const { call, line, put, profile } = await openProfile();
    const { text } = await put("counted", { "SKILL.md": skillMd("counted") });
    const store = createEvidenceStore({ bucket: toBucket(env.SKILLS), profile, judge: toJudge(DEFAULTS.learning) });
    await store.put(evidence(1, { skill: "counted", text }));
    await store.fold("counted");
    const use = { uses: 1, successes: 1, failures: 0 };
    const { skills } = await call<{ skills: SkillLine[] }>("GET", "?counts=1");
    expect(skills.find(({ name }) => name === "counted")).toMatchObject({ use });
    expect(await line("counted")).not.toHaveProperty("use");
    expect(await call("GET", "/counted/evidence")).toMatchObject({
      text,
      uses: [{ outcome: "success", text }],
      seen: 1,
    });
  });

  it("has evidence without uses before a turn loads it", async () => {
    const { call, put } = await openProfile();
    const { text } = await put("unused", { "SKILL.md": skillMd("unused") });
    expect(await call("GET", "/unused/evidence")).toEqual({ name: "unused", text, texts: [], uses: [], seen: 0 });
    expect(await call("GET", `/${BUNDLED}/evidence`)).toMatchObject({ name: BUNDLED, uses: [] });
  });
});
