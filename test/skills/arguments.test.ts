// Arguments of a slash command in a skill's text, and its inline snippets.
import { describe, expect, test } from "vitest";
import { listSnippets, splitArguments } from "../../core/skills/arguments.ts";
import { fillPlaceholders } from "../../core/skills/placeholders.ts";

const fill = (content: string, argument: string) =>
  fillPlaceholders(content, { values: new Map(), used: new Set(), dir: "skill:a", session: "s", day: "d", argument });

test("words are split at blanks, and quotes keep them together", () => {
  expect(splitArguments(`one "two words" 'it is' it's`)).toEqual(["one", "two words", "it is", "it", "'", "s"]);
});

describe("arguments", () => {
  test.each([
    ["Greet $1 and $2: $ARGUMENTS.", "Ann Bob", "Greet Ann and Bob: Ann Bob."],
    ["Greet $1 and $2.", "Ann", "Greet Ann and $2."],
    ["It costs $1.50, \\$1 and $10.", "Ann", "It costs $1.50, \\$1 and $10."],
    ["Run `awk '{print $1}' f` for $1.", "Ann", "Run `awk '{print $1}' f` for Ann."],
    ["```sh\necho $1\n```\n$1", "Ann", "```sh\necho $1\n```\nAnn"],
    ["---\nargument-hint: NAME\n---\nRun `hello $1`.", "Ann", "---\nargument-hint: NAME\n---\nRun `hello Ann`."],
    ["Say $ARGUMENTS", "$1 {{day}}", "Say $1 {{day}}"],
    ["Say $ARGUMENTS and $1", "", "Say $ARGUMENTS and $1"],
  ])("%j with %j", (content, argument, filled) => {
    expect(fill(content, argument).text).toBe(filled);
  });

  test("that are missing are named where the skill asks for them", () => {
    expect([...fill("Say $ARGUMENTS and $2.", "one").open]).toEqual(["$2"]);
  });

  test("are one word of the shell in a snippet", () => {
    expect(fill("!`grep $ARGUMENTS f` for $ARGUMENTS", "x'; rm -rf /").text).toBe(
      "!`grep 'x'\\''; rm -rf /' f` for x'; rm -rf /",
    );
  });
});

describe("the snippets of a skill", () => {
  test.each([
    ["Now: !`date`, !`who`.", "", ["date", "who"]],
    ["Say $ARGUMENTS.", "!`reboot`", []],
    ["!`grep $ARGUMENTS f`", "`!`reboot #", ["talaria_arg_1='`!`reboot #'; grep \"${talaria_arg_1}\" f"]],
    ["!`grep $ARGUMENTS f`", "a\nb`c", ["talaria_arg_1='a\nb`c'; grep \"${talaria_arg_1}\" f"]],
    ['!`a "$ARGUMENTS"`', "$(b)", ["talaria_arg_1='$(b)'; a \"${talaria_arg_1}\""]],
    [
      "!`a '$ARGUMENTS' \\\"$ARGUMENTS`",
      "b",
      [`talaria_arg_1='b'; talaria_arg_2='b'; a ''"\${talaria_arg_1}"'' \\""\${talaria_arg_2}"`],
    ],
  ])("%j with %j are %j", (content, argument, commands) => {
    expect(listSnippets(fill(content, argument).pieces)).toEqual(commands);
  });
});
