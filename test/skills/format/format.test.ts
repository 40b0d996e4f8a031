import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkill } from "../../../core/skills/format/format.ts";
import { anyText } from "../../support/any-text.ts";
import { runs } from "../../support/thorough.ts";

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

  it("accepts a byte-order mark and CRLF line endings", () => {
    const windows = `\uFEFF${PLAIN.replaceAll("\n", "\r\n")}`;
    expect(parseSkill(windows)).toEqual(parseSkill(PLAIN));
  });

  it("ends the frontmatter at the first closing line, so that rules in the body remain", () => {
    const parsed = parseSkill(`${PLAIN}\n---\n\nmore\n`);
    expect(parsed.ok && parsed.value.body).toBe("# Body\n\n---\n\nmore\n");
  });

  it.each([
    ['description: Use when: the log says "no": always', 'Use when: the log says "no": always'],
    ["description: `code` first", "`code` first"],
    ["description: @someone", "@someone"],
    ["description: *starred* text", "*starred* text"],
    ["description: [a] then more", "[a] then more"],
    ["description: {a} then more", "{a} then more"],
    ["description: 100% of it", "100% of it"],
    ["description: % of it", "% of it"],
    ['description:"no blank"', "no blank"],
    ["description:no blank", "no blank"],
    ['tags: [x]\ndescription:"quoted, no blank"\nhint: y', "quoted, no blank"],
    ["description:no blank # 1", "no blank"],
    ["description: |\n  one\n  ---\n  two", "one --- two"],
    ["description：全角", "全角"],
    ["Description: with a capital\nbroken: [", "with a capital"],
    ["description: first: line\n  second: line", "first: line second: line"],
    ["description: it goes on: so\nat the margin", "it goes on: so at the margin"],
    ["description: |\n  first\n  second\nbroken: [a", "first second"],
    ["description: >-\n\tfirst\n\tsecond", "first second"],
    ["description: >\n  para one\n\n  para two\nhint: [x] [y]", "para one para two"],
    ['description: "quoted \\"inside\\""\nhint: [x] [y]', 'quoted "inside"'],
    ["description: 'quoted'\nhint: [x] [y]", "quoted"],
    ["description: one\ndescription: two", "two"],
    ["description: d\nmetadata:\n\tkey: value", "d"],
    ['description: d\nmetadata: {"a": {"b": [1, 2]}', "d"],
    ["# a comment\ndescription: d: e", "d: e"],
    ["description:\n  - one\n  - two", "one two"],
    ["metadata:\n  description: nested", "nested"],
  ])("reads the description of %j, with a warning if the frontmatter is not plain YAML", (lines, description) => {
    expect(parseSkill(`---\nname: a\n${lines}\n---\nBody`)).toMatchObject({
      ok: true,
      value: { name: "a", description, body: "Body\n" },
    });
  });

  it("names the fields that are not YAML, and keeps the others", () => {
    const parsed = parseSkill("---\nname: a\ndescription: d\nhint: [x] [y]\nmetadata:\n  tags: [one, two]\n---\nBody");
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        meta: { hint: "[x] [y]", metadata: { tags: ["one", "two"] } },
        warnings: [
          expect.stringMatching(/^The frontmatter is not YAML: .* It was read field by field\.$/),
          "`hint` was read as plain text.",
        ],
      },
    });
  });

  it.each([
    ["\n\n---\nname: a\ndescription: b\n---\nBody"],
    ["\uFEFF\uFEFF---\nname: a\ndescription: b\n---\nBody"],
    ["---\rname: a\rdescription: b\r---\rBody"],
    ["-----\nname: a\ndescription: b\n----\nBody"],
    ["—\nname: a\ndescription: b\n—-\nBody"],
    ["\n    ---\n    name: a\n    description: b\n    ---\n\n    Body"],
    ["---\nname: a\ndescription: b\n...\nBody"],
    ["---\nname: a\ndescription: b\n  ---\nBody"],
    ["---\nname: a\ndescription: b\n  ---\n\nBody\n\n---\n\nmore"],
    ["---\nname: a\ndescription: b\n\nBody"],
    ["name: a\ndescription: b\n---\nBody"],
    ["name: a\ndescription: b\n\nBody"],
    ["```markdown\n---\nname: a\ndescription: b\n---\nBody"],
    ["> Related: [[b]]\n\n---\nname: a\ndescription: b\n---\nBody"],
    ["<!-- licence -->\n---\nname: a\ndescription: b\n---\nBody"],
    ["---\n\n## name: a\ndescription: b\n\nBody"],
    ["---\n\n## name: a\ndescription: b: c\n\nBody\n\n---\n\nmore"],
  ])("finds the frontmatter and the body of %j, with a warning if the form is unusual", (text) => {
    const parsed = parseSkill(text);
    expect(parsed).toMatchObject({ ok: true, value: { name: "a", body: expect.stringMatching(/^Body\n/) } });
    const odd = !/^\uFEFF*(?:-{3,}|—)\r?\n?name/.test(text) || /\n {2}---|b\n\nBody/.test(text);
    expect(parsed.ok && parsed.value.warnings.length > 0).toBe(odd);
  });

  it("does not read an example further down as frontmatter", () => {
    const example = `# How to write one\n\n${"text\n".repeat(50)}\n---\nname: a\ndescription: b\n---\n`;
    expect(parseSkill(example)).toMatchObject({ ok: false, failure: { code: "no_frontmatter" } });
  });

  it("uses a fallback name and accepts an empty body", () => {
    expect(parseSkill("---\ndescription: b\n---\n", { fallbackName: "folder" })).toMatchObject({
      ok: true,
      value: { name: "folder", body: "", warnings: ["There is no text after the frontmatter."] },
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

  it("accepts a number as name, and folds a long description into one line", () => {
    const parsed = parseSkill("---\nname: 2048\ndescription: >\n  first\n  second\n---\nBody");
    expect(parsed).toMatchObject({ ok: true, value: { name: "2048", description: "first second" } });
  });

  it.each([
    ["", "no_frontmatter"],
    ["# Only a body", "no_frontmatter"],
    ["---\nno end", "no_frontmatter"],
    ["# Title\n\n---\nname: a\n---\n", "no_frontmatter"],
    ["---\n---\nBody", "bad_frontmatter"],
    ["---\njust words\n---\nBody", "bad_frontmatter"],
    ["---\n- a\n- b\n---\nBody", "bad_frontmatter"],
    ["---\nname: [a\n---\nBody", "no_description"],
    ["---\nname: *nothing\n---\nBody", "no_description"],
    ["---\n[a\n---\nBody", "bad_frontmatter"],
    ["---\ndescription: b\n---\nBody", "no_name"],
    ["---\nname: a\n---\nBody", "no_description"],
    ["---\nname: a\ndescription: '  '\n---\nBody", "no_description"],
  ])("reports the failure for %j", (text, code) => {
    expect(parseSkill(text)).toMatchObject({ ok: false, failure: { code } });
  });

  it("keeps aliases that would expand without limit as plain text", () => {
    const layers = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n");
    const text = `---\nname: a\ndescription: b\na0: &a0 [x]\n${layers}\n---\nBody`;
    const parsed = parseSkill(text);
    expect(parsed).toMatchObject({ ok: true, value: { name: "a", description: "b" } });
    expect(parsed.ok && JSON.stringify(parsed.value.meta).length).toBeLessThan(text.length * 2);
  });

  it("reads a very long line of blanks quickly", () => {
    const blanks = " ".repeat(90_000);
    for (const line of [`description: x${blanks}y`, `\`\`\`${blanks}y`, `description: |${blanks}y`, `#${blanks}y`]) {
      const began = performance.now();
      for (const text of [`---\nname: [\n${line}\n---\nBody`, `${line}\n---\nname: a\ndescription: b\n---\n`]) {
        expect(typeof parseSkill(text).ok).toBe("boolean");
      }
      expect(performance.now() - began).toBeLessThan(1_000);
    }
  });

  it("finds name and description in frontmatter that is a document of its own, without parsing the rest as YAML", () => {
    const keys = Array.from({ length: 12_000 }, (_, i) => `k${i}: 1\n`).join("");
    const began = performance.now();
    expect(parseSkill(`---\n${keys}---\nbody`)).toMatchObject({ ok: false, failure: { code: "no_name" } });
    const parsed = parseSkill(`---\nname: a\ndescription: b\nlong: ${"x: ".repeat(20_000)}\n---\nbody`);
    expect(parsed).toMatchObject({ ok: true, value: { name: "a", description: "b", body: "body\n" } });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("never throws for any text", () => {
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
      anyText({ maxLength: 60 }),
      fc.array(pieces, { maxLength: 30 }).map((list) => list.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        for (const input of [text, `---\n${text}\n---\nBody`]) expect(typeof parseSkill(input).ok).toBe("boolean");
      }),
      { numRuns: runs(100) },
    );
  }, 20_000);
});
