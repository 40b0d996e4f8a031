// What the page Memory says of a fact: where it comes from, whether prompts contain it, and which facts a search finds. Pure.
import type { Answer } from "../data/api.ts";

export type MemoryPage = Answer<"GET /v1/memory">;
export type Fact = MemoryPage["entries"][number];
export type StoreName = Fact["store"];

export const STORES: { name: StoreName; title: string; about: string; example: string }[] = [
  {
    name: "memory",
    title: "The agent's notes",
    about: "What the agent keeps about its work, its tools and your projects.",
    example: "The staging database is read-only on Fridays.",
  },
  {
    name: "user",
    title: "Who you are",
    about: "What the agent knows about you, and how you like to work.",
    example: "I prefer short answers with the command first.",
  },
];

const ORIGINS: Record<Fact["origin"], string> = {
  user: "Written by a person",
  foreground: "Noted by the agent in a chat",
  review: "Learned by a review",
  curator: "Merged by the curator",
  bundled: "Shipped with Talaria",
  hub: "Imported",
};

const SOURCES: Record<NonNullable<Fact["source"]>, string> = {
  principal: "a person said it",
  outcome: "the result of a tool showed it",
  own: "only the agent said it",
  content: "a file or a page said it",
};

/** "Learned by a review, a person said it" */
export function describeOrigin({ origin, source, approved }: Pick<Fact, "origin" | "source" | "approved">): string {
  const said = origin !== "user" && source !== undefined ? [SOURCES[source]] : [];
  const seen = origin !== "user" && approved ? ["approved by a person"] : [];
  return [ORIGINS[origin], ...said, ...seen].join(", ");
}

const ADDED_BY_REVIEW = /^([0-9A-Z]{26}\.\d+-\d+)\.\d+(?:#\d+)?$/;
const ADDED_BY_TURN = /^([0-9A-Z]{26})-(\d+):/;

export interface FactLink {
  name: string;
  /** Parts of an address of the page. */
  to: [page: string, ...rest: (string | number)[]];
}

/** What the fact came from: the review, the turn or the conversation that added it. The name of an add says so. */
export function linksOf({ session, adds }: Pick<Fact, "session" | "adds">): FactLink[] {
  const [, review] = adds.map((add) => ADDED_BY_REVIEW.exec(add)).find(Boolean) ?? [];
  if (review !== undefined) return [{ name: "The review", to: ["learning", "reviews", review] }];
  const [, of, turn] = adds.map((add) => ADDED_BY_TURN.exec(add)).find(Boolean) ?? [];
  if (of !== undefined) return [{ name: "The turn", to: ["chat", of, turn!] }];
  return session === undefined ? [] : [{ name: "The conversation", to: ["chat", session] }];
}

/** `hidden`: the prompt has a placeholder in its place. `outside`: the prompt has no room for it. */
export function standingOf({ hidden, outside }: Pick<Fact, "hidden" | "outside">): "shown" | "hidden" | "outside" {
  if (outside) return "outside";
  return hidden ? "hidden" : "shown";
}

/** All words must be in the text, in any order and case. */
export function findFacts(facts: Fact[], words: string): Fact[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return facts.filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)));
}
