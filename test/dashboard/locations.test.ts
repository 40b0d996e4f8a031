// Addresses of the page: made and taken apart again, whatever the names in them.
import fc from "fast-check";
import { expect, it } from "vitest";
import { GROUPS, findPage, hrefOf, hrefOfTurn, splitLocation } from "../../dashboard/pages.ts";

it("takes apart what it made", () => {
  const part = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      expect(splitLocation(hrefOf(...parts).slice(1))).toEqual(parts);
    }),
  );
});

it("keeps a part that is no valid escape", () => {
  expect(splitLocation("/skills/100%/%E0%A4%A")).toEqual(["skills", "100%", "%E0%A4%A"]);
});

it("leads to a turn by its id", () => {
  expect(hrefOfTurn("01ABC-12")).toBe("#/chat/01ABC/12");
});

it("gives each page an address of its own, and Chat where none is named", () => {
  const slugs = GROUPS.flatMap(({ pages }) => pages.map(({ slug }) => slug));
  expect(new Set(slugs).size).toBe(slugs.length);
  expect(findPage(undefined)?.slug).toBe("chat");
  expect(findPage("no-such-page")).toBeUndefined();
});
