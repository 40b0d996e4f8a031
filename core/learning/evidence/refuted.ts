// Removes sentences that uses have refuted from a learned skill. A call with a word from the sentence failed; then the program named
// the word as wrong, or later uses failed with it again or succeeded without it. Called by settle.ts. Pure.
import type { SkillSnapshot } from "../../ports.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { variesByTask } from "../option-pairs.ts";
import { wordsIn } from "../observe/call-words.ts";
import { CODE_SPAN, isProse } from "../markdown.ts";
import { type Sentence, sentencesOfFile, removeSentences } from "../sentences.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { isWarning } from "../warnings.ts";

export interface RefutedSentences {
  /** All files of the skill, without the refuted sentences. */
  files: FileBodies;
  words: string[];
  /** Whether SKILL.md has only headings left. */
  isEmpty: boolean;
}

/**
 * Returns `null` if no sentence tells the reader to use one of the words as code. Changes prose only: a program without one of its
 * lines is a different program.
 */
export function removeRefutedSentences(
  { files }: Pick<SkillSnapshot, "files">,
  words: string[],
): RefutedSentences | null {
  const sought = words.filter((word) => !variesByTask(word) && !IS_PLACE.test(word));
  const left: FileBodies = { ...files };
  const removedWords = new Set<string>();
  let isEmpty = false;
  for (const [path, body] of Object.entries(files)) {
    if (!isProse(path)) continue;
    const text = textOrEmpty(body);
    const sentences = sentencesOfFile(path, text).filter(({ isFixed }) => !isFixed);
    const clear = sought.filter((word) => !isAmbiguous(word, sentences));
    const refuted = sentences.filter((sentence) => {
      const inCode = wordsIn((sentence.text.match(CODE_SPAN) ?? []).join(" "));
      const found = clear.filter((word) => inCode.has(word));
      if (found.length === 0 || sentence.isCode || isLeadIn(sentence, text)) return false;
      if (isCautious(sentence.text) || isProtective(found)) return false;
      for (const word of found) removedWords.add(word);
      return true;
    });
    if (refuted.length === 0) continue;
    const taken = addReferring(refuted, sentences);
    left[path] = removeSentences(text, taken);
    if (path === SKILL_MD) isEmpty = taken.length === sentences.length;
  }
  return removedWords.size === 0 ? null : { files: left, words: [...removedWords], isEmpty };
}

/** "Load with `x`. It replaces the table.": if only the first sentence were removed, "It" would refer to something else. */
const REFERS = /^(?:it|its|this|that|these|those|they|both|otherwise|without (?:it|this|that|them))\b/i;

/** Adds the following sentences that refer to a removed one with a pronoun. */
function addReferring(refuted: Sentence[], sentences: Sentence[]): Sentence[] {
  const taken = new Set(refuted);
  for (const [at, sentence] of sentences.entries()) {
    if (at > 0 && sentence.isContinued && taken.has(sentences[at - 1]!) && REFERS.test(sentence.text))
      taken.add(sentence);
  }
  return sentences.filter((sentence) => taken.has(sentence));
}

/** An address, a path, a host, or a file with an unknown ending: these vary by task. */
const IS_PLACE = /^(?!-).*(?:[/@\\]|\w\.[a-z]\w*$)|^\.\w|^(?:[A-Z][a-z]+file|README|LICENSE|CHANGELOG)$/;

/** A sentence with a colon at its end, or the head of a table: the text below would make no sense without it. */
function isLeadIn({ text, to }: Sentence, whole: string): boolean {
  return (
    text.endsWith(":") || (text.startsWith("|") && /^\s*\|[\s:|-]*-/.test(whole.slice(to, to + MAX_TABLE_RULE_CHARS)))
  );
}

const MAX_TABLE_RULE_CHARS = 200;

/** A warning ("`--fast` fails here"), which a failure confirms, or a demand for care ("Compare the plan first"). */
function isCautious(text: string): boolean {
  return isWarning(text) || isAbout(text.replaceAll(CODE_SPAN, " "), ["check", "backup", "consent"]);
}

const PROTECTING: readonly Topic[] = ["check", "backup", "consent", "identity", "bound"];
/** Options that refuse harmful actions, keep what is there, or only simulate. Failing is their purpose. */
const STRICT_OPTION = new RegExp(
  "^--?(?:" +
    "fail$|fail-|locked|frozen|strict$|immutable|interactive|single-transaction|transaction|atomic|preserve|keep|safe|isolated|trash|undo|deployment|" +
    "no-(?:clobber|overwrite|delete|replace|privileged|ff)|ignore-(?:existing|scripts)|max-|require|prompt|simulate|just-print|what-?if|dry|plan$|" +
    "sign$|gpg-sign|cacert|trusted|cap-drop|abort-on|exit-code|redact|mask|anonymi[sz]e|read-?only|[\\w-]*-(?:only$|with-lease))",
  "i",
);
/** Settings of shells and databases that refuse harmful actions. */
const STRICT_SETTING = /^(?:read_only|nounset|errexit|noclobber|pipefail|on_error_stop)$/i;

/** `--dry-run`, `--verify`: an attacker may make such calls fail so that the option is removed. */
function isProtective(words: string[]): boolean {
  return (
    words.some((word) => STRICT_OPTION.test(word) || STRICT_SETTING.test(word)) ||
    isAbout(words.filter((word) => word.startsWith("-")).join(" "), PROTECTING)
  );
}

function isAbout(text: string, wanted: readonly Topic[]): boolean {
  const { topics } = meaningOf(text);
  return wanted.some((topic) => topics.has(topic));
}

/** Maximum number of compared code spans. More would not change the answer. */
const MAX_COMPARED = 50;

/** Whether two commands share only this word, such as `date -d` and `cut -d`. Then it is unknown which command failed. */
function isAmbiguous(word: string, sentences: readonly Sentence[]): boolean {
  const companions = sentences.flatMap(({ text }) => {
    const own = (text.match(CODE_SPAN) ?? []).map(wordsIn).find((span) => span.has(word) && span.size > 1);
    return own ? [[...own].filter((other) => other !== word)] : [];
  });
  const compared = companions.slice(0, MAX_COMPARED);
  return compared.some((one) => compared.some((other) => one.every((word) => !other.includes(word))));
}
