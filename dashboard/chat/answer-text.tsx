// The text of an answer as Markdown, block by block: while it streams only its last block is made again.
import { lexer } from "marked";
import { useMemo } from "preact/hooks";
import { Code } from "../components/code.tsx";
import { Markdown } from "../components/markdown.tsx";

type Block = { kind: "text"; text: string } | { kind: "code"; text: string; language: string | undefined };

export function AnswerText({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    <div class="answer-text">
      {blocks.map((block, i) => {
        if (block.kind === "text") return <Markdown key={i} text={block.text} />;
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
  return lexer(text).flatMap((token): Block[] => {
    if (token.type === "space") return [];
    if (token.type !== "code") return [{ kind: "text", text: token.raw }];
    const { text: code, lang } = token as { text: string; lang?: string };
    return [{ kind: "code", text: code, language: lang?.split(/\s/)[0] || undefined }];
  });
}
