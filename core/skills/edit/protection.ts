// Decides who may change which skill. Bundled and hub skills are whole packages, pinned skills are held by a person,
// and a person's skill is theirs: lessons for any of them go to a companion. Pure; asked before every write and again
// on every retry.
import { type Failure, err } from "../../errors.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { Origin } from "../../schemas/skill.ts";
import { baseOf, companionOf } from "../format/validate.ts";

type Subject = Pick<SkillLine, "name" | "origin" | "pinned">;

/**
 * Returns `null` when a model may change the skill as `writer`, or when the skill does not exist. `companions`: whether
 * a companion may be suggested. Failure: `skill_protected`.
 */
export function checkWrite(skill: Subject | null, writer: Origin, companions = true): Failure | null {
  if (!skill || !isProtected(skill)) return null;
  // In a conversation, the person can ask for the change of their own skill and sees it.
  const isConversation = writer === "foreground" || writer === "user";
  if (isConversation && skill.origin === "user" && !skill.pinned) return null;
  return err(
    "skill_protected",
    `'${skill.name}' is ${describeHolder(skill)} and cannot be changed here. ${adviceFor(skill, companions)}`,
    {
      advice: companions && baseOf(skill.name) === null ? companionOf(skill.name) : null,
    },
  ).failure;
}

/** Whether the agent made the skill for itself, rather than a person, the product or a hub. */
export function isLearned({ origin }: { origin: Origin }): boolean {
  return origin === "review" || origin === "foreground" || origin === "curator";
}

/** Whether background work must not change the skill. */
function isProtected(skill: Pick<Subject, "origin" | "pinned">): boolean {
  return skill.pinned || skill.origin === "bundled" || skill.origin === "hub" || skill.origin === "user";
}

function describeHolder(skill: Subject): string {
  if (skill.pinned) return "pinned by a person";
  if (skill.origin === "user") return "written by a person";
  return skill.origin === "hub" ? "from a hub" : "bundled";
}

/**
 * An imported text must not be read with a bundled skill as if it had been learned here. `isEdit`: a person changes a
 * companion that already exists. Failure: `companion_name`.
 */
export function checkImportName(
  name: string,
  seeds: Readonly<Record<string, unknown>>,
  isEdit = false,
): Failure | null {
  const base = baseOf(name);
  if (base === null || isEdit || !Object.hasOwn(seeds, base)) return null;
  return err(
    "companion_name",
    `'${name}' would be read with the skill '${base}' whenever that is loaded: give it another name.`,
    { base },
  ).failure;
}

function adviceFor({ name }: Subject, companions: boolean): string {
  if (!companions || baseOf(name) !== null)
    return "Say in your answer what should change, so that the person can do it.";
  const companion = companionOf(name);
  return `Write what was learned to its companion '${companion}' (create it, or patch it if it exists): it is loaded with it.`;
}
