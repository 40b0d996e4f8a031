// What a source says about a skill, for a list: one line, without hidden characters. Pure.
import { clip, toOneLine } from "../../../clip.ts";
import { type SkillDocument, parseSkill } from "../../../skills/format/format.ts";
import { HIDDEN } from "../../../zip/quote-path.ts";

const MAX_NAME_CHARS = 100;
const MAX_DESCRIPTION_CHARS = 300;

export function toShownName(text: string): string {
  return toShown(text, MAX_NAME_CHARS);
}

export function toShownDescription(text: string): string {
  return toShown(text, MAX_DESCRIPTION_CHARS);
}

/** Cut before it is cleaned, so that a long text costs no more than a short one. */
function toShown(text: string, maxChars: number): string {
  return clip(toOneLine(text.slice(0, 4 * maxChars).replace(HIDDEN, " ")), maxChars);
}

/** The name and the description in a SKILL.md; `null` where it has none. */
export function readShown(skillMd: Uint8Array): { name: string; description: string } | null {
  const read = parseSkill(new TextDecoder().decode(skillMd), { fallbackName: "-" });
  return read.ok ? toShownSkill(read.value) : null;
}

function toShownSkill({ name, description }: SkillDocument): { name: string; description: string } {
  return { name: name === "-" ? "" : toShownName(name), description: toShownDescription(description) };
}
