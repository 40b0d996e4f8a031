// The arguments of a slash command in a skill's text: `$ARGUMENTS`, `$1` to `$9`, and which parts of the text are code. Used by
// invocation.ts. Pure.

/** The words of a line; quotes keep blanks together. */
export function splitArguments(text: string): string[] {
  const words = text.match(/"[^"]*"|'[^']*'|[^\s"']+|["']/g) ?? [];
  return words.map((word) => (/^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1) : word));
}

/**
 * Whether `$1` in code is an argument too: the skill says that it takes arguments. In the code of other skills it belongs to a shell or
 * to awk.
 */
export function takesArguments(skillText: string): boolean {
  const header = skillText.startsWith("---\n") ? skillText.slice(0, Math.max(0, skillText.indexOf("\n---", 4))) : "";
  return skillText.includes("$ARGUMENTS") || /^(?:argument-hint|arguments):/m.test(header);
}

/** Says of an offset whether it is between backticks. */
export function findCode(text: string): (at: number) => boolean {
  const edges: number[] = [];
  for (let at = text.indexOf("`"); at >= 0;) {
    let end = at;
    while (text[end] === "`") end++;
    const closing = text.indexOf(text.slice(at, end), end);
    if (closing < 0) break;
    edges.push(at, closing);
    at = text.indexOf("`", closing + end - at);
  }
  return (at) => edges.some((edge, i) => i % 2 === 0 && at > edge && at < edges[i + 1]!);
}

const SNIPPET = /!`([^`\n]{1,2000})`/g;

export interface Piece {
  text: string;
  /** The piece is an inline snippet: ``!`command` ``. */
  isSnippet: boolean;
}

/** The pieces of a text, in their order. `from`: the offset at which a piece begins. */
export function splitAtSnippets(text: string): (Piece & { from: number })[] {
  const pieces: (Piece & { from: number })[] = [];
  let from = 0;
  for (const { 0: snippet, index } of text.matchAll(SNIPPET)) {
    pieces.push({ from, text: text.slice(from, index), isSnippet: false });
    pieces.push({ from: index, text: snippet, isSnippet: true });
    from = index + snippet.length;
  }
  return [...pieces, { from, text: text.slice(from), isSnippet: false }];
}

/** The commands of the snippets among the pieces. */
export function listSnippets(pieces: readonly Piece[]): string[] {
  return pieces.filter(({ isSnippet }) => isSnippet).map(toCommand);
}

/** Of a snippet, whose command may contain backticks once its placeholders are filled. */
export function toCommand({ text }: Pick<Piece, "text">): string {
  return text.slice(2, -1);
}

/** One word of a shell. */
export function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
