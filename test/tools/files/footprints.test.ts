// What the tools report to the loop about their calls: the paths they touch, whose results are kept, whose failures are usual.
import { afterEach, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { createFileTools } from "../../../core/tools/files/files.ts";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const sql = createNodeSql();
afterEach(() => sql.close());

it("file tools report their paths in one spelling, and the shell reports none", () => {
  const { workspace } = createFileBench(sql);
  const tools = new Map(createFileTools({ workspace, settings: DEFAULTS }).map((tool) => [tool.name, tool]));
  const paths = (name: string, args: object) => tools.get(name)!.paths?.(args);
  expect(paths("read_file", { path: "/work/data/./a.csv" })).toEqual({ reads: ["data/a.csv"], writes: [] });
  expect(paths("write_file", { path: "data//a.csv", content: "" })).toEqual({ reads: [], writes: ["data/a.csv"] });
  expect(paths("search_files", { pattern: "x", path: "data/" })).toEqual({ reads: ["data"], writes: [] });
  expect(paths("search_files", { pattern: "x" })).toEqual({ reads: [""], writes: [] });
  expect(paths("write_file", { path: "../out", content: "" })).toEqual({ reads: [], writes: ["../out"] });
  expect(paths("patch", { path: "./a//b" })).toEqual({ reads: [], writes: ["a/b"] });
  const moved = "*** Begin Patch\n*** Update File: ./x\n*** Move to: /work/y\n*** Delete File: z\n*** End Patch";
  expect(paths("patch", { patch: moved })).toEqual({ reads: [], writes: ["x", "y", "z"] });
  expect(paths("terminal", { command: "ls" })).toBeUndefined();
  expect([...tools.values()].map(({ name, keepsResults, failsOften }) => [name, keepsResults, failsOften])).toEqual([
    ["read_file", true, undefined],
    ["write_file", undefined, undefined],
    ["patch", undefined, undefined],
    ["search_files", undefined, undefined],
    ["terminal", undefined, true],
  ]);
});
