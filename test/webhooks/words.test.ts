// Payloads, templates, filters and regular expressions of webhook routes: pure functions over what strangers send.
import { describe, expect, it } from "vitest";
import { Filter } from "../../core/schemas/webhooks/filter.ts";
import { checkFilter, passes } from "../../core/webhooks/filters.ts";
import { compileRegex } from "../../core/webhooks/linear-regex.ts";
import { readEventTypes, readPath, readPayload } from "../../core/webhooks/payload.ts";
import { fillTemplate, toMessage } from "../../core/webhooks/template.ts";

const read = (value: unknown) => readPayload(new TextEncoder().encode(JSON.stringify(value)), "application/json");
const readRaw = (text: string, type = "") => readPayload(new TextEncoder().encode(text), type);

describe("a payload", () => {
  it("is JSON, the fields of a form, the JSON in a form, or its text", () => {
    expect(read({ a: 1 }).value).toEqual({ a: 1 });
    const form = "application/x-www-form-urlencoded";
    expect(readRaw("a=1&b=two+words", form).value).toEqual({ a: "1", b: "two words" });
    expect(readRaw(`payload=${encodeURIComponent('{"a":{"b":1}}')}`, form).value).toEqual({ a: { b: 1 } });
    expect(readRaw("Hello, World!")).toEqual({ value: "Hello, World!", raw: "Hello, World!" });
  });

  it("is text if it is nested too deep", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(readRaw(deep).value).toBe(deep);
  });

  it("has no values of its prototype", () => {
    const payload = readRaw('{"a":[{"b":1}],"__proto__":{"c":2}}').value;
    expect(readPath(payload, "a.0.b")).toBe(1);
    for (const path of ["constructor", "a.length", "toString", "a.constructor", "a.1.b", "c"]) {
      expect(readPath(payload, path)).toBeUndefined();
    }
  });

  it("names its type in a header or in itself, with the action", () => {
    expect(readEventTypes({ "x-github-event": "issues" }, read({ action: "opened" }))).toEqual([
      "issues.opened",
      "issues",
    ]);
    expect(readEventTypes({ "x-gitlab-event": "Push Hook" }, read({ object_kind: "push" }))).toEqual([
      "Push Hook",
      "push",
    ]);
    expect(readEventTypes({}, read({ type: "invoice.paid" }))).toEqual(["invoice.paid"]);
    expect(readEventTypes({}, readRaw("text"))).toEqual([]);
  });
});

describe("a template", () => {
  it("is filled with values, and a value is never a template", () => {
    const payload = read({ a: { b: "{c} $& $1" }, c: "no", n: 3, t: true, nothing: null });
    expect(fillTemplate("{a.b}|{n}|{t}|{nothing}|{missing.x}|{ }|{a", payload)).toBe(
      "{c} $& $1|3|true|null|{missing.x}|{ }|{a",
    );
  });

  it("shows 4,000 characters of the payload and 2,000 of an object", () => {
    const payload = read({ list: Array.from({ length: 3_000 }, () => 1), text: "x".repeat(9_000) });
    expect(fillTemplate("{__raw__}", payload).length).toBe(4_000);
    expect(fillTemplate("{list}", payload).length).toBe(2_000);
    expect(fillTemplate("{text}", payload).length).toBe(9_000);
    expect(fillTemplate("{text}".repeat(100), payload).length).toBe(50_000);
  });

  it("never becomes a command, a mention of a skill, or nothing", () => {
    for (const text of ["/undo", "  /approve", "!ls", "", "\n", "@skill"]) {
      expect(toMessage("ci", text)).toBe(`The webhook \`ci\` has received:\n\n${text}`);
    }
    expect(toMessage("ci", "Build /undo failed")).toBe("Build /undo failed");
  });
});

