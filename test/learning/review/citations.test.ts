import { describe, expect, it } from "vitest";
import { checkCitations, readCitations } from "../../../core/learning/review/rules/citations.ts";
import { SESSION, assistant, call, hardWonTurn, notice, sampleJob, tool, user } from "../sample.ts";

const at = (place: string) => `${SESSION}/${place}`;
const codeOf = (citations: string[], entries = hardWonTurn()) =>
  checkCitations(sampleJob({ entries }), citations)?.code;
const failing = call("f", "search_files");
const unsolved = [
  ...hardWonTurn(),
  assistant(9, "", [failing]),
  tool(10, failing, { outcome: { error: "no" }, content: { text: "x" } }, { failed: true }),
  notice(11, "stopped", "The turn was stopped."),
];

describe("checkCitations", () => {
  it.each([
    [["5#outcome", "7#outcome"]],
    [["7#outcome"]],
    [["1#principal"]],
    [["1#principal", "2#own"]],
    [["5#content", "7#content", "8#own"]],
    [["5#outcome"]], // recovered from, though the recovery is not cited
  ])("accepts %j", (places) => {
    expect(codeOf(places.map(at))).toBeUndefined();
  });

  it.each([
    ["citations_missing", []],
    ["citation_malformed", ["the third call"]],
    ["citation_malformed", [`[${at("7#outcome")}]`]],
    ["citation_unknown", [at("70#outcome")]],
    ["citation_unknown", ["01JAAAAAAAAAAAAAAAAAAAAAAA/7#outcome"]],
    ["citation_unknown", [at("7#principal")]],
    ["citation_unknown", [at("7#outcome"), at("8#outcome")]],
    ["citation_own", [at("8#own")]],
    ["citation_own", [at("2#own"), at("4#own")]],
  ])("fails with %s for %j", (code, citations) => {
    expect(codeOf(citations)).toBe(code);
  });

  it.each([
    ["a failed call", ["10#outcome"]],
    ["the output of a failed call", ["10#content"]],
    ["a failed call with the request", ["1#principal", "10#outcome"]],
    ["a notice", ["11#outcome"]],
    ["a failed call and a notice", ["10#outcome", "11#outcome"]],
  ])("refuses %s if nothing recovered from it", (_words, places) => {
    expect(codeOf(places.map(at), unsolved)).toBe("citation_unrecovered");
  });

  it("accepts an unsolved failure cited together with a successful result", () => {
    expect(codeOf([at("10#outcome"), at("7#outcome")], unsolved)).toBeUndefined();
  });

  it("does not accept a success of another tool, or an earlier one, as recovery", () => {
    const early = call("e", "search_files");
    const entries = [
      user(1, "x"),
      tool(2, early, { outcome: {} }),
      tool(3, failing, { outcome: {} }, { failed: true }),
    ];
    expect(codeOf([at("3#outcome")], [...entries, tool(4, call("t", "terminal"), { outcome: {} })])).toBe(
      "citation_unrecovered",
    );
  });

  it("says what to do next", () => {
    expect(checkCitations(sampleJob(), [at("7#principal")])?.message).toBe(
      'Entry 7 has no part "principal". It has 7#outcome, 7#content.',
    );
  });

  it("suggests entries about the same subject, with their first words, and no others", () => {
    const written =
      "Name the separator that the rates file has: sum -c 2 -s ';' rates.txt. Without it there is no column 2.";
    expect(checkCitations(sampleJob(), [], written)?.facts).toEqual({
      places: [
        '5#content: terminal "sum -c 2 rates.txt" failed: "stdout : , stderr : no column 2"',
        `7#outcome: terminal "sum -c 2 -s ';' rates.txt" ok: "exit_code :0"`,
        `7#content: terminal "sum -c 2 -s ';' rates.txt" ok: "stdout : 41.5 n , stderr :"`,
        '5#outcome: terminal "sum -c 2 rates.txt" failed: "exit_code :2"',
      ],
    });
  });

  it("suggests no citation that could be copied without reading the entry", () => {
    const refusals = [[], ["the third call"], [at("70#outcome")], [at("8#own")]].map((citations) =>
      checkCitations(sampleJob(), citations, "Answer politely and in French.")!,
    );
    for (const { message, facts } of refusals) {
      expect(facts).toEqual({});
      const offered = (message.match(/\d+#\w+/g) ?? []).map(at);
      for (const citation of offered) expect(checkCitations(sampleJob(), [citation])).not.toBeNull();
    }
  });
});

describe("readCitations", () => {
  const session = SESSION;

  it.each([
    "12#outcome",
    "[12#outcome]",
    " `12#outcome` ",
    '"12#outcome".',
    "entry 12#outcome",
    "#12#outcome",
    "12#Outcome",
    `${SESSION}/12#outcome`,
    `[${SESSION}/12#outcome]`,
  ])("reads %s as a part of an entry in the review's session", (given) => {
    expect(readCitations([given], { session })).toEqual([at("12#outcome")]);
  });

  it("accepts several in one string, and one without a list", () => {
    expect(readCitations("3#outcome, 5#content", { session })).toEqual([at("3#outcome"), at("5#content")]);
  });

  it.each(["12", "12#", "#outcome", "12#result", "x/12#outcome", "12#outcome and more", "1234567890#own"])(
    "leaves %s as it was written",
    (given) => expect(readCitations([given], { session })).toEqual([given]),
  );
});
