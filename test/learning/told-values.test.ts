// A text that gives a value which the person, in the words that it cites, named otherwise. Whatever may be meant otherwise is no contradiction.
import { describe, expect, it } from "vitest";
import { findContradictedValues } from "../../core/learning/told-values.ts";

const find = (text: string, said: string | string[], before = "") =>
  findContradictedValues(
    { before: { "SKILL.md": before }, after: { "SKILL.md": text } },
    { said: [said].flat(), called: [] },
  );

describe("a text contradicts the person with", () => {
  it.each([
    [
      "an option",
      "For `film burn` pass `--place bottom`.",
      "we need it higher Give `--place upper` when you call `film burn`. Thanks",
    ],
    ["an option in another spelling", "1. Pass `--place=bottom`.", "Es gehört `PLACE=upper` hin"],
    ["a setting", "- `film burn` takes `place: bottom` here.", "Run `film burn` with `place: upper`."],
    ["a word beside an operation", "Set `bottom` on `film burn`.", "`film burn`は`upper`にしてください。"],
    ["an option of a longer command", "`film burn --out x` takes `place: bottom`.", "`film burn` takes `place: upper`"],
  ])("%s", (_what, text, said) => expect(find(text, said)).toEqual(["bottom"]));
});

describe("a text does not contradict the person", () => {
  const SAID = "For `film burn` pass `--place upper`.";
  it.each([
    ["with the same value", "Run `film burn` with `--place upper`.", SAID],
    ["with both values", "Pass `--place bottom` to `film burn`. For films it is `upper`.", SAID],
    ["with a warning of the other one", "`film burn` fails with `--place bottom`: leave it out.", SAID],
    ["not Y but X", "Do not pass `--place bottom` to `film burn`, but `--place upper`.", SAID],
    ["with a value of another operation", "For `film time` pass `--place bottom`.", SAID],
    ["with another option", "For `film burn` pass `--rate pal`.", SAID],
    [
      "where it has several values of the option",
      "Pass `--place bottom`, for titles `--place=centre`.",
      "Use `--place=upper`.",
    ],
    [
      "with a value that the person named too",
      "Pass `--place bottom` to `film burn`.",
      `${SAID} Titles: \`--place bottom\`.`,
    ],
    ["who names two values", "Pass `--place bottom` to `film burn`.", [SAID, "`film burn` has `--place centre`."]],
    ["who asks", "Pass `--place bottom` to `film burn`.", "Does `film burn` take `--place upper`?"],
    ["who warns", "Pass `--place bottom` to `film burn`.", "`film burn` breaks with `--place upper`."],
    ["with what varies by task", "For `film burn` pass `--out=b.csv`.", "For `film burn` pass `--out=a.csv`."],
    ["with a word beside a single word", "`film` writes a `report`.", "`film` needs `upper`."],
    ["with words among others", "`film burn` takes `bottom` or `centre`.", "`film burn` takes `upper`."],
    ["who names nothing", "Pass `--place bottom` to `film burn`.", "No, that is wrong."],
  ])("%s", (_what, text, said) => expect(find(text, said)).toEqual([]));

  it("in lines and with values of the text before it", () => {
    const line = "For `film burn` pass `--place bottom`.";
    expect(find(`${line}\nLook at it.`, SAID, line)).toEqual([]);
    expect(find("Run `film burn` with `--place bottom`.", SAID, line)).toEqual([]);
  });
});

describe("a call that worked", () => {
  const TEXT = "For `film burn` pass `--place bottom`.";
  const findIn = (text: string, called: string[][], said: string[] = []) =>
    findContradictedValues({ before: {}, after: { "SKILL.md": text } }, { said, called });

  it("is contradicted by another value of its option, or of its operation", () => {
    expect(findIn(TEXT, [["film burn", "--place upper"]])).toEqual(["bottom"]);
    expect(findIn(TEXT, [["film burn --place=upper a.mp4"]])).toEqual(["bottom"]);
    expect(findIn("Set `bottom` on `film burn`.", [["film burn", "upper"]])).toEqual(["bottom"]);
  });

  it.each([
    [
      "where another one had the text's value",
      TEXT,
      [
        ["film burn", "--place upper"],
        ["film burn", "--place bottom"],
      ],
    ],
    [
      "where others had several values",
      TEXT,
      [
        ["film burn", "--place upper"],
        ["film burn", "--place centre"],
      ],
    ],
    ["of another operation", TEXT, [["film time", "--place upper"]]],
    ["where the text gives its value too", `${TEXT} It used to be \`upper\`.`, [["film burn", "--place upper"]]],
    ["with more words than an operation and a value", "Set `bottom` on `film burn`.", [["film burn", "upper", "fast"]]],
  ])("is not contradicted %s", (_what, text, called) => expect(findIn(text, called)).toEqual([]));

  it("says less than the person", () => {
    const called = [["film burn", "--place upper"]];
    expect(findIn(TEXT, called, ["`film burn` takes `--place bottom`."])).toEqual([]);
    expect(findIn(TEXT, called, ["`film burn` takes `--place centre`."])).toEqual(["bottom"]);
  });
});
