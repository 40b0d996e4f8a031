// A bundle is a skill that names others to be loaded before it, and whose own text says what to do with them. It is
// stored, listed and changed like any skill. Read by the library and by core/session/turn/commands/invoke.ts. Pure.
import { toItems, toObject } from "../../unknown-object.ts";
import { fieldOf, toSlug } from "./conditions.ts";

/** Maximum number of members. More would fill the conversation before it begins. */
export const MAX_MEMBERS = 10;

/**
 * Names of the members in order, without duplicates; empty when the skill is not a bundle. They are in `bundle` at the
 * top, under `metadata` or under `metadata.hermes`, as a list or as text with commas.
 */
export function membersOf(meta: Record<string, unknown>): string[] {
  const value = fieldOf(meta, "bundle");
  const items = toItems(value, /[,\n]/);
  const names = items.map((item) => (typeof item === "string" ? item : toObject(item).name));
  const slugs = names.filter((name) => typeof name === "string").map(toSlug);
  return [...new Set(slugs.filter((name) => name !== ""))];
}
