// What the page Memory says of a fact.
import { describe, expect, it } from "vitest";
import { type Fact, describeOrigin, findFacts, linksOf, standingOf } from "../../dashboard/memory/facts.ts";

const SESSION = "01J0000000000000000000000A";
const fact = (text: string) => ({ text }) as Fact;

describe("a fact on the page", () => {
  it("says who wrote it and what showed it", () => {
    expect(describeOrigin({ origin: "user", source: "principal" })).toBe("Written by a person");
    expect(describeOrigin({ origin: "review", source: "principal" })).toBe("Learned by a review, a person said it");
    expect(describeOrigin({ origin: "foreground", source: "content", approved: true })).toBe(
      "Noted by the agent in a chat, a file or a page said it, approved by a person",
    );
  });

  it("links the review, the turn or the conversation that it came from", () => {
    const link = (...adds: string[]) => linksOf({ session: SESSION, adds }).map(({ to }) => to);
    expect(link(`${SESSION}.1-9.0003`)).toEqual([["learning", "reviews", `${SESSION}.1-9`]]);
    expect(link("api:01J0000000000000000000000B", `${SESSION}-4:12#1`)).toEqual([["chat", SESSION, "4"]]);
    expect(link("a hash of a long id")).toEqual([["chat", SESSION]]);
    expect(linksOf({ adds: ["api:01J0000000000000000000000B"] })).toEqual([]);
  });

  it("says that it does not fit before it says that it is hidden", () => {
    expect(standingOf({ hidden: true, outside: true })).toBe("outside");
    expect(standingOf({ hidden: true, outside: false })).toBe("hidden");
    expect(standingOf({ hidden: false, outside: false })).toBe("shown");
  });

  it("is found by all words in any order and case", () => {
    const facts = [fact("The staging database is read-only"), fact("rain.csv has three columns")];
    expect(findFacts(facts, "DATABASE staging")).toEqual([facts[0]]);
    expect(findFacts(facts, "database rain")).toEqual([]);
    expect(findFacts(facts, " ")).toEqual(facts);
  });
});
