// The words of `talaria --help`, of a verb's help, of shell completion, and the exit codes of docs/GUIDE.md, all from the same tables. Pure.
import { CHAT_FLAGS, COMMON_FLAGS } from "./flags.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { formatUsage } from "./parse-words.ts";
import type { Flags, Verb } from "./verb.ts";

export function renderHelp(verbs: readonly Verb[], commands: string): string {
  return [
    "talaria [options]               talk, in this terminal",
    "talaria -p TEXT [options]       one message and its answer",
    "talaria VERB [--help]           one of:\n",
    ...renderPairs(verbs.map(({ name, help }) => [name, help])),
    "\nOptions of a chat:\n",
    ...renderFlags(CHAT_FLAGS),
    "\nOptions of every command:\n",
    ...renderFlags(COMMON_FLAGS),
    "\nExit codes:\n",
    ...renderPairs(listExitCodes()),
    `\n${commands}`,
  ].join("\n");
}

export function renderVerbHelp(verb: Verb): string {
  return [
    `talaria ${verb.name}: ${verb.help}\n`,
    ...verb.actions.flatMap((action, i) => [
      `  ${formatUsage(verb, action)}`,
      `      ${action.help}${i === 0 && action.name !== null ? ` (also \`talaria ${verb.name}\`)` : ""}`,
      ...renderFlags(action.flags ?? {}).map((line) => `    ${line}`),
    ]),
    "\nOptions of every command:\n",
    ...renderFlags(COMMON_FLAGS),
  ].join("\n");
}

/** The table of the guide. */
export function renderVerbTable(verbs: readonly Verb[]): string {
  const rows = verbs.map(({ name, help, actions }) => {
    const names = actions.map((action) => `\`${action.name ?? action.words ?? ""}\``).filter((text) => text !== "``");
    return `| \`${name}\` | ${names.join(", ")} | ${help} |`;
  });
  return ["| verb | with | to |", "|---|---|---|", ...rows].join("\n");
}

/** The table of exit codes in docs/GUIDE.md. */
export function renderExitTable(): string {
  return [
    "| exit code | meaning |",
    "|---|---|",
    ...listExitCodes().map(([code, meaning]) => `| ${code} | ${meaning} |`),
  ].join("\n");
}

function listExitCodes(): [string, string][] {
  return Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_MEANINGS[name as keyof typeof EXIT]]);
}

function renderFlags(flags: Flags): string[] {
  return renderPairs(
    Object.entries(flags).map(([name, { short, value, help }]) => [
      `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      help,
    ]),
  );
}

function renderPairs(pairs: [string, string][]): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
}
