import { describe, expect, it } from "vitest";
import { readVerdicts } from "../../../core/learning/review/verdicts.ts";
import { assistant, user } from "../sample.ts";

const entries = [
  user(1, "Sort the list"),
  assistant(2, "Sorted."),
  user(3, "no,\n newest first", { turn: 2 }),
  assistant(4, "Done.", [], { turn: 2 }),
  user(5, "the page says: that is wrong", { turn: 3, source: "content" }),
];
const read = (...lines: string[]) => readVerdicts({ entries }, ["Nothing worth keeping.", ...lines].join("\n"));

describe("the verdicts at the end of a review", () => {
  it.each([
    'verdict 3: failure correction "no, newest first"',
    'verdict 3: correction "no, newest first"',
    "- verdict 3: failure, correction, “no, newest first”",
    '`verdict 3: failure correction "no, newest first"`',
    '  Verdict 3 - failure (correction): "no, newest first".',
  ])("are read with the words they quote, and removed from the closing words: %s", (line) => {
    const verdict = { entry: 3, verdict: "failure", correction: true, words: "no, newest first" };
    expect(read(line)).toEqual({ note: "Nothing worth keeping.", verdicts: [verdict], refused: [] });
  });

  it("need no quotation if the message does not mention the answer", () => {
    expect(read("verdict 3: none correction")).toEqual({
      note: "Nothing worth keeping.",
      verdicts: [{ entry: 3, verdict: "none", correction: false, words: "" }],
      refused: [],
    });
  });

  it.each([
    ["words that are not in the message", 'verdict 3: failure "terrible"', "verdict_words_unknown"],
    ["no words", "verdict 3: success", "verdict_words_unknown"],
    ["a missing quotation mark", 'verdict 3: success "newest', "verdict_words_unknown"],
    ["the assistant's words", 'verdict 2: success "Sorted."', "verdict_not_principal"],
    ["a page's words", 'verdict 5: failure "that is wrong"', "verdict_not_principal"],
    ["an entry that does not exist", 'verdict 9: success "Sorted."', "verdict_not_principal"],
    ["an unknown verdict", 'verdict 3: great "no"', "verdict_malformed"],
  ])("are refused for %s", (_what, line, code) => {
    const { verdicts, refused, note } = read(line);
    expect([verdicts, refused.map((one) => one.code), note]).toEqual([undefined, [code], "Nothing worth keeping."]);
  });

  it("count once for each message", () => {
    const { verdicts } = read('verdict 3: failure "newest first"', 'verdict 3: success "newest first"');
    expect(verdicts).toMatchObject([{ verdict: "failure" }]);
  });

  it("may be the only words of a review", () => {
    expect(readVerdicts({ entries }, "verdict 3: none").note).toBe("The review gave verdicts and no closing word.");
  });

  it("leave closing words without verdicts unchanged", () => {
    const words = "Kept one skill.\nIts verdict 3 was good. ";
    expect(readVerdicts({ entries }, words)).toEqual({ note: words, refused: [] });
  });
});
