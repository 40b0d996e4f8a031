// Who may change which skill. Bundled and hub skills are whole packages, pinned ones are held by a person, and what a
// person wrote is theirs: lessons for any of them go to a companion. Pure; asked before every write, again on every try.
import { type Failure, err } from "../../errors.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { Origin } from "../../schemas/skill.ts";
import { baseOf, companionOf } from "../format/validate.ts";

type Subject = Pick<SkillLine, "name" | "origin" | "pinned">;

/**
 * `null` when a model may change the skill as `writer`, or when there is none yet. `companions`: whether what is to be said
 * of it may stand in a companion. Failure: `skill_protected`.
 */
export function checkWrite(skill: Subject | null, writer: Origin, companions = true): Failure | null {
  if (!skill || !isProtected(skill)) return null;
  // In a conversation the person is there to ask for a change of what is theirs, and to see it.
  const isConversation = writer === "foreground" || writer === "user";
  if (isConversation && skill.origin === "user" && !skill.pinned) return null;
  return err(
    "skill_protected",
    `'${skill.name}' is ${holderOf(skill)} and is not changed here. ${adviceFor(skill, companions)}`,
    {
      advice: companions && baseOf(skill.name) === null ? companionOf(skill.name) : null,
    },
  ).failure;
}

/** Made by the agent for itself: not a person's, nor what came with the product or from a hub. */
export function isLearned({ origin }: { origin: Origin }): boolean {
  return origin === "review" || origin === "foreground" || origin === "curator";
}

/** Not to be changed by what runs in the background. */
function isProtected(skill: Pick<Subject, "origin" | "pinned">): boolean {
  return skill.pinned || skill.origin === "bundled" || skill.origin === "hub" || skill.origin === "user";
}

function holderOf(skill: Subject): string {
  if (skill.pinned) return "pinned by a person";
  return skill.origin === "user" ? "written by a person" : skill.origin === "hub" ? "from a hub" : "bundled";
}

/**
 * A text from elsewhere must not be read with a bundled skill as if it had been learned here. `isEdit`: the companion is there
 * already, and the person changes it. Failure: `companion_name`.
 */
export function checkBroughtName(
  name: string,
  seeds: Readonly<Record<string, unknown>>,
  isEdit = false,
): Failure | null {
  const base = baseOf(name);
  if (base === null || isEdit || !Object.hasOwn(seeds, base)) return null;
  return err(
    "companion_name",
    `'${name}' would be read with the bundled skill '${base}' whenever that is loaded: bring it in under another name.`,
    { base },
  ).failure;
}

function adviceFor({ name }: Subject, companions: boolean): string {
  if (!companions || baseOf(name) !== null)
    return "Say in your answer what should change, so that the person can do it.";
  const companion = companionOf(name);
  return `Write what was learned to its companion '${companion}' (create it, or patch it if it exists): it is loaded with it.`;
}
