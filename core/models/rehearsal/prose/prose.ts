// Extracts from a skill's prose the format of a class of delimited files. Skills are not written for this parser, so it accepts many
// wordings. It ignores negated statements and gives little weight to statements about other files. Advice has only the fields that
// the text mentions. Entry point: readAdvice, called by worker.ts and lesson.ts. Pure.
import type { Advice, Mark, NumberForm } from "../conventions.ts";
import { readCode } from "./code.ts";
import { readDates } from "./dates.ts";
import { readExamples, readFullExample, readLocale } from "./examples.ts";
import { readMissing } from "./missing.ts";
import { normalise } from "./phrases.ts";
import { AFFIRMED, ELSEWHERE, RETRACTED, toProse } from "./text.ts";
import { readUnitRow } from "./units.ts";

type Topic = "separator" | "decimal" | "thousands" | "other";
interface Statement {
  topic: Topic;
  mark: Mark;
  /** 1 for a statement about these files; 0.3 for one about other files or expectations. */
  weight: number;
}

/** Limits for long texts, since some of the regular expressions take quadratic time. */
const MAX_READ_CHARS = 16_000;
const MAX_SENTENCE_CHARS = 600;

export function readAdvice(markdown: string): Advice {
  const whole = toProse(markdown.slice(0, MAX_READ_CHARS));
  const clip = (texts: string[]) => texts.map((text) => text.slice(0, MAX_SENTENCE_CHARS));
  const prose = {
    sentences: clip(whole.sentences),
    code: whole.code.map((text) => text.slice(0, 4 * MAX_SENTENCE_CHARS)),
  };
  const marked = prose.sentences.map((sentence) => ({ sentence, marks: readMarks(sentence) }));
  const said = marked.flatMap(({ marks }) => marks);
  const code = readCode(prose.code);
  const separators = findSeparators(said) ?? code.separators;
  const form = chooseForm([
    ...said.filter(({ weight }) => weight === 1).map(({ topic, mark }) => ({ [topic]: mark, weight: 1 })),
    { ...readFullExample(prose), weight: 1.5 },
    { decimal: code.decimal, thousands: code.thousands, weight: 0.9 },
    { ...readExamples(prose), weight: 0.7 },
    { ...readLocale(prose), weight: 0.5 },
  ]);
  const ungrouped = prose.sentences.some((sentence) => UNGROUPED.test(sentence) && !ELSEWHERE.test(sentence));
  const grouped = marked.filter(({ sentence }) => !UNGROUPED.test(sentence)).flatMap(({ marks }) => marks);
  const missing = [...new Set([...readMissing(prose.sentences), ...(code.missing ?? [])])];
  const dates = readDates(prose.sentences) ?? code.dates ?? readLocale(prose).dates;
  const unitRow = readUnitRow(prose.sentences) ?? code.unitRow;
  const advice: Advice = {
    ...(separators ? { separators } : {}),
    ...form,
    ...(ungrouped && !grouped.some(({ topic }) => topic === "thousands") ? { thousands: "" } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...(dates ? { dates } : {}),
    ...(unitRow !== undefined ? { unitRow } : {}),
  };
  // If the text gives other advice, a semicolon, tab or pipe without a stated role is the separator.
  const bare = Object.keys(advice).length > 0 ? readBareMarks(prose.sentences) : [];
  return !separators && bare.length === 1 ? { separators: bare, ...advice } : advice;
}

/** Evidence for a decimal mark, a grouping mark, or both. */
type Evidence = Partial<Record<Topic, Mark | undefined | "">> & { weight: number };

/** The pair of marks with the most evidence. One mark cannot have both roles. */
function chooseForm(evidence: Evidence[]): Pick<Advice, "decimal" | "thousands"> {
  const weigh = (topic: "decimal" | "thousands", mark: string | undefined) =>
    Math.max(0, ...evidence.filter((one) => one[topic] === mark && mark !== undefined).map(({ weight }) => weight));
  const decimals: (NumberForm["decimal"] | undefined)[] = [",", ".", undefined];
  const groupings: (NumberForm["thousands"] | undefined)[] = [undefined, ".", ",", " ", "'"];
  const pairs = decimals.flatMap((decimal) => groupings.map((thousands) => ({ decimal, thousands })));
  const best = pairs
    .filter(({ decimal, thousands }) => decimal === undefined || decimal !== thousands)
    .map((pair) => ({ pair, weight: weigh("decimal", pair.decimal) + weigh("thousands", pair.thousands) }))
    .reduce((most, one) => (one.weight > most.weight ? one : most), { pair: {}, weight: 0 } as {
      pair: Pick<Advice, "decimal" | "thousands">;
      weight: number;
    });
  const { decimal, thousands } = best.pair;
  return {
    ...(decimal && weigh("decimal", decimal) > 0 ? { decimal } : {}),
    ...(thousands && weigh("thousands", thousands) > 0 ? { thousands } : {}),
  };
}

const UNGROUPED =
  /\b(?:no|without|nothing) (?:any )?(?:digit )?(?:group\w*|thousands?)\b(?! group)|\b(?:not|never|nobody|isn't|aren't|doesn't|don't) groups?(?:ed)?\b|\bthousands:? (?:none|no)\b|\bgrouping:? (?:none|no)\b|\bnothing (?:between|for|in|groups|marks|separates) (?:the )?(?:thousands?|digits)\b|\bthousands?(?: are| is)?(?: not|n't) (?:separated|split|marked|set)\b/;

const MARKS: [Mark, RegExp][] = [
  [";", /\bsemi-?\s?colons?\b/g],
  ["\t", /\b(?:horizontal )?tab(?:s|ulators?|ulator characters?| characters?| stops?)?\b|\btsv\b/g],
  ["|", /\b(?:pipes?|vertical (?:bars?|lines?|strokes?)|upright (?:bars?|strokes?)|(?<!side)bars)\b/g],
  [",", /\b(?<!(?:high|inverted) )commas?\b(?! ?-?(?:separated|delimited) values)/g],
  [".", /\b(?:points?|dots?|periods?|full[- ]stops?)\b(?! out\b)/g],
  [
    " ",
    /\b(?:(?:thin |narrow |plain |single |non-breaking )?spaces?|blanks?(?! (?:lines?|rows?|cells?|fields?|entr\w+|values?|in disguise))(?! in (?!numbers|amounts|figures|the numbers)))\b/g,
  ],
  ["'", /\b(?:apostrophes?|high commas?|inverted commas?|single quotes?|ticks?)\b/g],
];
/** Words that name a role of a mark. The number makes a vague word count as that many words farther away. */
const TOPICS: [Topic, RegExp, number][] = [
  [
    "thousands",
    /\bthousands?\b|\b1000s\b|\b(?:over|above|beyond|from) (?:999|1[.,]?000)\b|\bmillions?\b|\bgroup(?:s|ed|ing)?\b|\b(?:large|big|long|larger) (?:numbers?|values?|figures?|amounts?)\b|\bthree digits\b|\bdigits in threes\b|\bdecorat\w+/g,
    0,
  ],
  [
    "thousands",
    /\b(?:strip|remov|squeez|delet|ignor|drop)\w*|\b(?:get|getting) rid\b|\btake (?:them|it|those|these)? ?(?:out|off|away)\b/g,
    3,
  ],
  [
    "decimal",
    /\bdecimals?\b|\bfraction\w*|\bradix\b|\bcents\b|\bpence\b|\bpenn(?:y|ies)\b|\bwhole (?:part|number)s?\b|\btenths\b/g,
    0,
  ],
  [
    "separator",
    /\bseparat\w*|\bdelimit\w*|\bdivid\w*|\bsplit\w*|\b(?:field|column|cell)s? (?:mark|boundar|break)\w*|\bapart\b|\bset off\b|\bbounded\b|\bcuts?\b|\bparts? (?:the )?(?:fields|columns|cells)\b|\bbetween (?:(?:the|two|any two|neighbou?ring|adjacent) )?(?:fields|columns|cells|values|entries)\b|\bjoined by\b|\bends? with\b/g,
    0,
  ],
  ["separator", /\b(?:fields?|columns?|cells?|header)\b/g, 4],
  ["other", /\bdates?\b|\bdays?\b|\bmonths?\b|\bsentences?\b|\bquot\w+|\bmissing\b|\bempty\b|\btrailing\b/g, 1],
];
const NEGATION =
  /\b(?:not|no|never|neither|nor|instead of|rather than|unlike|isn't|aren't|don't|doesn't|won't|avoid|in place of|as opposed to|without|hardly|nothing to do with|replac(?:es|ing) the usual|despite|although|even though)\b/g;
/** Where a match begins and ends. */
interface Span {
  at: number;
  end: number;
}

/** Each mark that a sentence names, with the role named nearest to it. */
function readMarks(sentence: string): Statement[] {
  const text = normalise(sentence);
  const clauses = clauseBreaks(text);
  const topics = TOPICS.flatMap(([topic, words, cost]) =>
    [...text.matchAll(words)].map((match) => ({ topic, cost, at: match.index, end: match.index + match[0].length })),
  );
  const said: Statement[] = [];
  for (const [mark, words] of MARKS) {
    for (const match of text.matchAll(words)) {
      const span = { at: match.index, end: match.index + match[0].length };
      const topic = mark === "\t" && match[0] === "tsv" ? "separator" : nearestTopic(text, span, topics, clauses, mark);
      if (!topic || topic === "other") continue;
      if (isNegated(text, span, clauses)) {
        const instead = roleInNextClause(text, span, topics, clauses, mark);
        if (instead) said.push({ topic: instead, mark, weight: 1 });
        continue;
      }
      const clause = clauseAt(text, span, clauses);
      said.push({ topic, mark, weight: ELSEWHERE.test(clause) || RETRACTED.test(text) ? 0.3 : 1 });
    }
  }
  return said;
}

/** Semicolons, tabs and pipes that are named without a role. */
function readBareMarks(sentences: string[]): Mark[] {
  const found = sentences.map(normalise).flatMap((text) => {
    const clauses = clauseBreaks(text);
    return MARKS.filter(([mark]) => mark === ";" || mark === "\t" || mark === "|").flatMap(([mark, words]) =>
      [...text.matchAll(words)]
        .map((match) => ({ at: match.index, end: match.index + match[0].length }))
        .filter(
          (span) =>
            !isNegated(text, span, clauses) && !RETRACTED.test(text) && !ELSEWHERE.test(clauseAt(text, span, clauses)),
        )
        .map(() => mark),
    );
  });
  return [...new Set(found)];
}

/** Boundaries between clauses. The cost of crossing one counts like that many words. */
function clauseBreaks(text: string): { at: number; cost: number }[] {
  const strong = [...text.matchAll(/[;:—–](?=\s)|\s-\s|\b(?:but|while|whereas|though|yet)\b/g)];
  const weak = [...text.matchAll(/,(?=\s)|[()]|\b(?:and|with|plus|then|so|because|since)\b/g)];
  return [
    ...strong.map((match) => ({ at: match.index, cost: match[0] === ":" ? 1 : 8 })),
    ...weak.map((match) => ({ at: match.index, cost: 2 })),
  ];
}

const MARKS_FOR: Record<Topic, string> = { separator: ",;\t|", decimal: ".,", thousands: "., '", other: ".,; '\t|" };

/** In words, including the costs of vague topics and of clause boundaries. */
const MAX_TOPIC_DISTANCE = 16;

function nearestTopic(
  text: string,
  mark: Span,
  topics: (Span & { topic: Topic; cost: number })[],
  clauses: { at: number; cost: number }[],
  kind: Mark,
): Topic | undefined {
  let best: { topic: Topic; distance: number } | undefined;
  for (const topic of topics) {
    if (!MARKS_FOR[topic.topic].includes(kind)) continue;
    const [from, to] = topic.at < mark.at ? [topic.end, mark.at] : [mark.end, topic.at];
    const words = text.slice(from, to).split(/\s+/).filter(Boolean).length;
    const crossed = clauses.filter(({ at }) => at >= from && at < to).reduce((sum, { cost }) => sum + cost, 0);
    const distance = words + crossed + topic.cost;
    if (!best || distance < best.distance) best = { topic: topic.topic, distance };
  }
  return best && best.distance <= MAX_TOPIC_DISTANCE ? best.topic : undefined;
}

/** True for a mark with a negation before it and no "but" between them, or with "is not" right after it. */
function isNegated(text: string, mark: Span, clauses: { at: number }[]): boolean {
  const affirmed = text.replace(AFFIRMED, (phrase) => " ".repeat(phrase.length));
  if (/^\W{0,3}(?:is|are|was|were|does|do|has|have)(?:n't| not| never| nothing)\b/.test(affirmed.slice(mark.end)))
    return true;
  const before = affirmed.slice(0, mark.at);
  const negation = [...before.matchAll(NEGATION)].at(-1);
  if (!negation) return false;
  const between = before.slice(negation.index + negation[0].length);
  if (/\bbut\b|\bit is\b|\bit's\b|\bthey are\b|\buse\b/.test(between)) return false;
  const statements = between.split(/\band\b/);
  if (statements.length > 1 && TOPICS.some(([, words, cost]) => cost === 0 && statements.at(-1)!.search(words) >= 0))
    return false;
  const ended = clauses.some(({ at }) => at > negation.index && at < mark.at && !/^(?:and|\()/.test(text.slice(at)));
  return !ended && between.split(/\s+/).filter(Boolean).length <= 6;
}

/** The role that the next clause gives to a negated mark, as in "not a separator; it marks the decimals". */
function roleInNextClause(
  text: string,
  mark: Span,
  topics: (Span & { topic: Topic })[],
  clauses: { at: number }[],
  kind: Mark,
) {
  for (const { at } of clauses.filter((clause) => clause.at >= mark.end).sort((a, b) => a.at - b.at)) {
    if (
      !/^[\s,;:—–(-]*(?:but |and |for |since |because )?(?:it|they|these|those|that|which|its|their)\b/.test(
        text.slice(at),
      )
    )
      continue;
    return topics
      .filter((topic) => topic.at > at && topic.topic !== "other" && MARKS_FOR[topic.topic].includes(kind))
      .sort((a, b) => a.at - b.at)[0]?.topic;
  }
  return undefined;
}

/** The clause around a mark. */
function clauseAt(text: string, mark: Span, clauses: { at: number; cost: number }[]): string {
  // "Never expect commas: it writes pipes": the negation ends at the colon.
  const isWall = (at: number) => text[at] === "," || (text[at] === ":" && text.slice(0, at).search(NEGATION) >= 0);
  const walls = clauses.filter(({ at, cost }) => cost >= 8 || isWall(at)).map(({ at }) => at);
  const from = Math.max(0, ...walls.filter((at) => at < mark.at));
  const to = Math.min(text.length, ...walls.filter((at) => at >= mark.end));
  return text.slice(from, to);
}

/** The comma is the default separator, so it counts only if no other separator is named. */
function findSeparators(said: Statement[]): Mark[] | undefined {
  const marks = [
    ...new Set(said.filter(({ topic, weight }) => topic === "separator" && weight === 1).map(({ mark }) => mark)),
  ];
  const unusual = marks.filter((mark) => mark !== ",");
  if (unusual.length > 0) return unusual;
  return marks.length > 0 ? marks : undefined;
}
