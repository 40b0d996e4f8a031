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

/** The commands of the inline snippets (``!`command` ``) of a text, in their order. */
export function listSnippets(text: string): string[] {
  return [...text.matchAll(SNIPPET)].map(([, command]) => command!);
}

/** The text with the outputs of its snippets in their places. `isOutput`: the piece is one. */
export function splitAtSnippets(
  text: string,
  outputs: ReadonlyMap<string, string>,
): { text: string; isOutput: boolean }[] {
  const pieces: { text: string; isOutput: boolean }[] = [];
  let from = 0;
  for (const found of text.matchAll(SNIPPET)) {
    const output = outputs.get(found[1]!);
    if (output === undefined) continue;
    pieces.push({ text: text.slice(from, found.index), isOutput: false }, { text: output, isOutput: true });
    from = found.index + found[0].length;
  }
  return [...pieces, { text: text.slice(from), isOutput: false }];
}

/** One word of a shell. */
export function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
