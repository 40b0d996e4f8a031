// The refusal of a ref that names several skills: which there are. Pure.
import { type Failure, err } from "../../../errors.ts";
import { formatRef } from "../../finding/identifier.ts";
import { type HubHit, MAX_CHOICES } from "../../source.ts";

/** `hub_choose`. `wanted`: the name that none of them has, or several have. */
export function listChoices(hits: readonly HubHit[], wanted?: string): { ok: false; failure: Failure } {
  const skills = hits
    .slice(0, MAX_CHOICES)
    .map(({ ref, name, description }) => ({ source: formatRef(ref), name, description }));
  const names = skills.slice(0, 20).map(({ name }) => name);
  const more = hits.length > names.length ? ` and ${hits.length - names.length} more` : "";
  const what =
    wanted === undefined ? `There are ${hits.length} skills here` : "That name does not say which skill is meant";
  return err("hub_choose", `${what}: ${names.join(", ")}${more}. Name one of them.`, { skills, count: hits.length });
}
