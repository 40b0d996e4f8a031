// What the elements of HTML mean for a text: which are left out, which begin a block, which end others. Pure data.

/** Their text is no part of what a reader of the page sees, or only works in a browser. */
export const SKIPPED = new Set([
  ...["script", "style", "noscript", "template", "svg", "math", "canvas", "iframe", "object", "embed", "applet"],
  ...[
    "audio",
    "video",
    "map",
    "nav",
    "button",
    "select",
    "datalist",
    "textarea",
    "dialog",
    "menu",
    "noembed",
    "noframes",
  ],
]);

/** Left out unless they are in the page's main content: there a header holds the title and the author. */
export const SKIPPED_OUTSIDE_MAIN = new Set(["header", "footer", "aside"]);

/** ARIA roles of what surrounds the content. */
export const SKIPPED_ROLES = new Set([
  ...["navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist", "tooltip"],
]);
export const SKIPPED_ROLES_OUTSIDE_MAIN = new Set(["banner", "contentinfo", "complementary"]);

export const VOID = new Set([
  ...["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"],
]);

export const BLOCKS = new Set([
  ...["address", "article", "aside", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset"],
  ...[
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "legend",
    "main",
    "p",
    "section",
    "summary",
  ],
  ...["thead", "tbody", "tfoot", "optgroup", "option"],
]);

/** An opening tag ends an open element of these names, if it is the innermost one (tags that HTML lets authors leave out). */
const NEXT_TO: Record<string, string[]> = {
  li: ["li"],
  dt: ["dt", "dd"],
  dd: ["dt", "dd"],
  tr: ["tr", "td", "th"],
  td: ["td", "th"],
  th: ["td", "th"],
  tbody: ["thead", "tbody", "tfoot", "tr", "td", "th"],
  tfoot: ["thead", "tbody", "tfoot", "tr", "td", "th"],
  option: ["option"],
};
const ENDS_PARAGRAPH = /^(?:h[1-6]|ul|ol|dl|table|pre|blockquote|hr)$/;

export function endsOpen(opening: string, innermost: string): boolean {
  if (innermost === "p") return BLOCKS.has(opening) || ENDS_PARAGRAPH.test(opening) || opening in NEXT_TO;
  return Object.hasOwn(NEXT_TO, opening) && NEXT_TO[opening]!.includes(innermost);
}
