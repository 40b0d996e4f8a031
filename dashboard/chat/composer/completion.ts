// What the word at the beginning of a message may become: commands of the shared table, and skills, which are commands too. Loaded when
// somebody types a slash.
import { COMMANDS, offeredCommands } from "../../../core/commands/commands.ts";
import { formatUsage } from "../../../core/commands/help.ts";
import { parseLineOf } from "../../../core/commands/parse-command.ts";

export interface Suggestion {
  /** What the message then begins with. */
  value: string;
  /** How it is written, such as `/approve [ID SCOPE]`. */
  usage: string;
  help: string;
}

const MAX_SHOWN = 50;

/** `typed`: the message up to the caret. None unless that is a slash and a part of a word. */
export function suggest(typed: string, skills: readonly { name: string; description: string }[]): Suggestion[] {
  if (!/^\/[a-z0-9-]*$/.test(typed)) return [];
  const commands = offeredCommands("web", "owner").flatMap((row) =>
    [row.name, ...(row.aliases ?? [])].map((name) => ({
      value: `/${name}${row.argument ? " " : ""}`,
      usage: formatUsage({ name, argument: row.argument }),
      help: row.help,
    })),
  );
  const names = new Set<string>(COMMANDS.map(({ name }) => name));
  const loaded = skills
    .filter(({ name }) => !names.has(name))
    .map(({ name, description }) => ({ value: `/${name} `, usage: `/${name}`, help: description }));
  return [...commands, ...loaded].filter(({ value }) => value.startsWith(typed)).slice(0, MAX_SHOWN);
}

/** What the page does with a message: it sends it, carries it out itself, or says how it is written. */
export const parseLine = (text: string) => parseLineOf("web", text);
