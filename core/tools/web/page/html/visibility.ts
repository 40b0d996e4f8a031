// Which elements of a page its readers do not see, or see around the content. Called by html-to-markdown.ts. Pure.
import { SKIPPED, SKIPPED_OUTSIDE_MAIN, SKIPPED_ROLES, SKIPPED_ROLES_OUTSIDE_MAIN } from "./elements.ts";

type Attributes = Record<string, string>;

export function isHidden(name: string, attributes: Attributes): boolean {
  if (SKIPPED.has(name) || SKIPPED_ROLES.has(attributes.role ?? "")) return true;
  if (attributes.hidden !== undefined && attributes.hidden !== "until-found") return true;
  if (attributes["aria-hidden"]?.toLowerCase() === "true") return true;
  return HIDING_STYLE.test(attributes.style ?? "");
}

/** Ways in which a page keeps text from its readers, but not from a program that reads it. */
const HIDING_STYLE =
  /(?:^|[;\s])(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}(?:hidden|collapse)|opacity\s{0,5}:\s{0,5}0(?:\.0{1,5})?(?![.\d])|font-size\s{0,5}:\s{0,5}0(?![.\d]))/i;

/** Only outside the main content. */
export function isAround(name: string, { role = "" }: Attributes): boolean {
  return SKIPPED_OUTSIDE_MAIN.has(name) || SKIPPED_ROLES_OUTSIDE_MAIN.has(role);
}
