import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitsIn, headAndTail, jsonChars, takeEnd, takeStart } from "../../core/tools/clip.ts";

const text = fc.string({
  unit: fc.oneof(fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "😀"), fc.string()),
  maxLength: 80,
});

describe("clip", () => {
  test("a start or an end is a piece of the text that fits, and no longer piece would fit", () => {
    fc.assert(
      fc.property(text, fc.nat(120), (whole, room) => {
        const start = takeStart(whole, room);
        const end = takeEnd(whole, room);
        expect(whole.startsWith(start) && whole.endsWith(end)).toBe(true);
        expect([fitsIn(start, room), fitsIn(end, room)]).toEqual([true, true]);
        expect(start.isWellFormed() && end.isWellFormed()).toBe(
          whole.isWellFormed() || (start.isWellFormed() && end.isWellFormed()),
        );
        const [next = ""] = whole.slice(start.length);
        if (next !== "") expect(jsonChars(start + next)).toBeGreaterThan(room);
      }),
    );
  });

  test("head and tail fit together, and state how much is missing between them", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 80, max: 200 }), (piece, room) => {
        const whole = piece.repeat(10);
        const { text: shown, cut } = headAndTail(whole, room);
        expect(fitsIn(shown, room)).toBe(true);
        expect(cut).toBe(shown !== whole);
        if (!cut) return;
        const [, head = "", left, tail = ""] =
          /^([^]*)\n\[\.\.\. (\d+) characters left out \.\.\.\]\n([^]*)$/.exec(shown) ?? [];
        expect(head.length + Number(left) + tail.length).toBe(whole.length);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      }),
    );
  });
});
