// Reads slash commands by the table in commands.ts. The session parses messages, clients parse typed lines, and both get
// hints for mistyped words here. Pure.
import { distance } from "fastest-levenshtein";
import { isNear } from "../near.ts";
import {
  COMMANDS,
  type ClientCommandName,
  type CommandClient,
  type CommandRole,
  type CommandRow,
  type SessionCommand,
  type SessionCommandName,
  isOfferedIn,
  mayUse,
  offeredCommands,
} from "./commands.ts";
import { formatUsage } from "./help.ts";

/** Null for a text that is not exactly a command of the session: it is for the model. */
export function parseSessionCommand(message: string): SessionCommand | null {
  const found = splitCommand(message);
  if (!found || found.row.handler !== "session" || !isFitting(found.row, found.argument)) return null;
  return { name: found.row.name as SessionCommandName, argument: found.argument };
}

/** Whether a message is a command that is carried out at once while a turn is parked. */
export function isBesideCommand(message: string): boolean {
  const command = parseSessionCommand(message);
  return command !== null && findRow(command.name)?.beside === true;
}

/** Whether a message begins with a command of any kind, also one with a wrong argument. A path such as `/etc/hosts` does not. */
export function isCommandWord(message: string, client?: CommandClient): boolean {
  return splitCommand(message, client) !== null;
}

/** The command that a message of a client begins with. */
export function findCommand(message: string, client: CommandClient): CommandRow | null {
  return splitCommand(message, client)?.row ?? null;
}

/**
 * The word of the command that a message begins with, if `role` may not send it: a command for owners, or one that a client carries out
 * and no session knows. Null for every other message.
 */
export function refusedCommand(message: string, role: CommandRole): string | null {
  const found = splitCommand(message);
  if (!found || (mayUse(found.row, role) && found.row.handler !== "client")) return null;
  return found.row.name;
}

export type TypedLine<Client extends CommandClient = "terminal"> =
  | { kind: "message"; text: string }
  | { kind: "command"; name: ClientCommandName<Client>; argument: string }
  /** A command of the client with a wrong argument; `hint` is for the person. */
  | { kind: "misused"; hint: string };

/** What the terminal does with a typed line. */
export function parseTypedLine(line: string): TypedLine {
  return parseLineOf("terminal", line);
}

/** What a client does with a typed line. Commands of the session and of the model are messages: the client sends them. */
export function parseLineOf<Client extends CommandClient>(client: Client, line: string): TypedLine<Client> {
  const found = splitCommand(line, client);
  if (!found || found.row.handler !== "client") return { kind: "message", text: line.trim() };
  const hint = describeMisuse(line, client);
  if (hint !== null) return { kind: "misused", hint };
  const { row, argument } = found;
  return { kind: "command", name: row.name as ClientCommandName<Client>, argument };
}

/** How a line is written that begins with a command and does not fit it; null for every other line. */
export function describeMisuse(line: string, client: CommandClient = "terminal"): string | null {
  const found = splitCommand(line, client);
  if (!found) return null;
  const { row, argument } = found;
  const isMissing = argument === "" && row.argument?.required;
  return isMissing || !isFitting(row, argument) ? `Write it as ${formatUsage(row)}.` : null;
}

/** Whether a word after a slash is a command. A skill of that name is loaded with `/skill`. */
export function isCommand(word: string): boolean {
  return findRow(word) !== undefined;
}

/** Shorter words resemble too many others. */
const MIN_NEAR_CHARS = 4;

/** The command that a mistyped word may mean. */
export function nearestCommand(word: string): string | undefined {
  const names = listRows().map(({ name }) => name);
  return findNearest(word, names);
}

/** The name that a mistyped word may mean. */
export function findNearest(word: string, names: readonly string[]): string | undefined {
  if (word.length < MIN_NEAR_CHARS) return undefined;
  const near = names.filter((name) => isNear(name, word));
  return near.toSorted((a, b) => distance(a, word) - distance(b, word))[0];
}

/** What the word at the end of `typed` may become, each with its slash; none unless `typed` is a slash and letters. */
export function completeCommand(typed: string, ...[client, role]: Parameters<typeof offeredCommands>): string[] {
  if (!/^\/[a-z]*$/.test(typed)) return [];
  return offeredCommands(client, role)
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((word) => `/${word}`)
    .filter((word) => word.startsWith(typed));
}

function splitCommand(text: string, client?: CommandClient): { row: CommandRow; argument: string } | null {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const row = match && findRow(match[1]!, client);
  return row ? { row, argument: match[2] ?? "" } : null;
}

function findRow(word: string, client?: CommandClient): CommandRow | undefined {
  return listRows(client).find(({ name, aliases = [] }) => name === word || aliases.includes(word));
}

/**
 * Without a client: what a session knows. A channel never sends it the commands that only channels have, so such a word may be a skill in a
 * message from elsewhere.
 */
function listRows(client?: CommandClient): CommandRow[] {
  const rows: readonly CommandRow[] = COMMANDS;
  const isForSessions = (row: CommandRow) => isOfferedIn(row, "terminal") || isOfferedIn(row, "web");
  return rows.filter((row) => (client === undefined ? isForSessions(row) : isOfferedIn(row, client)));
}

function isFitting({ argument }: CommandRow, given: string): boolean {
  if (argument === null) return given === "";
  if (argument.fits && !argument.fits.test(given)) return false;
  return argument.form === "text" || !/\s/.test(given);
}
