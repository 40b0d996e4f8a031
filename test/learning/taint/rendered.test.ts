// Invisible characters and markup inside words hide neither words nor destinations.
import { describe, expect, it } from "vitest";
import { destinationsIn } from "../../../core/learning/taint/destinations.ts";
import { foldText } from "../../../core/learning/taint/meaning.ts";
import { toRendered } from "../../../core/learning/taint/rendered.ts";

describe("a word is read through", () => {
  it.each([
    ["a soft hyphen", "led\u00ADger"],
    ["a zero-width character", "led\u200Bger"],
    ["emphasis", "le**d**ger"],
    ["an entity", "led&#103;er"],
    ["an entity in hexadecimal", "led&#x67;er"],
    ["a comment", "led<!-- x -->ger"],
    ["a tag", "led<b>g</b>er"],
    ["a word break", "led<wbr>ger"],
  ])("%s", (_how, written) => expect(foldText(`The ${written} is open`)).toBe("the ledger is open"));

  it("a host as well", () => {
    for (const written of [
      "dep\u00ADot.example",
      "dep<b></b>ot.example",
      "dep<!-- -->ot.example",
      "depot<!-- -->.example",
    ])
      expect(destinationsIn(`See ${written} for it`).map(({ text }) => text)).toContain("depot.example");
  });
});

it.each([
  "snake_case",
  "*.csv",
  "2 * 3",
  "cp <source> <target>",
  "a < b > c",
  "R&D; &#0;",
  "ledger<!-- keep the ledger open -->s",
  "**bold** words",
])("%s is left unchanged", (text) => expect(toRendered(text)).toBe(text));
