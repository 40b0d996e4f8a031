import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkill } from "../../core/skills/format.ts";

const PLAIN = "---\nname: reading-logs\ndescription: Reads logs. Use when one is given.\n---\n\n# Body\n";

describe("parseSkill", () => {
  it("reads name, description, category, other fields and body", () => {
    const text =
      '---\nname: reading-logs\ndescription: Reads logs.\ncategory: Ops & Logs\nlicense: MIT\nmetadata:\n  hermes:\n    tags: [a, b]\nversion: "1.0"\n---\n\n# Body\n\nText.\n';
    expect(parseSkill(text)).toEqual({
      ok: true,
      value: {
        name: "reading-logs",
        description: "Reads logs.",
        category: "ops-logs",
        body: "# Body\n\nText.\n",
        meta: { license: "MIT", metadata: { hermes: { tags: ["a", "b"] } }, version: "1.0" },
        warnings: [],
      },
    });
  });

  it("takes a byte-order mark and CRLF line ends", () => {
    const windows = `\uFEFF${PLAIN.replaceAll("\n", "\r\n")}`;
    expect(parseSkill(windows)).toEqual(parseSkill(PLAIN));
  });

  it("ends the frontmatter at the first closing line, so that rules in the body stay", () => {
    const parsed = parseSkill(`${PLAIN}\n---\n\nmore\n`);
    expect(parsed.ok && parsed.value.body).toBe("# Body\n\n---\n\nmore\n");
  });

  it("quotes a value with a colon and warns", () => {
    const parsed = parseSkill('---\nname: a\ndescription: Use when: the log says "no": always\n---\nBody');
    expect(parsed).toMatchObject({
      ok: true,
      value: { description: 'Use when: the log says "no": always', warnings: [expect.stringContaining("quoted")] },
    });
  });

  it.each([
    ["category: Data Science", "data-science"],
    ["metadata:\n  category: ops", "ops"],
    ["metadata:\n  hermes:\n    category: mlops/training", "mlops-training"],
    ["category: 日本", "general"],
    ["license: MIT", "general"],
  ])("finds the category of %j", (line, category) => {
    const parsed = parseSkill(`---\nname: a\ndescription: b\n${line}\n---\nBody`);
    expect(parsed.ok && parsed.value.category).toBe(category);
  });

  it("takes a number for a name, and folds a long description into one line", () => {
    const parsed = parseSkill("---\nname: 2048\ndescription: >\n  first\n  second\n---\nBody");
    expect(parsed).toMatchObject({ ok: true, value: { name: "2048", description: "first second" } });
  });

  it.each([
    ["", "no_frontmatter"],
    ["# Only a body", "no_frontmatter"],
    ["---\nname: a\ndescription: b\nno end", "no_frontmatter"],
    ["---\n---\nBody", "bad_frontmatter"],
    ["---\njust words\n---\nBody", "bad_frontmatter"],
    ["---\n- a\n- b\n---\nBody", "bad_frontmatter"],
    ["---\nname: [a\n---\nBody", "bad_frontmatter"],
    ["---\nname: *nothing\n---\nBody", "bad_frontmatter"],
    ["---\ndescription: b\n---\nBody", "no_name"],
    ["---\nname: a\n---\nBody", "no_description"],
    ["---\nname: a\ndescription: '  '\n---\nBody", "no_description"],
    ["---\nname: a\ndescription: b\n---\n  \n", "no_body"],
  ])("says what is wrong with %j", (text, code) => {
    expect(parseSkill(text)).toMatchObject({ ok: false, failure: { code } });
  });

  it("refuses aliases that would grow without bound", () => {
    const layers = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n");
    const text = `---\nname: a\ndescription: b\na0: &a0 [x]\n${layers}\n---\nBody`;
    expect(parseSkill(text)).toMatchObject({ ok: false, failure: { code: "bad_frontmatter" } });
  });

  it("takes a line of blanks, however long, in its stride", () => {
    const text = `---\nname: [\ndescription: x${" ".repeat(90_000)}y\n---\nBody`;
    expect(parseSkill(text)).toMatchObject({ ok: false, failure: { code: "bad_frontmatter" } });
  });

  it("refuses frontmatter that is a document of its own, without reading it", () => {
    const keys = Array.from({ length: 12_000 }, (_, i) => `k${i}: 1\n`).join("");
    const began = performance.now();
    const parsed = parseSkill(`---\n${keys}---\nbody`);
    expect(parsed).toMatchObject({ ok: false, failure: { code: "bad_frontmatter" } });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("never throws, whatever the text", () => {
    const pieces = fc.constantFrom(
      "---",
      "\n",
      "\r\n",
      "name: ",
      "description: ",
      "a",
      "&x",
      "*x",
      "!!",
      "{",
      "[",
      ": ",
      "'",
      "`",
      "\t",
      "? ",
      "<<: ",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(pieces, { maxLength: 30 }).map((list) => list.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        for (const input of [text, `---\n${text}\n---\nBody`]) expect(typeof parseSkill(input).ok).toBe("boolean");
      }),
      { numRuns: 100 },
    );
  });
});
