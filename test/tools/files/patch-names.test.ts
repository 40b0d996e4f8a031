// Patches whose sections name one file twice, or by a link.
import { expect, test } from "vitest";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createFileBench } from "../../support/file-bench.ts";

async function setUp(files: Record<string, string>, links: Record<string, string> = {}) {
  const { workspace, put, call } = createFileBench(createNodeSql());
  for (const [path, text] of Object.entries(files)) put(path, text);
  for (const [path, target] of Object.entries(links)) await workspace.symlink(`/work/${target}`, `/${path}`);
  const all = () =>
    Object.fromEntries(workspace.list().map(({ path }) => [path, new TextDecoder().decode(workspace.read(path)!)]));
  const patch = (...lines: string[]) =>
    call("patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  return { all, patch };
}

test.each([
  ["deletes what it has moved", ["*** Update File: a", "*** Move to: b", "*** Delete File: b"], "was moved there"],
  ["adds one file by two names", ["*** Add File: l/x", "+1", "*** Add File: d/x", "+2"], "another change names"],
  ["deletes by a link", ["*** Delete File: k"], "name 'a' itself"],
  ["moves by the link of a folder", ["*** Update File: l/y", "*** Move to: z"], "name 'd/y' itself"],
])("a patch that %s is refused and changes nothing", async (_what, lines, words) => {
  const { all, patch } = await setUp({ a: "one\n", "d/y": "two\n" }, { l: "d", k: "a" });
  const refused = await patch(...lines);
  expect(refused).toMatchObject({ failed: true, result: { error: expect.stringContaining(words) } });
  expect(all()).toEqual({ a: "one\n", "d/y": "two\n" });
});

test("a file may be moved onto one that the patch deletes", async () => {
  const { all, patch } = await setUp({ a: "one\n", b: "two\n" });
  await patch("*** Delete File: b", "*** Update File: a", "*** Move to: b");
  expect(all()).toEqual({ b: "one\n" });
});
