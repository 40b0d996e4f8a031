import { describe, expect, test } from "vitest";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function bench(maxResultChars = 100_000) {
  return createFileBench(createNodeSql(), { maxResultChars });
}

describe("read_file", () => {
  test("a whole file is returned as content, and its facts as outcome", async () => {
    const { put, call } = bench();
    put("data/a.txt", "one\r\ntwo é\n\nlast");
    expect(await call("read_file", { path: "./data/a.txt" })).toEqual({
      failed: false,
      result: { path: "data/a.txt", lines: 4, truncated: false, bytes: 17, content: "one\r\ntwo é\n\nlast" },
      sources: { outcome: ["path", "lines", "truncated", "bytes"], content: ["content"] },
    });
  });

  test.each([
    [{ offset: 2, limit: 2 }, "2\n3\n", "2-3"],
    [{ offset: 4 }, "4\n5\n", "4-5"],
    [{ limit: 1 }, "1\n", "1-1"],
    [{ offset: 5, limit: 10 }, "5\n", "5-5"],
  ])("with %j the requested lines are returned", async (range, content, shown) => {
    const { put, call } = bench();
    put("n", "1\n2\n3\n4\n5\n");
    expect((await call("read_file", { path: "n", ...range })).result).toEqual({
      path: "n",
      lines: 5,
      truncated: false,
      bytes: 10,
      shown,
      content,
    });
  });

  test("an empty file has no lines", async () => {
    const { put, call } = bench();
    put("empty", "");
    expect((await call("read_file", { path: "empty" })).result).toEqual({
      path: "empty",
      lines: 0,
      truncated: false,
      bytes: 0,
      content: "",
    });
  });

  test("a line after the last is refused with the number of lines", async () => {
    const { put, call } = bench();
    put("n", "1\n2\n");
    expect(await call("read_file", { path: "n", offset: 3 })).toMatchObject({
      failed: true,
      result: { code: "past_end", error: "'n' has 2 lines: ask for an offset of at most 2." },
    });
  });

  test("a long file can be read to its end by following `more`", async () => {
    const { put, call } = bench(1_500);
    const text = Array.from({ length: 500 }, (_, i) => `line "${i}"\n`).join("");
    put("long", text);
    let read = "";
    let calls = 0;
    for (let offset: number | undefined = 1; offset !== undefined; calls++) {
      const { result } = await call("read_file", { path: "long", offset });
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(1_500);
      read += result.content;
      offset = result.truncated ? Number(/with offset (\d+),/.exec(String(result.more))?.[1]) : undefined;
    }
    expect(read).toBe(text);
    expect(calls).toBeGreaterThan(3);
  });

  test("a line too long for one result is cut, and the result says what to use instead", async () => {
    const { put, call } = bench(1_000);
    put("long", `${"😀".repeat(5_000)}\nnext\n`);
    const { result } = await call("read_file", { path: "long" });
    expect(result).toMatchObject({
      truncated: true,
      shown: "1-1",
      more: expect.stringContaining("use terminal (cut -c"),
    });
    expect(result.content).toMatch(/^(😀)+$/u);
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(1_000);
  });

  test.each([
    ["a NUL", [0x61, 0, 0x62]],
    ["bytes of another encoding", [0x63, 0x61, 0x66, 0xe9]],
  ])("a file with %s is refused as binary", async (_, content) => {
    const { put, call } = bench();
    put("b.dat", Uint8Array.from(content));
    const { failed, result } = await call("read_file", { path: "b.dat" });
    expect({ failed, code: result.code }).toEqual({ failed: true, code: "binary_file" });
    expect(result.error).toContain(`'b.dat' is not UTF-8 text (${content.length} bytes). Look at it with terminal`);
  });

  test("a byte order mark is shown, because programs meet it too", async () => {
    const { put, call } = bench();
    put("bom", Uint8Array.from([0xef, 0xbb, 0xbf, 0x61]));
    expect((await call("read_file", { path: "bom" })).result.content).toBe("\ufeffa");
  });

  test.each([
    ["sales.csv", "There is no 'sales.csv'. Did you mean 'data/Sales.csv', 'data/sales-2020.csv'?"],
    ["zzz", "There is no 'zzz'. The workspace holds 'data/Sales.csv', 'data/sales-2020.csv', 'notes.md'."],
  ])("a missing %s is answered with similar or existing files", async (path, error) => {
    const { put, call } = bench();
    for (const existing of ["data/Sales.csv", "data/sales-2020.csv", "notes.md"]) put(existing, "x");
    expect(await call("read_file", { path })).toEqual({
      failed: true,
      result: { error, code: "not_found" },
      sources: { outcome: ["error", "code"] },
    });
  });

  test("in an empty workspace, a missing file is answered with that fact", async () => {
    const { result } = await bench().call("read_file", { path: "a" });
    expect(result.error).toBe("There is no 'a': the workspace has no files yet.");
  });

  test("a folder is answered with its files, and a path out of the workspace with a refusal", async () => {
    const { put, call } = bench();
    put("d/a", "x");
    put("d/e/b", "x");
    expect((await call("read_file", { path: "d" })).result).toEqual({
      code: "is_folder",
      error: "'d' is a folder. Read one of its files: d/a, d/e/b.",
    });
    expect((await call("read_file", { path: "../etc/passwd" })).result.code).toBe("bad_path");
  });
});
