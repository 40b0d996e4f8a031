// The difference between two states of a skill, and undoing one change below later ones.
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { err, ok } from "../../core/errors.ts";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import { SkillHead } from "../../core/schemas/skill.ts";
import { hashFiles, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { diffFiles, undoRevision } from "../../core/skills/history.ts";
import { runs } from "../support/thorough.ts";

const md = (body: string) => `---\nname: tables\ndescription: Reads tables.\n---\n\n${body}`;
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join("");
const BYTES = Uint8Array.of(0xff, 0xfe, 0x00);
const OTHER_BYTES = Uint8Array.of(0xff, 0xfe, 0x01);

function present(files: FileBodies) {
  const hashed = hashFiles(files);
  const head = SkillHead.parse({
    ...{ v: 1, name: "tables", seq: 9, rev: 9, text: textOfFiles(hashed), description: "d", category: "c" },
    ...{ state: "stale", pinned: true, origin: "review", files: hashed, citations: [], op: "o" },
    ...{ createdAt: 1, revisedAt: 1, updatedAt: 1 },
  });
  return { head, files };
}

function undo(before: FileBodies, after: FileBodies, now: FileBodies) {
  return undoRevision({ name: "tables", rev: 5, before, after, maxFiles: 50 }, present(now));
}

/** The support file `references/x.md` before, after and now. Returns the text after the undo, or the failure's code. */
function undoText(before: string | undefined, after: string | undefined, now: string | undefined): unknown {
  const files = (text: string | undefined) => ({ "SKILL.md": md("x"), ...(text !== undefined && { [PATH]: text }) });
  const undone = undo(files(before), files(after), files(now));
  return undone.ok ? undone.value.files![PATH] : undone.failure.code;
}
const PATH = "references/x.md";

describe("a diff", () => {
  it("lists for each file whether it was added, removed or changed, and how, sorted by path", () => {
    const before = { "SKILL.md": "one\ntwo\n", "references/gone.md": "bye\n", "references/same.md": "same" };
    const after = { "references/new.md": "hello", "SKILL.md": "one\n2\n", "references/same.md": "same" };
    expect(diffFiles(before, after)).toEqual([
      {
        path: "SKILL.md",
        change: "changed",
        diff: "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
      },
      {
        path: "references/gone.md",
        change: "removed",
        diff: "--- a/references/gone.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n",
      },
      {
        path: "references/new.md",
        change: "added",
        diff: "--- /dev/null\n+++ b/references/new.md\n@@ -0,0 +1,1 @@\n+hello\n\\ No newline at end of file\n",
      },
    ]);
  });

  it("only reports that bytes differ", () => {
    const files = diffFiles({ a: BYTES, b: "text", c: BYTES }, { a: OTHER_BYTES, b: BYTES, c: Uint8Array.from(BYTES) });
    expect(files.map(({ path, change, diff }) => [path, change, diff])).toEqual([
      ["a", "changed", "Binary files a/a and b/a differ\n"],
      ["b", "changed", "Binary files a/b and b/b differ\n"],
    ]);
  });

  it("distinguishes line endings and byte-order marks", () => {
    for (const [before, after] of [
      ["one\r\ntwo\r\n", "one\ntwo\n"],
      ["\ufeffone\n", "one\n"],
      ["one\rtwo", "one\ntwo"],
      ["one\n", "one"],
    ] as const) {
      const [file] = diffFiles({ a: before }, { a: after });
      expect(applyPatch(before, file!.diff, { autoConvertLineEndings: false })).toBe(after);
    }
  });

  it("replaces a long file as a whole if nearly all of it differs", () => {
    const [before, after] = [numbered(1, 3_000), numbered(10_001, 13_000).trimEnd()];
    const [file] = diffFiles({ a: before }, { a: after });
    expect(file!.diff.startsWith("--- a/a\n+++ b/a\n@@ -1,3000 +1,3000 @@\n-line 1\n")).toBe(true);
    expect(applyPatch(before, file!.diff)).toBe(after);
  });

  it("turns any text into any other", () => {
    const text = fc.array(fc.constantFrom("a\n", "b\n", "\n", "c\r\n", "d\r", "e")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [file] = diffFiles({ a: before }, { a: after });
        if (before === after) expect(file).toBe(undefined);
        else expect(applyPatch(before, file!.diff, { autoConvertLineEndings: false })).toBe(after);
      }),
      { seed: 1, numRuns: runs(300) },
    );
  });
});

