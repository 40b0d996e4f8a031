// The text of an answer as Markdown, block by block: while it streams only its last block is made again.
import { type Token, type Tokens, lexer } from "marked";
import { useMemo } from "preact/hooks";
import { Code } from "../components/code.tsx";
import { Markdown } from "../components/markdown.tsx";
import { splitMarkdown } from "../components/markdown-pieces.ts";

type Block =
  | { kind: "text"; text: string; isPlain: boolean }
  | { kind: "code"; text: string; language: string | undefined };

/** Short paragraphs share a block: each block costs the browser a parse of its own. */
const BLOCK_CHARS = 1_000;

export function AnswerText({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    <div class="answer-text">
      {blocks.map((block, i) => {
        if (block.kind === "text") return <Markdown key={i} text={block.text} isPlain={block.isPlain} />;
        // A block that still grows is coloured when it is whole.
        const language = isStreaming && i === blocks.length - 1 ? undefined : block.language;
        return (
          <Code
            key={i}
            label={`Code${block.language ? ` in ${block.language}` : ""}`}
            text={block.text}
            language={language}
          />
        );
      })}
    </div>
  );
}

function toBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const { text: piece, isPlain } of splitMarkdown(text)) {
    if (isPlain) blocks.push({ kind: "text", text: piece, isPlain });
    else for (const token of lexer(piece)) add(blocks, token);
  }
  return blocks;
}

function add(blocks: Block[], token: Token): void {
  const last = blocks.at(-1);
  if (token.type === "code") {
    const { text, lang } = token as Tokens.Code;
    blocks.push({ kind: "code", text, language: lang?.split(/\s/)[0] || undefined });
  } else if (last?.kind === "text" && !last.isPlain && last.text.length < BLOCK_CHARS) last.text += token.raw;
  else if (token.type !== "space") blocks.push({ kind: "text", text: token.raw, isPlain: false });
}
