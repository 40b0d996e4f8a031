// Finds whether sentences say that a row of units follows the header. Used by prose.ts. Pure.
import { ELSEWHERE } from "./text.ts";

const UNITS = /\bunits?\b|\bmeasured in\b|\bdimensions\b/;
const ROW = /\b(?:rows?|lines?|records?)\b/;
const HEADER =
  "(?:header|head|heading|headings|captions|column (?:names|titles|headings)|names|titles|first (?:line|row|record))";
const SECOND_LINE = new RegExp(
  `\\b(?:second|2nd|next|following) (?:physical |text )?(?:line|row|record)\\b|\\b(?:line|row|record) (?:no\\.? |number |#)?(?:2|two)\\b` +
    `|\\b(?:right |directly |just |immediately )?(?:under|below|beneath|underneath|after|follow(?:s|ing)) (?:the )?${HEADER}\\b|\\bbetween the ${HEADER} and\\b`,
);
const SKIPPED =
  /\b(?:skip\w*|drop\w*|ignor\w*|disregard\w*|discard\w*|delet\w*|remov\w*|exclud\w*|bypass\w*|throw|kick|step over|leave (?:it |this |that |them )?out|pass over|jump over|no attention|(?:not|no|never|isn't|aren't) (?:an? |real |any )?(?:data|posting|measurement|reading|observation|values?|record)|not (?:to )?(?:be )?(?:regarded|read|treated|counted|taken|used)|starts? (?:on|at|with) (?:the )?(?:third|line 3|row 3))\b/;
const DATA_FROM_THIRD_LINE =
  /\b(?:data|values|figures|records|observations|numbers|readings) (?:only )?(?:begins?|starts?) (?:on|at|with|in|from) (?:the )?(?:third|line 3|line three|row 3|row three)|\b(?:line|row) (?:3|three) (?:onwards?|and below)\b/;
const TWO_HEADER_LINES = /\btwo (?:header|heading) (?:rows|lines)\b|\btwo-(?:line|row) header/;
const NO_UNIT_ROW =
  /\b(?:no|without(?: any| a)?|never an?|not an?|isn't an?|don't have an?|lacks? an?) (?:such |second )?(?:(?:row|line) (?:of|with|for) (?:\w+ )?units|units? (?:row|line|record))|\b(?:no|nor|doesn't|don't|does not|do not|never|without)(?: \w+)? (?:any )?units\b(?! (?:from|in\b))|\bunits? (?:row|line|record)s?\s?[:=]\s?(?:false|no|none|absent|0)\b|\b(?:row|line) of units\s?[:=]\s?(?:false|no|none|absent)\b|\bno second header\b/;
const DATA_FROM_SECOND_LINE =
  /\b(?:data|readings|values|figures|records) (?:starts?|begins?|follows?) (?:directly|right|immediately|straight)|\b(?:only|just|exactly) (?:one|a single|a) (?:header|heading|(?:line|row) (?:above|before|on top))|\bsingle (?:header|heading) (?:row|line)\b|\b(?:nothing but|only) the (?:header|headings?|names|column names) (?:comes?|stands?|is|are) (?:before|above)\b|\b(?:the rest|everything (?:else|after|below)\b.{0,20}|all (?:the )?others?) (?:is|are|holds?) (?:the )?data\b|\bafter (?:that|it|this),? (?:there is |comes? |it is )?(?:only|nothing but) data\b|\b(?:line|row|record) (?:after|below|under|following) the (?:header|headings?|column names) is already\b|\bstraight after it,? the data\b|\b(?:second (?:line|row|record)|(?:line|row) (?:2|two)) (?:is|holds|has|contains) (?:already )?(?:an? |the )?(?:(?:normal|ordinary|first|real|regular|usual) )?(?:data|records?|observations?|samples?|values?|readings?)\b/;

/** Undefined if no sentence says anything about a row of units. */
export function readUnitRow(sentences: string[]): boolean | undefined {
  let answer: boolean | undefined;
  for (const [i, sentence] of sentences.entries()) {
    const before = sentences[i - 1] ?? "";
    const after = sentences[i + 1] ?? "";
    const units = UNITS.test(sentence);
    const second = SECOND_LINE.test(sentence);
    if (NO_UNIT_ROW.test(sentence) || (DATA_FROM_SECOND_LINE.test(sentence) && !units)) {
      answer ??= false;
      continue;
    }
    // One statement may take several sentences: "What is the odd second record? Units. Skip it."
    const isSkipped = SKIPPED.test(sentence) || (isShort(after) && SKIPPED.test(after));
    const isShortSkip = isShort(sentence) && isSkipped;
    const isAboutSecond = second || SECOND_LINE.test(before);
    const isAboutRow = ROW.test(sentence) || isAboutSecond || (isShortSkip && ROW.test(before));
    const isStated = (units && (isAboutRow || isShortSkip)) || (second && isSkipped);
    const isYes = isStated || DATA_FROM_THIRD_LINE.test(sentence) || TWO_HEADER_LINES.test(sentence);
    if (isYes && !ELSEWHERE.test(sentence)) answer = true;
  }
  return answer;
}

function isShort(sentence: string): boolean {
  return sentence.split(/\s+/).filter(Boolean).length <= 5;
}
