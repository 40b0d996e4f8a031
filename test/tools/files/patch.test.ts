import { describe, expect, test } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { createPatch } from "../../../core/tools/files/patch.ts";
import { CALL_WRITES, createWriteBudget } from "../../../core/workspace/write-budget.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createFileBench } from "../../support/file-bench.ts";

const signal = new AbortController().signal;

function createBench() {
  const bench = createFileBench(createNodeSql());
  const write = (path: string, content: string) => bench.call("write_file", { path, content });
  const read = (path: string) => {
    const bytes = bench.workspace.read(path);
    return bytes && new TextDecoder().decode(bytes);
  };
  const make = (isTainted?: (text: string) => boolean) =>
    createPatch({
      workspace: bench.workspace,
      settings: DEFAULTS,
      budget: createWriteBudget("call", CALL_WRITES),
      ...(isTainted && { isTainted }),
    });
  return { ...bench, write, read, make };
}

const patchOf = (...lines: string[]) => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

describe("patch of one passage", () => {
  test("replaces it and returns the difference with the label of the file", async () => {
    const { write, read, call, put } = createBench();
    await write("a.py", "x = 1\ny = 2\n");
    const done = await call("patch", { path: "a.py", old_string: "y = 2", new_string: "y = 3" });
    expect(read("a.py")).toBe("x = 1\ny = 3\n");
    expect(done).toMatchObject({
      failed: false,
      result: {
        files: [{ path: "a.py", change: "updated", match: "exact", replacements: 1 }],
        diff: "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n",
      },
      sources: { own: ["diff"] },
    });
    put("b.txt", "from outside\n");
    const foreign = await call("patch", { path: "b.txt", old_string: "outside", new_string: "there" });
    expect(foreign.sources).toMatchObject({ content: ["diff"] });
  });

  test("tolerates another indentation, and says how the passage was found", async () => {
    const { write, read, call } = createBench();
    await write("a.py", "if a:\n        go()\n        stop()\n");
    const done = await call("patch", { path: "a.py", old_string: "go()\nstop()", new_string: "go()\nwait()" });
    expect(read("a.py")).toBe("if a:\n        go()\n        wait()\n");
    expect(done.result).toMatchObject({ files: [{ match: "indentation" }] });
  });

  test("keeps the least trusted writer of a file", async () => {
    const { workspace, write, make, put } = createBench();
    await write("mine.txt", "one two");
    put("given.txt", "one two");
    const run = (path: string, isTainted = false) =>
      make(() => isTainted).run({ path, old_string: "two", new_string: "three" }, { op: "o", prepared: {}, signal });
    await run("mine.txt");
    await run("given.txt");
    expect([workspace.labelOf("mine.txt"), workspace.labelOf("given.txt")]).toEqual(["own", "content"]);
    await write("mine.txt", "one two");
    await run("mine.txt", true);
    expect(workspace.labelOf("mine.txt")).toBe("content");
  });

  test.each([
    ["a passage that is not there", { old_string: "alpha = 12", new_string: "x" }, "not_found"],
    ["a passage that occurs twice", { old_string: "beta", new_string: "x" }, "several_matches"],
    ["a change that changes nothing", { old_string: "alpha", new_string: "alpha" }, "nothing_to_change"],
    ["an empty passage", { old_string: " ", new_string: "x" }, "empty_old_string"],
    ["a missing argument", { new_string: "x" }, "missing_argument"],
  ])("refuses %s and leaves the file", async (_what, args, code) => {
    const { write, read, call } = createBench();
    await write("a", "alpha = 1\nbeta\nbeta\n");
    const refused = await call("patch", { path: "a", ...args });
    expect(refused).toMatchObject({ failed: true, result: { code } });
    expect(read("a")).toBe("alpha = 1\nbeta\nbeta\n");
  });

  test("quotes the nearest line of a foreign file as content", async () => {
    const { call, put } = createBench();
    put("a", "alpha = 1\n");
    const refused = await call("patch", { path: "a", old_string: "alpha = 1;;;", new_string: "x" });
    expect(refused.result).toMatchObject({ code: "not_found", nearest: [{ line: 1, text: "alpha = 1" }] });
    expect(refused.sources.content).toEqual(["nearest", "preview"]);
  });

  test("names what is near for a path that does not exist, and refuses bytes and large files", async () => {
    const { call, put } = createBench();
    put("report.md", "x");
    put("raw.bin", new Uint8Array([1, 0, 255]));
    put("large.txt", "x".repeat((2 << 20) + 1));
    const patch = (path: string) => call("patch", { path, old_string: "a", new_string: "b" });
    expect((await patch("reports.md")).result).toMatchObject({
      code: "not_found",
      error: expect.stringContaining("'report.md'"),
    });
    expect((await patch("raw.bin")).result).toMatchObject({ code: "binary_file" });
    expect((await patch("large.txt")).result).toMatchObject({ code: "file_too_large" });
    expect((await patch("../a")).result).toMatchObject({ code: "bad_path" });
  });

  test("shortens a long difference", async () => {
    const { write, call } = createBench();
    await write("a", "x\n");
    const done = await call("patch", { path: "a", old_string: "x", new_string: "line\n".repeat(5_000) });
    expect(done.result.truncated).toBe(true);
    expect(String(done.result.diff).length).toBeLessThan(9_000);
  });

  test("follows a link to the file, which stays a link", async () => {
    const { workspace, write, read, call } = createBench();
    await write("real.txt", "one");
    await workspace.symlink("/work/real.txt", "/way");
    const done = await call("patch", { path: "way", old_string: "one", new_string: "two" });
    expect(done.result).toMatchObject({ files: [{ path: "real.txt" }] });
    expect([read("real.txt"), (await workspace.lstat("/way")).isSymbolicLink]).toEqual(["two", true]);
  });
});

