// What a message may order the session itself to do, instead of the model, and which words are taken. Read by the driver at
// the start of a turn, and by what loads skills by name. Pure.
import { isNear } from "../../near.ts";

export type Command =
  | { name: "compress"; focus: string }
  /** Asks for a review of what was done since the last one. */
  | { name: "refine"; focus: string }
  | { name: "refresh" }
  | { name: "pending" }
  /** `id`: of what waits, or the beginning of one. */
  | { name: "approve" | "reject"; id: string };

/**
 * Words that a skill of the same name does not get: `/skill word` names the skill. Some are a client's own, some go to the
 * model as they are.
 */
const COMMANDS = new Set([
  ...["compress", "refresh", "skill", "learn", "refine", "pending", "approve", "reject"],
  ...["steer", "interrupt", "queue", "stop", "usage", "learning", "exit", "help"],
]);

export function isCommand(word: string): boolean {
  return COMMANDS.has(word);
}

/** Shorter words are near to too many. */
const MIN_NEAR_CHARS = 4;

/** The command that a word may have been meant for. */
export function commandNear(word: string): string | undefined {
  return word.length < MIN_NEAR_CHARS ? undefined : [...COMMANDS].find((command) => isNear(command, word));
}

/** Null for everything that is not exactly a command: it is for the model. */
export function parseCommand(text: string): Command | null {
  const match = /^\/(compress|refine|refresh|pending|approve|reject)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!match) return null;
  const name = match[1] as Command["name"];
  const rest = match[2]?.trim() ?? "";
  if (name === "compress" || name === "refine") return { name, focus: rest };
  if (name === "approve" || name === "reject") return /^\S*$/.test(rest) ? { name, id: rest } : null;
  return rest === "" ? { name } : null;
}
