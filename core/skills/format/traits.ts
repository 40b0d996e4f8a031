// What a skill says about itself to help people find it: tags, parameters with descriptions, and dependencies. Read
// from the frontmatter by the API and by the Archive's search. Pure.
import { toItems, toObject } from "../../unknown-object.ts";
import { fieldOf } from "./conditions.ts";
import { parseSkill } from "./format.ts";

interface SkillTraits {
  tags: string[];
  /** Description of each `{{name}}` in the text; "" when only the name is given. */
  parameters: Record<string, string>;
  /** Packages, programs or other skills, as written. */
  dependencies: string[];
}

const MAX_ITEMS = 50;
const MAX_ITEM_CHARS = 200;

/** Empty when the text is not a SKILL.md. */
export function traitsOf(skillMd: string): SkillTraits {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  return parsed.ok ? readTraits(parsed.value.meta) : { tags: [], parameters: {}, dependencies: [] };
}

/** `meta`: the frontmatter's other fields. Each may be at the top, under `metadata.hermes` or under `metadata`. */
function readTraits(meta: Record<string, unknown>): SkillTraits {
  return {
    tags: itemsIn(fieldOf(meta, "tags")).map((tag) => tag.toLowerCase()),
    parameters: parametersIn(fieldOf(meta, "parameters")),
    dependencies: itemsIn(fieldOf(meta, "dependencies")),
  };
}

/** A list, or a text with commas, which is the form in the standard's `metadata`. */
function itemsIn(value: unknown): string[] {
  const items = toItems(value, /[,\n]/);
  const texts = items.map(toText).filter((text) => text !== "");
  return [...new Set(texts)].slice(0, MAX_ITEMS);
}

/**
 * Reads a map from name to description, a list of names or of `{name, description}`, or a text `a: what it is; b: …`.
 */
function parametersIn(value: unknown): Record<string, string> {
  return Object.fromEntries(
    pairsIn(value)
      .filter(([name]) => name !== "")
      .slice(0, MAX_ITEMS),
  );
}

function pairsIn(value: unknown): [string, string][] {
  if (typeof value === "string") return value.split(/[;\n]/).map(toPair);
  if (Array.isArray(value)) {
    return (value as unknown[]).map((item) =>
      typeof item === "string" ? toPair(item) : [toText(toObject(item).name), toText(toObject(item).description)],
    );
  }
  return Object.entries(toObject(value)).map(([name, about]) => [
    toText(name),
    toText(typeof about === "string" ? about : toObject(about).description),
  ]);
}

function toPair(text: string): [string, string] {
  const at = text.indexOf(":");
  return at < 0 ? [toText(text), ""] : [toText(text.slice(0, at)), toText(text.slice(at + 1))];
}

function toText(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return String(value)
    .slice(0, MAX_ITEM_CHARS)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
}
