// The blocks of a frozen prompt that hold what was learned: how one is opened and closed, and how its contents are kept
// from opening or closing one. Used by the skills index and the memory snapshot. Pure.

type BlockName = "available_skills" | "memory";

/** What opens or closes a block, however it is spelled. */
const FENCE = /<(?=\s*\/?\s*(?:available_skills|memory)\b)/gi;

/** `content` is ours but for pieces that went through `withoutFences`. */
export function fence(name: BlockName, content: string): string {
  return `<${name}>\n${content}\n</${name}>`;
}

export function withoutFences(text: string): string {
  return text.replace(FENCE, "");
}
