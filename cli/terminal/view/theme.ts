// How the terminal looks: one style for each kind of text, with or without colour. Used by every view. Pure.
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import { type Style, highlightCode } from "./highlight.ts";

export interface Theme {
  strong: Style;
  faint: Style;
  /** What the person wrote. */
  person: Style;
  accent: Style;
  good: Style;
  bad: Style;
  warn: Style;
  added: Style;
  removed: Style;
  markdown: MarkdownTheme;
  editor: EditorTheme;
  list: SelectListTheme;
}

/** Without colour (`NO_COLOR`) only bold, faint, italic and underlined text is left. */
export function createTheme(hasColour: boolean): Theme {
  const attribute =
    (on: number, off: number): Style =>
    (text) =>
      text === "" ? text : `\x1b[${on}m${text}\x1b[${off}m`;
  const colour = (code: number): Style => (hasColour ? attribute(code, 39) : (text) => text);
  const strong = attribute(1, 22);
  const faint = attribute(2, 22);
  const italic = attribute(3, 23);
  const underline = attribute(4, 24);
  const [red, green, yellow, magenta, cyan] = [31, 32, 33, 35, 36].map(colour) as [Style, Style, Style, Style, Style];
  const list: SelectListTheme = {
    selectedPrefix: cyan,
    selectedText: (text) => strong(cyan(text)),
    description: faint,
    scrollInfo: faint,
    noMatch: faint,
  };
  return {
    strong,
    faint,
    person: (text) => strong(cyan(text)),
    accent: cyan,
    good: green,
    bad: red,
    warn: yellow,
    added: green,
    removed: red,
    list,
    editor: { borderColor: faint, selectList: list },
    markdown: {
      heading: (text) => strong(text),
      link: underline,
      linkUrl: faint,
      code: cyan,
      codeBlock: (text) => text,
      codeBlockBorder: faint,
      quote: italic,
      quoteBorder: faint,
      hr: faint,
      listBullet: cyan,
      bold: strong,
      italic,
      strikethrough: attribute(9, 29),
      underline,
      highlightCode: (code, language) =>
        hasColour
          ? highlightCode(code, language, { keyword: magenta, string: green, number: yellow, name: cyan, faint })
          : code.split("\n"),
    },
  };
}
