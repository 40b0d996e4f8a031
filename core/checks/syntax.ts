// Finds syntax errors in a skill's scripts by file extension: shell, JavaScript, Python, JSON, YAML. Called by run-checks.ts. Runs
// nothing and never throws; a script that cannot be judged counts as valid.
import { Bash, InMemoryFs } from "just-bash/browser";
import { parseDocument } from "yaml";
import { messageOf } from "../errors.ts";
import type { Sandbox } from "../sandbox/check-sandbox.ts";

/** A longer text is not a script, and parsing it would delay the write. */
const MAX_CHARS = 200_000;
/** The parsers of shell and YAML may take quadratic time. */
const MAX_SHELL_CHARS = 20_000;
const MAX_YAML_CHARS = 16_000;
/** A placeholder for a value that varies, as in any text of a skill. */
const PLACEHOLDER = /\{\{\s*[\w-]{1,60}\s*\}\}/g;

/** One line that says what is wrong and where; `null`: no error was found. */
export async function findSyntaxError(path: string, text: string, sandbox: Sandbox): Promise<string | null> {
  if (text.length > MAX_CHARS) return null;
  const filled = text.replace(PLACEHOLDER, "x");
  try {
    switch (/\.(\w{1,5})$/.exec(path)?.[1]?.toLowerCase()) {
      case "sh":
      case "bash":
        return parseShell(filled);
      case "js":
      case "mjs":
      case "cjs":
        return await sandbox.parse(filled);
      case "py":
        return parsePython(filled);
      case "json":
        return parseJson(filled);
      case "yml":
      case "yaml":
        if (text.length > MAX_YAML_CHARS) return null;
        return parseDocument(filled).errors[0]?.message.split("\n")[0] ?? null;
      default:
        return null;
    }
  } catch {
    return null; // a fault of the parser
  }
}

function parseShell(text: string): string | null {
  if (text.length > MAX_SHELL_CHARS) return null;
  try {
    new Bash({ fs: new InMemoryFs({}), defenseInDepth: false }).transform(text);
    return null;
  } catch (thrown) {
    const message = messageOf(thrown);
    return /^Parse error\b/i.test(message) ? message : null;
  }
}

function parseJson(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    return messageOf(thrown).replace(/\s+/g, " "); // the message may quote several lines
  }
}

const CLOSES: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Checks only that brackets and strings are closed, because the Worker has no Python parser. */
function parsePython(text: string): string | null {
  const open: { bracket: string; line: number }[] = [];
  let line = 1;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\n") line += 1;
    else if (char === "#") i = endOfLine(text, i) - 1;
    else if (char === "\\") {
      if (text[i + 1] === "\n") line += 1;
      i += 1;
    } else if (char === '"' || char === "'") {
      const end = endOfString(text, i);
      if (end === null) return `line ${line}: a string does not end`;
      line += text.slice(i, end).split("\n").length - 1;
      i = end - 1;
    } else if ("([{".includes(char)) open.push({ bracket: char, line });
    else if (CLOSES[char] && open.pop()?.bracket !== CLOSES[char]) return `line ${line}: '${char}' closes nothing`;
  }
  const left = open.at(-1);
  return left ? `line ${left.line}: '${left.bracket}' is not closed` : null;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** The position after the closing quote; `null`: the string does not end. */
function endOfString(text: string, from: number): number | null {
  const mark = text[from]!;
  const isLong = text.startsWith(mark.repeat(3), from);
  const closing = isLong ? mark.repeat(3) : mark;
  for (let i = from + closing.length; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text.startsWith(closing, i)) return i + closing.length;
    else if (!isLong && text[i] === "\n") return null;
  }
  return null;
}
