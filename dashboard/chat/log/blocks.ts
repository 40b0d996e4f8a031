// The blocks of an answer's Markdown, kept while it grows: a long answer costs only what its end costs. Pure but for what it keeps.
import { lexer } from "marked";
import { splitMarkdown } from "../../components/markdown-pieces.ts";

/** `isPlain`: shown as it was written. */
export type Block =
  | { kind: "text"; text: string; isPlain?: boolean }
  | { kind: "code"; text: string; language: string | undefined };

interface Token {
  /** Where it begins in the text. */
  at: number;
  /** Absent: only white space. */
  block?: Block;
}

/** More text can still change this many blocks at the end: what follows a list may turn out to belong to it. */
const OPEN_BLOCKS = 2;

/** Answers a function that is called with each longer text. Blocks that no longer grow stay the same objects. Another text begins anew. */
export function createBlocks(): (text: string) => Block[] {
  const tokens: Token[] = [];
  let known = "";
  return (given) => {
    // As the lexer does, whose places are then those of the text.
    const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    const closed = text.startsWith(known) ? countClosed(tokens) : 0;
    const start = tokens[closed]?.at ?? 0;
    tokens.length = closed;
    for (const token of toTokens(text.slice(start), start)) tokens.push(token);
    known = text;
    return tokens.flatMap(({ block }) => block ?? []);
  };
}

function countClosed(tokens: readonly Token[]): number {
  let open = 0;
  let at = tokens.length;
  while (at > 0 && open < OPEN_BLOCKS) {
    at -= 1;
    if (tokens[at]!.block) open += 1;
  }
  return at;
}

function toTokens(text: string, start: number): Token[] {
  let next = start;
  return splitMarkdown(text).flatMap(({ text: piece, isPlain }): Token[] => {
    const at = next;
    next += piece.length;
    return isPlain ? [{ at, block: { kind: "text", text: piece, isPlain } }] : lexPiece(piece, at);
  });
}

function lexPiece(text: string, start: number): Token[] {
  let next = start;
  return lexer(text).map((token): Token => {
    const at = next;
    next += token.raw.length;
    if (token.type === "space") return { at };
    if (token.type !== "code") return { at, block: { kind: "text", text: token.raw } };
    const { text: code, lang } = token as { text: string; lang?: string };
    return { at, block: { kind: "code", text: code, language: lang?.split(/\s/)[0] || undefined } };
  });
}
