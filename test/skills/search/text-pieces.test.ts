// Copies of a text are found however a record escapes them, and no record makes the search slow.
import fc from "fast-check";
import { expect, test } from "vitest";
import { holdsAny, toPieces } from "../../../core/skills/search/text-pieces.ts";
import { runs } from "../../support/thorough.ts";

test.each([
  "one line\nand another",
  JSON.stringify("one line\nand another"),
  JSON.stringify(JSON.stringify("one line\nand another")),
  "One Line, AND ANOTHER",
])("the text is found in %j", (record) => expect(holdsAny(record, toPieces(["one line\nand another"]))).toBe(true));

test("half a million backslashes are read once each", () => {
  // Trying each backslash as a beginning would take minutes.
  expect(holdsAny("\\".repeat(500_000), ["and another"])).toBe(false);
});

test("a text that must be kept is not a piece, even if it begins with one", () => {
  const pieces = toPieces(["say it here\nsay it here and now"], ["They say it here."]);
  expect(pieces).toEqual(["sayithereandnow"]);
  expect(holdsAny("say it here", pieces)).toBe(false);
  expect(holdsAny("We say it here and now.", pieces)).toBe(true);
});

test("a heading that every skill has is never a piece", () => {
  const pieces = toPieces(["# Tables\n\n## When to use\n\nA table has a semicolon.\n"]);
  expect(holdsAny("Tell me when to use a chart.", pieces)).toBe(false);
  expect(holdsAny("Here a table has a semicolon, too.", pieces)).toBe(true);
});

test("a text of short lines is searched for as a whole", () => {
  expect(toPieces(["a b\nc d\ne f"])).toEqual(["abcdef"]);
  expect(holdsAny("x: a b, c d, e f.", toPieces(["a b\nc d\ne f"]))).toBe(true);
});

test("the end of a long line alone is not a copy of it", () => {
  const line = "The warehouse keeps its stock in Bergen and gives each of its weights to two decimals.";
  const pieces = toPieces([line]);
  expect(holdsAny("What is the total of the column? Give it to two decimals.", pieces)).toBe(false);
  for (const copy of [`> ${line}`, `${line.slice(0, 76)}…`, `…${line.slice(8)}`])
    expect(holdsAny(copy, pieces)).toBe(true);
});

test("a search for all pieces equals one search per piece, and pieces shared with other texts are left out", () => {
  const text = fc.stringMatching(/^[ab]{0,30}$/);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.array(text, { maxLength: 4 }), text, (gone, kept, record) => {
      const pieces = toPieces(gone, kept);
      const wanted = gone.filter((one) => one.length >= 4 && !kept.some((other) => other.includes(one)));
      expect(pieces.every((piece) => wanted.includes(piece))).toBe(true);
      expect(holdsAny(record, pieces)).toBe(wanted.some((one) => record.includes(one)));
    }),
    { numRuns: runs(500) },
  );
});

test("twenty thousand lines are searched for in 360,000 letters in one pass", () => {
  // One search per line would take minutes.
  const lines = Array.from({ length: 20_000 }, (_, n) => `the line of the number ${n} and no other`);
  const record = "all that was said ".repeat(20_000);
  const pieces = toPieces(lines, [record]);
  expect([pieces.length, holdsAny(record, pieces), holdsAny(`${record}${lines[7]}`, pieces)]).toEqual([
    ...[20_000, false, true],
  ]);
}, 30_000);
