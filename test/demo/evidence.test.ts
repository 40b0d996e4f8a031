// The demo's words for citations.
import { expect, it } from "vitest";
import { describeEvidence } from "../../scripts/demo/evidence.ts";

it.each([
  [["s/1#principal", "s/5#outcome", "s/7#outcome"], "your request and 2 tool results"],
  [
    ["s/1#principal", "s/4#principal", "s/5#outcome", "s/5#content"],
    "2 of your messages, one tool result and one text it read",
  ],
  [["s/5#outcome"], "one tool result"],
  [[], "none"],
])("the citations %j are described as %s", (citations, words) => {
  expect(describeEvidence(citations)).toBe(words);
});
