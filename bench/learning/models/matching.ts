// Which skills fit a kind of work, as a model sees it that looks through their lines: by words that name and description have in
// common with any wording of that work, not only with the request at hand. Used by the worker and by the reviewer. Pure.
import { wordsOf } from "../../../core/skills/search/words.ts";

export interface SkillLineText {
  name: string;
  description: string;
}

/** One word in common is chance. */
const MIN_SHARED = 2;

/** `wordings`: each is enough. Best first; names that belong together (a skill and its companion) come once, under the base's. */
export function fittingSkills(
  lines: readonly SkillLineText[],
  wordings: readonly string[],
): (SkillLineText & { score: number })[] {
  const wanted = wordings.map(wordsIn);
  const best = new Map<string, SkillLineText & { score: number }>();
  for (const line of lines) {
    const name = line.name.replace(/-local$/, "");
    const own = wordsIn(`${name.replaceAll("-", " ")} ${line.description}`);
    const score = Math.max(...wanted.map((words) => [...words].filter((word) => own.has(word)).length));
    if (score < MIN_SHARED || score <= (best.get(name)?.score ?? 0)) continue;
    best.set(name, { name, description: line.description, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

/** A library's lines are read in every request anew. */
const known = new Map<string, Set<string>>();
const MAX_KNOWN = 5_000;

function wordsIn(text: string): Set<string> {
  let words = known.get(text);
  if (words) return words;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, (words = wordsOf(plainWords(text))));
  return words;
}

/** What stands in code marks, and numbers of tasks, are not what it is about. */
function plainWords(text: string): string {
  return text.replace(/`[^`]*`/g, " ").replace(/#\S+/g, " ");
}

const LINE = /^\s*- ([a-z0-9-]+): (.*)$/gm;

/** The lines of an index of skills, or of a note about new ones. */
export function readSkillLines(text: string): SkillLineText[] {
  return Array.from(text.matchAll(LINE), ([, name, description]) => ({ name: name!, description: description! }));
}
