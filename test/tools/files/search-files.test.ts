import { describe, expect, test } from "vitest";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function bench(maxResultChars = 100_000) {
  const made = createFileBench(createNodeSql(), { maxResultChars });
  made.put("a.txt", "one\nTwo foo\nfoo:bar\n");
  made.put("docs/b.md", "foo (x)\n");
  made.put("docs/deep/c.md", "nothing\nüber foo\n");
  made.put("docs-old/d.md", "foo\n");
  return made;
}

describe("search_files", () => {
  test("matching lines are returned with path and number, as content", async () => {
    expect(await bench().call("search_files", { pattern: "foo" })).toEqual({
      failed: false,
      result: {
        matches: 5,
        truncated: false,
        lines: [
          "a.txt:2:Two foo",
          "a.txt:3:foo:bar",
          "docs-old/d.md:1:foo",
          "docs/b.md:1:foo (x)",
          "docs/deep/c.md:2:über foo",
        ],
      },
      sources: { outcome: ["matches", "truncated"], content: ["lines"] },
    });
  });

  test.each([
    [{ pattern: "foo", path: "docs" }, ["docs/b.md:1:foo (x)", "docs/deep/c.md:2:über foo"]],
    [{ pattern: "foo", path: "/work/docs/b.md" }, ["docs/b.md:1:foo (x)"]],
    [{ pattern: "foo", glob: "*.md" }, ["docs-old/d.md:1:foo", "docs/b.md:1:foo (x)", "docs/deep/c.md:2:über foo"]],
    [{ pattern: "foo", glob: "docs/*.md" }, ["docs/b.md:1:foo (x)"]],
    [{ pattern: "foo", glob: "docs/**/*.md" }, ["docs/b.md:1:foo (x)", "docs/deep/c.md:2:über foo"]],
    [{ pattern: "foo", glob: "{a,b}.{txt,md}" }, ["a.txt:2:Two foo", "a.txt:3:foo:bar", "docs/b.md:1:foo (x)"]],
    [{ pattern: "foo", glob: "?.txt" }, ["a.txt:2:Two foo", "a.txt:3:foo:bar"]],
    [{ pattern: "foo", glob: "a.tx[t]" }, []],
    [{ pattern: "foo", glob: "{a.txt" }, []],
    [{ pattern: "(?i)two|ÜBER" }, ["a.txt:2:Two foo", "docs/deep/c.md:2:über foo"]],
    [{ pattern: "foo \\(x\\)$" }, ["docs/b.md:1:foo (x)"]],
    [{ pattern: "^\\w{3}$" }, ["a.txt:1:one", "docs-old/d.md:1:foo"]],
    [{ pattern: "-n" }, []],
    [{ pattern: "deep|^a", mode: "names" }, ["a.txt", "docs/deep/c.md"]],
    [{ pattern: ".", mode: "names", glob: "d.md" }, ["docs-old/d.md"]],
    [{ pattern: "absent" }, []],
  ])("%j finds the expected lines", async (args, lines) => {
    const { failed, result } = await bench().call("search_files", args);
    expect({ failed, result }).toEqual({ failed: false, result: { matches: lines.length, truncated: false, lines } });
  });

  test.each([
    [{ pattern: "(open" }, "bad_pattern", "invalid regular expression: (open"],
    [{ pattern: "a(?=b)" }, "bad_pattern", "Write it for RE2"],
    [{ pattern: "a", path: "doc/b.md" }, "not_found", "Did you mean 'docs/b.md'"],
    [{ pattern: "a", path: "../x" }, "bad_path", "leads out of the workspace"],
  ])("%j fails with an explanation", async (args, code, words) => {
    const { failed, result } = await bench().call("search_files", args);
    expect({ failed, code: result.code }).toEqual({ failed: true, code });
    expect(result.error).toContain(words);
  });

  test("an empty workspace has no matches", async () => {
    const { result } = await createFileBench(createNodeSql()).call("search_files", { pattern: "a" });
    expect(result).toEqual({ matches: 0, truncated: false, lines: [] });
  });

  test("lines beyond the limits are cut, and the result says so", async () => {
    const { put, call } = bench();
    put("many.txt", "hit\n".repeat(5_000));
    put("wide.txt", `hit${"x".repeat(2_000)}\n`);
    const many = (await call("search_files", { pattern: "^hit" })).result;
    expect(many).toMatchObject({ matches: 200, truncated: true });
    const wide = (await call("search_files", { pattern: "^hit", path: "wide.txt" })).result;
    expect(wide).toEqual({
      matches: 1,
      truncated: false,
      lines: [`${`wide.txt:1:hit${"x".repeat(2_000)}`.slice(0, 500)}...`],
    });
  });

  test("the whole result stays within its character limit", async () => {
    const { put, call } = bench(1_000);
    put("many.txt", 'a "quoted" hit\n'.repeat(100));
    const { result } = await call("search_files", { pattern: "hit" });
    expect(result.truncated).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(1_000);
    expect(result.matches).toBe((result.lines as string[]).length);
  });

  test("binary files give no lines, and files of megabytes are named instead of searched", async () => {
    const { put, call } = bench();
    put("bin.dat", Uint8Array.from([0, 0x66, 0x6f, 0x6f, 0x0a]));
    put("huge.csv", new Uint8Array((2 << 20) + 1).fill(0x66));
    expect((await call("search_files", { pattern: "fo+$", glob: "{*.dat,*.csv,d.md}" })).result).toEqual({
      matches: 1,
      truncated: false,
      too_large_to_search: ["huge.csv"],
      lines: ["docs-old/d.md:1:foo"],
    });
  });

  test("a pattern written to backtrack endlessly ends at once", async () => {
    const { put, call } = bench();
    put("evil.txt", `${"a".repeat(20_000)}!\n`);
    const { failed, result } = await call("search_files", {
      pattern: "^(a+)+$|^(a|aa)+$|(.*a){20}b",
      path: "evil.txt",
    });
    expect({ failed, result }).toEqual({ failed: false, result: { matches: 0, truncated: false, lines: [] } });
  });
});
