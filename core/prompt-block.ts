// The blocks of a prompt that hold what somebody wrote: how one is opened and closed, and how its contents are kept from
// opening or closing one. Used by the skills index, the memory snapshot, project files, notes and recalled text. Pure.

type BlockName = "available_skills" | "memory" | "memory-context" | "project_file" | "news";

/**
 * What opens or closes a block, or one of the fences around what tools brought from outside, however it is spelled. A run of
 * brackets is taken whole: where only its last one went, the one before would open the block.
 */
const FENCE = /<([<\s/]*)((?:available_skills|memory|project_file|news|content)\b)?/gi;

/** `content` is ours but for pieces that went through `withoutFences`. */
export function fence(name: BlockName, content: string): string {
  return `<${name}>\n${content}\n</${name}>`;
}

export function withoutFences(text: string): string {
  return text.replace(FENCE, (all: string, run: string, name: string | undefined) =>
    name === undefined ? all : run.replaceAll("<", "") + name,
  );
}
