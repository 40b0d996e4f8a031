// Whose word the running turn is. Used by the tools that act for the owner beyond this conversation: jobs and boards.
import { spokenParts } from "../../schemas/entry.ts";
import type { Log } from "../log.ts";

/** Each message of the turn is the owner's, or a task of theirs to which others have added. */
export function isOwnersTurn(log: Log): boolean {
  const [turn] = log.openTurns();
  const inputs = log.entries(turn?.input ?? 0).filter((entry) => entry.kind === "user");
  return inputs.length > 0 && inputs.every((entry) => spokenParts(entry)[0]?.source === "principal");
}
