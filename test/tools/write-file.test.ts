import { describe, expect, test } from "vitest";
import { createFileBench } from "../support/file-bench.ts";
import { createNodeSql } from "../support/node-sql.ts";

describe("write_file", () => {
  test("makes the file and the folders on the way, and says when it was there before", async () => {
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

  test.each([
    ["../a", "x", "bad_path"],
    ["", "x", "bad_path"],
    ["d", "x", "bad_path"],
    ["d/a/b", "x", "bad_path"],
    ["big", "x".repeat(101), "file_too_large"],
    ["more", "x".repeat(60), "workspace_full"],
  ])("%j is refused in words and changes nothing", async (path, content, code) => {
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