describe("patch of several files", () => {
  test("changes, adds, moves and deletes in one step", async () => {
    const { workspace, write, read, call } = createBench();
    for (const [path, content] of [
      ["a", "one\n"],
      ["b", "two\n"],
      ["c", "three\n"],
      ["d", "four\n"],
    ])
      await write(path!, content!);
    await workspace.chmod("/c", 0o755);
    const done = await call(
      "patch",
      patchOf(
        ...["*** Update File: a", "@@", "-one", "+1", "*** Delete File: b", "*** Add File: new/e", "+five"],
        ...[
          "*** Update File: c",
          "*** Move to: lib/c",
          "@@",
          "-three",
          "+3",
          "*** Update File: d",
          "*** Move to: lib/d",
        ],
      ),
    );
    expect(done.result.files).toEqual([
      { path: "a", change: "updated" },
      { path: "b", change: "deleted" },
      { path: "new/e", change: "added" },
      { path: "lib/c", change: "moved", from: "c" },
      { path: "lib/d", change: "moved", from: "d" },
    ]);
    expect(workspace.list().map(({ path }) => [path, read(path)])).toEqual([
      ["a", "1\n"],
      ["lib/c", "3\n"],
      ["lib/d", "four\n"],
      ["new/e", "five\n"],
    ]);
    expect((await workspace.stat("/lib/c")).mode).toBe(0o755);
  });

  test.each([
    ["a hunk that is not found", ["*** Update File: b", "@@", "-nothing like this", "+x"], "not_found"],
    ["a file to be added that exists", ["*** Add File: b", "+x"], "file_exists"],
    ["a move onto a file", ["*** Update File: b", "*** Move to: a"], "file_exists"],
    ["a file that does not exist", ["*** Delete File: zzz"], "not_found"],
    ["a path outside", ["*** Add File: ../x", "+x"], "bad_path"],
    ["a path below a file", ["*** Add File: b/x", "+x"], "bad_path"],
    ["a file that was moved away", ["*** Update File: b", "*** Move to: c", "*** Add File: b", "+x"], "file_exists"],
    ["an instruction file", ["*** Add File: AGENTS.md", "+x"], "approval_needed"],
  ])("changes nothing because of %s", async (_what, lines, code) => {
    const { workspace, write, read, call } = createBench();
    await write("a", "one\n");
    await write("b", "two\n");
    const refused = await call("patch", patchOf("*** Update File: a", "@@", "-one", "+1", ...lines));
    expect(refused).toMatchObject({ failed: true, result: { code } });
    expect([read("a"), read("b"), workspace.list().length]).toEqual(["one\n", "two\n", 2]);
  });

  test("refuses both forms at once", async () => {
    const { call } = createBench();
    const refused = await call("patch", { path: "a", ...patchOf("*** Delete File: a") });
    expect(refused.result).toMatchObject({ code: "two_forms" });
  });

  test("a file may be changed twice, and deleted and added again", async () => {
    const { write, read, call } = createBench();
    await write("a", "one\ntwo\n");
    await write("b", "old\n");
    await call(
      "patch",
      patchOf(
        ...["*** Update File: a", "@@", "-one", "+1", "*** Update File: a", "@@", "-two", "+2"],
        ...["*** Delete File: b", "*** Add File: b", "+new"],
      ),
    );
    expect([read("a"), read("b")]).toEqual(["1\n2\n", "new\n"]);
  });
});

describe("patch after a crash", () => {
  test("is made once if the call is repeated before or after its effect, and reports if it cannot tell", async () => {
    const { write, read, make } = createBench();
    await write("a", "x\n");
    const tool = make();
    const args = { path: "a", old_string: "x", new_string: "x\nx" };
    const prepared = await tool.prepare!(args);
    const again = () => tool.run(args, { op: "o", prepared, resumed: true, signal });
    expect((await again()).failed).toBe(false);
    expect(read("a")).toBe("x\nx\n");
    expect(await again()).toMatchObject({ failed: false });
    expect(read("a")).toBe("x\nx\n");
    await write("a", "changed\n");
    expect(await again()).toMatchObject({ failed: true, parts: [{ text: expect.stringContaining("file_changed") }] });
  });

  test("a move is recognised as made", async () => {
    const { write, workspace, make } = createBench();
    await write("a", "x\n");
    const args = patchOf("*** Update File: a", "*** Move to: b");
    const prepared = await make().prepare!(args);
    expect((await make().run(args, { op: "o", prepared, signal })).failed).toBe(false);
    expect(await make().run(args, { op: "o", prepared, resumed: true, signal })).toMatchObject({ failed: false });
    expect(workspace.list().map(({ path }) => path)).toEqual(["b"]);
  });
});

test("patch of an instruction file waits for the person with the whole new content", async () => {
  const { workspace, put } = createBench();
  put("AGENTS.md", "Be brief.\n");
  const parked: unknown[] = [];
  const tool = createPatch({
    workspace,
    settings: DEFAULTS,
    budget: createWriteBudget("call", CALL_WRITES),
    approvals: { park: (request) => (parked.push(request), { ok: true, value: { id: "i", state: "waiting" } }) },
  });
  const done = await tool.run(
    { path: "AGENTS.md", old_string: "brief", new_string: "kind" },
    { op: "o", prepared: {}, signal },
  );
  expect(parked).toEqual([{ op: "o", path: "AGENTS.md", content: "Be kind.\n" }]);
  expect(done).toMatchObject({ failed: false, parts: [{ text: expect.stringContaining("approval_needed") }] });
  expect(new TextDecoder().decode(workspace.read("AGENTS.md")!)).toBe("Be brief.\n");
});
