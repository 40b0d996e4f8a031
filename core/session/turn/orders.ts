// Orders to the session itself (`/refine`, `/compress` …) and what it answered. They are in the log for the person alone: no model
// reads them, and no review takes them for something that was asked of the agent.
import { type Entry, textOf } from "../../schemas/entry.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import type { Log } from "../log.ts";

/** Without the turns that were such orders. Reads one row more where `entries` begin in the middle of a turn. */
export function withoutOrders(entries: Entry[], log: Log): Entry[] {
  const orders = new Set<number>();
  const begun = new Set<number>();
  for (const entry of entries) {
    // What was put into a running turn is no order: orders wait.
    if (entry.kind !== "user" || entry.steer) continue;
    begun.add(entry.turn);
    if (isOrder(entry)) orders.add(entry.turn);
  }
  const [first] = entries;
  if (first && !begun.has(first.turn)) {
    const input = log.turn(first.turn)?.input;
    const asked = input ? log.entry(input) : null;
    if (asked && isOrder(asked)) orders.add(first.turn);
  }
  if (orders.size === 0) return entries;
  return entries.filter((entry) => !orders.has(entry.turn) || (entry.kind !== "user" && entry.kind !== "notice"));
}

function isOrder(entry: Entry): boolean {
  return entry.kind === "user" && parseSessionCommand(textOf(entry)) !== null;
}
