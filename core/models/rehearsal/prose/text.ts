// Turns any Markdown into sentences with marks spelled out: `;` becomes "semicolon", a table row becomes a sentence, and a heading
// becomes a prefix of the text below it. Used by prose.ts. Pure.

import { mergeDialogue } from "./dialogue.ts";

/** Marks a statement about other files, or about expectations. */
export const ELSEWHERE =
  /\belsewhere\b|\b(?:other|outside|foreign) (?:teams?|files?|people|offices?|countries|tools?|exports?|systems?|sources?|departments?|branches|sites|loggers)\b|\bmost (?:files?|people|tools?|csvs?|programs?|exports?|of the world|other)\b|\bby default\b|\bdefaults\b|\bdefault(?= (?:is|for|would|behaviour|behavior|assum\w+))|\bexpect\w*|\bassum\w*|\blooks? like\b(?!\W*\d)|\bplain csv\b|\b(?:ordinary|standard|textbook|normal|classic|regular) (?:csv|files?)\b|\bone would\b|\byou (?:might|may|would)\b|\bin english\b|\bamericans?\b(?!(?: |-)(?:way|style|notation|format|manner|fashion|order|convention)\b)|\bthe (?:name|extension|suffix)\b|\bstands for\b|\(not ours\)/;
/** "They use commas; we do not." */
export const RETRACTED =
  /[;,] (?:but )?(?:ours?|we|here|they|the [a-z]+) (?:do|does|are|is)(?: not|n't)(?: so| like that)?\W*$/;
/** Phrases with a "not" that affirm. */
export const AFFIRMED =
  /\b(?:not only|not just|do not forget|don't forget|do not be (?:surprised|fooled)|no matter|not surprising\w*|without fail|without exception|no doubt|not to mention)\b/g;

export interface Prose {
  /** One statement each, in lower case except for quoted tokens, with marks as words. */
  sentences: string[];
  /** Fenced and inline code, as written. */
  code: string[];
}

const MARK_WORDS: [RegExp, string][] = [
  [/^(;|&semi;)$/, "semicolon"],
  [/^(\\t|\t|→|\^I|\\u0009|0x09)$/i, "tab"],
  [/^(\\?\||&#124;|¦)$/, "pipe"],
  [/^,$/, "comma"],
  [/^\.$/, "point"],
  [/^ $/, "space"],
  [/^['’]$/, "apostrophe"],
];

export function toProse(markdown: string): Prose {
  const code: string[] = [];
  const text = markdown
    .replace(/\r\n?/g, "\n")
    .replace(
      /^\uFEFF?---\n([\s\S]*?)\n---\n/,
      (_, head: string) => `${/^description:\s*(.*)$/m.exec(head)?.[1] ?? ""}\n\n`,
    )
    .replace(/^ *(```|~~~)[^\n]*\n([\s\S]*?)^ *\1.*$/gm, (_, _fence, body: string) => (code.push(body), "\n\n"))
    .replace(
      /^(?: {4}|\t)(?=(?:awk|cut|sed|tail|gawk|python|import|pd)\b)(.*)$/gm,
      (_, line: string) => (code.push(line), "\n"),
    );
  for (const match of text.matchAll(/`([^`\n]{3,})`/g)) code.push(match[1]!);
  const remarks = code.flatMap((piece) =>
    [...piece.matchAll(/(?:^|\s)(?:#|--|\/\/)\s+([A-Za-z][^\n]*)/g)].map((match) => match[1]!),
  );
  return { sentences: withoutOthers(mergeDialogue([...toBlocks(text), ...remarks].flatMap(toSentences))), code };
}

/** "Marketing sends commas. Ours are not like that.": the statement before is about other files. */
function withoutOthers(sentences: string[]): string[] {
  const takesBack =
    /^(?:ours?|we|here|these|this (?:one|office|team)|not (?:ours|us|here|so here))\b(?:.*(?:\bnot\b|n't))?(?: like that| so)?$/;
  const isTakenBack = (next: string | undefined) =>
    next !== undefined && takesBack.test(next) && /\bnot\b|n't/.test(next) && next.split(" ").length <= 5;
  return sentences.filter((_, i) => !isTakenBack(sentences[i + 1]));
}

/** Paragraphs, bullets and table rows, each under its heading. */
function toBlocks(text: string): string[] {
  const blocks: string[] = [];
  let heading = "";
  let open = false;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    const head = /^#{1,6}\s+(.*)$/.exec(trimmed);
    if (head) {
      heading = /^(when to use|steps|pitfalls|verify|procedure|notes?)\b/i.test(head[1]!) ? "" : head[1]!;
      open = false;
    } else if (trimmed === "" || /^\|?[\s:|-]+\|[\s:|-]*$/.test(trimmed)) {
      open = false;
    } else if (/^\|.*\|$/.test(trimmed)) {
      blocks.push(fromTableRow(trimmed));
      open = false;
    } else if (open && !STARTS.test(trimmed)) {
      blocks[blocks.length - 1] += ` ${trimmed}`;
    } else {
      const body = trimmed.replace(/^(?:[-*+•]\s+\[[ xX]?\]|[-*+•]|\(?[a-z\d]{1,2}[.)])\s+/, "");
      blocks.push(heading ? `${heading}: ${body}` : body);
      open = true;
    }
  }
  return blocks;
}

/** A bullet, a number, or a label with a colon begins a new statement. */
const STARTS =
  /^(?:[-*+•]|\(?[a-z\d]{1,2}[.)])\s|^(?:\*\*|__)?[A-Z][\w /'-]{0,40}(?::\*\*|:__|\*\*:|__:|:)(?:\s|$)|^[a-z]\w*(?:[ _-]\w+){0,3}:(?:\s|$)/;

function fromTableRow(row: string): string {
  const cells = row.slice(1, -1).split(/(?<![\\`])\|(?!`)/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|")).join(": ");
}

function toSentences(block: string): string[] {
  const hasCapitals = /[.!?]\s+[A-Z]/.test(block);
  return spellMarks(block.replace(/(?<=[a-z])_(?=[a-z])/g, " "))
    .replace(/\b(e\.g|i\.e|cf|approx|resp|etc|no)\.(?=\s)/gi, (_, short: string) => short.replaceAll(".", ""))
    .split(/(?<=[A-Za-z\d)`"”*])[.!?]+["”)]*(?=\s+["“`(*§]*[A-Z\d])|(?<=[a-z)`"”*])[!?]+(?=\s)/)
    .flatMap((sentence) => (hasCapitals ? [sentence] : sentence.split(/(?<=[a-z\d)]{2})\.\s+(?=["`'-]?[a-z\d])/i)))
    .map((sentence) => lower(sentence.replace(/\*\*|__/g, "")).trim())
    .filter((sentence) => sentence !== "");
}

/** Spells out quoted marks, and bare marks in brackets or at the end of a statement after a colon. */
function spellMarks(block: string): string {
  return block
    .replace(/(?<=\s)([.,;'’])(?=\s+[a-z])/g, (mark: string) => spell(mark) ?? mark)
    .replace(
      /``\s?(.+?)\s?``|`([^`\n]{1,6})`|"([^"\n]{1,6})"|“([^”\n]{1,6})”|‘([^’\n]{1,6})’|«\s?([^»\n]{1,6})\s?»/g,
      (all, ...found) => {
        const inside = found.slice(0, 6).find((piece) => typeof piece === "string") as string;
        return spell(inside) ?? all;
      },
    )
    .replace(
      /(^|[\s(=:])'(\\t|[;,.|]| )'(?=$|[\s).,;:])/g,
      (_, before: string, mark: string) => `${before} ${spell(mark)} `,
    )
    .replace(/(?<=\b(?:semicolon|tab|pipe|comma|point|space|apostrophe))\s+(?=[.,;:!?](?:\s|$))/g, "")
    .replace(/(?<=\s)\|(?=[\s,.;)]|$)/g, " pipe ")
    .replace(/\(\s*(\\t|[;,.|'])\s*\)/g, (_, mark: string) => `(${spell(mark)})`)
    .replace(
      /([:=]|\bis|\bare|\bwith|\bby|\bon)\s+(\\t|[;,|]|[.'](?=\s*$))(?=\s|$|[.,])/g,
      (_, before: string, mark: string) => `${before} ${spell(mark)} `,
    );
}

function spell(mark: string): string | undefined {
  const word = MARK_WORDS.find(([pattern]) => pattern.test(mark))?.[1];
  return word && ` ${word} `;
}

function lower(sentence: string): string {
  return sentence
    .split(/(`[^`]{0,200}`|"[^"]{0,200}"|“[^“”]{0,200}”|\bN\/?A\b|#N\/A|\bNULL\b|\bNaN\b)/)
    .map((piece, i) => (i % 2 ? piece : piece.toLowerCase()))
    .join("");
}
