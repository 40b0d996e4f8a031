// A correction of a call is recognised by its form, in any language. Another task, a question, or a value that varies with the task is
// not a correction.
import { describe, expect, it } from "vitest";
import { judgeMessage } from "../../../core/learning/observe/judge-message.ts";
import { namesOtherValue } from "../../../core/learning/observe/other-value.ts";
import type { ToolEntry } from "../../../core/schemas/entry.ts";
import { call, tool } from "../sample.ts";

const calls = [
  call("a", "terminal", { command: "film burn --place bottom --out a.csv" }),
  call("b", "service", { operation: "film time", rate: "pal" }),
].map((made, n) => tool(n + 2, made, { outcome: { exit_code: 0 } }) as ToolEntry);

describe("a correction is recognised by", () => {
  it.each([
    ["an option with another value", "Es gehört --place upper hin"],
    ["an option in backticks", "sous-titres : `--place=letterbox`, merci"],
    ["a call and a value that no call used", "For `film time` it is `ntsc`."],
    ["a call and an option that no call used", "`film burn` wants `--width narrow` here"],
    ["the second sentence", "Hm. Run `film burn` with `--place upper`."],
    ["punctuation of another script", "`film time`は`cinema`にしてください。"],
  ])("%s", (_what, message) => expect(namesOtherValue(message, calls)).toBe(true));
});

describe("a correction is not recognised by", () => {
  it.each([
    ["words alone", "the subtitles are at the wrong place"],
    ["a value that the calls used", "`film burn` with `--place bottom` was right"],
    ["a question", "Does `film burn` take `--place upper`?"],
    ["other names in backticks", "Now look at `notes.txt` and `todo.txt`."],
    ["a single span in backticks", "`film burn` worked"],
    ["a file of the task", "next: --out b.csv"],
    ["a quotation after a long text", `${"word ".repeat(150)}\nFor \`film time\` it is \`ntsc\`.`],
    ["a value in a fenced block", "```\nfilm time --place upper\n```".replace("--place upper", "pal")],
  ])("%s", (_what, message) => expect(namesOtherValue(message, calls)).toBe(false));

  it("anything when no call was made", () => {
    expect(namesOtherValue("For `film time` it is `ntsc`.", [])).toBe(false);
  });
});

describe("a message that judges", () => {
  const correction = (message: string, asked = false) => judgeMessage(message, { calls, asked }).correction;

  it("is a correction by its form alone", () => {
    expect(correction("`film burn`: --place upper")).toBe(true);
  });

  it.each([
    ["begins with praise", "Thanks. The trailer has --place upper."],
    ["continues with the next task", "and the trailer as well: --place upper"],
    ["continues in another language", "ensuite la bande-annonce : --place upper"],
    ["asks a question", "`film burn` has --place upper. What is it for?"],
    ["names a file of the task", "`film burn` is in `tools.py`"],
  ])("is not a correction if it %s", (_what, message) => expect(correction(message)).toBe(false));

  it("is a correction by its form even if the agent had asked a question", () => {
    expect(correction("`film burn`: --place upper", true)).toBe(true);
  });
});
