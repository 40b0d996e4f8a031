// Filters out commands to the session (`/refine`, `/compress` …) and their answers. The log keeps them for the person only:
// models do not read them, and reviews do not take them for requests to the agent.
import { type Entry, messageOf } from "../../../schemas/entry.ts";
import { parseSessionCommand } from "../../../commands/parse-command.ts";
import type { Log } from "../../log.ts";
import { withoutUndone } from "../../undo/undone.ts";

/** Entries without the turns that were commands, and without those that were taken back. Reads one more row if `entries` begin in the middle of a turn. */
export function withoutCommands(all: Entry[], log: Pick<Log, "meta" | "turn" | "entry">): Entry[] {
  const entries = withoutUndone(all, log);
  const commands = new Set<number>();
  const begun = new Set<number>();
  for (const entry of entries) {
    // An input that steered a running turn is not a command: commands are queued.
    if (entry.kind !== "user" || entry.steer) continue;
    begun.add(entry.turn);
    if (isCommand(entry)) commands.add(entry.turn);
  }
  const [first] = entries;
  if (first && !begun.has(first.turn)) {
    const input = log.turn(first.turn)?.input;
    const asked = input ? log.entry(input) : null;
    if (asked && isCommand(asked)) commands.add(first.turn);
  }
  if (commands.size === 0) return entries;
  return entries.filter((entry) => !commands.has(entry.turn) || (entry.kind !== "user" && entry.kind !== "notice"));
}

function isCommand(entry: Entry): boolean {
  return entry.kind === "user" && parseSessionCommand(messageOf(entry)) !== null;
}
