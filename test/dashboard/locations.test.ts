// Addresses of the page: made and taken apart again, whatever the names in them.
import fc from "fast-check";
import { expect, it } from "vitest";
import { fillPath } from "../../cli/connection/routes.ts";
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

it("makes an address of half a character too", () => {
  expect(hrefOf("skills", "a\uD800")).toBe("#/skills/a%EF%BF%BD");
});

it("asks the API for nothing outside the resource that a name belongs to", () => {
  const path = (session: string) => fillPath("/v1/sessions/{session}/socket", { session });
  expect(path("../keys#?")).toBe("/v1/sessions/..%2Fkeys%23%3F/socket");
  for (const name of [".", "..", "%2e%2e", "a/../b"])
    expect(new URL(path(name), "https://talaria.example").pathname).toMatch(/^\/v1\/sessions\/[^/]+\/socket$/);
});
