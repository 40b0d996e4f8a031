// The blocks of an answer that streams are those of the whole text at every moment, and cost what is new.
import fc from "fast-check";
import { expect, it } from "vitest";
import { createBlocks } from "../../dashboard/chat/log/blocks.ts";
import { runs } from "../support/thorough.ts";

const PIECES = [
  ...[
    "word ",
    "**bold** ",
    "\n",
    "\n\n",
    "  \n",
    "- item",
    "  - deeper",
    "1. one",
    "    four",
    "\t",
    "> quote",
    "# Head",
    "---",
    "===",
  ],
  ...[
    "```",
    "```js",
    "~~~",
    "`code`",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "<div>",
    "</div>",
    "<!-- ",
    " -->",
    "[x]: /url",
    "[x]",
    "é😀",
    " ",
    "\r\n",
    "\r",
  ],
];

it("are the same piece by piece as at once", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }), (pieces) => {
      const grow = createBlocks();
      let text = "";
      for (const piece of pieces) {
        text += piece;
        expect(grow(text)).toEqual(createBlocks()(text));
      }
    }),
    { numRuns: runs(300) },
  );
});

it("keep the blocks that no longer grow", () => {
  const grow = createBlocks();
  const before = grow("One\n\nTwo\n\nThree\n\nFour");
  const after = grow("One\n\nTwo\n\nThree\n\nFour and more");
  expect(after.map((block, i) => block === before[i])).toEqual([true, true, false, false]);
});

it("begin anew with another text", () => {
  const grow = createBlocks();
  grow("One\n\nTwo\n\nThree");
  expect(grow("Else\n\nTwo")).toEqual(createBlocks()("Else\n\nTwo"));
});
