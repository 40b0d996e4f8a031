// How each line-based flavour writes marks, links, code and blocks. One entry a flavour. Pure.
import { escapeAttribute, escapeHtml } from "./html.ts";
import type { Flavour } from "./flavour.ts";
import type { Mark } from "./pieces.ts";

export type LineFlavour = Exclude<Flavour, "matrix" | "email">;

type Link = Extract<Mark, { kind: "link" }>;

export interface LineStyle {
  bold: readonly [string, string];
  italic: readonly [string, string];
  strike: readonly [string, string];
  /** Text outside code. `raw`: as it stands in the Markdown. */
  text(text: string, raw: string): string;
  codeSpan(text: string): string;
  codeBlock(text: string, language: string): string;
  /** What is written before and after the words of a link. `isBare`: its words are its address. */
  link(link: Link, isBare: boolean): readonly [string, string];
  heading(words: string, level: number): string;
  /** Tags around a quote; without them each line of it begins with `> `. */
  quote?: readonly [string, string];
  bullet: string;
  /** A box of a task. */
  boxes: readonly [string, string];
  rule: string;
  /** Whether tables are written as Markdown. Otherwise as aligned columns in a code block. */
  tables: boolean;
  /** The platform reads a mark only beside a character that is neither letter nor digit, so an invisible one is put between. */
  apart?: string;
  /** Whether lines of code in a list are indented as the list is. */
  indentsCode: boolean;
}

const NONE = ["", ""] as const;
const BOXES = ["☐ ", "☑ "] as const;
const RULE = "———";
/** An invisible character that keeps two others apart. */
const APART = "\u200B";

const asIs = (text: string): string => text;
const asWords = (words: string): string => words;

const addressAfter = ({ href }: Link, isBare: boolean): readonly [string, string] =>
  isBare || href.startsWith("mailto:") || href.startsWith("tel:") ? NONE : ["", ` (${href})`];

function fenced(text: string, language = ""): string {
  return `\`\`\`${language}\n${text.replaceAll("```", `\`\`${APART}\``)}\n\`\`\``;
}

function inTicks(text: string): string {
  return text.includes("`") ? text : `\`${text}\``;
}

const MARKDOWN: LineStyle = {
  bold: ["**", "**"],
  italic: ["*", "*"],
  strike: ["~~", "~~"],
  text: (_text, raw) => keepInert(raw),
  codeSpan(text) {
    const fence = "`".repeat(longestTicks(text) + 1);
    const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
    return fence + space + text + space + fence;
  },
  codeBlock(text, language) {
    const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
    return `${fence}${language}\n${text}\n${fence}`;
  },
  // Every reader's program would fetch an image, whose address a page may have had the agent write to carry something away. `APART` keeps a
  // `!` before the link from making it an image again.
  link: ({ href, image }, isBare) => (isBare ? NONE : [image ? `${APART}[` : "[", `](${toDestination(href)})`]),
  heading: (words, level) => `${"#".repeat(level)} ${words}`,
  bullet: "- ",
  boxes: ["[ ] ", "[x] "],
  rule: "---",
  tables: true,
  indentsCode: true,
};

/** Slack reads `<` as the beginning of a link or of a mention. */
const SLACK: LineStyle = {
  bold: ["*", "*"],
  italic: ["_", "_"],
  strike: ["~", "~"],
  text: escapeHtml,
  codeSpan: (text) => escapeHtml(inTicks(text)),
  codeBlock: (text) => escapeHtml(fenced(text)),
  link: ({ href }, isBare) => (isBare ? ["<", ">"] : [`<${escapeHtml(href).replaceAll("|", "%7C")}|`, ">"]),
  heading: (words) => words,
  bullet: "• ",
  boxes: BOXES,
  rule: RULE,
  tables: false,
  apart: APART,
  indentsCode: false,
};

export const STYLES: Readonly<Record<LineFlavour, LineStyle>> = {
  markdown: MARKDOWN,
  discord: {
    ...MARKDOWN,
    // It shows no images and no HTML; `<t:0>` is a time.
    text: (_text, raw) => raw,
    link: ({ href }, isBare) => (isBare ? NONE : ["[", `](${toDestination(href)})`]),
    heading: (words, level) => (level <= 3 ? `${"#".repeat(level)} ${words}` : `**${words}**`),
    boxes: BOXES,
    rule: RULE,
    tables: false,
  },
  html: {
    bold: ["<b>", "</b>"],
    italic: ["<i>", "</i>"],
    strike: ["<s>", "</s>"],
    text: escapeHtml,
    codeSpan: (text) => `<code>${escapeHtml(text)}</code>`,
    codeBlock: (text, language) =>
      language
        ? `<pre><code class="language-${language}">${escapeHtml(text)}</code></pre>`
        : `<pre>${escapeHtml(text)}</pre>`,
    link: ({ href }) => [`<a href="${escapeAttribute(href)}">`, "</a>"],
    heading: asWords,
    quote: ["<blockquote>", "</blockquote>"],
    bullet: "• ",
    boxes: BOXES,
    rule: RULE,
    tables: false,
    indentsCode: false,
  },
  mrkdwn: SLACK,
  "google-chat": {
    ...SLACK,
    // `<users/all>` would call everybody.
    text: keepFromMention,
    codeSpan: (text) => keepFromMention(inTicks(text)),
    codeBlock: (text) => keepFromMention(fenced(text)),
    link: ({ href }, isBare) => (isBare ? NONE : [`<${href.replaceAll(/[|<>]/g, encodeURIComponent)}|`, ">"]),
  },
  whatsapp: { ...SLACK, text: asIs, codeSpan: inTicks, codeBlock: (text) => fenced(text), link: addressAfter },
  plain: {
    bold: NONE,
    italic: NONE,
    strike: NONE,
    text: asIs,
    codeSpan: asIs,
    codeBlock: asIs,
    link: addressAfter,
    heading: asWords,
    bullet: "- ",
    boxes: BOXES,
    rule: RULE,
    tables: false,
    indentsCode: false,
  },
};

/** Tags that fetch nothing and call nobody, without attributes. */
const HARMLESS = "details|summary|sub|sup|kbd|br";
const TAG = new RegExp(`<(?!/?(?:${HARMLESS}) ?/?>)(?=[a-z!?/])`, "gi");
/**
 * `@all`, `@channel` and `@here` call everybody on Mattermost, `@everyone` on Discord. The `@` may be escaped, or end one run of a word that
 * another goes on.
 */
const CALL = /(?<!\w)@(?=(?:all|channel|here|everyone)\b|&|$)|&(?:#0{0,5}64|#x0{0,5}40|commat);/gi;

/** HTML, what only some readers take for an image, and what calls everybody, stay words. */
function keepInert(raw: string): string {
  return raw.replaceAll(TAG, `<${APART}`).replaceAll("![", `!${APART}[`).replaceAll(CALL, `@${APART}`);
}

function keepFromMention(text: string): string {
  return text.replaceAll("<users/", `<${APART}users/`);
}

function toDestination(href: string): string {
  return href.replaceAll(
    /[()<>\s\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
