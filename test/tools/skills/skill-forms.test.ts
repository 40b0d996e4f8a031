// Variants of a skill_manage call that have one reading, and are accepted.
import { describe, expect, it } from "vitest";
import { parseSkill } from "../../../core/skills/format/format.ts";
import { toOperations } from "../../../core/tools/skills/skill-manage.ts";

const BODY = "# Reading logs\n\n## When to use\n\nFor logs.\n";
const HEAD = "---\nname: reading-logs\ndescription: For logs.\n---\n\n";
const create = { action: "create", name: "reading-logs" } as const;

function contentOf(args: Parameters<typeof toOperations>[0]): string {
  const made = toOperations(args);
  const [first] = made.ok ? made.value : [];
  return first && "content" in first ? first.content : "";
}

describe("a description passed next to a skill's text", () => {
  it.each([
    ["no frontmatter", BODY],
    ["frontmatter without a description", `---\nname: reading-logs\ncategory: data\n---\n\n${BODY}`],
  ])("goes into the frontmatter of a text with %s", (_words, content) => {
    const text = contentOf({ ...create, content, description: 'For: logs, and "more".' });
    expect(parseSkill(text)).toMatchObject({
      ok: true,
      value: { name: "reading-logs", description: 'For: logs, and "more".', body: BODY },
    });
  });

  it("keeps the other fields of the frontmatter", () => {
    const content = `---\nname: reading-logs\ncategory: data\n---\n\n${BODY}`;
    expect(parseSkill(contentOf({ ...create, content, description: "For logs." }))).toMatchObject({
      value: { category: "data" },
    });
  });

  it("is ignored if the text has one", () => {
    expect(contentOf({ ...create, content: HEAD + BODY, description: "Other." })).toBe(HEAD + BODY);
  });
});

describe("a text in a code fence", () => {
  it("is unwrapped", () => {
    expect(contentOf({ ...create, content: `\`\`\`markdown\n${HEAD}${BODY}\`\`\`\n` })).toBe(HEAD + BODY);
  });

  it("is kept if the fence is part of it", () => {
    const content = `${HEAD}\`\`\`\nls\n\`\`\`\n`;
    expect(contentOf({ ...create, content })).toBe(content);
  });
});

describe("fields next to a list of operations", () => {
  const patch = { action: "patch", name: "reading-logs", old_string: "a", new_string: "b" } as const;

  it("are ignored if they repeat one of its operations", () => {
    for (const beside of [
      { action: "patch" },
      { action: "patch", old_string: "a", new_string: "b" },
      { content: "" },
    ] as const) {
      expect(toOperations({ ...beside, name: "reading-logs", operations: [patch] })).toMatchObject({
        ok: true,
        value: [{ action: "patch", oldString: "a" }],
      });
    }
  });

  it("are refused if they differ from its operations", () => {
    const beside = { action: "patch", old_string: "c", new_string: "d" } as const;
    expect(toOperations({ ...beside, operations: [patch] })).toMatchObject({
      ok: false,
      failure: { code: "bad_arguments" },
    });
  });

  it("are the call if the list is empty", () => {
    expect(toOperations({ ...patch, operations: [] })).toMatchObject({ ok: true, value: [{ action: "patch" }] });
  });
});
