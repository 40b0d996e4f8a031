// Merges two sentences into one statement: a question and its "no", or a mistake and its correction. Used by text.ts. Pure.

const QUESTION = /^(?:q\w*[:.)] ?)?((?:is|are|do|does|has|have) [^?]*)\??$/;
const QUESTION_AND_NO =
  /^(?:q\w*[:.)] ?)?((?:is|are|do|does|has|have) [^?]*)\?\s*:?\s*(?:a\w*[:.)] ?)?no(?:ne|t at all)?\b[.,;:]?\s*(.*)$/;
const NO = /^(?:a\w*[:.)] ?)?no(?:ne|t at all|pe)?(?:[.,;:!]\s*(.*)|)$/;
/** "I took 1/2 for January", "I split on commas": a mistake, if the correct way follows. */
const MISTAKE =
  /^i (?:first |once |wrongly |simply |just )?(?:used|took|read|thought|treated|split|skipped|dropped|assumed|mistook|parsed|believed|tried|understood|interpreted)\b/;
const MISREAD =
  /^i (?:\w+ly |first |once )?(?:took|read|mistook|understood|interpreted|parsed) (\S+) (?:for|as|to (?:be|mean))\b/;
const CORRECTION =
  /^(?:but |no,? |wrong[:,] ?|actually,? )?(?:it|they|that|those|these)(?:'s|'re| is| are| was| were| has| have| does| do| means?)(?:n't)?\b(.*)$/;

/** "Is there a line of units? No." becomes "there is no line of units"; "I took 1/2 for January. It is February." becomes "1/2 is february". */
export function mergeDialogue(sentences: string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < sentences.length; i++) {
    const [sentence, next] = [sentences[i]!, sentences[i + 1] ?? ""];
    const both = QUESTION_AND_NO.exec(sentence);
    const question = both ?? QUESTION.exec(sentence);
    const no = both ? both[2] : NO.exec(next)?.[1];
    if (question && (both || NO.test(next))) {
      joined.push(negate(question[1]!), ...(no ? [no] : []));
      if (!both) i++;
    } else if (MISTAKE.test(sentence) && CORRECTION.test(next)) {
      const misread = MISREAD.exec(sentence);
      if (misread) joined.push(`${misread[1]} is ${CORRECTION.exec(next)![1]!.trim()}`);
    } else {
      joined.push(sentence);
    }
  }
  return joined;
}

/** "Is there a line of units" becomes "there is no line of units". */
function negate(question: string): string {
  const text = question.replace(/^(?:is|are) there (?:an? |any )?/, "there is no ");
  if (text !== question) return text;
  return question
    .replace(/^(is|are) (.*) (\S+)$/, "$2 $1 not $3")
    .replace(/^(do|does|has|have) (?:the )?(\S+) /, "$2 $1 not ");
}
