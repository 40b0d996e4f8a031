// Converts an HTML page to Markdown: what a reader of the page sees, with absolute links. Called by page-reader.ts. Works on the stream of
// tags, without a tree, so that time and memory are linear whatever the page contains. Pure.
import { BLOCKS, VOID, endsOpen } from "./elements.ts";
import { MarkdownWriter } from "./markdown-writer.ts";
import { readTags } from "./read-tags.ts";
import { isAround, isHidden } from "./visibility.ts";

export interface HtmlPage {
  title: string;
  markdown: string;
  /** The page is longer than what was converted. */
  isCut: boolean;
}

/** Open elements that are followed. Browsers stop at 512. */
const MAX_OPEN = 512;
/** How far up a closing tag looks for its element. */
const MAX_SEARCHED = 64;
/** The longest pages that people write (a specification, a whole book) have 300,000; each takes some microseconds. */
const MAX_TAGS = 400_000;
/** Characters of addresses that are made absolute, for each character of text: each link of a page is parsed with the whole base address. */
const ADDRESS_SHARE = 64;
const MAX_TITLE_CHARS = 1_000;
/** Less than this is no main content but a frame for scripts. */
const MIN_MAIN_CHARS = 250;

type Attributes = Record<string, string>;
type Mark = ReturnType<MarkdownWriter["beginMark"]>;

interface Open {
  name: string;
  /** Carried out when it closes. */
  end?: () => void;
  isSkipped: boolean;
  isMain: boolean;
}

/** `maxChars`: of Markdown; the conversion ends there. */
export function htmlToMarkdown(html: string, pageUrl: string, maxChars: number): HtmlPage {
  const writer = new MarkdownWriter();
  const open: Open[] = [];
  /** Opening tags beyond MAX_OPEN: their closing tags must not end others. */
  let untracked = 0;
  let tags = 0;
  let skipped = 0;
  let mains = 0;
  let base = pageUrl;
  let title: string | null = null;
  let isInTitle = false;
  let addressChars = maxChars * ADDRESS_SHARE;
  const places: Record<"main" | "article", { from: number; to: number }[]> = { main: [], article: [] };

  /** A link beyond the limit is text without its address. */
  const resolve = (href: string | undefined, to = base) => {
    addressChars -= to.length + (href?.length ?? 0);
    return addressChars < 0 ? null : toAbsolute(href, to);
  };

  const pop = () => {
    const { end, isSkipped, isMain } = open.pop()!;
    if (isSkipped) skipped--;
    if (isMain) mains--;
    end?.();
  };

  function begin(name: string, attributes: Attributes): Open {
    const isSkipped = isHidden(name, attributes) || (mains === 0 && isAround(name, attributes));
    const isMain = name === "main" || name === "article" || attributes.role === "main";
    if (isMain) mains++;
    if (isSkipped) skipped++;
    return { name, isSkipped, isMain, ...(skipped === 0 && { end: enter(name, attributes) }) };
  }

  /** Writes what an element begins with. Returns what ends it. */
  function enter(name: string, attributes: Attributes): (() => void) | undefined {
    const wrapped =
      (wrap: (text: string) => string, mark: Mark = writer.beginMark()) =>
      () =>
        writer.endMark(mark, wrap);
    if (name === "main" || name === "article" || attributes.role === "main") {
      const place = { from: writer.endBlock(), to: 0 };
      places[name === "article" ? "article" : "main"].push(place);
      return () => void (place.to = writer.endBlock());
    }
    switch (name) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        writer.beginHeading(Number(name[1]));
        return () => writer.endHeading();
      case "strong":
      case "b":
        return wrapped((text) => `**${text}**`);
      case "em":
      case "i":
        return wrapped((text) => `*${text}*`);
      case "del":
      case "s":
        return wrapped((text) => `~~${text}~~`);
      case "code":
      case "kbd":
      case "samp":
        writer.nameLanguage(languageOf(attributes));
        return wrapped(toCode);
      case "a": {
        const url = resolve(attributes.href);
        if (url === null) return undefined;
        writer.beginLink(url);
        return () => writer.endLink();
      }
      case "pre":
        writer.beginPre(languageOf(attributes));
        return () => writer.endPre();
      case "blockquote":
        writer.beginQuote();
        return () => writer.endContainer();
      case "ul":
        writer.beginList(0);
        return () => writer.endContainer();
      case "ol": {
        const start = Number(attributes.start);
        writer.beginList(Number.isInteger(start) && start > 0 && start < 1e9 ? start : 1);
        return () => writer.endContainer();
      }
      case "li":
        writer.beginItem();
        return () => void writer.endBlock();
      case "table":
        writer.beginTable();
        return () => writer.endTable();
      case "tr":
        writer.beginRow();
        return undefined;
      case "td":
      case "th":
        writer.beginCell(name === "th");
        return undefined;
      default:
        if (!BLOCKS.has(name)) return undefined;
        writer.endBlock();
        return () => void writer.endBlock();
    }
  }

  function writeVoid(name: string, attributes: Attributes): void {
    if (name === "base") base = resolve(attributes.href, pageUrl) ?? base;
    if (skipped > 0 || isHidden(name, attributes)) return;
    if (name === "br") writer.lineBreak();
    if (name === "hr") writer.rule();
    if (name !== "img") return;
    const [alt, src] = [attributes.alt?.trim() ?? "", resolve(attributes.src)];
    // A picture without words, or one in the page itself, says nothing to a reader of text.
    if (alt !== "") writer.text(src === null ? alt : `![${alt}](${src})`);
  }

  readTags(html, {
    open(name, attributes) {
      tags++;
      if (name === "title" && skipped === 0) {
        isInTitle = title === null;
        title ??= "";
        return;
      }
      if (VOID.has(name)) return writeVoid(name, attributes);
      if (name === "head") return;
      while (open.length > 0 && endsOpen(name, open.at(-1)!.name)) pop();
      if (open.length < MAX_OPEN) open.push(begin(name, attributes));
      else untracked++;
    },
    close(name) {
      if (name === "title") {
        isInTitle = false;
        return;
      }
      if (untracked > 0) {
        untracked--;
        return;
      }
      const at = findOpen(open, name);
      while (at !== -1 && open.length > at) pop();
    },
    text(text) {
      if (isInTitle)
        title = (title ?? "").length < MAX_TITLE_CHARS ? `${title}${text}`.slice(0, MAX_TITLE_CHARS) : title;
      else if (skipped === 0) writer.text(text);
    },
    isDone: () => writer.chars > maxChars || tags > MAX_TAGS,
  });
  const isCut = writer.chars > maxChars || tags > MAX_TAGS;
  while (open.length > 0) pop();
  writer.endBlock();
  const markdown = toMain(writer, places).slice(0, maxChars).toWellFormed();
  return { title: (title ?? "").replace(/\s+/g, " ").trim(), markdown, isCut };
}

