// A skill's history over HTTP: the diff of a revision, the undo of one change, and the purge of a revision.
import { beforeAll, describe, expect, it } from "vitest";
import type { SkillDiff } from "../../../core/schemas/api.ts";
import { type FileContents, toContents } from "../../../core/schemas/file-body.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { SkillHead } from "../../../core/schemas/skill.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

const md = (...steps: string[]) =>
  `---\nname: a\ndescription: How to do a.\n---\n\n# a\n\n## Steps\n\n${steps.map((step) => `${step}\n`).join("")}`;
const STEPS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const BYTES = toContents({ x: Uint8Array.of(0xff, 0x00, 0xfe) }).x!;
const BUNDLED = Object.keys(seeds)[0]!;

/** A profile with a skill `a` that has one revision for each given set of files. */
async function openSkill(...revisions: FileContents[]) {
  const { profile, key } = await createProfile();
  const call = (method: string, path: string, body?: unknown) => ask(method, `/v1/skills${path}`, { key, body });
  for (const files of revisions) expect((await call("PUT", "/a", { files })).status).toBe(200);
  return {
    profile,
    call,
    good: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await call(method, path, body);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body as T;
    },
  };
}

it("says who edited a skill, also one with the longest name", async () => {
  const { good } = await openSkill({ "SKILL.md": md("one") });
  const name = `reading-${"n".repeat(50)}`;
  await good("PUT", `/${name}`, { files: { "SKILL.md": md("one").replace("name: a", `name: ${name}`) } });
  const { acts } = await good<{ acts: object[] }>("GET", `/${name}/revisions`);
  expect(acts).toMatchObject([{ act: "skill_put" }]);
});

describe("a diff", () => {
  const first = { "SKILL.md": md("one"), "assets/x.bin": BYTES };
  const second = { "SKILL.md": md("two"), "assets/x.bin": BYTES };
  const third = { "SKILL.md": md("two"), "references/new.md": "new\r\n" };

  it("shows what a revision changed from the previous one", async () => {
    const { good } = await openSkill(first, second, third);
    const { files, ...rest } = await good<SkillDiff>("GET", "/a/revisions/2/diff");
    expect(rest).toEqual({ name: "a", rev: 2, against: 1 });
    expect(files).toEqual([{ path: "SKILL.md", change: "changed", diff: expect.stringContaining("-one\n+two\n") }]);
    expect((await good<SkillDiff>("GET", "/a/revisions/3/diff")).files).toEqual([
      {
        path: "assets/x.bin",
        change: "removed",
        diff: "Binary files a/assets/x.bin and /dev/null differ\n",
      },
      {
        path: "references/new.md",
        change: "added",
        diff: "--- /dev/null\n+++ b/references/new.md\n@@ -0,0 +1,1 @@\n+new\r\n",
      },
    ]);
  });

  it("compares any two revisions in either direction, and a revision with the current one or with nothing", async () => {
    const { good } = await openSkill(first, second, third);
    const changes = async (rev: number, against: number | string) => {
      const diff = await good<SkillDiff>("GET", `/a/revisions/${rev}/diff?against=${against}`);
      return [diff.against, ...diff.files.map(({ path, change }) => `${change} ${path}`)];
    };
    expect(await changes(3, 1)).toEqual([1, "changed SKILL.md", "removed assets/x.bin", "added references/new.md"]);
    expect(await changes(1, "present")).toEqual([
      3,
      "changed SKILL.md",
      "added assets/x.bin",
      "removed references/new.md",
    ]);
    expect(await changes(1, 0)).toEqual([0, "added SKILL.md", "added assets/x.bin"]);
    expect(await changes(2, 2)).toEqual([2]);
  });

  it("is refused for a missing skill or revision and for an invalid number", async () => {
    const { call } = await openSkill(first);
    for (const path of ["/a/revisions/2/diff", "/a/revisions/1/diff?against=7", "/none/revisions/1/diff"]) {
      expectProblem(await call("GET", path), 404, "revision_not_found", "No such revision");
    }
    for (const query of ["against=now", "against=-1", "agianst=1"]) {
      expect((await call("GET", `/a/revisions/1/diff?${query}`)).body).toMatchObject({ code: "query_invalid" });
    }
    expect((await call("GET", "/a/revisions/0/diff")).body).toMatchObject({ code: "bad_revision" });
  });
});

