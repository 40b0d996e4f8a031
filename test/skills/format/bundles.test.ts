import { expect, it } from "vitest";
import { membersOf } from "../../../core/skills/format/bundles.ts";

it.each([
  [{ metadata: { bundle: "reading-logs, Writing_Reports" } }, ["reading-logs", "writing-reports"]],
  [{ bundle: ["a", "b", "a"] }, ["a", "b"]],
  [{ bundle: [{ name: "a" }, 7, null, "***", "b"] }, ["a", "b"]],
  [{ metadata: { hermes: { bundle: "a\nb" } } }, ["a", "b"]],
  [{ bundle: true }, []],
  [{}, []],
])("the frontmatter %j names the bundle %j", (meta, members) => {
  expect(membersOf(meta)).toEqual(members);
});