describe("a filter", () => {
  const value = { a: { b: "main" }, labels: ["bug", "ui"], n: 3, empty: null };
  it.each<[Filter, boolean]>([
    [{ field: "a.b", exists: true }, true],
    [{ field: "empty", exists: true }, true],
    [{ field: "a.c", exists: true }, false],
    [{ field: "a.c", missing: true }, true],
    [{ field: "a.b", missing: true }, false],
    [{ field: "a.b", equals: "main" }, true],
    [{ field: "n", equals: "3" }, false],
    [{ field: "n", not_equals: 4 }, true],
    [{ field: "n", not_equals: 3 }, false],
    [{ field: "a.b", contains: "ai" }, true],
    [{ field: "labels", contains: "bug" }, true],
    [{ field: "labels", contains: "bu" }, false],
    [{ field: "n", contains: "3" }, false],
    [{ field: "n", in: [1, 3] }, true],
    [{ field: "n", in: ["3"] }, false],
    [{ field: "a.b", regex: "^ma(in|ster)$" }, true],
    [{ field: "missing", regex: ".*" }, false],
    [
      {
        all: [
          { field: "n", equals: 3 },
          { field: "a.b", equals: "main" },
        ],
      },
      true,
    ],
    [
      {
        all: [
          { field: "n", equals: 3 },
          { field: "a.b", equals: "dev" },
        ],
      },
      false,
    ],
    [
      {
        any: [
          { field: "n", equals: 4 },
          { field: "a.b", equals: "main" },
        ],
      },
      true,
    ],
    [{ not: { any: [{ field: "n", equals: 4 }] } }, true],
  ])("%j of the example is %s", (filter, expected) => {
    expect(Filter.parse(filter)).toEqual(filter);
    expect(passes(filter, value)).toBe(expected);
  });

  it("has exactly one condition, known words, and eight levels at most", () => {
    let deep: unknown = { field: "n", equals: 1 };
    for (let n = 0; n < 9; n++) deep = { not: deep };
    const wrong = [
      {},
      { field: "n" },
      { field: "n", equals: 1, exists: true },
      { field: "n", exists: false },
      { field: "a..b", exists: true },
      { field: "n", more: 1 },
      { all: [] },
      { all: [{ field: "n", more: 1 }] },
      { not: { not: {} } },
      deep,
    ];
    for (const filter of wrong) expect(Filter.safeParse(filter).success).toBe(false);
  });

  it("is refused with a regular expression that cannot be used, however deep it is", () => {
    expect(checkFilter({ not: { any: [{ field: "a", regex: "(a" }] } })).toMatchObject({
      failure: { code: "regex_invalid" },
    });
    expect(checkFilter({ not: { any: [{ field: "a", regex: "(a)" }] } }).ok).toBe(true);
  });
});

describe("a regular expression", () => {
  const PATTERNS = [
    "abc",
    "^abc$",
    "a|b|cd",
    "a*b+c?",
    "(?:ab)+c",
    "[a-c]x[^a-c]",
    "\\d{2,3}-\\w+",
    "^$",
    "a.c",
    "\\bfoo\\b",
    "x{3}",
    "(a|b)*abb",
    "[\\d.]+",
    "[]a]",
    "[a-]",
    "\\.\\*",
    "a{2,}b",
    "(a*)*b",
    "(?:a|ab)(?:c|bcd)d*",
    "\\s+$",
    "\\Bb",
    "a{0,2}b{1,}",
    "[^\\s]+@[^\\s]+",
  ];
  const TEXTS = [
    "",
    "abc",
    "xabcx",
    "aab",
    "cd",
    "abab abc",
    "axd",
    "12-word",
    "1234-x",
    "a\nc",
    "a.c",
    "foo bar",
    "afoo",
    "xxx",
    "aabb",
    "babb",
    "3.14",
    "]",
    "-",
    ".*",
    "aaab",
    "abcd",
    "acd",
    "end  ",
    "bb",
    "me@example.com",
    "ABC",
  ];

  it.each(PATTERNS.filter((pattern) => pattern !== "[]a]"))("%s matches as the language's own", (pattern) => {
    const compiled = compileRegex(pattern);
    const ours = TEXTS.filter((text) => compiled.ok && compiled.value.test(text));
    expect(ours).toEqual(TEXTS.filter((text) => new RegExp(pattern, "u").test(text)));
  });

  it("can ignore case", () => {
    const compiled = compileRegex("(?i)^[a-c]Bc$");
    expect(compiled.ok && ["abc", "ABC", "Abd"].map((text) => compiled.value.test(text))).toEqual([true, true, false]);
  });

  it.each([
    "(",
    ")",
    "a)",
    "[a",
    "*a",
    "a**",
    "(?=a)",
    "(?<n>a)",
    "\\1",
    "\\p{L}",
    "a{3,2}",
    "a{201}",
    "[z-a]",
    "\\",
    "^*",
    "(?:".repeat(60),
    "(?:(?:x{200}){200}){200}",
  ])("%s is refused", (pattern) => {
    expect(compileRegex(pattern)).toMatchObject({ ok: false, failure: { code: "regex_invalid" } });
  });

  it("takes time that grows with the text alone", () => {
    const compiled = compileRegex("^(?:a+)+$|(a*)*b|(?:x+x+)+y");
    const took = (chars: number) => {
      const from = performance.now();
      if (compiled.ok) compiled.value.test("a".repeat(chars) + "x".repeat(chars));
      return performance.now() - from;
    };
    took(1_000);
    expect(took(10_000)).toBeLessThan(2_000);
  });
});
