// Sessions on the page: pieces of a found text, and the list after a change.
import { describe, expect, it } from "vitest";
import { applyChange } from "../../dashboard/pages/sessions.tsx";
import { splitSnippet } from "../../dashboard/sessions/search-results.tsx";

describe("splitSnippet", () => {
  it("marks each found word and keeps every character", () => {
    const text = "disk full: the disk is 𝟗𝟗 % full";
    const highlights = [
      { from: 0, to: 4 },
      { from: 15, to: 19 },
      { from: text.length - 4, to: text.length },
    ];
    const pieces = splitSnippet({ text, highlights });
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces.filter(({ isHit }) => isHit).map((piece) => piece.text)).toEqual(["disk", "disk", "full"]);
  });

  it("leaves a text without hits in one piece, and an empty one in none", () => {
    expect(splitSnippet({ text: "<b>", highlights: [] })).toEqual([{ text: "<b>", isHit: false }]);
    expect(splitSnippet({ text: "", highlights: [] })).toEqual([]);
  });
});

describe("applyChange", () => {
  const items = ["A", "B", "C"].map((session) => ({ session, title: session, learning: "on" as const, createdAt: 1 }));

  it("renames one and takes one out", () => {
    expect(applyChange(items, "B", "new").map(({ title }) => title)).toEqual(["A", "new", "C"]);
    expect(applyChange(items, "B", null).map(({ session }) => session)).toEqual(["A", "C"]);
    expect(applyChange(items, "gone", null)).toEqual(items);
  });
});
