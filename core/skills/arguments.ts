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

/** A part of a text whose placeholders are filled. */
export interface Piece {
  text: string;
  /** Of an inline snippet (``!`command` ``): what to run. */
  command?: string;
}

interface Cut {
  /** The offset at which the piece begins. */
  from: number;
  text: string;
  isSnippet: boolean;
}

/** The pieces of a text, in their order. */
export function splitAtSnippets(text: string): Cut[] {
  const pieces: Cut[] = [];
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
  return pieces.flatMap(({ command }) => command ?? []);
}

/**
 * Assigns a value to the next variable in `bound`, and returns what stands for it in a command. So the shell never reads a value as a part of the
 * command, whatever quotes the skill has around its placeholder. `before`: the command up to there.
 */
export function bindValue(bound: string[], value: string, before: string): string {
  const name = `talaria_arg_${bound.length + 1}`;
  bound.push(`${name}=${quoteForShell(value)}`);
  const quote = findOpenQuote(before);
  if (quote === '"') return `\${${name}}`;
  return quote === "'" ? `'"\${${name}}"'` : `"\${${name}}"`;
}

/** The quote that is open at the end of a command; "" for none. A wrong guess, as about nested ones, splits a value into words and runs nothing. */
function findOpenQuote(command: string): string {
  let quote = "";
  for (let i = 0; i < command.length; i++) {
    const char = command[i]!;
    if (char === quote) quote = "";
    else if (char === "\\" && quote !== "'") i++;
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
  }
  return quote;
}

/** One word of a shell. */
export function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
