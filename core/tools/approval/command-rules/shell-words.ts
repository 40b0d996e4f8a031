// Words of a parsed command as text, as far as they are known without running it. Unknown pieces become one character. Variables
// that the same command sets, `$HOME`, `$IFS` and output of `echo` are known. Used by simple-commands.ts. Pure.
import { isObject } from "../../../unknown-object.ts";

/** A piece that only running the command would tell. A private character: a command that has it counts as unknown there. */
export const UNKNOWN = "\ue000";

/** A node of the parser's tree. */
export type Node = Record<string, unknown> & { type: string };

export function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value["type"] === "string";
}

/** Variables with a known value. */
export type Variables = Map<string, string>;

/** Braces may multiply: `{a,b}{c,d}…`. */
const MAX_WORDS = 64;

/** The words that a word of the command becomes: several after braces or `$IFS`. */
export function expandWord(word: unknown, variables: Variables): string[] {
  if (!isNode(word) || !Array.isArray(word["parts"])) return [UNKNOWN];
  let texts = [""];
  for (const part of word["parts"] as unknown[]) {
    const options = expandPart(part, variables, false);
    texts = texts.flatMap((text) => options.map((option) => text + option)).slice(0, MAX_WORDS);
  }
  return texts.flatMap((text) =>
    text.includes(SEPARATOR) ? text.split(SEPARATOR).filter((one) => one !== "") : [text],
  );
}

/** Splits words, unlike a blank inside quotes. */
const SEPARATOR = "\ue001";

function expandPart(part: unknown, variables: Variables, isQuoted: boolean): string[] {
  if (!isNode(part)) return [UNKNOWN];
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "Escaped":
      return [String(part["value"])];
    case "Glob":
      return [String(part["pattern"])];
    case "DoubleQuoted":
      return [joinParts(part["parts"], variables)];
    case "TildeExpansion":
      return [typeof part["user"] === "string" ? `~${part["user"]}` : "~"];
    case "ParameterExpansion":
      return [expandParameter(part, variables, isQuoted)];
    case "BraceExpansion":
      return expandBraces(part["items"], variables);
    case "CommandSubstitution":
      return [splitUnquoted(readEcho(part["body"], variables) ?? UNKNOWN, isQuoted)];
    default:
      return [UNKNOWN];
  }
}

function joinParts(parts: unknown, variables: Variables): string {
  if (!Array.isArray(parts)) return UNKNOWN;
  return (parts as unknown[]).map((part) => expandPart(part, variables, true)[0] ?? "").join("");
}

function splitUnquoted(text: string, isQuoted: boolean): string {
  return isQuoted ? text : text.replace(/[ \t\n]+/g, SEPARATOR);
}

function expandParameter(part: Node, variables: Variables, isQuoted: boolean): string {
  const name = String(part["parameter"]);
  const operation = part["operation"];
  if (name === "IFS" && !variables.has("IFS")) return isQuoted ? " " : SEPARATOR;
  const known = name === "HOME" || name === "USERPROFILE" ? (variables.get(name) ?? "~") : variables.get(name);
  if (!isNode(operation)) return known === undefined ? UNKNOWN : splitUnquoted(known, isQuoted);
  if (known === undefined && (operation.type === "DefaultValue" || operation.type === "AssignDefault")) {
    return splitUnquoted(expandWord(operation["word"], variables).join(" "), isQuoted);
  }
  if (operation.type === "UseAlternative" && known !== undefined) {
    return splitUnquoted(expandWord(operation["word"], variables).join(" "), isQuoted);
  }
  return UNKNOWN;
}

function expandBraces(items: unknown, variables: Variables): string[] {
  if (!Array.isArray(items)) return [UNKNOWN];
  return (items as unknown[])
    .flatMap((item) => (isNode(item) && item["word"] !== undefined ? expandWord(item["word"], variables) : [UNKNOWN]))
    .slice(0, MAX_WORDS);
}

/** What a body that is only `echo` or `printf` of known words prints; `null`: unknown. */
function readEcho(body: unknown, variables: Variables): string | null {
  const statements = isNode(body) ? body["statements"] : null;
  if (!Array.isArray(statements) || statements.length !== 1) return null;
  const pipelines = (statements[0] as Node)["pipelines"];
  if (!Array.isArray(pipelines) || pipelines.length !== 1) return null;
  const commands = (pipelines[0] as Node)["commands"];
  if (!Array.isArray(commands) || commands.length !== 1) return null;
  const [command] = commands as unknown[];
  if (!isNode(command) || command.type !== "SimpleCommand") return null;
  const words = [command["name"], ...(command["args"] as unknown[])].flatMap((word) => expandWord(word, variables));
  return printedBy(words);
}

/** The output of `echo` or `printf` with these words; `null` for another program or unknown words. */
export function printedBy([program, ...words]: string[]): string | null {
  if ((program !== "echo" && program !== "printf") || words.some((word) => word.includes(UNKNOWN))) return null;
  // Escapes such as `\x72` are not read here, so what they print is unknown.
  if (words.some((word) => word.replaceAll("\\n", "").includes("\\"))) return null;
  const said = words.filter((word) => !/^-[neE]{1,3}$/.test(word));
  if (program === "printf" && said.length > 1) {
    const values = said.slice(1);
    return said[0]!.replace(/%[sbq]/g, () => values.shift() ?? "").replaceAll("\\n", "\n");
  }
  return said.join(" ").replaceAll("\\n", "\n");
}
