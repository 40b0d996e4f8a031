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

test("what is kept elsewhere is no piece, though it begins one that is", () => {
  const pieces = toPieces(["say it here\nsay it here and now"], ["They say it here."]);
  expect(pieces).toEqual(["sayithereandnow"]);
  expect(holdsAny("say it here", pieces)).toBe(false);
  expect(holdsAny("We say it here and now.", pieces)).toBe(true);
});

test("a text of short lines is looked for as a whole", () => {
  expect(toPieces(["a b\nc d\ne f"])).toEqual(["abcdef"]);
  expect(holdsAny("x: a b, c d, e f.", toPieces(["a b\nc d\ne f"]))).toBe(true);
});
