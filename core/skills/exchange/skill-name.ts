// Chooses the name of an imported skill: its own name if valid, else the nearest valid one. Equal text and folder
// always give the same name, so an import can be repeated. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { MAX_OWN_SKILL_NAME, type SkillName } from "../../schemas/ids.ts";
import { baseOf, checkSkillName } from "../format/validate.ts";

/** `written` is the frontmatter's name, `folder` the folder's; either may be empty or any text. */
export function chooseName(written: string, folder: string): { name: SkillName; warnings: string[] } {
  const wanted = [written, folder].find((text) => toSlug(text) !== null) ?? "";
  const name = isName(written)
    ? written
    : (exactSlug(written) ?? exactSlug(folder) ?? toSlug(wanted) ?? toHashedName(written));
  const warnings: string[] = [];
  if (written === "") warnings.push(`The frontmatter has no \`name\`; the skill is called \`${name}\` here.`);
  else if (name !== written)
    warnings.push(`${quote(written)} is not a valid skill name; the skill is called \`${name}\` here.`);
  if (folder !== "" && written !== "" && folder !== name) {
    warnings.push(`The folder is called ${quote(folder)}; the standard requires the skill's name.`);
  }
  if (baseOf(name) !== null)
    warnings.push(`A skill that ends in \`-local\` is loaded together with \`${baseOf(name)}\`.`);
  return { name, warnings };
}

function isName(text: string): boolean {
  return checkSkillName(text) === null;
}

/** The slug of a text that loses only case, accents and punctuation; null if more would be lost. */
function exactSlug(text: string): SkillName | null {
  if (text.length > MAX_READ_CHARS) return null;
  const slug = wordsOf(text).join("-");
  return !LETTERS.test(withoutNameLetters(text)) && isName(slug) ? slug : null;
}

/**
 * A slug that ends in part of a hash when letters are lost, so that two names never become one. Null when no word is
 * left.
 */
function toSlug(text: string): SkillName | null {
  const words = wordsOf(text.slice(0, MAX_READ_CHARS));
  if (words.length === 0) return null;
  const exact = exactSlug(text);
  if (exact !== null) return exact;
  const tail = sha256Hex(text.toWellFormed()).slice(0, HASH_CHARS);
  const most = MAX_OWN_SKILL_NAME - HASH_CHARS - 1;
  return `${words
    .join("-")
    .slice(0, most)
    .replace(/(?<!-)-+$/, "")}-${tail}`;
}

function toHashedName(text: string): SkillName {
  return `skill-${sha256Hex(text.toWellFormed()).slice(0, HASH_CHARS)}`;
}

const HASH_CHARS = 6;
/** Normalisation may lengthen a character to eighteen. Text beyond this only affects the hash. */
const MAX_READ_CHARS = 4_000;
/** Letters and digits that a skill name cannot contain. */
const LETTERS = /[\p{L}\p{N}]/u;

function withoutNameLetters(text: string): string {
  return fold(text).replace(/[a-z0-9]/g, "");
}

function wordsOf(text: string): string[] {
  return fold(text).match(/[a-z0-9]+/g) ?? [];
}

function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}'’]/gu, "")
    .toLowerCase();
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
