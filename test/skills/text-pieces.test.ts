// That copies of a text are found however a record escapes it, and that no record makes the search slow.
import fc from "fast-check";
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

test("pieces are found as by a search for each of them, and those that others have as well are not pieces", () => {
  const text = fc.stringMatching(/^[ab]{0,30}$/);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.array(text, { maxLength: 4 }), text, (gone, kept, record) => {
      const pieces = toPieces(gone, kept);
      const wanted = gone.filter((one) => one.length >= 4 && !kept.some((other) => other.includes(one)));
      expect(new Set(pieces)).toEqual(new Set(wanted));
      expect(holdsAny(record, pieces)).toBe(pieces.some((piece) => record.includes(piece)));
    }),
    { numRuns: 500 },
  );
});

test("a hundred thousand lines are looked for in a million letters in one walk", () => {
  // With a search for each line, this takes minutes.
  const lines = Array.from({ length: 100_000 }, (_, n) => `the line of the number ${n} and no other`);
  const record = "all that was said ".repeat(60_000);
  const pieces = toPieces(lines, [record]);
  expect([pieces.length, holdsAny(record, pieces), holdsAny(`${record}${lines[7]}`, pieces)]).toEqual([
    ...[100_000, false, true],
  ]);
}, 30_000);
