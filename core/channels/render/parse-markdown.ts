// Markdown to pieces, with the lexer of `marked`. What it cannot read, it leaves as plain text: nothing of a text is lost. Pure.
import { Lexer, type Token, type Tokens } from "marked";
import { decodeReferences } from "./references.ts";
import type { Container, Mark, Piece, Run } from "./pieces.ts";
import { cutInline, cutSource, nestsTooDeep } from "./source.ts";

export function parseMarkdown(markdown: string): Piece[] {
  const ids = { next: 0 };
  return cutSource(markdown.replaceAll(/\r\n?/g, "\n").replaceAll("\u0000", "\uFFFD")).flatMap((part) => {
    if (nestsTooDeep(part)) return toPlain(part);
    try {
      return flatten(lex(part), [], ids);
    } catch (thrown) {
      // The lexer recurses; a text that exhausts the stack is shown as it was written.
      if (thrown instanceof RangeError) return toPlain(part);
      throw thrown;
    }
  });
}

function lex(part: string): Token[] {
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(part, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue)
    for (const piece of cutInline(src)) lexer.inlineTokens(piece, tokens);
  return lexer.tokens;
}

function toPlain(part: string): Piece[] {
  return part
    .split(/\n{2,}/)
    .filter((text) => text.trim() !== "")
    .map((text) => ({ in: [], tight: false, body: { kind: "paragraph", runs: [{ text, raw: text, marks: [] }] } }));
}

function flatten(tokens: readonly Token[], containers: readonly Container[], ids: { next: number }): Piece[] {
  const pieces: Piece[] = [];
  const add = (body: Piece["body"]) => pieces.push({ in: containers, tight: false, body });
  for (const token of tokens as readonly Tokens.Generic[]) {
    switch (token.type) {
      case "heading":
        add({ kind: "heading", level: token["depth"] as number, runs: toRuns(token.tokens ?? [], []) });
        break;
      case "code":
        add({ kind: "code", language: toLanguage(token["lang"]), text: token["text"] as string });
        break;
      case "hr":
        add({ kind: "rule" });
        break;
      case "blockquote":
        pieces.push(...flatten(token.tokens ?? [], [...containers, { kind: "quote", id: ++ids.next }], ids));
        break;
      case "list":
        pieces.push(...flattenList(token as Tokens.List, containers, ids));
        break;
      case "table":
        add(toTable(token as Tokens.Table));
        break;
      case "space":
      case "def":
      case "checkbox":
        break;
      case "html":
        add({ kind: "paragraph", runs: toRuns([{ ...token, raw: token.raw.trimEnd() }] as Token[], []) });
        break;
      default:
        add({ kind: "paragraph", runs: toRuns(token.tokens ?? [token as Token], []) });
    }
  }
  return pieces.filter(({ body }) => body.kind !== "paragraph" || body.runs.length > 0);
}

function flattenList(list: Tokens.List, containers: readonly Container[], ids: { next: number }): Piece[] {
  const listId = ++ids.next;
  const first = list.ordered ? Number(list.start === "" ? 1 : list.start) : null;
  return list.items.flatMap((item, index) => {
    const container: Container = {
      kind: "item",
      id: ++ids.next,
      list: listId,
      number: first === null ? null : first + index,
      checked: item.task ? item.checked === true : null,
      starts: true,
    };
    const within = flatten(item.tokens, [...containers, container], ids);
    const pieces: Piece[] =
      within.length > 0
        ? within
        : [{ in: [...containers, container], tight: false, body: { kind: "paragraph", runs: [] } }];
    return pieces.map((piece, at) => ({
      ...piece,
      in: at === 0 ? piece.in : piece.in.map((one) => (one === container ? { ...container, starts: false } : one)),
      tight: piece.tight || (at === 0 ? index > 0 && !list.loose : !item.loose),
    }));
  });
}

function toTable(table: Tokens.Table): Piece["body"] {
  const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => toRuns(cell.tokens, []));
  return { kind: "table", header: cells(table.header), rows: table.rows.map(cells), align: table.align };
}

function toLanguage(info: unknown): string {
  return /^[\w+#.-]{1,40}/.exec(typeof info === "string" ? info : "")?.[0] ?? "";
}

function toRuns(tokens: readonly Token[], marks: readonly Mark[]): Run[] {
  return (tokens as readonly Tokens.Generic[]).flatMap((token, at): Run[] => {
    const inner = (mark: Mark) => toRuns(token.tokens ?? [], [...marks, mark]);
    switch (token.type) {
      case "strong":
        return inner({ kind: "bold" });
      case "em":
        if (isMultiplied(tokens, at)) {
          const { raw } = token;
          return [{ text: decodeReferences(raw), raw: raw.replaceAll("*", "\\*"), marks }];
        }
        return inner({ kind: "italic" });
      case "del":
        return inner({ kind: "strike" });
      case "codespan":
        return [{ text: token["text"] as string, raw: token.raw, marks: [...marks, { kind: "code" }] }];
      case "link":
        return toLink(token as Tokens.Link, inner({ kind: "link", href: String(token["href"]), image: false }), marks);
      case "image": {
        const alt = (token as Tokens.Image).text || (token as Tokens.Image).href;
        const mark: Mark = { kind: "link", href: String(token["href"]), image: true };
        return toLink(
          token as Tokens.Image,
          [{ text: decodeReferences(alt), raw: alt, marks: [...marks, mark] }],
          marks,
        );
      }
      case "br":
        return [{ text: "\n", raw: "\n", marks }];
      case "checkbox":
        return [];
      case "escape":
        return [{ text: token["text"] as string, raw: token.raw, marks }];
      case "html":
        return [
          /^<br\s?\/?>$/i.test(token.raw)
            ? { text: "\n", raw: "\n", marks }
            : { text: token.raw, raw: token.raw, marks },
        ];
      default:
        if (token.tokens) return toRuns(token.tokens, marks);
        return [{ text: decodeReferences(token.raw), raw: token.raw, marks }];
    }
  });
}

/** `2*3*4`: for CommonMark it has an emphasis, and its writer meant none. */
function isMultiplied(tokens: readonly Token[], at: number): boolean {
  const [before = "", { raw }, after = ""] = [tokens[at - 1]?.raw, tokens[at]!, tokens[at + 1]?.raw];
  return /\d$/.test(before.slice(-1)) && /^\*[\w.+-]+\*$/.test(raw) && /^\w/.test(after);
}

const SCHEMES = /^(?:https?:\/\/|mailto:|tel:)/i;

/** A link that leads nowhere on the platform, such as a path or a script, stays as it was written. */
function toLink(token: Tokens.Link | Tokens.Image, runs: Run[], marks: readonly Mark[]): Run[] {
  if (!SCHEMES.test(token.href)) return [{ text: token.raw, raw: token.raw, marks }];
  return runs.filter(({ text }) => text !== "");
}
