// What a skill says, item by item, and whether another text still says it. Used by the rules of a
// consolidation, so that no item of an absorbed skill gets lost without a word, and by the check of duplicates. Pure.
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

/** A section says how to recognise the work: the umbrella says that again. */
const RECOGNITION = /^when to use\b/i;

/**
 * Each list item, paragraph and block of code under a heading but "When to use", in order, and each support file but its requests. What is
 * indented under an item, and a fenced block after it, is part of it.
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
      // Under the title stands an introduction.
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
      // A block of code shows what the item before it says.
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

/** Of an item's words, how many the text that keeps it must have. */
const KEPT_SHARE = 0.7;
/** A block that says much more than the item may say no where the item says yes. */
const MUCH_MORE = 1.6;

/**
 * Whether one of the blocks still says what an item said: nearly all of its words, every name, figure, option and path of
 * it to the letter, and no where it said no.
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

/** What stands for itself: anything in backticks or a fenced block, and words with a digit or a sign inside. */
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