describe("an undone change", () => {
  it.each<
    [title: string, before: string | undefined, after: string | undefined, now: string | undefined, undone: unknown]
  >([
    ["of the current text restores the text before it", "one\n", "two\n", "two\n", "one\n"],
    [
      "is taken out of a text that grew at both ends",
      numbered(1, 9),
      numbered(1, 4) + "new\n" + numbered(5, 9),
      "top\n" + numbered(1, 4) + "new\n" + numbered(5, 9) + "end\n",
      "top\n" + numbered(1, 9) + "end\n",
    ],
    ["leaves what was appended later", "one\n", "one\ntwo\n", "one\ntwo\nthree\n", "one\nthree\n"],
    ["leaves what was appended later, without a last line break", "one", "one\ntwo", "one\ntwo\nthree", "one\nthree"],
    [
      "restores removed lines at their place",
      numbered(1, 9),
      numbered(1, 4) + numbered(6, 9),
      "0\n" + numbered(1, 4) + numbered(6, 9),
      "0\n" + numbered(1, 9),
    ],
    ["restores the last line break", "one\ntwo\n", "one\ntwo", "zero\none\ntwo", "zero\none\ntwo\n"],
    [
      "keeps Windows line endings",
      "a\r\nb\r\nc\r\n",
      "a\r\nB\r\nc\r\n",
      "0\r\na\r\nB\r\nc\r\n",
      "0\r\na\r\nb\r\nc\r\n",
    ],
    ["keeps lone carriage returns", "a\rb\nc\n", "a\rB\nc\n", "a\rB\nc\nd\n", "a\rb\nc\nd\n"],
    ["does not change other line endings to fit", "a\nb\n", "a\nB\n", "a\r\nB\r\nmore\r\n", "undo_conflict"],
    ["is refused if one of its lines changed", "one\n", "two\n", "three\n", "undo_conflict"],
    ["is refused if the lines around it changed", "a\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n", "undo_conflict"],
    [
      "is refused if something was inserted between its lines",
      "a\nd\n",
      "a\nb\nc\nd\n",
      "a\nb\nnew\nc\nd\n",
      "undo_conflict",
    ],
    [
      "never changes a similar passage elsewhere",
      "# A\nx\n# B\nx\nsame\n",
      "# A\nx\nsame\n# B\nx\nsame\n",
      "# B\nx\nsame\n",
      "undo_conflict",
    ],
    ["of an added file removes it", undefined, "new\n", "new\n", undefined],
    ["of an added file that changed is refused", undefined, "new\n", "newer\n", "undo_conflict"],
    ["of an added file that is gone has nothing to undo", undefined, "new\n", undefined, "nothing_to_undo"],
    ["of a removed file restores it", "old\n", undefined, undefined, "old\n"],
    ["of a removed file that came back with another text is refused", "old\n", undefined, "other\n", "undo_conflict"],
    ["of a changed file that is gone is refused", "one\n", "two\n", undefined, "undo_conflict"],
    ["that was undone before has nothing to undo", "one\n", "two\n", "one\n", "nothing_to_undo"],
    ["of an emptied file restores its text", "one\n", "", "", "one\n"],
    ["of an emptied file that was filled again is refused", "one\n", "", "other\n", "undo_conflict"],
  ])("%s", (_title, before, after, now, undone) => {
    expect(undoText(before, after, now)).toBe(undone);
  });

  it("of bytes restores the earlier bytes, and is refused if they changed since", () => {
    const files = (bytes?: Uint8Array | string): FileBodies => ({
      "SKILL.md": md("x"),
      ...(bytes && { "assets/a.bin": bytes }),
    });
    const undone = undo(files(BYTES), files(OTHER_BYTES), files(Uint8Array.from(OTHER_BYTES)));
    expect(undone.ok && undone.value.files!["assets/a.bin"]).toEqual(BYTES);
    expect(undo(files(BYTES), files("text"), files("text"))).toMatchObject({
      value: { files: { "assets/a.bin": BYTES } },
    });
    for (const now of [Uint8Array.of(7), "text"]) {
      expect(undo(files(BYTES), files(OTHER_BYTES), files(now))).toMatchObject({ failure: { code: "undo_conflict" } });
    }
  });

  it("names each conflicting file, and changes none", () => {
    const files = (a: string, b: string, c: string) => ({ "SKILL.md": md(a), "assets/b": b, "assets/c": c });
    expect(undo(files("1", "1", "1"), files("2", "2", "2"), files("2", "3", "3"))).toEqual(
      err(
        "undo_conflict",
        "Later revisions changed the same places as revision 5 in assets/b, assets/c: edit the skill instead.",
        {
          files: ["assets/b", "assets/c"],
        },
      ),
    );
  });

  it("sets the description and category of the new text, but no state, pin, origin or citations", () => {
    const before = { "SKILL.md": md("one").replace("Reads", "Opens") };
    expect(undo(before, { "SKILL.md": md("one") }, { "SKILL.md": md("one") })).toEqual(
      ok({
        ...{ files: before, description: "Opens tables.", category: "general" },
        ...{ citations: [], reason: "a person undid revision 5" },
      }),
    );
  });

  it("that would leave an invalid SKILL.md is refused", () => {
    const [broken, whole] = [{ "SKILL.md": "no frontmatter\n" }, { "SKILL.md": md("one") }];
    expect(undo(broken, whole, whole)).toMatchObject({ failure: { code: "bad_skill_md" } });
  });

  it("is undone if later changes are far from it", () => {
    const line = fc.constantFrom("a", "b", "c", "d\r", "");
    const lines = fc.array(line, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, lines, fc.array(line, { maxLength: 3 }), (head, old, now, tail) => {
        const round = (middle: string[]) => [...head, "=1", "=2", "=3", ...middle, "=4", "=5", "=6", ""].join("\n");
        const [before, after] = [round(old), round(now)];
        const later = [...tail, "far", after].join("\n");
        const undone = undoText(before, after, later);
        expect(undone).toBe(before === after ? "nothing_to_undo" : [...tail, "far", before].join("\n"));
      }),
      { seed: 2, numRuns: runs(300) },
    );
  });
});

describe("a change of a skill that was imported", () => {
  it("is undone for any number and size of files", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`fonts/${n}.bin`, Uint8Array.of(255, n)]));
    const large = new Uint8Array(2 << 20).fill(255);
    const before = { "SKILL.md": md("a"), ...many, "fonts/large.bin": large };
    const { "fonts/large.bin": _gone, ...rest } = before;
    expect(undo(before, { ...before, "SKILL.md": md("b") }, { ...before, "SKILL.md": md("b") })).toMatchObject({
      ok: true,
      value: { files: { "SKILL.md": md("a") } },
    });
    const back = undo(before, rest, rest);
    expect(back.ok && Object.keys(back.value.files!).length).toBe(62);
  });
});
