// The text of an answer as Markdown, block by block: while it streams only its last blocks are made again.
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { Code } from "../../components/code.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { type Block, createBlocks } from "./blocks.ts";

export function AnswerText({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const grow = useMemo(createBlocks, []);
  const blocks = useMemo(() => grow(text), [text]);
  const nodeOf = useBlockNodes();
  return (
    <div class="answer-text">{blocks.map((block, i) => nodeOf(block, i, isStreaming && i === blocks.length - 1))}</div>
  );
}

/** A block that did not change keeps its node, which Preact then skips. */
function useBlockNodes(): (block: Block, i: number, isGrowing: boolean) => VNode {
  const known = useRef(new WeakMap<Block, VNode>());
  return (block, i, isGrowing) => {
    const old = known.current.get(block);
    if (old && !isGrowing) return old;
    const node = <ShownBlock key={i} block={block} isGrowing={isGrowing} />;
    if (!isGrowing) known.current.set(block, node);
    return node;
  };
}

function ShownBlock({ block, isGrowing }: { block: Block; isGrowing: boolean }) {
  if (block.kind === "text") return <Markdown text={block.text} isPlain={block.isPlain ?? false} />;
  // A block that still grows is coloured when it is whole.
  const language = isGrowing ? undefined : block.language;
  return <Code label={`Code${block.language ? ` in ${block.language}` : ""}`} text={block.text} language={language} />;
}
