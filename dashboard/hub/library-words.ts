// What the page says of other profiles of a library. Pure.
import { quote } from "../components/hidden-text.ts";
import type { Answer } from "../data/api.ts";

export type Library = Answer<"GET /v1/library">;
export type Followed = Library["following"][number];
export type Offered = Answer<"GET /v1/library/following/{profile}/skills">["skills"][number];

/** By its own word, which anybody may choose, and by the part of its id that tells it from others. */
export function nameProfile({ profile, label }: Pick<Followed, "profile" | "label">): string {
  const id = profile.slice(0, 8);
  return label.trim() === "" ? `Profile ${id}` : `${quote(label)} (${id})`;
}
