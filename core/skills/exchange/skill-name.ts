// The name under which an imported skill is kept: its own where that is one, else the nearest thing to it. The same text and
// folder always give the same name, so that an import can be repeated. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { MAX_OWN_SKILL_NAME, type SkillName } from "../../schemas/ids.ts";
import { baseOf, checkSkillName } from "../format/validate.ts";

/** `written` stands in the frontmatter, `folder` is where the files were; either may be empty or anything. */
export function chooseName(written: string, folder: string): { name: SkillName; warnings: string[] } {
  const wanted = [written, folder].find((text) => toSlug(text) !== null) ?? "";
  const name = isName(written)
    ? written
    : (exactSlug(written) ?? exactSlug(folder) ?? toSlug(wanted) ?? hashed(written));
  const warnings: string[] = [];
  if (written === "") warnings.push(`The frontmatter has no \`name\`; the skill is called \`${name}\` here.`);
  else if (name !== written) warnings.push(`${quote(written)} is no skill name; the skill is called \`${name}\` here.`);
  if (folder !== "" && written !== "" && folder !== name) {
    warnings.push(`The folder is called ${quote(folder)}; the standard wants it to be the skill's name.`);
  }
  if (baseOf(name) !== null)
    warnings.push(`A skill that ends in \`-local\` is loaded together with \`${baseOf(name)}\`.`);
  return { name, warnings };
}

function isName(text: string): boolean {
  return checkSkillName(text) === null;
}

/** The slug of a text that loses nothing but case, accents and punctuation. */
function exactSlug(text: string): SkillName | null {
  if (text.length > MAX_READ_CHARS) return null;
  const slug = wordsOf(text).join("-");
  return !LETTERS.test(plain(text)) && isName(slug) ? slug : null;
}

/** What is lost is made up for by a piece of a hash, so that two names never become one. Null when no word is left. */
function toSlug(text: string): SkillName | null {
  const words = wordsOf(text.slice(0, MAX_READ_CHARS));
  if (words.length === 0) return null;
  const exact = exactSlug(text);
  if (exact !== null) return exact;
  const tail = sha256Hex(text.toWellFormed()).slice(0, TAIL);
  const most = MAX_OWN_SKILL_NAME - TAIL - 1;
  return `${words
    .join("-")
    .slice(0, most)
    .replace(/(?<!-)-+$/, "")}-${tail}`;
}

function hashed(text: string): SkillName {
  return `skill-${sha256Hex(text.toWellFormed()).slice(0, TAIL)}`;
}

const TAIL = 6;
/** One sign may unfold to eighteen; what stands further back tells in the hash alone. */
const MAX_READ_CHARS = 4_000;
/** Letters and digits that no name can hold. */
const LETTERS = /[\p{L}\p{N}]/u;

function plain(text: string): string {
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
