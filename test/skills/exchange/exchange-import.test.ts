// Import of a skill from elsewhere: its name, its root, what is corrected and what is refused. Its files stay unchanged.
import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { readArchive, readFolder, readSkillMd, toImport } from "../../../core/skills/exchange/import.ts";
import { IMPORT } from "../../../core/skills/exchange/import-limits.ts";
import { checkPath, checkPathConflicts } from "../../../core/skills/exchange/paths.ts";
import { chooseName } from "../../../core/skills/exchange/skill-name.ts";
import { checkSkillName } from "../../../core/skills/format/validate.ts";
import type { SkillNext } from "../../../core/ports.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { anyText } from "../../support/any-text.ts";
import { runs } from "../../support/thorough.ts";

const md = (name: string, description = "Reads logs.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# Body\n`;
const SKILL = md("reading-logs");

describe("the root of an imported skill", () => {
  it.each<[string, FileBodies, string[], string]>([
    [
      "is the folder of SKILL.md",
      { "SKILL.md": SKILL, "scripts/a.sh": "ls" },
      ["SKILL.md", "scripts/a.sh"],
      "reading-logs",
    ],
    ["is the only folder", { "x/SKILL.md": SKILL, "x/y/z": "" }, ["SKILL.md", "y/z"], "reading-logs"],
    ["is the only folder, however deep", { "a/b/SKILL.md": SKILL, "a/b/c": "" }, ["SKILL.md", "c"], "reading-logs"],
    [
      "may hold further skills as examples",
      { "SKILL.md": SKILL, "examples/b/SKILL.md": "no" },
      ["SKILL.md", "examples/b/SKILL.md"],
      "reading-logs",
    ],
    ["accepts skill.md in any case", { "a/Skill.md": SKILL }, ["SKILL.md"], "reading-logs"],
    [
      "accepts a single Markdown file, and its name",
      { "tail-logs.md": "---\ndescription: d\n---\nBody" },
      ["SKILL.md"],
      "tail-logs",
    ],
    [
      "gives its name to a skill without one",
      { "tail-logs/SKILL.md": "---\ndescription: d\n---\nBody" },
      ["SKILL.md"],
      "tail-logs",
    ],
    [
      "ignores files that operating systems leave",
      { "a/SKILL.md": SKILL, "__MACOSX/a/._SKILL.md": "", "a/.DS_Store": "", ".git/HEAD": "" },
      ["SKILL.md"],
      "reading-logs",
    ],
  ])("%s", (_what, files, paths, name) => {
    const read = readFolder(files);
    expect(read).toMatchObject({ ok: true, value: { name } });
    expect(read.ok && Object.keys(read.value.files).toSorted()).toEqual(paths);
  });

  it("may hold any folders, and keeps binary files as bytes", () => {
    const files = {
      "SKILL.md": SKILL,
      LICENSE: "MIT",
      "examples/a b.json": "{}",
      "canvas-fonts/x.ttf": Uint8Array.of(0, 255),
    };
    expect(readFolder(files)).toMatchObject({ ok: true, value: { files, warnings: [] } });
  });
});

describe("a skill is refused for import", () => {
  const many = Object.fromEntries(Array.from({ length: IMPORT.files }, (_, n) => [`f${n}`, ""]));
  it.each<[string, FileBodies, string, string | undefined]>([
    ["without files", {}, "bad_skill_md", "missing"],
    ["without SKILL.md", { "README.md": "a", LICENSE: "b" }, "bad_skill_md", "missing"],
    ["of two skills", { "a/SKILL.md": SKILL, "b/SKILL.md": SKILL }, "bad_skill_md", "not_alone"],
    ["with other files around it", { "a/SKILL.md": SKILL, "b.txt": "" }, "bad_skill_md", "not_alone"],
    ["without frontmatter", { "SKILL.md": "# Only a body" }, "bad_skill_md", "no_frontmatter"],
    ["without a description", { "SKILL.md": "---\nname: a\n---\nBody" }, "bad_skill_md", "no_description"],
    ["without any name", { "SKILL.md": "---\ndescription: a\n---\nBody" }, "bad_skill_md", "no_name"],
    ["that is too long", { "SKILL.md": `${SKILL}${"x".repeat(100_000)}` }, "bad_skill_md", "too_large"],
    ["in another encoding", { "SKILL.md": Uint8Array.of(0xff, 0xfe, 0x2d, 0) }, "bad_skill_md", "not_text"],
    ["with half a character", { "SKILL.md": `${SKILL}\ud83d` }, "bad_text", undefined],
    ["of too many files", { "SKILL.md": SKILL, ...many }, "too_many_files", undefined],
    ["that has too many bytes", { "SKILL.md": SKILL, x: new Uint8Array(IMPORT.bytes) }, "archive_too_large", undefined],
    ["with a path that leads out of it", { "SKILL.md": SKILL, "a/../../b": "" }, "bad_path", undefined],
    ["with a path that is not a valid key", JSON.parse('{"SKILL.md":"","__proto__":""}'), "bad_path", undefined],
  ])("%s", (_what, files, code, reason) => {
    const read = readFolder(files);
    expect(read).toMatchObject({ ok: false, failure: { code } });
    if (!read.ok)
      expect([read.failure.facts?.reason, read.failure.message]).toEqual([reason, expect.stringMatching(/\.$/)]);
  });

  it("under an invalid name", () => {
    expect(readFolder({ "SKILL.md": SKILL }, { name: "No Name" })).toMatchObject({
      failure: { code: "bad_skill_name" },
    });
    expect(readFolder({ "SKILL.md": SKILL }, { name: "other" })).toMatchObject({ value: { name: "other" } });
  });
});

it("the limit of 100,000 characters counts Unicode characters", () => {
  const body = "😀".repeat(99_000);
  const text = `${SKILL}${body}`;
  expect(text.length).toBeGreaterThan(190_000);
  expect(readFolder({ "SKILL.md": text })).toMatchObject({ ok: true, value: { files: { "SKILL.md": text } } });
});

it("a long description is cut in listings only, between two words and never inside a character", () => {
  for (const word of ["word ", "😀", "x"]) {
    const text = md("a", word.repeat(1_500));
    const read = readFolder({ "SKILL.md": text });
    if (!read.ok) throw new Error(read.failure.message);
    const { description, files, warnings } = read.value;
    expect(description.length).toBeLessThanOrEqual(1_024);
    expect(description.length).toBeGreaterThan(900);
    expect(description.isWellFormed()).toBe(true);
    expect(description.endsWith("…")).toBe(true);
    expect(files["SKILL.md"]).toBe(text);
    expect(warnings).toEqual([expect.stringMatching(/^The description has \d+ characters; listings show 1024\.$/)]);
  }
});

describe("the name of an imported skill", () => {
  it.each([
    ["reading-logs", "", "reading-logs", 0],
    ["reading-logs", "reading-logs", "reading-logs", 0],
    ["reading-logs", "other", "reading-logs", 1],
    ["Reading Logs", "", "reading-logs", 1],
    ["reading_logs", "", "reading-logs", 1],
    ["here.now", "", "here-now", 1],
    ["PDF Merge & Split", "", "pdf-merge-split", 1],
    ["Résumé  Élan", "", "resume-elan", 1],
    ["don't panic", "", "dont-panic", 1],
    ["ｆｕｌｌ", "", "full", 1],
    ["", "from-folder", "from-folder", 1],
    ["日本語", "from-folder", "from-folder", 1],
    ["notes-local", "", "notes-local", 1],
  ])("%j in folder %j becomes %s", (written, folder, name, warnings) => {
    const chosen = chooseName(written, folder);
    expect([chosen.name, chosen.warnings.length]).toEqual([name, warnings]);
  });

  it("ends in part of a hash if letters are lost or it is cut", () => {
    const names = [
      "日本語",
      "中文",
      "データ tool",
      "数据 tool",
      `${"long-".repeat(20)}a`,
      `${"long-".repeat(20)}b`,
      `${"ﷺ ".repeat(9_000)}a`,
      `${"ﷺ ".repeat(9_000)}b`,
    ];
    const chosen = names.map((name) => chooseName(name, "").name);
    expect(new Set(chosen).size).toBe(names.length);
    expect(chosen).toEqual(names.map((name) => chooseName(name, "").name));
  });

  it("is valid for any text", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 90 }), fc.string({ unit: "grapheme", maxLength: 40 }), (name, folder) => {
        const chosen = chooseName(name, folder).name;
        expect([chosen, checkSkillName(chosen)]).toEqual([chosen, null]);
      }),
      { numRuns: runs(150) },
    );
  }, 20_000);
});

