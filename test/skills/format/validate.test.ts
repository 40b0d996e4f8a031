import { describe, expect, it } from "vitest";
import {
  baseOf,
  checkSkillName,
  checkSupportPath,
  companionOf,
  validateSkill,
} from "../../../core/skills/format/validate.ts";
import { skillMd } from "../skill-md.ts";

const check = (files: Record<string, string>, writer: "model" | "person" = "model") =>
  validateSkill({ name: "reading-logs", files, maxFiles: 3, writer });
const codeOf = (result: ReturnType<typeof check>) => (result.ok ? "ok" : result.failure.code);

describe("checkSkillName", () => {
  it.each(["a", "reading-logs", "2048", "a".repeat(58), `${"a".repeat(58)}-local`])("accepts %s", (name) => {
    expect(checkSkillName(name)).toBeNull();
  });
  it.each(["", "A", "a_b", "-a", "a-", "a--b", "a b", "ä", "../a", "a".repeat(59), "a-local-local", "-local"])(
    "refuses %j",
    (name) => {
      expect(checkSkillName(name)).toMatchObject({ code: "bad_skill_name" });
    },
  );
});

it("a name ending in -local is a companion's", () => {
  expect([companionOf("reading-logs"), baseOf("reading-logs-local"), baseOf("reading-logs")]).toEqual([
    "reading-logs-local",
    "reading-logs",
    null,
  ]);
});

describe("checkSupportPath", () => {
  it.each(["references/a.md", "scripts/deep/run.sh", "assets/a b+c@2.svg", "templates/_x"])("accepts %s", (path) => {
    expect(checkSupportPath(path)).toBeNull();
  });
  it.each([
    "SKILL.md",
    "a.md",
    "references",
    "references/",
    "/references/a",
    "references//a",
    "references/../a",
    "../references/a",
    "references/.hidden",
    "references/a.",
    "references\\a",
    "other/a.md",
    "references/a\u0000b",
    `references/${"a".repeat(200)}`,
  ])("refuses %j", (path) => {
    expect(checkSupportPath(path)).toMatchObject({ code: "bad_path" });
  });
});