/** The page's main content if the page marks it and it is more than a frame; else everything. */
function toMain(writer: MarkdownWriter, places: Record<string, { from: number; to: number }[]>): string {
  for (const marked of [places.main!, places.article!]) {
    // Several articles are a list of articles; what is around them may matter as much.
    if (marked.length !== 1) continue;
    const text = writer.toText(marked[0]!.from, marked[0]!.to);
    if (text.length >= MIN_MAIN_CHARS) return text;
  }
  return writer.toText();
}

function findOpen(open: Open[], name: string): number {
  const end = Math.max(0, open.length - MAX_SEARCHED);
  for (let i = open.length - 1; i >= end; i--) if (open[i]!.name === name) return i;
  return -1;
}

/** `null` for what is not an address on the web, and for a place in the same page. */
function toAbsolute(href: string | undefined, base: string): string | null {
  const text = href?.trim() ?? "";
  if (text === "" || text.startsWith("#")) return null;
  const url = URL.parse(text, base);
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) return null;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

const LANGUAGE_PREFIXES = ["language-", "lang-", "highlight-source-"];

function languageOf({ class: names = "" }: Attributes): string {
  for (const name of names.slice(0, 1_000).split(" ")) {
    const prefix = LANGUAGE_PREFIXES.find((each) => name.startsWith(each));
    if (prefix)
      return name
        .slice(prefix.length)
        .replace(/[^\w+#.-]/g, "")
        .slice(0, 30);
  }
  return "";
}

function toCode(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