describe("a path in an imported skill", () => {
  it.each([
    "a",
    "SKILL.md",
    "scripts/run.sh",
    "a b/c+d@e.md",
    ".env.example",
    "日本/é.txt",
    "a/__proto__",
    "constructor",
    "...x",
  ])("%j is accepted", (path) => {
    expect(checkPath(path)).toBeNull();
  });

  it.each(
    [
      ["", ".", "..", "../a", "a/..", "a/../b", "./a", "a/./b", "a//b", "a/", "/a", "//a", "\\a", "a\\b", "..\\a"],
      [
        "C:/a",
        "c:a",
        "a/C:b",
        "a/.. /b",
        "a/. ./b",
        "... ",
        "a\0b",
        "a\nb",
        "a\u202eb",
        "a\u2028",
        "\ufeffa",
        "a\ud800",
      ],
      ["．．/a", "a／..", "‥/a", "a＼b", "／a", "x".repeat(241), `${"é".repeat(128)}`, "__proto__"],
    ].flat(),
  )("%j is refused, with a message free of hidden characters", (path) => {
    const failure = checkPath(path);
    expect(failure).toMatchObject({ code: "bad_path" });
    expect(failure!.message).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028\u2029]/u);
    expect(failure!.message.isWellFormed()).toBe(true);
  });

  it.each([
    [["a", "A"]],
    [["dir/é", "dir/e\u0301"]],
    [["ﬁ", "fi"]],
    [["a", "a/b"]],
    [["A/b/c", "a/B"]],
    [["a", "a. ."]],
    [["b/c", "b /C"]],
    [["d", "d./e"]],
  ])("%j cannot be in one skill", (paths) => {
    expect(checkPathConflicts(paths)).toMatchObject({ code: "bad_path" });
    expect(checkPathConflicts(paths.toReversed())).toMatchObject({ code: "bad_path" });
  });

  it("never leads out of its folder if it is accepted", () => {
    const pieces = fc.constantFrom("..", ".", "/", "\\", "a", "C:", " ", "．", "／", "%2e", "\0", "é");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (list) => {
        const path = list.join("");
        if (checkPath(path) !== null) return;
        expect(posix.join("/a/b", path)).toMatch(/^\/a\/b\/./);
        expect(win32.join("C:\\a\\b", path)).toMatch(/^C:\\a\\b\\./);
      }),
      { numRuns: runs(500) },
    );
  });
});

