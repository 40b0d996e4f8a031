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
const read = (list: unknown, words = "Nothing worth keeping.") =>
  readVerdicts(
    { entries },
    `${words}\n<verdicts>\n${typeof list === "string" ? list : JSON.stringify(list)}\n</verdicts>`,
  );

describe("the verdicts at the end of a review", () => {
  it("are read with the words they rely on, and leave the closing words", () => {
    const verdict = { entry: 3, verdict: "failure", correction: true, words: "no, newest first" };
    expect(read([verdict])).toEqual({ note: "Nothing worth keeping.", verdicts: [verdict], refused: [] });
  });

  it("need no words where the message says nothing of the answer", () => {
    expect(read([{ entry: 3, verdict: "none" }])).toEqual({
      note: "Nothing worth keeping.",
      verdicts: [{ entry: 3, verdict: "none", correction: false, words: "" }],
      refused: [],
    });
  });

  it.each([
    ["words the message does not have", { entry: 3, verdict: "failure", words: "terrible" }, "verdict_words_unknown"],
    ["no words", { entry: 3, verdict: "success", words: " " }, "verdict_words_unknown"],
    ["the assistant's words", { entry: 2, verdict: "success", words: "Sorted." }, "verdict_not_principal"],
    ["a page's words", { entry: 5, verdict: "failure", words: "that is wrong" }, "verdict_not_principal"],
    ["an entry that is not there", { entry: 9, verdict: "success", words: "Sorted." }, "verdict_not_principal"],
    ["another verdict", { entry: 3, verdict: "great", words: "no" }, "verdict_malformed"],
  ])("are refused for %s", (_what, verdict, code) => {
    const { verdicts, refused } = read([verdict]);
    expect([verdicts, refused.map((one) => one.code)]).toEqual([undefined, [code]]);
  });

  it("that are not JSON are refused as a whole", () => {
    expect(read("entry 3 failed").refused).toMatchObject([{ tool: "verdicts", code: "verdicts_malformed" }]);
  });

  it("count once a message", () => {
    const verdict = { entry: 3, verdict: "failure", words: "newest first" };
    expect(read([verdict, { ...verdict, verdict: "success" }]).verdicts).toMatchObject([{ verdict: "failure" }]);
  });

  it("may be all that a review says", () => {
    expect(read([], "").note).toBe("The review gave verdicts and no closing word.");
  });

  it("that were cut off are refused, and closing words without a list stay as they are", () => {
    expect(readVerdicts({ entries }, 'Kept.\n<verdicts>\n[{"entry": 3,').refused).toHaveLength(1);
    expect(readVerdicts({ entries }, "Kept one skill.")).toEqual({ note: "Kept one skill.", refused: [] });
  });
});
