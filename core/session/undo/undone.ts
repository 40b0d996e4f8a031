// Which turns of a session the person has taken back. Their entries stay in the log; models and reviews do not read them. Reads the
// log only.
import type { Entry } from "../../schemas/entry.ts";
import type { EngineContext, SessionMeta, UndoneTurn } from "../context.ts";
import type { Log } from "../log.ts";

const NONE: readonly UndoneTurn[] = [];

export function undoneTurns(log: Pick<Log, "meta">): readonly UndoneTurn[] {
  return log.meta<SessionMeta>("session")?.undone ?? NONE;
}

export function isUndone(log: Pick<Log, "meta">, turn: number): boolean {
  return undoneTurns(log).some((undone) => undone.turn === turn);
}

/** Without the entries of turns that were taken back. News about the session stay: they are told only once. */
export function withoutUndone(entries: Entry[], log: Pick<Log, "meta">): Entry[] {
  const undone = undoneTurns(log);
  if (undone.length === 0) return entries;
  const turns = new Set(undone.map(({ turn }) => turn));
  return entries.filter((entry) => !turns.has(entry.turn) || (entry.kind === "note" && entry.code === "news"));
}

/** The notice that says which turn was taken back. */
export function isUndoMarker(entry: Entry): boolean {
  return entry.kind === "notice" && entry.undid !== undefined;
}

/** The turn was copied from another session, which learns from it. */
export function isInherited({ meta }: Pick<EngineContext, "meta">, turn: number): boolean {
  return turn <= (meta().branchedFrom?.at(-1)?.turn ?? 0);
}