describe("validateSkill", () => {
  it("returns the name and category of a valid skill", () => {
    const files = { "SKILL.md": skillMd({ name: "reading-logs" }), "references/a.md": "x" };
    expect(check(files)).toMatchObject({ ok: true, value: { name: "reading-logs", category: "ops", warnings: [] } });
  });

  it("names the sections that a model left out or left empty", () => {
    const text =
      "---\nname: reading-logs\ndescription: b\n---\n# T\n\n## When to use\n\nx\n\n## Steps\n\n## Pitfalls\n\nx\n";
    expect(check({ "SKILL.md": text })).toEqual({
      ok: false,
      failure: {
        code: "bad_skill_md",
        message: "SKILL.md lacks these sections, or they are empty: `## Steps`, `## Verify`. Add them.",
        facts: { reason: "sections", missing: ["Steps", "Verify"] },
      },
    });
  });

  it("counts sub-headings as a section's text, and ignores headings in a fenced block", () => {
    const body = "# When to use this\n\nx\n\n## STEPS\n\n### First\n\nx\n\n## Pitfalls\n\nx\n";
    const text = `---\nname: reading-logs\ndescription: b\n---\n${body}`;
    const fenced = `${text}\n\`\`\`markdown\n## Verify\n\nx\n\`\`\`\n`;
    expect(check({ "SKILL.md": fenced })).toMatchObject({ failure: { facts: { missing: ["Verify"] } } });
    expect(codeOf(check({ "SKILL.md": `${text}\n## Verify\n\nx\n` }))).toBe("ok");
  });

  it("reads an endless fence of many marks in linear time", () => {
    const text = `---\nname: reading-logs\ndescription: b\n---\n${"`".repeat(45_000)}\n${"\n".repeat(45_000)}x`;
    const began = performance.now();
    expect(check({ "SKILL.md": text })).toMatchObject({ failure: { facts: { reason: "sections" } } });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("ends a fenced block only at a fence of the same length", () => {
    const body = "## When to use\n\nx\n\n## Steps\n\nx\n\n## Pitfalls\n\nx\n";
    const nested = `${body}\n\`\`\`\`md\n\`\`\`\n## Verify\n\nx\n\`\`\`\n\`\`\`\`\n`;
    const text = `---\nname: reading-logs\ndescription: b\n---\n${nested}`;
    expect(check({ "SKILL.md": text })).toMatchObject({ failure: { facts: { missing: ["Verify"] } } });
  });

  it("requires the skill's name in a model's text, and only warns a person", () => {
    const other = { "SKILL.md": skillMd({ name: "other" }) };
    expect(check(other)).toMatchObject({ failure: { code: "bad_skill_md", facts: { reason: "name" } } });
    expect(check(other, "person")).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringContaining('"other"')] },
    });
  });

  it("accepts a person's skill without the sections", () => {
    const text = "---\nname: reading-logs\ndescription: b\n---\nJust do it.";
    expect([codeOf(check({ "SKILL.md": text })), codeOf(check({ "SKILL.md": text }, "person"))]).toEqual([
      "bad_skill_md",
      "ok",
    ]);
  });

  it.each([
    ["no SKILL.md", { "references/a.md": "x" }, "bad_skill_md"],
    ["broken frontmatter", { "SKILL.md": "no" }, "bad_skill_md"],
    ["a long description", { "SKILL.md": skillMd({ description: "x".repeat(1_025) }) }, "bad_skill_md"],
    ["a long SKILL.md", { "SKILL.md": skillMd({ extra: "x".repeat(100_000) }) }, "too_large"],
    ["a large file", { "SKILL.md": skillMd(), "references/a.md": "ä".repeat(600_000) }, "too_large"],
    ["a misplaced file", { "SKILL.md": skillMd(), "a.md": "x" }, "bad_path"],
    ["half a surrogate pair", { "SKILL.md": skillMd(), "references/a.md": "\uD83D" }, "bad_text"],
    ["too many files", { "SKILL.md": skillMd(), "assets/1": "", "assets/2": "", "assets/3": "" }, "too_many_files"],
  ])("refuses %s", (_what, files, code) => {
    expect(codeOf(check(files as unknown as Record<string, string>))).toBe(code);
  });

  it.each([
    ["a category at its top", "category: ops", 'move "category" to metadata', "A category is a line"],
    ["another field", "version: 1", 'move "version" to metadata'],
    ["a list in metadata", "metadata:\n  tags:\n    - a", "`metadata` must be a mapping from text to text"],
    ["flow style", "metadata: {a: b}", "flow style"],
    ["a number in metadata", "metadata:\n  version: 1.0", '"version" is not text: put it in double quotes'],
    ["an anchor", "license: &a MIT\nmetadata:\n  a: *a", "aliases"],
    ["a tag", "license: !!str MIT", "tags"],
    ["a key twice", "license: a\nlicense: b", "a key twice"],
    ["a long compatibility", `compatibility: ${"x".repeat(501)}`, "at most 500"],
    ["an unquoted colon", "compatibility: needs: git", 'Put a text that holds ": " in double quotes'],
    ["a tab", 'metadata:\n  a: "b\tc"', "tabs"],
  ])("applies the standard to a model's frontmatter: %s", (_what, field, ...sentences) => {
    const text = skillMd().replace("metadata:\n  category: ops", field);
    const checked = check({ "SKILL.md": text });
    expect(checked).toMatchObject({ ok: false, failure: { code: "bad_skill_md", facts: { reason: "standard" } } });
    for (const sentence of sentences) expect(checked.ok ? "" : checked.failure.message).toContain(sentence);
    expect(codeOf(check({ "SKILL.md": text }, "person"))).toBe("ok");
    const currentFiles = { "SKILL.md": text.replace("Verify of", "Look at") };
    expect(
      validateSkill({ name: "reading-logs", files: { "SKILL.md": text }, maxFiles: 3, writer: "model", currentFiles }),
    ).toMatchObject({ ok: true });
  });

  it("accepts every field of the standard from a model", () => {
    const fields = `license: MIT\ncompatibility: Needs git.\nallowed-tools: Bash(git:*) Read\nmetadata:\n  category: ops\n  version: "1.0"`;
    const text = skillMd().replace("metadata:\n  category: ops", fields);
    expect(check({ "SKILL.md": text })).toMatchObject({ ok: true, value: { category: "ops" } });
  });

  it.each(["../a", "/a", "a\\b", "C:/a", "a//b", "a\u0000"])("refuses %j from a person too", (path) => {
    expect(codeOf(check({ "SKILL.md": skillMd(), [path]: "x" }, "person"))).toBe("bad_path");
  });

  it("accepts any layout of a person's files, except a file in the place of another's folder", () => {
    expect(codeOf(check({ "SKILL.md": skillMd(), LICENSE: "x", "docs/a b.md": "x" }, "person"))).toBe("ok");
    expect(codeOf(check({ "SKILL.md": skillMd(), "references/a": "x", "references/a/b": "x" }))).toBe("bad_path");
    expect(codeOf(check({ "SKILL.md": skillMd(), "references/A": "x", "references/a": "x" }))).toBe("bad_path");
  });

  it("shortens a person's long description for listings and reports it", () => {
    const text = skillMd({ description: "x".repeat(1_025) });
    expect(check({ "SKILL.md": text }, "person")).toMatchObject({
      ok: true,
      value: { description: `${"x".repeat(1_023)}…`, warnings: [expect.stringContaining("1025 characters")] },
    });
  });
});
