// Splits a skill into items, and checks whether another text still says an item. Called by the rules of a consolidation, so that no
// item of an absorbed skill is lost silently, and by the check for duplicates. Pure.
import type { FileBodies } from "../schemas/file-body.ts";
import type { SkillName } from "../schemas/ids.ts";
import { withoutRequests } from "../schemas/skill-requests.ts";
import { SKILL_MD, parseSkill } from "../skills/format/format.ts";
import { wordsOf } from "../skills/search/words.ts";
import { CODE_FENCE } from "./markdown.ts";

export interface SkillItem {
  /** `<skill>/<n>` for a line of SKILL.md, `<skill>/<path>` for a file. */
  id: string;
  skill: SkillName;
  /** Absent for a file. */
  section?: string;
  /** The line with what belongs to it; the path, for a file. */
  text: string;
}

/** The section that says how to recognise the work. A consolidated skill has its own. */
const RECOGNITION = /^when to use\b/i;

/**
 * In order: each list item, paragraph and code block under a heading other than "When to use", then each support file other than the
 * requests. Indented lines and a fenced block after an item belong to the item.
 */
export function itemsOf(skill: SkillName, files: FileBodies): SkillItem[] {
  const text = files[SKILL_MD];
  const parsed = typeof text === "string" ? parseSkill(text, { fallbackName: skill }) : null;
  const lines = blocksOf(parsed?.ok ? parsed.value.body : "");
  return [
    ...lines.map((block, n) => ({ id: `${skill}/${n + 1}`, skill, ...block })),
    ...Object.keys(withoutRequests(files))
      .filter((path) => path !== SKILL_MD)
      .sort()
      .map((path) => ({ id: `${skill}/${path}`, skill, text: path })),
  ];
}

export function isFileItem(item: SkillItem): boolean {
  return item.section === undefined;
}

function blocksOf(body: string): { section: string; text: string }[] {
  const blocks: { section: string; text: string }[] = [];
  let section = "";
  let fence: string | null = null;
  let open = false;
  for (const line of body.split("\n")) {
    const isFence = CODE_FENCE.test(line);
    const heading: RegExpExecArray | null = fence === null ? /^(#{1,6})\s(.*)$/.exec(line) : null;
    if (heading) {
      // The text under the title is an introduction, which has no items.
      section = heading[1] === "#" ? "" : heading[2]!.trim();
      open = false;
      continue;
    }
    if (section === "" || RECOGNITION.test(section)) continue;
    const last = blocks.at(-1);
    const append = () => void (last!.text += `\n${line}`);
    if (fence !== null || isFence) {
      if (fence === null) fence = line.trim().slice(0, 3);
      else if (isFence && line.trim().startsWith(fence)) fence = null;
      // A block of code illustrates the item before it.
      if (last && last.section === section) append();
      else blocks.push({ section, text: line });
      open = true;
      continue;
    }
    if (line.trim() === "") {
      open = false;
    } else if (/^\s*(?:[-*+]|\d+[.)])\s+/.test(line)) {
      blocks.push({ section, text: line });
      open = true;
    } else if (last && last.section === section && (open || /^\s{2,}/.test(line))) {
      append();
    } else {
      blocks.push({ section, text: line });
      open = true;
    }
  }
  return blocks.filter(({ text }) => wordsOf(text).size > 0);
}

/** The share of an item's words that a text must have to keep the item. */
const KEPT_SHARE = 0.7;
/** A block with this many times the item's words may have a negation that the item lacks. */
const MUCH_MORE = 1.6;

/**
 * Whether one of the blocks still says the item: it has most of its words, all of its names, numbers, options and paths exactly, and
 * the same negation.
 */
export function isKept(item: string, blocks: string[]): boolean {
  const wanted = wordsOf(item);
  const tokens = exactOf(item);
  const saidNo = isNegative(item);
  return blocks.some((block) => {
    const found = wordsOf(block);
    const shared = [...wanted].filter((word) => found.has(word)).length;
    if (wanted.size > 0 && shared / wanted.size < KEPT_SHARE) return false;
    const exact = new Set(exactOf(block));
    if (!tokens.every((token) => exact.has(token))) return false;
    return isNegative(block) === saidNo || (!saidNo && found.size > wanted.size * MUCH_MORE);
  });
}

const NEGATION = /\b(?:not|never|no|without|avoid|don't|doesn't|cannot|can't|instead of|nicht|nie|kein\w*|ohne)\b/i;

function isNegative(text: string): boolean {
  return NEGATION.test(text.replace(/`[^`]*`/g, " "));
}

/** The pieces that a merge must keep exactly: code, and words with a digit or punctuation inside. */
function exactOf(text: string): string[] {
  const spans = [...text.matchAll(/```[^\n`]*\n([\s\S]*?)```|`([^`\n]+)`/g)].flatMap(([, fenced, inline]) =>
    (fenced ?? inline ?? "").split(/\s+/),
  );
  const plain = text.replace(/^[ \t]*(?:[-*+]|\d+[.)])\s+/gm, "").replace(/```[\s\S]*?```|`[^`\n]+`/g, " ");
  const odd = plain
    .split(/\s+/)
    .filter((word) => /\d|^-{1,2}\w/.test(word) || (/[\w{][/_=.{}:@-]/.test(word) && /[/_=.{}:@-][\w}]/.test(word)))
    .map((word) => word.replace(/^[("'[]+|(?<![)"'\],.;:!?])[)"'\],.;:!?]+$/g, ""));
  return [...spans, ...odd].filter((token) => token !== "");
}
