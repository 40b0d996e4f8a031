// What two answers certainly say alike, and what is left to a reader.
import { describe, expect, it } from "vitest";
import { compareAnswers, compareWithRefused } from "../../core/experiments/compare-answers.ts";

const compare = (accepted: string, answer: string, request = "How much is it?") =>
  compareAnswers(accepted, answer, request);

const LONG = "The job fails because the token has expired, so renew it before the next run of the pipeline.";

describe("numbers", () => {
  it.each([
    ["1,234.50", "The total is **1234.5**."],
    ["1.234,50 €", "EUR 1,234.50"],
    ["1 234 567 rows", "There are 1,234,567 rows."],
    ["1\u202f234,5", "1234.5"],
    ["1'234", "1234"],
    ["12.35", "12.3462"],
    ["0.50", ".5 is wrong, it is 0.5"],
    ["$5", "5 dollars"],
    ["12.5 %", "12.5%"],
    ["-3", "−3"],
    ["2 million", "2,000,000"],
    ["1.5k", "1500"],
    ["1.234", "1234"],
    ["1.234", "1.2340"],
    ["42 rows", "_42_ rows were found"],
    ["120 340", "120 and 340"],
    ["120 and 340", "120 340"],
    ["1.5k", "1,540"],
  ])("%j is found in %j", (accepted, answer) => expect(compare(accepted, answer)).toBe("right"));

  it.each([
    ["12.35", "12.3"],
    ["1,234.50", "1,234.60"],
    ["42", "41"],
    ["42", "420"],
    ["3", "-3"],
    ["3", "−3"],
    ["0.125", "125"],
    ["123", "It is 1.2.3"],
    ["1234.5", "12,34.5"],
    ["1.5k", "1,560"],
    ["5", "Use 5a."],
    ["12", "There are twelve-ish, v1.12.0, item12."],
    ["512.40 over 3 orders", "512.40 over 4 orders"],
  ])("%j is missing in %j", (accepted, answer) => expect(compare(accepted, answer)).toBe("wrong"));

  it("need not be repeated where the request gives them", () => {
    expect(compare("In 2024, 3 orders over 100 sum to 512.40.", "3 orders: 512.4", "orders over 100 in 2024?")).toBe(
      "right",
    );
  });

  it("are all of the answer where the request gives them all", () => {
    expect(compare("7", "It is 8.", "7 or 8?")).toBe("wrong");
    const long = "as the parts that nobody has counted yet are left out of the sum";
    expect(compare(`It is 7, ${long}.`, `It is 8, ${long}.`, "7 or 8?")).toBe("wrong");
  });

  it("do not include the numbers of a list", () => {
    expect(compare("1. apples: 40\n2. pears: 50", "- pears 50\n- apples 40")).toBe("right");
  });

  it("leave an answer with many of them open if a few are missing", () => {
    const many = "10, 20, 30, 40, 50, 60, 70";
    expect(compare(many, "10 20 30 40 50 60")).toBe("undecided");
    expect(compare(many, "10 20")).toBe("wrong");
  });
});

describe("dates", () => {
  it.each([
    ["2026-01-05", "5 January 2026"],
    ["Jan 5, 2026", "05.01.2026"],
    ["1/5/2026", "2026-01-05"],
    ["5th of January 2026", "2026-01-05T09:00:00Z"],
  ])("%j is the day of %j", (accepted, answer) => expect(compare(accepted, answer, "When?")).toBe("right"));

  it("differ by a day", () => expect(compare("2026-01-05", "2026-01-06", "When?")).toBe("wrong"));
});

describe("texts", () => {
  it.each([
    ["Berlin", "**berlin**."],
    ["`north.csv`", "The file is north.csv, as you see."],
    ["# Done\n\nAll tests pass.", "done all tests pass"],
    ["ﬁles", "files"],
    ["```sh\nls -l\n```", "ls -l"],
    ["[the report](https://example.com/)", "the report"],
    [LONG, LONG.replace("token", "**token**").toUpperCase()],
  ])("%j is said by %j", (accepted, answer) => expect(compare(accepted, answer)).toBe("right"));

  it("are wrong if they are short and have nothing in common", () => {
    expect(compare("Berlin", "Paris")).toBe("wrong");
    expect(compare("Yes, 5 of them.", "No, 5 of them.")).toBe("wrong");
    expect(compare("Berlin", "")).toBe("wrong");
    expect(compare(LONG, "")).toBe("wrong");
  });

  it("are left open if they are long and differ in words", () => {
    expect(compare(LONG, "Restart everything.")).toBe("undecided");
    expect(compare(LONG, "Its credentials are out of date. Get new ones, then start the pipeline again.")).toBe(
      "undecided",
    );
  });

  it("of lines and blanks are compared in time", () => {
    const before = performance.now();
    for (const long of ["-".repeat(60), "-|".repeat(40), "\n".repeat(15_000), " ".repeat(15_000)]) {
      expect(compare("Berlin", `${long}x Berlin`)).toBe("right");
    }
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(compare("| a | b |\n| --- | :-: |\n| c | d |", "a b c d")).toBe("right");
  });

  it("compare a hostile length in time", () => {
    const long = `${"1,234.5 ".repeat(3_000)}${"a-".repeat(5_000)}`;
    const before = performance.now();
    compare(long, long.replaceAll("4", "5"));
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe("where a person refused an answer and accepted none", () => {
  const refused = { answer: "The fees are 10 in 2022.", correction: "No, I meant 2023: they are 12." };
  it.each([
    ["The fees are 10 in 2022.", "wrong"],
    ["They are 10 (2022).", "wrong"],
    ["12 in 2023", "right"],
    ["They are 11 in 2023.", "undecided"],
    ["I do not know.", "undecided"],
  ] as const)("%j is %s", (answer, verdict) => expect(compareWithRefused(refused, answer, "The fees?")).toBe(verdict));

  it("its own values decide nothing when the correction repeats them", () => {
    const again = { answer: "10", correction: "Not 10!" };
    expect(compareWithRefused(again, "It is 10.", "")).toBe("wrong");
    expect(compareWithRefused(again, "It is 11.", "")).toBe("undecided");
  });
});
