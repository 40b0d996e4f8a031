// What a person may allow for longer than one call: the exact command, or a harmless program with its subcommand, such as
// `npm test`. Used by command-gate.ts and by policies.ts. Pure.
import type { Allowance } from "../../../agent/contract.ts";
import { basenameOf, isUnknown } from "./arguments.ts";
import { normaliseCommand } from "./normalise-command.ts";
import { parseLine } from "./simple-commands.ts";
import { unwrap } from "./unwrap.ts";

/** A family of these would allow any code. */
const RUNS_ANY =
  /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|node|deno|bun|ruby|perl|php|lua|osascript|tsx|ts-node|xargs|env|rm|rimraf)$/;

/** Programs whose first operand says what they do. */
const WITH_SUBCOMMAND = new Set(
  "git npm pnpm yarn bun cargo go make just docker kubectl pip pip3 uv poetry terraform npx deno gradle mvn dotnet gh".split(
    " ",
  ),
);
/** Programs that only read and print, whatever their arguments. */
const READERS = new Set(
  "ls pwd cat head tail wc grep rg find stat file du df ps which date uname whoami id pytest tsc jq diff tree".split(
    " ",
  ),
);
/** `npm run NAME`, `go tool NAME`: the next word says what runs. */
const NAMES_NEXT = new Set(["run", "run-script", "exec", "tool", "compose", "x"]);

/**
 * The exact key is the text itself: two texts that look alike need not do the same. `isHarmless`: no rule met the command. Only then may others like it be allowed with
 * it.
 */
export function toAllowance(command: string, stdin: string, isHarmless: boolean): Allowance {
  const exact = stdin === "" ? command : `${command}\n<<< ${stdin}`;
  const isPlain = normaliseCommand(command) === command.trim();
  const family = isHarmless && isPlain && stdin === "" ? findFamily(command) : null;
  return { exact, ...(family !== null && { family }) };
}

/** The words of one plain program; `null` for a list, a pipe, a redirection, a variable, an unknown word, or a path as its name. */
export function readPlainCommand(command: string): string[] | null {
  const line = parseLine(command);
  const [only] = line?.commands ?? [];
  if (!only || line?.commands.length !== 1 || line.scripts.length > 0) return null;
  const { words, variables, redirections } = only;
  const [program = ""] = words;
  const isPlain =
    variables.length === 0 && redirections.length === 0 && !words.some(isUnknown) && basenameOf(program) === program;
  return isPlain ? words : null;
}

function findFamily(command: string): string | null {
  const words = readPlainCommand(command);
  if (words === null) return null;
  const [program = "", ...args] = words;
  if (READERS.has(program)) return program;
  const [subcommand = "", name = ""] = args;
  if (/^python3?$/.test(program) && subcommand === "-m" && /^\w+$/.test(name)) return `${program} -m ${name}`;
  if (!WITH_SUBCOMMAND.has(program) || !/^[a-z][\w:@./-]*$/i.test(subcommand)) return null;
  if (unwrap(words).words.length < words.length && RUNS_ANY.test(basenameOf(unwrap(words).words[0] ?? ""))) return null;
  if (!NAMES_NEXT.has(subcommand)) return `${program} ${subcommand}`;
  return /^[a-z][\w:@./-]*$/i.test(name) ? `${program} ${subcommand} ${name}` : null;
}
