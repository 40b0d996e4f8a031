// Every simple command in a command line, wherever it is: in pipelines, lists, loops, functions and substitutions. Reads the tree of
// the shell's parser. Used by judge-command.ts. Pure.
import { Bash, InMemoryFs } from "just-bash/browser";
import { isObject } from "../../../unknown-object.ts";
import { type Node, UNKNOWN, type Variables, expandWord, isNode, printedBy } from "./shell-words.ts";

/** One program with its words. */
export interface SimpleCommand {
  /** The program and its arguments; empty for a command that only sets variables or redirects. */
  words: string[];
  /** `NAME=value` before the program. */
  variables: string[];
  /** `target`: a file, or the text of a here-document or here-string. */
  redirections: { operator: string; target: string }[];
  /** What the command reads as input, if it is in the command line itself. */
  input: string | null;
  /** The commands before it in its pipeline, the nearest last. */
  before: SimpleCommand[];
  /** An argument is the output of another command, as in `source <(curl …)` or `sh -c "$(curl …)"`. */
  substituted: SimpleCommand[];
}

export interface ParsedLine {
  commands: SimpleCommand[];
  /** Texts in arithmetic that a shell would run. */
  scripts: string[];
  /** A function that calls itself in a pipeline or in the background. */
  isForkBomb: boolean;
  /** A pipeline has more commands than can be judged, each by all before it. */
  isTooLong: boolean;
}

/** The parser, made once: it keeps nothing between two texts. */
let parser: Bash | undefined;

/** `null`: the text is not a valid command, or is of a kind that the parser does not know. */
export function parseLine(text: string): ParsedLine | null {
  parser ??= new Bash({ fs: new InMemoryFs({}), defenseInDepth: false, commands: [] });
  try {
    const line: ParsedLine = { commands: [], scripts: [], isForkBomb: false, isTooLong: false };
    walk(parser.transform(text).ast, { line, variables: new Map(), depth: 0 });
    return line;
  } catch {
    return null; // a syntax error, or too deep for the stack
  }
}

interface Walk {
  line: ParsedLine;
  variables: Variables;
  depth: number;
}

const MAX_DEPTH = 200;
/** Commands of one pipeline. */
const MAX_PIPED = 200;

function walk(value: unknown, at: Walk): void {
  if (at.depth > MAX_DEPTH) throw new RangeError("too deep");
  const inner = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) {
    for (const one of value as unknown[]) walk(one, inner);
    return;
  }
  if (!isObject(value)) return;
  if (isNode(value)) {
    if (value["deferredError"] !== undefined) throw new SyntaxError("deferred");
    if (value.type === "Pipeline") return walkPipeline(value, inner);
    if (value.type === "ArithCommandSubst") at.line.scripts.push(String(value["command"]));
    if (value.type === "FunctionDef") at.line.isForkBomb ||= isForkBomb(value);
    if (value.type === "For") forgetOrKnow(value, inner);
  }
  for (const child of Object.values(value)) walk(child, inner);
}

/** A loop over one known word has a known variable. */
function forgetOrKnow(loop: Node, { variables }: Walk): void {
  const words = Array.isArray(loop["words"])
    ? (loop["words"] as unknown[]).flatMap((word) => expandWord(word, variables))
    : [];
  if (words.length === 1) variables.set(String(loop["variable"]), words[0]!);
  else variables.delete(String(loop["variable"]));
}

function walkPipeline(pipeline: Node, at: Walk): void {
  const before: SimpleCommand[] = [];
  const commands = pipeline["commands"] as unknown[];
  at.line.isTooLong ||= commands.length > MAX_PIPED;
  for (const command of commands.slice(0, MAX_PIPED)) {
    if (!isNode(command)) continue;
    if (command.type === "SimpleCommand") {
      const simple = readCommand(command, before, at);
      before.push(simple);
      at.line.commands.push(simple);
    } else {
      const from = at.line.commands.length;
      walk(command, at);
      // A group in a pipeline passes its input to the commands inside.
      for (const inner of at.line.commands.slice(from)) {
        if (inner.before.length === 0) inner.before = [...before];
      }
      before.push(...at.line.commands.slice(from));
      at.line.commands.push(...readRedirections(command, at));
    }
  }
}

/** The redirections of a group or a loop, as a command of their own. */
function readRedirections(command: Node, { variables }: Walk): SimpleCommand[] {
  const redirections = toRedirections(command["redirections"], variables);
  if (redirections.length === 0) return [];
  return [{ words: ["{"], variables: [], redirections, input: null, before: [], substituted: [] }];
}

function readCommand(command: Node, before: SimpleCommand[], at: Walk): SimpleCommand {
  const { variables, line } = at;
  const from = line.commands.length;
  for (const key of ["name", "args", "assignments", "redirections"]) walk(command[key], at);
  const substituted = line.commands.slice(from);
  const words = [command["name"], ...(command["args"] as unknown[])]
    .filter((word) => word !== null)
    .flatMap((word) => expandWord(word, variables));
  const assigned = ((command["assignments"] ?? []) as Node[]).map((assignment) => {
    const value = assignment["value"] === null ? UNKNOWN : expandWord(assignment["value"], variables).join(" ");
    const name = String(assignment["name"]);
    if (words.length === 0) {
      if (assignment["append"] === true) variables.set(name, `${variables.get(name) ?? ""}${value}`);
      else variables.set(name, value);
    }
    return `${name}=${value}`;
  });
  const redirections = toRedirections(command["redirections"], variables);
  const here = redirections.findLast(({ operator }) => operator.startsWith("<<"));
  const last = before.at(-1);
  const printed = last ? passedOn(last) : null;
  return { words, variables: assigned, redirections, input: here?.target ?? printed, before: [...before], substituted };
}

/** What a command before in the pipeline hands on, if it is known: of `echo`, or of `cat` with a here-document. */
function passedOn({ words, input }: SimpleCommand): string | null {
  if (words[0] === "cat" && words.length <= 1) return input;
  return printedBy(words);
}

function toRedirections(redirections: unknown, variables: Variables): SimpleCommand["redirections"] {
  if (!Array.isArray(redirections)) return [];
  return (redirections as Node[]).map((redirection) => {
    const operator = String(redirection["operator"]);
    const target = redirection["target"];
    const word = isNode(target) && target.type === "HereDoc" ? target["content"] : target;
    // Expanding a here-document never splits it.
    return { operator, target: expandWord(quote(word, operator), variables).join(" ") };
  });
}

function quote(word: unknown, operator: string): unknown {
  if (!operator.startsWith("<<") || !isNode(word)) return word;
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts: word["parts"] }] };
}

function isForkBomb({ name, body }: Node): boolean {
  const text = JSON.stringify(body);
  const calls = text.split(JSON.stringify({ type: "Literal", value: name })).length - 1;
  return calls >= 2 || (calls === 1 && text.includes('"background":true'));
}