it("any text as SKILL.md is accepted with its bytes or refused with a reason", () => {
  const pieces = fc.constantFrom(
    "---\n",
    "name: a\n",
    "description: d\n",
    "\uFEFF",
    "\r\n",
    "\t",
    ": ",
    "- ",
    "{",
    "|",
    ">",
    "text",
    "\n\n",
    "# x\n",
    "\0",
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 25 }).map((list) => new TextEncoder().encode(list.join(""))),
    fc
      .array(pieces, { maxLength: 25 })
      .map((list) => new TextEncoder().encode(`${SKILL.slice(0, 50)}${list.join("")}`)),
    fc.uint8Array({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(texts, (bytes) => {
      const read = readSkillMd(bytes, { folder: "some-folder" });
      if (!read.ok) {
        expect(read.failure).toMatchObject({ code: "bad_skill_md", facts: { reason: expect.any(String) } });
        return;
      }
      expect(Buffer.from(read.value.files["SKILL.md"]!)).toEqual(Buffer.from(bytes));
      expect(checkSkillName(read.value.name)).toBeNull();
      expect(read.value.description).not.toBe("");
    }),
    { numRuns: runs(800), seed: 20261122 },
  );
}, 20_000);

describe("a skill imported into a library", () => {
  const open = () => {
    const clock = createTestClock();
    const profile = newProfileId();
    return createSkillStore({
      bucket: createMemoryBucket({ clock }),
      profile,
      clock,
      random: Math.random,
      swapMs: 1_000,
    });
  };
  const imported = (files: FileBodies) => {
    const read = readFolder(files);
    if (!read.ok) throw new Error(read.failure.message);
    return read.value;
  };
  const seeds = { bundled: { "SKILL.md": md("bundled") } };

  it("belongs to the person, starts on trial, and replaces another only on request", async () => {
    const store = open();
    const put = (skill: ReturnType<typeof imported>, replace: boolean, op: string) =>
      store.change({ name: skill.name, op, since: 0, decide: toImport(skill, { replace, seeds }) });
    const one = imported({ "SKILL.md": SKILL });
    expect(await put(one, false, "1")).toMatchObject({ value: { head: { rev: 1, state: "trial", origin: "user" } } });
    expect(await put(one, false, "2")).toMatchObject({ failure: { code: "skill_exists" } });
    const other = imported({ "SKILL.md": `${SKILL}more`, "a.bin": Uint8Array.of(255, 0, 254) });
    expect(await put(other, true, "3")).toMatchObject({ value: { head: { rev: 2 } } });
    expect((await store.open("reading-logs"))?.files).toEqual(other.files);
    const bundled = imported({ "SKILL.md": md("bundled") });
    expect(await put(bundled, false, "4")).toMatchObject({ failure: { code: "skill_exists" } });
    expect(await put(bundled, true, "5")).toMatchObject({ value: { head: { rev: 1, origin: "user" } } });
  });

  it("restores an archived skill with the imported text", async () => {
    const store = open();
    const one = imported({ "SKILL.md": SKILL });
    const decide = toImport(one, { replace: false, seeds: {} });
    await store.change({ name: one.name, op: "1", since: 0, decide });
    const archive = () => ({ ok: true as const, value: { state: "archived" as const, reason: "old" } });
    await store.change({ name: one.name, op: "2", since: 1, decide: archive });
    const back = await store.change({ name: one.name, op: "3", since: 1, decide });
    expect(back).toMatchObject({ value: { head: { state: "trial", reason: "Imported by a person." } } });
  });

  it("is on trial in place of an active skill, unless it is identical", async () => {
    const store = open();
    const put = (body: string, op: string) => {
      const skill = imported({ "SKILL.md": body });
      return store.change({ name: skill.name, op, since: 0, decide: toImport(skill, { replace: true, seeds: {} }) });
    };
    await put(SKILL, "1");
    await store.change({
      ...{ name: "reading-logs", op: "2", since: 0 },
      decide: () => ({ ok: true, value: { state: "active" } }),
    });
    expect(await put(SKILL, "3")).toMatchObject({ value: { head: { rev: 1, state: "active" } } });
    expect(await put(`${SKILL}more`, "4")).toMatchObject({
      value: { head: { rev: 2, state: "trial", reason: "Imported by a person." } },
    });
  });

  it("is the companion of the person's own skill if its name says so, and never of a bundled one", async () => {
    const store = open();
    const bring = (name: string, replace = false) => {
      const skill = imported({ "SKILL.md": md(name) });
      const decide = toImport(skill, { replace, seeds });
      return store.change({ name: skill.name, op: name, since: 0, decide });
    };
    await bring("mine");
    expect(await bring("mine-local")).toMatchObject({ value: { head: { extends: "mine" } } });
    for (const replace of [false, true]) {
      const refused = await bring("bundled-local", replace);
      expect(refused).toMatchObject({ failure: { code: "companion_name", facts: { base: "bundled" } } });
    }
    expect(await store.head("bundled-local")).toBe(null);
  });

  it("is not public because an archived skill with its name was public", async () => {
    const store = open();
    const one = imported({ "SKILL.md": SKILL });
    const decide = toImport(one, { replace: true, seeds: {} });
    const set = (op: string, value: SkillNext) =>
      store.change({ name: one.name, op, since: 0, decide: () => ({ ok: true, value }) });
    await store.change({ name: one.name, op: "1", since: 0, decide });
    await set("2", { public: true });
    expect(await store.change({ name: one.name, op: "3", since: 0, decide })).toMatchObject({
      value: { head: { public: true } },
    });
    await set("4", { state: "archived" });
    expect(await store.change({ name: one.name, op: "5", since: 0, decide })).toMatchObject({
      value: { head: { state: "trial", public: false } },
    });
  });
});

describe("a file of an archive", () => {
  it("is refused if its path becomes unsafe without its folder", () => {
    const zip = pack("zip", { "x/SKILL.md": SKILL, "x/__proto__": "lost" });
    expect(readArchive(zip)).toMatchObject({ failure: { code: "bad_path" } });
  });

  it.each(["zip", "tar.gz"] as const)("is copied, so that the whole %s is not kept in memory", (kind) => {
    const noise = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 2_654_435_761) >>> 13);
    const read = readArchive(pack(kind, { "SKILL.md": SKILL, "a.png": Uint8Array.of(255, 254), "b.bin": noise }));
    const body = read.ok ? read.value.files["a.png"] : undefined;
    expect(body instanceof Uint8Array && [...body, body.buffer.byteLength]).toEqual([255, 254, 2]);
  });
});
