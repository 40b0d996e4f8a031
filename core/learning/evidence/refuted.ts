// Takes sentences out of a learned skill that its uses have refuted: a call took a word from the text and failed, and the
// program named the word, or later uses did without it or failed with it again. The rest of the text may be right, so it
// stays. Called by settle.ts. Pure.
import type { SkillSnapshot } from "../../ports.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { variesByTask } from "../option-pairs.ts";
import { wordsIn } from "../observe/call-words.ts";
import { CODE_SPAN, isProse } from "../markdown.ts";
import { type Sentence, sentencesOfFile, without } from "../sentences.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { isWarning } from "../warnings.ts";

export interface Refuted {
  /** The whole set, without the sentences. */
  files: FileBodies;
  words: string[];
  /** Nothing of SKILL.md is left but its headings. */
  isEmpty: boolean;
}

/**
 * `null`: none of the words stands between code marks in a sentence that says to use it. A program without one of its lines is another one,
 * so it is left alone.
 */
export function withoutRefuted({ files }: Pick<SkillSnapshot, "files">, words: string[]): Refuted | null {
  const sought = words.filter((word) => !variesByTask(word) && !IS_PLACE.test(word));
  const left: FileBodies = { ...files };
  const gone = new Set<string>();
  let isEmpty = false;
  for (const [path, body] of Object.entries(files)) {
    if (!isProse(path)) continue;
    const text = textOrEmpty(body);
    const sentences = sentencesOfFile(path, text).filter(({ isFixed }) => !isFixed);
    const clear = sought.filter((word) => !isUnclear(word, sentences));
    const refuted = sentences.filter((sentence) => {
      const named = wordsIn((sentence.text.match(CODE_SPAN) ?? []).join(" "));
      const found = clear.filter((word) => named.has(word));
      if (found.length === 0 || sentence.isCode || leadsOn(sentence, text)) return false;
      if (holdsBack(sentence.text) || protects(found)) return false;
      for (const word of found) gone.add(word);
      return true;
    });
    if (refuted.length === 0) continue;
    const taken = withWhatRefers(refuted, sentences);
    left[path] = without(text, taken);
    if (path === SKILL_MD) isEmpty = taken.length === sentences.length;
  }
  return gone.size === 0 ? null : { files: left, words: [...gone], isEmpty };
}

/** "Load with `x`. It replaces the table.": the second would speak of whatever stands before them. */
const REFERS = /^(?:it|its|this|that|these|those|they|both|otherwise|without (?:it|this|that|them))\b/i;

/** With the sentences that go on from them with a pronoun. */
function withWhatRefers(refuted: Sentence[], sentences: Sentence[]): Sentence[] {
  const taken = new Set(refuted);
  for (const [at, sentence] of sentences.entries()) {
    if (at > 0 && sentence.goesOn && taken.has(sentences[at - 1]!) && REFERS.test(sentence.text)) taken.add(sentence);
  }
  return sentences.filter((sentence) => taken.has(sentence));
}

/** An address, a path, a host, or a file whose ending is no known one: another task has others. */
const IS_PLACE = /^(?!-).*(?:[/@\\]|\w\.[a-z]\w*$)|^\.\w|^(?:[A-Z][a-z]+file|README|LICENSE|CHANGELOG)$/;

/** What stands below would have no sense without it: a lead-in, or the head of a table. */
function leadsOn({ text, to }: Sentence, whole: string): boolean {
  return text.endsWith(":") || (text.startsWith("|") && /^\s*\|[\s:|-]*-/.test(whole.slice(to, to + MAX_RULE_CHARS)));
}

const MAX_RULE_CHARS = 200;

/** "Do not use `--fast`", "`--fast` fails here": a failure bears it out. "Compare the plan first": it has something looked at. */
function holdsBack(text: string): boolean {
  return isWarning(text) || isAbout(text.replaceAll(CODE_SPAN, " "), ["check", "backup", "consent"]);
}

const PROTECTING: readonly Topic[] = ["check", "backup", "consent", "identity", "bound"];
/** They refuse what may do harm, keep what was there, or do nothing yet: to refuse is what they are for. */
const STRICT_OPTION = new RegExp(
  "^--?(?:" +
    "fail$|fail-|locked|frozen|strict$|immutable|interactive|single-transaction|transaction|atomic|preserve|keep|safe|isolated|trash|undo|deployment|" +
    "no-(?:clobber|overwrite|delete|replace|privileged|ff)|ignore-(?:existing|scripts)|max-|require|prompt|simulate|just-print|what-?if|dry|plan$|" +
    "sign$|gpg-sign|cacert|trusted|cap-drop|abort-on|exit-code|redact|mask|anonymi[sz]e|read-?only|[\\w-]*-(?:only$|with-lease))",
  "i",
);
/** Of shells and databases. */
const STRICT_SETTING = /^(?:read_only|nounset|errexit|noclobber|pipefail|on_error_stop)$/i;

/** `--dry-run`, `--verify`: whoever makes such a call fail may be who wants to be rid of it. */
function protects(words: string[]): boolean {
  return (
    words.some((word) => STRICT_OPTION.test(word) || STRICT_SETTING.test(word)) ||
    isAbout(words.filter((word) => word.startsWith("-")).join(" "), PROTECTING)
  );
}

function isAbout(text: string, wanted: readonly Topic[]): boolean {
  const { topics } = meaningOf(text);
  return wanted.some((topic) => topics.has(topic));
}

/** More of them make it no clearer. */
const MAX_COMPARED = 50;

/** Nothing tells which of two commands failed that have nothing in common but the word: `date -d`, `cut -d`. */
function isUnclear(word: string, sentences: readonly Sentence[]): boolean {
  const beside = sentences.flatMap(({ text }) => {
    const own = (text.match(CODE_SPAN) ?? []).map(wordsIn).find((span) => span.has(word) && span.size > 1);
    return own ? [[...own].filter((other) => other !== word)] : [];
  });
  const some = beside.slice(0, MAX_COMPARED);
  return some.some((one) => some.some((other) => one.every((shared) => !other.includes(shared))));
}
