// Removes sentences from a learned skill that its uses have refuted: a call with a word from the text failed, and the program named
// the word, or later uses failed with it again or succeeded without it. The rest of the text is kept. Called by settle.ts. Pure.
import type { SkillSnapshot } from "../../ports.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { variesByTask } from "../option-pairs.ts";
import { wordsIn } from "../observe/call-words.ts";
import { CODE_SPAN, isProse } from "../markdown.ts";
import { type Sentence, sentencesOfFile, removeSentences } from "../sentences.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { isWarning } from "../warnings.ts";

export interface Refuted {
  /** All files of the skill, without the refuted sentences. */
  files: FileBodies;
  words: string[];
  /** Only headings are left of SKILL.md. */
  isEmpty: boolean;
}

/**
 * `null`: no sentence tells the reader to use one of the words, as code. Programs are not changed, since a program without one of
 * its lines is a different program.
 */
export function removeRefuted({ files }: Pick<SkillSnapshot, "files">, words: string[]): Refuted | null {
  const sought = words.filter((word) => !variesByTask(word) && !IS_PLACE.test(word));
  const left: FileBodies = { ...files };
  const gone = new Set<string>();
  let isEmpty = false;
  for (const [path, body] of Object.entries(files)) {
    if (!isProse(path)) continue;
    const text = textOrEmpty(body);
    const sentences = sentencesOfFile(path, text).filter(({ isFixed }) => !isFixed);
    const clear = sought.filter((word) => !isAmbiguous(word, sentences));
    const refuted = sentences.filter((sentence) => {
      const named = wordsIn((sentence.text.match(CODE_SPAN) ?? []).join(" "));
      const found = clear.filter((word) => named.has(word));
      if (found.length === 0 || sentence.isCode || introduces(sentence, text)) return false;
      if (holdsBack(sentence.text) || protects(found)) return false;
      for (const word of found) gone.add(word);
      return true;
    });
    if (refuted.length === 0) continue;
    const taken = addReferring(refuted, sentences);
    left[path] = removeSentences(text, taken);
    if (path === SKILL_MD) isEmpty = taken.length === sentences.length;
  }
  return gone.size === 0 ? null : { files: left, words: [...gone], isEmpty };
}

/** "Load with `x`. It replaces the table.": without the first sentence, the second would refer to something else. */
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

/** A lead-in or the head of a table: the text below would make no sense without it. */
function introduces({ text, to }: Sentence, whole: string): boolean {
  return text.endsWith(":") || (text.startsWith("|") && /^\s*\|[\s:|-]*-/.test(whole.slice(to, to + MAX_RULE_CHARS)));
}

const MAX_RULE_CHARS = 200;

/** A warning ("`--fast` fails here"), which a failure confirms, or a demand for care ("Compare the plan first"). */
function holdsBack(text: string): boolean {
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
/** Such settings of shells and databases. */
const STRICT_SETTING = /^(?:read_only|nounset|errexit|noclobber|pipefail|on_error_stop)$/i;

/** `--dry-run`, `--verify`: an attacker may make such calls fail to have the option removed. */
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

/** Spans that are compared. More would not change the answer. */
const MAX_COMPARED = 50;

/** Whether two commands in the text share only this word, such as `date -d` and `cut -d`: then it is unknown which one failed. */
function isAmbiguous(word: string, sentences: readonly Sentence[]): boolean {
  const companions = sentences.flatMap(({ text }) => {
    const own = (text.match(CODE_SPAN) ?? []).map(wordsIn).find((span) => span.has(word) && span.size > 1);
    return own ? [[...own].filter((other) => other !== word)] : [];
  });
  const some = companions.slice(0, MAX_COMPARED);
  return some.some((one) => some.some((other) => one.every((shared) => !other.includes(shared))));
}
