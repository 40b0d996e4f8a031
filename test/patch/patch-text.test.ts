import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks, parsePatch } from "../../core/patch/patch-text.ts";

const MAX = 10_000;
const parse = (...lines: string[]) => parsePatch(lines.join("\n"));

function applyTo(text: string, ...lines: string[]) {
  const parsed = parse("*** Begin Patch", "*** Update File: a", ...lines, "*** End Patch");
  const [section] = parsed.ok ? parsed.value : [];
  if (section?.kind !== "update") throw new Error("not an update");
  return applyHunks(text, section.hunks, MAX);
}

describe("parsePatch", () => {
  it("reads files that are added, moved, changed and deleted, in their order", () => {
    expect(
      parse(
        ...["*** Begin Patch", "*** Add File: new.txt", "+one", "+", "+two", "*** Delete File: old.txt"],
        ...["*** Update File: src/a.ts", "*** Move to: src/b.ts", "@@ class A", "@@   run() {", " keep", "-out", "+in"],
        ...["*** End of File", "*** End Patch"],
      ),
    ).toEqual({
      ok: true,
      value: [
        { kind: "add", path: "new.txt", text: "one\n\ntwo\n" },
        { kind: "delete", path: "old.txt" },
        {
          ...{ kind: "update", path: "src/a.ts", moveTo: "src/b.ts" },
          hunks: [{ anchors: ["class A", "run() {"], oldLines: ["keep", "out"], newLines: ["keep", "in"] }],
        },
      ],
    });
  });

  it("tolerates a code fence, words before the beginning, a missing end and Windows line ends", () => {
    const update = [{ kind: "update", path: "a", hunks: [{ anchors: [], oldLines: ["x"], newLines: ["y"] }] }];
    const lines = ["Here it is:", "```", "*** Begin Patch", "*** Update File: a", "@@ -1,2 +1,2 @@", "-x", "+y"];
    expect(parsePatch([...lines, "*** End Patch", "```"].join("\r\n"))).toEqual({ ok: true, value: update });
    expect(parse(...lines)).toEqual({ ok: true, value: update });
  });

  it.each([
    ["names no file", ["*** Begin Patch", "*** End Patch"], "Line 1 of the patch cannot be read: it names no file"],
    [
      "has a line before the first file",
      ["*** Begin Patch", "-x"],
      "Line 2 of the patch cannot be read: begin each file",
    ],
    [
      "has a bare line in a new file",
      ["*** Begin Patch", "*** Add File: a", "x"],
      "each line of a new file begins with '+'",
    ],
    ["has lines after a deletion", ["*** Begin Patch", "*** Delete File: a", "-x"], "nothing follows"],
    [
      "has a bare line in a hunk",
      ["*** Begin Patch", "*** Update File: a", "x"],
      "begins with '@@', a blank, '-' or '+'",
    ],
  ])("refuses a patch that %s", (_what, lines, words) => {
    expect(parse(...lines)).toMatchObject({ failure: { code: "bad_patch", message: expect.stringContaining(words) } });
  });

  it("never throws, whatever the text", () => {
    const line = fc.constantFrom(
      "*** Begin Patch",
      "*** Update File: a",
      "*** Add File: b",
      "@@",
      "+x",
      "-",
      " ",
      "*** End Patch",
      "?",
    );
    fc.assert(fc.property(fc.array(line), (lines) => void parse(...lines)));
  });
});

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
});
