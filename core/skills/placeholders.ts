// Fills the placeholders of a skill's text: `{{name}}`, `$ARGUMENTS`, `$1` to `$9`. Used by invocation.ts and by the MCP server. Pure.
import {
  type Piece,
  bindValue,
  findCode,
  quoteForShell,
  splitArguments,
  splitAtSnippets,
  takesArguments,
} from "./arguments.ts";

/** Characters of all filled-in values together, because one value may be inserted many times. */
const MAX_FILLED_CHARS = 20_000;

export interface FilledBody {
  text: string;
  /** The same text. Only what the skill itself wrote as a snippet is one, whatever the values are. */
  pieces: Piece[];
  /** Placeholders without a value, as they stand in the text. */
  open: Set<string>;
  hasDir: boolean;
}

export interface Filling {
  /** By parameter; see `toParameter`. */
  values: Map<string, string>;
  /** Receives the names of the values that were inserted. */
  used: Set<string>;
  dir: string;
  session: string;
  day: string;
  /** All that the person wrote after the names. "": nothing. */
  argument: string;
}

/**
 * Placeholders are plain names in double braces, and `$ARGUMENTS` and `$1`. `${{ … }}` of workflow files, a third brace, dotted names of
 * template languages, unknown variables and sums of money are left as they are.
 */
const PLACEHOLDER =
  /(?<![${\\])\{\{[ \t]{0,8}([\p{L}_][\p{L}\p{N}_-]{0,63})[ \t]{0,8}\}\}(?!\})|\$\{(HERMES_SKILL_DIR|HERMES_SESSION_ID)\}|(?<![\\$\w])\$(ARGUMENTS|[1-9])(?!\w|[.,]\d)/gu;

/**
 * Fills placeholders in one pass, so that a value is never filled again. The command of an inline snippet reads values from variables.
 * `$ARGUMENTS` and `$1` are filled only if there are arguments.
 */
export function fillPlaceholders(content: string, given: Filling): FilledBody {
  const open = new Set<string>();
  let hasDir = false;
  let room = MAX_FILLED_CHARS;
  const words = splitArguments(given.argument);
  const isCode = findCode(content);
  const inCode = takesArguments(content);
  const builtIn = (name: string): string | undefined => {
    if (name === "skill_dir" || name === "HERMES_SKILL_DIR") {
      hasDir = true;
      return given.dir;
    }
    if (name === "session_id" || name === "HERMES_SESSION_ID") return given.session;
    return name === "day" ? given.day : undefined;
  };
  const findArgument = (all: string, name: string, at: number): Found => {
    const value = name === "ARGUMENTS" ? given.argument.trim() : words[Number(name) - 1];
    const isPlaceholder = name === "ARGUMENTS" || inCode || !isCode(at);
    if (isPlaceholder && value && value.length <= room) return { text: value, isGiven: true };
    if (isPlaceholder && inCode) open.add(all);
    return { text: all, isGiven: false };
  };
  const find = (all: string, parameter: string | undefined, variable: string | undefined): Found => {
    if (parameter === undefined) return { text: builtIn(variable!) ?? all, isGiven: false };
    const name = toParameter(parameter);
    const value = given.values.get(name);
    if (value !== undefined && value.length <= room) {
      given.used.add(name);
      return { text: value, isGiven: true };
    }
    const known = builtIn(name);
    if (known === undefined) open.add(`{{${parameter}}}`);
    return { text: known ?? all, isGiven: false };
  };
  const pieces = splitAtSnippets(content).map(({ from, text, isSnippet }): Piece => {
    const bound: string[] = [];
    let [command, end] = ["", 0];
    const filled = text.replace(
      PLACEHOLDER,
      (all: string, parameter?: string, variable?: string, argument?: string, at = 0) => {
        const found = argument === undefined ? find(all, parameter, variable) : findArgument(all, argument, from + at);
        if (found.isGiven) room -= found.text.length;
        const isBound = isSnippet && found.isGiven;
        command += text.slice(end, at) + (isBound ? bindValue(bound, found.text, text.slice(0, at)) : found.text);
        end = at + all.length;
        return isBound ? quoteForShell(found.text) : found.text;
      },
    );
    if (!isSnippet) return { text: filled };
    const snippet = command + text.slice(end);
    return { text: filled, command: [...bound, snippet.slice(2, -1)].join("; ") };
  });
  return { text: pieces.map((piece) => piece.text).join(""), pieces, open, hasDir };
}

/** What takes the place of a placeholder. */
interface Found {
  text: string;
  /** The person wrote it. */
  isGiven: boolean;
}

export function toParameter(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}
