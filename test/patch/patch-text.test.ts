import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePatch } from "../../core/patch/patch-text.ts";

const parse = (...lines: string[]) => parsePatch(lines.join("\n"));

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
    [
      "has a file after its end",
      ["*** Add File: a", "+x", "*** End Patch", "*** Add File: b"],
      "comes before this file",
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

  it("takes '*** End Patch' after a blank for a line of the file", () => {
    const lines = ["@@", " *** End Patch", "-tail", "+TAIL", "*** End Patch"];
    expect(parse("*** Begin Patch", "*** Update File: a", ...lines)).toMatchObject({
      value: [{ hunks: [{ oldLines: ["*** End Patch", "tail"], newLines: ["*** End Patch", "TAIL"] }] }],
    });
  });
});
