import { describe, expect, it } from "vitest";
import { applyHunks } from "../../core/patch/apply-hunks.ts";
import { parsePatch } from "../../core/patch/patch-text.ts";

const MAX = 10_000;

function applyTo(text: string, ...lines: string[]) {
  const parsed = parsePatch(["*** Begin Patch", "*** Update File: a", ...lines, "*** End Patch"].join("\n"));
  const [section] = parsed.ok ? parsed.value : [];
  if (section?.kind !== "update") throw new Error("not an update");
  return applyHunks(text, section.hunks, { maxChars: MAX, search: { left: MAX } });
}

describe("applyHunks", () => {
  const text = "def one():\n    return 1\n\ndef two():\n    return 1\n";

  it("finds a passage that occurs twice below its anchor", () => {
    expect(applyTo(text, "@@ def two():", "-    return 1", "+    return 2")).toEqual({
      ok: true,
      value: "def one():\n    return 1\n\ndef two():\n    return 2\n",
    });
  });

  it("searches each hunk after the one before it", () => {
    expect(
      applyTo(text, "@@ def one():", "-    return 1", "+    return 9", "@@", "-    return 1", "+    return 8"),
    ).toEqual({
      ok: true,
      value: "def one():\n    return 9\n\ndef two():\n    return 8\n",
    });
  });

  it("finds a hunk that lies before the one above it", () => {
    expect(applyTo("a\nb\nc\n", "@@", "-c", "+C", "@@", "-a", "+A")).toEqual({ ok: true, value: "A\nb\nC\n" });
  });

  it("inserts lines after an anchor, and at the end without one", () => {
    expect(applyTo("a\nb", "@@ a", "+x")).toEqual({ ok: true, value: "a\nx\nb" });
    expect(applyTo("a\nb", "@@", "+x")).toEqual({ ok: true, value: "a\nb\nx\n" });
    expect(applyTo("", "@@", "+x")).toEqual({ ok: true, value: "x\n" });
  });

  it("refuses a passage that occurs twice without an anchor, and one that is not there", () => {
    expect(applyTo(text, "@@", "-    return 1", "+    return 2")).toMatchObject({
      failure: { code: "several_matches" },
    });
    expect(applyTo(text, "@@", "-    return 7 or more", "+x")).toMatchObject({ failure: { code: "not_found" } });
    expect(applyTo(text, "@@ def three():", "-    return 1", "+x")).toMatchObject({
      failure: { code: "anchor_not_found" },
    });
  });

  it("names the hunk that fails when there are several", () => {
    expect(applyTo("a\nb\n", "@@", "-a", "+A", "@@", "-something else entirely", "+x")).toMatchObject({
      failure: { code: "not_found", message: expect.stringMatching(/^Hunk 2: /) },
    });
  });

  it("refuses a text that would become too large", () => {
    expect(applyTo("a\n", "@@", `+${"x".repeat(MAX)}`)).toMatchObject({ failure: { code: "too_large" } });
    expect(applyTo("a\n", "@@", "-a", `+${"x".repeat(MAX)}y`)).toMatchObject({ failure: { code: "too_large" } });
  });

  it("removes whole lines, and leaves an empty line only where the hunk has one", () => {
    expect(applyTo("one\ntwo\nthree\n", "@@", "-two")).toEqual({ ok: true, value: "one\nthree\n" });
    expect(applyTo("one\r\ntwo\r\nthree\r\n", "@@", "-two")).toEqual({ ok: true, value: "one\r\nthree\r\n" });
    expect(applyTo("one\n  two\nthree\n", "@@", "-two ")).toEqual({ ok: true, value: "one\nthree\n" });
    expect(applyTo("one\ntwo\nthree\n", "@@", "-two", "+")).toEqual({ ok: true, value: "one\n\nthree\n" });
    expect(applyTo("one\n  two\nthree\n", "@@", "-two ", "+")).toEqual({ ok: true, value: "one\n\nthree\n" });
    expect(applyTo("one\ntwo", "@@", "-two")).toEqual({ ok: true, value: "one\n" });
    expect(applyTo("one\n", "@@", "-one")).toEqual({ ok: true, value: "" });
  });

  it("never matches inside a line", () => {
    expect(applyTo("foobar\nbar\n", "@@", "-bar", "+baz")).toEqual({ ok: true, value: "foobar\nbaz\n" });
    expect(applyTo("foobar\n", "@@", "-bar", "+baz")).toMatchObject({ failure: { code: "not_found" } });
    expect(applyTo("\ufeffone\ntwo", "@@", "-one", "+ONE")).toEqual({ ok: true, value: "\ufeffONE\ntwo" });
  });

  it("never changes what lies before its anchor", () => {
    const text = "def a():\n  x = 1\n\ndef b():\n  y = 2\n";
    expect(applyTo(text, "@@ def b():", "-  x = 1", "+  x = 5")).toMatchObject({ failure: { code: "not_found" } });
  });

  it("prefers the very words above to similar ones below", () => {
    const text = "alpha one two three\nbeta one two three\n\nmid\n\nalpha one two thre\nbeta one two thee\n";
    const hunks = ["@@", "-mid", "+MID", "@@", "-alpha one two three", "-beta one two three", "+X"];
    expect(applyTo(text, ...hunks)).toEqual({ ok: true, value: "X\n\nMID\n\nalpha one two thre\nbeta one two thee\n" });
  });

  it("inserts with the line ends of the file", () => {
    expect(applyTo("one\r\ntwo", "@@", "+end")).toEqual({ ok: true, value: "one\r\ntwo\r\nend\r\n" });
    expect(applyTo("one\r\ntwo\r\n", "@@ one", "+x")).toEqual({ ok: true, value: "one\r\nx\r\ntwo\r\n" });
  });

  it("counts lines from the beginning of the file in its failures", () => {
    const after = ["@@", "-a", "+A", "@@ mark", "-b?", "+x"];
    expect(
      applyTo("a\n\nmark\nb long enough to be similar\n", ...after.with(4, "-b long enough to be siimlrr")),
    ).toMatchObject({ failure: { facts: { nearest: [{ line: 4 }] } } });
  });

  it("refuses more hunks than it can place in the time", () => {
    const hunks = Array.from({ length: 300 }, (_, i) => ["@@", `-${i}`, `+x${i}`]).flat();
    const text = Array.from({ length: 300 }, (_, i) => `${i}\n`).join("");
    expect(applyTo(text, ...hunks)).toMatchObject({ failure: { code: "too_many_hunks" } });
  });
});
