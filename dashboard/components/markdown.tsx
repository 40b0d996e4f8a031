// Texts of models and people as Markdown. Everything passes DOMPurify, which gives the only HTML that the page's policy lets in. An image
// of another host becomes a link, since the page sends requests to its own server only.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "preact/hooks";
import { type Piece, splitMarkdown } from "./markdown-pieces.ts";

const marked = new Marked({ gfm: true, breaks: true, async: false });
const OPTIONS = {
  ALLOWED_TAGS:
    "p br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a input".split(
      " ",
    ),
  ALLOWED_ATTR: ["href", "title", "align", "start", "type", "checked", "disabled", "class", "dir"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_TRUSTED_TYPE: true,
};

marked.use({
  renderer: {
    // HTML in a text is shown as it was written.
    html: ({ text }) => escape(text),
    image: ({ href, text }) => `<a href="${escape(href)}">${escape(text || href)}</a>`,
    heading({ tokens, depth }) {
      // The page has its own h1 and h2.
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
  },
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("rel", "noopener noreferrer nofollow");
    node.setAttribute("target", "_blank");
    showWhereTo(node);
  } else if (node.tagName === "INPUT") {
    // A task list's box, and nothing else.
    node.setAttribute("type", "checkbox");
    node.setAttribute("disabled", "");
    node.setAttribute("aria-label", "Task");
  } else if (/^(?:P|LI|H[1-6]|BLOCKQUOTE|TD|TH)$/.test(node.tagName)) node.setAttribute("dir", "auto");
  else if (node.tagName === "PRE") node.setAttribute("tabindex", "0");
});

/** `isPlain`: all of it as it was written. */
export function Markdown({ text, isPlain = false }: { text: string; isPlain?: boolean }) {
  const html = useMemo(() => toSafeHtml(isPlain ? [{ text, isPlain }] : splitMarkdown(text)), [text, isPlain]);
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html as unknown as string }} />;
}

function toSafeHtml(pieces: Piece[]): unknown {
  return DOMPurify.sanitize(pieces.map(toHtml).join(""), OPTIONS);
}

function toHtml({ text, isPlain }: Piece): string {
  return isPlain ? `<p>${escape(text).replaceAll("\n", "<br>")}</p>` : (marked.parse(text) as string);
}

/** The words of a link are its writer's, also a title. So the host stands behind it, unless the words themselves begin with it. */
function showWhereTo(link: Element): void {
  link.removeAttribute("title");
  const href = link.getAttribute("href") ?? "";
  if (!URL.canParse(href)) return;
  const address = new URL(href);
  link.setAttribute("title", address.href);
  const place = address.host || address.pathname;
  const words = (link.textContent ?? "").trim().replace(/^(?:https?:\/\/|mailto:)/i, "");
  if (!words.startsWith(place) || /^[^/?#:]/.test(words.slice(place.length))) link.setAttribute("data-place", place);
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
