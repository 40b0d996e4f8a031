import { describe, expect, test } from "vitest";
import { createWriteFile } from "../../../core/tools/files/write-file.ts";
import { CALL_WRITES, createWriteBudget } from "../../../core/workspace/write-budget.ts";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

describe("write_file", () => {
  test("creates the file and its folders, and reports whether the file existed", async () => {
    const { workspace, call } = createFileBench(createNodeSql());
    const args = { path: "out/deep/a.md", content: "hé\n" };
    expect(await call("write_file", args)).toEqual({
      failed: false,
      result: { path: "out/deep/a.md", bytes: 4, created: true },
      sources: { outcome: ["path", "bytes", "created"] },
    });
    const after = workspace.list();
    expect((await call("write_file", args)).result).toEqual({ path: "out/deep/a.md", bytes: 4, created: false });
    expect(workspace.list()).toEqual(after);
    expect(after).toEqual([{ path: "out/deep/a.md", size: 4, writer: "own" }]);
  });

  test("appends unchanged to the end of a file, and creates a missing file", async () => {
    const { workspace, call } = createFileBench(createNodeSql());
    for (const content of ["one\n", "two", " three\n"]) {
      expect(await call("write_file", { path: "out/a.md", content, append: true })).toMatchObject({ failed: false });
    }
    expect(new TextDecoder().decode(workspace.read("out/a.md")!)).toBe("one\ntwo three\n");
    expect(workspace.list()).toEqual([{ path: "out/a.md", size: 14, writer: "own" }]);
    const whole = await call("write_file", { path: "out/a.md", content: "new", append: false });
    expect(whole.result).toEqual({ path: "out/a.md", bytes: 3, created: false });
  });

  test("appends to a large file without rewriting all of it", async () => {
    const sql = createNodeSql();
    const { put, call } = createFileBench(sql);
    put("big.txt", "x".repeat(5 << 20));
    sql.run("CREATE TEMP TABLE touched(bytes INTEGER)");
    sql.run("CREATE TEMP TRIGGER t AFTER INSERT ON file_part BEGIN INSERT INTO touched VALUES(length(new.data)); END");
    const { result } = await call("write_file", { path: "big.txt", content: "more", append: true });
    expect(result).toEqual({ path: "big.txt", appended_bytes: 4, created: false });
    expect(sql.run("SELECT bytes FROM touched")).toEqual([{ bytes: 4 }]);
  });

  test("labels a file it appends to with the worse label of both", async () => {
    const { workspace, put, call } = createFileBench(createNodeSql());
    put("page.txt", "A page. ");
    await call("write_file", { path: "page.txt", content: "Mine.", append: true });
    expect(workspace.labelOf("page.txt")).toBe("content");
  });

  test("appends once if the call is repeated before or after its effect, and reports if it cannot tell", async () => {
    const { workspace, put } = createFileBench(createNodeSql());
    const tool = createWriteFile({ workspace, budget: createWriteBudget("call", CALL_WRITES) });
    const args = { path: "a.md", content: "more\n", append: true };
    const read = () => new TextDecoder().decode(workspace.read("a.md")!);
    const signal = new AbortController().signal;
    put("a.md", "more\n");
    const prepared = (await tool.prepare!(args)) as { size: number };
    const again = () => tool.run(args, { op: "op", prepared, resumed: true, signal });
    expect((await again()).failed).toBe(false);
    expect(read()).toBe("more\nmore\n");
    expect((await again()).failed).toBe(false);
    expect(read()).toBe("more\nmore\n");
    put("a.md", "somebody else's");
    expect(await again()).toMatchObject({ failed: true, parts: [{ text: expect.stringContaining("file_changed") }] });
    expect(read()).toBe("somebody else's");
    expect(tool.prepares!({ path: "a.md", content: "" })).toBe(false);
  });

  test("appending to an instruction file waits for the person with the whole new content", async () => {
    const { workspace, put } = createFileBench(createNodeSql());
    put("AGENTS.md", "Use tabs.");
    const parked: string[] = [];
    const park = ({ content }: { content: string }) => {
      parked.push(content);
      return { ok: true as const, value: { id: "a", state: "waiting" as const } };
    };
    const tool = createWriteFile({ workspace, approvals: { park }, budget: createWriteBudget("call", CALL_WRITES) });
    const args = { path: "AGENTS.md", content: " And spaces.", append: true };
    await tool.run(args, { op: "op", prepared: {}, signal: new AbortController().signal });
    expect(parked).toEqual(["Use tabs. And spaces."]);
  });

  test.each([
    ["../a", "x", "bad_path"],
    ["", "x", "bad_path"],
    ["d", "x", "bad_path"],
    ["d/a/b", "x", "bad_path"],
    ["big", "x".repeat(101), "file_too_large"],
    ["more", "x".repeat(60), "workspace_full"],
  ])("%j is refused with an explanation and changes nothing", async (path, content, code) => {
    const { workspace, put, call } = createFileBench(createNodeSql(), { maxFileBytes: 100, maxWorkspaceBytes: 150 });
    put("d/a", "y".repeat(99));
    const { failed, result } = await call("write_file", { path, content });
    expect({ failed, code: result.code }).toEqual({ failed: true, code });
    expect(result.error).toMatch(/\w.*\.$/);
    expect(workspace.list()).toEqual([{ path: "d/a", size: 99, writer: "principal" }]);
  });

  test.each(["AGENTS.md", "./claude.MD", ".cursor/rules/a.mdc"])(
    "leaves %s to the person where nobody can be asked",
    async (path) => {
      const { workspace, put, call } = createFileBench(createNodeSql());
      put("AGENTS.md", "Use tabs.");
      const { failed, result } = await call("write_file", { path, content: "Obey." });
      expect({ failed, code: result.code }).toEqual({ failed: true, code: "not_permitted" });
      expect(workspace.list()).toEqual([{ path: "AGENTS.md", size: 9, writer: "principal" }]);
    },
  );
});
