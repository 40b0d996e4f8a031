// Which messages a search shows where branches have copies of them.
import { expect, test } from "vitest";
import type { FoundMessage } from "../../../core/schemas/archived-message.ts";
import { withoutCopies } from "../../../core/tools/recall/lineage.ts";

const [A, B, C, OTHER] = ["A", "B", "C", "OTHER"];
const lineage = new Map([
  [B, [{ session: A, turn: 2, entry: 10 }]],
  [
    C,
    [
      { session: A, turn: 2, entry: 10 },
      { session: B, turn: 4, entry: 20 },
    ],
  ],
]);
const hit = (session: string, n: number) => ({ session, n }) as FoundMessage;
const show = (found: FoundMessage[], present: string, outOfView: number[] = []) =>
  withoutCopies(found, { present, lineage, isOutOfView: ({ n }) => outOfView.includes(n) }).map(
    ({ session, n }) => `${session}${n}`,
  );

test("one of a message and its copies is shown, the best of them", () => {
  expect(show([hit(C, 5), hit(A, 5), hit(B, 5), hit(B, 15), hit(C, 15)], OTHER)).toEqual(["C5", "B15"]);
});

test("messages that only look alike by number are all shown", () => {
  expect(show([hit(A, 15), hit(B, 15), hit(C, 25), hit(B, 25)], OTHER)).toEqual(["A15", "B15", "C25", "B25"]);
});

test("what the present branch has as its own copy is not shown, unless its model no longer reads it", () => {
  expect(show([hit(A, 5), hit(B, 15), hit(A, 15)], C)).toEqual(["A15"]);
  expect(show([hit(A, 5), hit(B, 15)], C, [5])).toEqual(["A5"]);
});
