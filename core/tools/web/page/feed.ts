// Reads an RSS or Atom feed as Markdown: a heading, and an item for each entry. Called by page-reader.ts. Other XML is shown as it is.
// Linear in the length of the feed; external entities do not exist here. Pure.
import { Tokenizer } from "htmlparser2";
import { clip, toOneLine } from "../../../clip.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";

const MAX_ENTRIES = 200;
const MAX_SUMMARY_CHARS = 1_000;
const MAX_FIELD_CHARS = 20_000;

type Field = "title" | "link" | "date" | "summary";
type Entry = Partial<Record<Field, string>>;

const FIELDS: Record<string, Field> = {
  title: "title",
  link: "link",
  pubdate: "date",
  "dc:date": "date",
  updated: "date",
  published: "date",
  description: "summary",
  summary: "summary",
  content: "summary",
  "content:encoded": "summary",
};

/** `null`: not a feed. */
export function feedToMarkdown(xml: string, url: string): { title: string; markdown: string } | null {
  if (!/<(?:rss|feed|rdf:RDF)[\s>]/.test(xml.slice(0, 4_000))) return null;
  const { feed, entries } = readFeed(xml);
  const title = toOneLine(feed.title ?? "");
  const items = entries.map((entry) => {
    const name = clip(toOneLine(toText(entry.title, url)), 300) || "Untitled";
    const link = entry.link && URL.parse(entry.link.trim(), url)?.href;
    const summary = clip(toOneLine(toText(entry.summary, url)), MAX_SUMMARY_CHARS);
    const date = entry.date ? ` (${clip(toOneLine(entry.date), 40)})` : "";
    return `- ${link ? `[${name}](${link})` : name}${date}${summary ? `\n  ${summary}` : ""}`;
  });
  return { title, markdown: [title ? `# ${title}` : "", ...items].filter(Boolean).join("\n") };
}

function readFeed(xml: string): { feed: Entry; entries: Entry[] } {
  const feed: Entry = {};
  const entries: Entry[] = [];
  let into = feed;
  let field: Field | null = null;
  let tag = "";
  let value = "";
  const add = (text: string) => {
    if (field && (into[field]?.length ?? 0) < MAX_FIELD_CHARS) into[field] = (into[field] ?? "") + text;
  };
  const close = (name: string) => {
    if (name === "item" || name === "entry") into = feed;
    field = null;
  };
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = xml.slice(start, end).toLowerCase();
        if ((tag === "item" || tag === "entry") && entries.length < MAX_ENTRIES) entries.push((into = {}));
        field = FIELDS[tag] ?? null;
        // The first of several fields is the plainest: a description comes before the whole content.
        if (field && into[field] !== undefined) field = null;
      },
      onattribname: (start, end) => void (value = xml.slice(start, end) === "href" && tag === "link" ? " " : ""),
      onattribdata: (start, end) => void (value && (value += xml.slice(start, Math.min(end, start + 2_000)))),
      onattribentity: (code) => void (value && (value += String.fromCodePoint(code))),
      onattribend() {
        if (value.trim() !== "") into.link ??= value.trim();
        value = "";
      },
      onopentagend: () => undefined,
      onselfclosingtag: () => void (field = null),
      onclosetag: (start, end) => close(xml.slice(start, end).toLowerCase()),
      ontext: (start, end) => add(xml.slice(start, Math.min(end, start + MAX_FIELD_CHARS))),
      ontextentity: (code) => add(String.fromCodePoint(code)),
      oncdata: (start, end, endOffset) => add(xml.slice(start, Math.min(end - endOffset, start + MAX_FIELD_CHARS))),
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(xml);
  tokenizer.end();
  return { feed, entries };
}

/** Titles and summaries of feeds are HTML, often escaped once more. */
function toText(html: string | undefined, url: string): string {
  return html ? htmlToMarkdown(html, url, MAX_SUMMARY_CHARS * 2).markdown : "";
}
