// Colours the code of an answer. Called by theme.ts. Pure; the languages are loaded when the first block of code is shown.
import { createRequire } from "node:module";

/** Longer blocks stay plain: a stream colours its last block again with every piece. */
const MAX_CHARS = 20_000;

/** Gives a text a look, by escape sequences in front of it and behind it. */
export type Style = (text: string) => string;

export interface CodeStyles {
  keyword: Style;
  string: Style;
  number: Style;
  name: Style;
  faint: Style;
}

/** What is used of the library. Its own types bring those of a browser, which the Workers of this project do not have. */
interface Highlighter {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

const require = createRequire(import.meta.url);
let loaded: Highlighter | undefined;

/** One item a line. Code in an unknown language stays as it is. */
export function highlightCode(code: string, language: string | undefined, styles: CodeStyles): string[] {
  const plain = code.split("\n");
  if (!language || code.length > MAX_CHARS) return plain;
  loaded ??= require("highlight.js/lib/common") as Highlighter;
  if (!loaded.getLanguage(language)) return plain;
  try {
    return toLines(loaded.highlight(code, { language, ignoreIllegals: true }).value, styles);
  } catch {
    return plain; // a fault of a grammar costs the colours only
  }
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

/** The highlighter answers HTML of nested spans. A style ends at the end of its line and begins again on the next one. */
function toLines(html: string, styles: CodeStyles): string[] {
  const open: (Style | null)[] = [];
  const lines = [""];
  for (const [, scope, end, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (scope !== undefined) open.push(chooseStyle(scope, styles));
    else if (end) open.pop();
    else {
      const style = open.findLast((one) => one !== null) ?? ((plain: string) => plain);
      const plain = text!.replace(/&([a-z]+|#x?\d+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
      plain.split("\n").forEach((piece, at) => {
        if (at > 0) lines.push("");
        if (piece !== "") lines[lines.length - 1] += style(piece);
      });
    }
  }
  return lines;
}

function chooseStyle(scope: string, styles: CodeStyles): Style | null {
  if (/hljs-(?:keyword|literal|type|built_in|meta|section|selector-tag)/.test(scope)) return styles.keyword;
  if (/hljs-(?:string|regexp|addition|link)/.test(scope)) return styles.string;
  if (/hljs-(?:number|symbol|bullet|variable)/.test(scope)) return styles.number;
  if (/hljs-(?:title|attr|attribute|name|tag|property)/.test(scope)) return styles.name;
  if (/hljs-(?:comment|quote|deletion)/.test(scope)) return styles.faint;
  return null;
}
