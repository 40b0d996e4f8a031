// The standard as its strictest readers apply it, and the strict copy that all of them accept.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { makeStrictCopy } from "../../../core/skills/exchange/strict.ts";
import { checkStandard } from "../../../core/skills/format/standard.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { anyText } from "../../support/any-text.ts";
import { runs } from "../../support/thorough.ts";

const md = (lines: string, body = "Body") => `---\n${lines}\n---\n\n${body}\n`;
const base = "name: reading-logs\ndescription: Reads logs.";

describe("checkStandard", () => {
  it.each([
    base,
    `${base}\nlicense: MIT\ncompatibility: Any.\nallowed-tools: Bash(git:*) Read\nmetadata:\n  author: me\n  version: "1.0"`,
    "name: reading-logs\ndescription: >\n  folded\n  text",
    "name: reading-logs\ndescription: 'quoted: text'",
    "name: reading-logs\ndescription: true",
    `${base}\nmetadata:\n  a: 1\n  b: 2.0`,
  ])("accepts %j", (lines) => {
    expect(checkStandard(md(lines), "reading-logs")).toEqual([]);
  });

  it("accepts names in other scripts, as the reference implementation does", () => {
    expect(checkStandard(md("name: журнал-1\ndescription: d"), "журнал-1")).toEqual([]);
  });

  it.each([
    ["# no frontmatter", /begin with a line/],
    ["---\nname: a", /end with a line/],
    [md("name: reading-logs\ndescription: a --- b"), /Three hyphens/],
    [md("name: reading-logs\ndescription: a: b"), /not YAML/],
    [md("- a"), /mapping/],
    [md(`${base}\nmetadata: {a: b}`), /flow style/],
    [md(`${base}\nallowed-tools: [Read]`), /flow style/],
    [md(`${base}\nlicense: &a MIT\nmetadata:\n  b: *a`), /anchors|aliases/],
    [md(`${base}\nlicense: !x MIT`), /tags/],
    [md(`${base}\ndescription: again`), /twice/],
    [md(`${base}\nmetadata:\n  a: 1\n  a: 2`), /twice/],
    [md(`${base}\nversion: 1`), /move "version" to metadata/],
    [md(`${base}\nmetadata: text`), /`metadata`/],
    [md(`${base}\nmetadata:\n  a:\n    b: c`), /`metadata`/],
    [md(`${base}\nallowed-tools:\n  - Read`), /`allowed-tools` must be one text/],
    [md(`${base}\nlicense:\n  - MIT`), /`license`/],
    [md(`${base}\ncompatibility: ${"x".repeat(501)}`), /500/],
    [md(`name: reading-logs\ndescription: ${"x".repeat(1_025)}`), /1024/],
    [md("name: reading-logs\ndescription: ''"), /`description` must be there/],
    [md("name: reading-logs"), /`description` must be there/],
    [md("description: d"), /`name` must be there/],
    [md("name: Reading-logs\ndescription: d"), /lower-case/],
    [md("name: reading--logs\ndescription: d"), /single hyphens/],
    [md("name: -reading\ndescription: d"), /single hyphens/],
    [md("name: reading_logs\ndescription: d"), /single hyphens/],
    [md(`name: ${"x".repeat(65)}\ndescription: d`), /64/],
    [md("name: other\ndescription: d"), /folder's name/],
  ])("refuses %j", (text, sentence) => {
    expect(checkStandard(text, "reading-logs").join(" ")).toMatch(sentence);
  });

  it("reads a frontmatter of thousands of keys quickly", () => {
    const keys = Array.from({ length: 12_000 }, (_, i) => `k${i}: 1`).join("\n");
    const began = performance.now();
    expect(checkStandard(md(keys), "a")).not.toEqual([]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it("accepts every bundled skill", () => {
    for (const [name, files] of Object.entries(seeds)) expect(checkStandard(files["SKILL.md"]!, name)).toEqual([]);
  });
});

describe("toStrict", () => {
  const strict = (text: string) => {
    const copy = makeStrictCopy("reading-logs", { "SKILL.md": text, "a.bin": Uint8Array.of(1) });
    if (!copy.ok) throw new Error(copy.failure.message);
    const own = copy.value.files["SKILL.md"] as string;
    expect(checkStandard(own, "reading-logs")).toEqual([]);
    expect(copy.value.files["a.bin"]).toEqual(Uint8Array.of(1));
    return {
      text: own,
      fields: parse(own.split(/^---$/m)[1]!) as Record<string, unknown>,
      warnings: copy.value.warnings,
    };
  };

  it("changes only line endings of a valid text", () => {
    expect(strict(md(base)).text).toBe(md(base));
    expect(strict(md(base).replaceAll("\n", "\r\n")).text).toBe(md(base));
  });

  it("moves everything to its place in the standard and loses nothing", () => {
    const text = md(
      "name: Reading Logs\ndescription: 'Use when: a log ---- is given'\nversion: 1.2\nauthor: me\ncategory: Ops & Logs\n" +
        "allowed-tools: [Read, 'Bash(git:*, ls)']\nmetadata:\n  hermes:\n    tags: [a, b]\n    requires: {bins: [x]}\n  on: true\n" +
        "license: MIT\nempty:\n'odd key: 日': x",
    );
    const { fields, text: copy } = strict(text.replaceAll("\n", "\r\n"));
    expect(fields).toEqual({
      name: "reading-logs",
      description: "Use when: a log ---- is given",
      license: "MIT",
      "allowed-tools": "Read Bash(git:*, ls)",
      metadata: {
        "frontmatter.name": "Reading Logs",
        "frontmatter.version": "1.2",
        "frontmatter.author": "me",
        "frontmatter.category": "Ops & Logs",
        "hermes.tags": "a, b",
        "hermes.requires.bins": "x",
        on: "true",
        "frontmatter.empty": "",
        "frontmatter.odd-key-日": "x",
      },
    });
    expect(copy).toMatch(/^[^\r]*\n---\n\nBody\n$/);
  });

  it("cuts long texts, warns, and keeps the full text in metadata", () => {
    const long = "word ".repeat(300).trim();
    const { fields, warnings } = strict(md(`name: reading-logs\ndescription: ${long}\ncompatibility: ${long}`));
    expect((fields.description as string).length).toBeLessThanOrEqual(1_024);
    expect((fields.compatibility as string).length).toBeLessThanOrEqual(500);
    expect(fields.metadata).toEqual({ "full-description": long, "full-compatibility": long });
    expect(warnings).toHaveLength(2);
  });

  it("makes a valid copy with the same content from any fields", () => {
    const texts = anyText({ maxLength: 30 });
    const values = fc.oneof(
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(texts, { maxLength: 3 }),
      fc.dictionary(texts, texts, { maxKeys: 3 }),
    );
    const key = fc.oneof(
      fc.constantFrom("license", "compatibility", "metadata", "allowed-tools", "version", "---"),
      texts,
    );
    fc.assert(
      fc.property(texts, fc.dictionary(key, values, { maxKeys: 5 }), (description, others) => {
        const fields = { ...others, name: "x", description: `d ${description}`.toWellFormed() };
        const { fields: read } = strict(md(JSON.stringify(fields, null, 1).replace(/[\x7f-\x9f]/g, "")));
        expect(read.name).toBe("reading-logs");
        expect(read.description).toMatch(/^d/);
      }),
      { numRuns: runs(150), seed: 20261122 },
    );
  }, 20_000);
});

// Many key marks in one line: the YAML parser takes cubic time in their number.
it("a header of many key marks is read quickly", () => {
  const text = `---\nname: a\ndescription: b\n${"? ".repeat(4_000)}\n---\nx`;
  expect(checkStandard(text, "a")).toEqual(["The frontmatter is nested too deep: keep it to a few levels."]);
});
