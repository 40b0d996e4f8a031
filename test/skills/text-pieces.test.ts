// That copies of a text are found however a record escapes it, and that no record makes the search slow.
import { expect, test } from "vitest";
import { holdsAny, toPieces } from "../../core/skills/text-pieces.ts";

test.each([
  "one line\nand another",
  JSON.stringify("one line\nand another"),
  JSON.stringify(JSON.stringify("one line\nand another")),
])("finds the text in %j", (record) => expect(holdsAny(record, toPieces(["one line\nand another"]))).toBe(true));

test("half a million backslashes are read once each", () => {
  // With each backslash tried as a beginning, this takes minutes.
  expect(holdsAny("\\".repeat(500_000), ["and another"])).toBe(false);
});
