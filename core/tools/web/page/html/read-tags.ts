// Reads HTML as a sequence of tags and texts, in time that is linear in its length. Called by html-to-markdown.ts. htmlparser2's
// tokenizer does the work: its parser keeps a stack that takes quadratic time on tags that are nested or mismatched 100,000 deep.
import { Tokenizer } from "htmlparser2";

export interface TagReader {
  /** `name` is in lower case. `attributes` has only those of `KEPT`. */
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text(text: string): void;
  /** Asked after each piece. True ends the reading. */
  isDone(): boolean;
}

/** What a conversion needs. Pages have many others, some of them very long. */
const KEPT = new Set([
  ...[
    "href",
    "src",
    "alt",
    "class",
    "style",
    "hidden",
    "aria-hidden",
    "role",
    "start",
    "lang",
    "name",
    "property",
    "content",
  ],
]);
const MAX_ATTRIBUTE_CHARS = 4_000;
/** Pieces in which the page is read, so that it can end early. */
const PIECE_CHARS = 64 << 10;
/** No element has a longer name; a longer one is cut. */
const MAX_NAME_CHARS = 40;

export function readTags(html: string, reader: TagReader): void {
  let offset = 0;
  let piece = "";
  let kept = ""; // a name that began in an earlier piece
  let name = "";
  let attributes: Record<string, string> = {};
  let attribute: string | null = null;
  let value = "";
  const take = (start: number, end: number) =>
    start >= offset ? piece.slice(start - offset, end - offset) : html.slice(start, end);
  const openTag = () => {
    reader.open(name, attributes);
    attributes = {};
  };
  const addToValue = (text: string) => {
    if (attribute !== null && value.length < MAX_ATTRIBUTE_CHARS) value += text.slice(0, MAX_ATTRIBUTE_CHARS);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, end) => void (name = take(start, Math.min(end, start + MAX_NAME_CHARS)).toLowerCase()),
      onattribname(start, end) {
        kept = end - start > MAX_NAME_CHARS ? "" : take(start, end).toLowerCase();
        attribute = KEPT.has(kept) && !Object.hasOwn(attributes, kept) ? kept : null;
        value = "";
      },
      onattribdata: (start, end) => addToValue(take(start, Math.min(end, start + MAX_ATTRIBUTE_CHARS))),
      onattribentity: (code) => addToValue(String.fromCodePoint(code)),
      onattribend: () => void (attribute !== null && (attributes[attribute] = value)),
      onopentagend: openTag,
      onselfclosingtag: openTag,
      onclosetag: (start, end) => reader.close(take(start, Math.min(end, start + MAX_NAME_CHARS)).toLowerCase()),
      ontext: (start, end) => reader.text(take(start, end)),
      ontextentity: (code) => reader.text(String.fromCodePoint(code)),
      // Comments, doctypes, CDATA in HTML and processing instructions are not text.
      oncomment: () => undefined,
      oncdata: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  for (; offset < html.length && !reader.isDone(); offset += PIECE_CHARS) {
    piece = html.slice(offset, offset + PIECE_CHARS);
    tokenizer.write(piece);
  }
  if (!reader.isDone()) tokenizer.end();
}