describe("an undo", () => {
  it("removes one change, keeps later ones, and makes a new revision", async () => {
    const wrong = STEPS.with(1, "WRONG");
    const { good } = await openSkill(
      { "SKILL.md": md(...STEPS) },
      { "SKILL.md": md(...wrong), "assets/x.bin": BYTES },
      { "SKILL.md": md(...wrong, "ten"), "assets/x.bin": BYTES },
    );
    await good("POST", "/a/pin", { pinned: true });
    await good("POST", "/a/archive");
    const head = await good<SkillHead>("POST", "/a/revisions/2/undo");
    expect(head).toMatchObject({ rev: 4, state: "archived", pinned: true, origin: "user" });
    expect(await good("GET", "/a")).toMatchObject({ files: { "SKILL.md": md(...STEPS, "ten") } });
    expect(Object.keys(head.files)).toEqual(["SKILL.md"]);
  });

  it("that conflicts is refused with the conflicting files, and changes nothing", async () => {
    const { call, good } = await openSkill(
      { "SKILL.md": md("one"), "references/x.md": "x" },
      { "SKILL.md": md("two"), "references/x.md": "y" },
      { "SKILL.md": md("three"), "references/x.md": "y" },
    );
    const answer = await call("POST", "/a/revisions/2/undo");
    expectProblem(answer, 409, "undo_conflict", "Later changes conflict", {
      facts: { files: ["SKILL.md"] },
    });
    expect(await good("GET", "/a")).toMatchObject({ head: { rev: 3 } });
  });

  it("is refused when nothing is left to undo, and for the first revision", async () => {
    const { call, good } = await openSkill({ "SKILL.md": md("one") }, { "SKILL.md": md("two") });
    await good("POST", "/a/revisions/2/undo");
    for (const rev of [2, 1]) {
      const answer = await call("POST", `/a/revisions/${rev}/undo`);
      expectProblem(answer, 409, "nothing_to_undo", "There is nothing to undo");
    }
    expect(await good("GET", "/a")).toMatchObject({ head: { rev: 3 } });
  });

  it("is refused for a missing skill or revision", async () => {
    const { call } = await openSkill({ "SKILL.md": md("one") });
    for (const path of ["/a/revisions/2/undo", "/none/revisions/1/undo", `/${BUNDLED}/revisions/1/undo`]) {
      expectProblem(await call("POST", path), 404, "revision_not_found", "No such revision");
    }
  });
});

describe("a purge", () => {
  it("removes a past revision permanently and leaves a tombstone", async () => {
    const { profile, call, good } = await openSkill(
      { "SKILL.md": md("a secret"), "references/x.md": "x" },
      { "SKILL.md": md("two"), "references/x.md": "x" },
    );
    const purged = await good("POST", "/a/purge", { rev: 1 });
    const revision = { v: 1, name: "a", rev: 1, text: expect.any(String), purgedAt: expect.any(Number) };
    expect(purged).toEqual({ revision, deleted: 1, kept: [{ sha256: sha256Hex("x"), name: "a", rev: 2 }] });
    expect(await good("GET", "/a/revisions")).toMatchObject({ revisions: [{ rev: 2 }, revision] });
    expect(await env.SKILLS.get(`p/${profile}/blobs/${sha256Hex(md("a secret"))}`)).toBe(null);
    for (const [method, path, body] of [
      ["GET", "/a/revisions/1", undefined],
      ["GET", "/a/revisions/1/diff", undefined],
      ["GET", "/a/revisions/2/diff", undefined],
      ["POST", "/a/revisions/1/undo", undefined],
      ["POST", "/a/revisions/2/undo", undefined],
      ["POST", "/a/restore", { rev: 1 }],
    ] as const) {
      expectProblem(await call(method, path, body), 410, "revision_purged", "The revision was purged");
    }
    expect(await good("POST", "/a/purge", { rev: 1 })).toEqual({ revision, deleted: 0, kept: [] });
    expect(await good("GET", "/a")).toMatchObject({ head: { rev: 2 }, files: { "SKILL.md": md("two") } });
  });

  it("is refused for the current revision and for missing ones", async () => {
    const { call } = await openSkill({ "SKILL.md": md("one") });
    const current = await call("POST", "/a/purge", { rev: 1 });
    expectProblem(current, 409, "revision_current", "The current revision cannot be purged");
    expectProblem(await call("POST", "/a/purge", { rev: 2 }), 404, "revision_not_found", "No such revision");
    expectProblem(await call("POST", "/none/purge", { rev: 1 }), 404, "skill_not_found", "No such skill");
    for (const body of [{}, { rev: 0 }, { rev: 1e12 }]) {
      expect((await call("POST", "/a/purge", body)).body).toMatchObject({ status: 400, code: "body_invalid" });
    }
  });
});
