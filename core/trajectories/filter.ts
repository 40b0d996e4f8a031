// Which turns an export wants, and which sessions it may read at all. Called by the page reader. Pure.
import { type Entry, spokenParts } from "../schemas/entry.ts";
import { dayOf } from "../schemas/ids.ts";
import type { TurnFilter } from "../schemas/trajectories.ts";
import type { TrajectorySource, TrajectoryTurn } from "./trajectory.ts";

/** Whether a turn is wanted. A turn that was taken back never is. */
export function toTurnTest(
  { rated, successful, tool, skill, since }: TurnFilter,
  { entries, undone }: Pick<TrajectorySource, "entries" | "undone">,
): (turn: TrajectoryTurn) => boolean {
  const gone = new Set(undone.map(({ turn }) => turn));
  const called = tool === undefined ? null : turnsCalling(entries, tool);
  return (turn) =>
    !gone.has(turn.n) &&
    (rated === undefined || (rated === "any" ? turn.rating !== undefined : turn.rating === rated)) &&
    (successful === undefined || (turn.outcome === "success") === successful) &&
    (called === null || called.has(turn.n)) &&
    (skill === undefined || turn.loaded.some((loaded) => loaded.skill === skill)) &&
    (since === undefined || (turn.endedAt !== null && dayOf(turn.endedAt) >= since));
}

function turnsCalling(entries: Entry[], tool: string): Set<number> {
  return new Set(entries.flatMap((entry) => (entry.kind === "tool" && entry.call.name === tool ? [entry.turn] : [])));
}

/** Whether every message is the owner's own, or of the session that delegated the work. Somebody else's words are not the owner's to give away. */
export function isOfOwner(entries: Entry[]): boolean {
  return entries.every(
    (entry) => entry.kind !== "user" || spokenParts(entry).every(({ source }) => source !== "content"),
  );
}
