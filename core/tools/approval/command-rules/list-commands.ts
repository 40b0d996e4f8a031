// The programs that a command line runs, as plain words: what a profile's policies about commands are compared with, beside the text
// itself. So quoting, a list, a wrapper or a shell in between hides no program from them. Called by policies.ts. Pure.
import { basenameOf } from "./arguments.ts";
import { MAX_COMMAND_CHARS } from "./judge-command.ts";
import { normaliseCommand } from "./normalise-command.ts";
import { parseLine } from "./simple-commands.ts";
import { scriptsOf, unwrap } from "./unwrap.ts";

/** Shells in shells. */
const MAX_DEPTH = 6;

/**
 * Each program with its arguments, joined by blanks: as it is written, without the wrapper before it, and by its plain name. None
 * for a text that does not parse; the rules of judge-command.ts ask about such a text.
 */
export function listCommands(text: string, depth = 0): string[] {
  const line = text.length > MAX_COMMAND_CHARS || depth > MAX_DEPTH ? null : parseLine(normaliseCommand(text));
  return (line?.commands ?? []).flatMap(({ words, input }) => {
    const inner = unwrap(words).words;
    const plain = inner.length === 0 ? [] : [basenameOf(inner[0]!), ...inner.slice(1)];
    const scripts = scriptsOf(inner, input).flatMap((script) => listCommands(script, depth + 1));
    return [...new Set([words, inner, plain].map((one) => one.join(" "))), ...scripts];
  });
}
