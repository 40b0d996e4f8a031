// Tracks the open turns of a session by its events, and lets callers wait for the end of a turn. Used by converse.ts.
import type { AgentEvent, TurnState } from "../core/schemas/entry.ts";

export type Turns = ReturnType<typeof createTurns>;

export function createTurns() {
  const open = new Set<number>();
  const ended = new Map<number, TurnState>();
  /** Turns whose input was put into another turn; they end with that one. */
  const into = new Map<number, number>();
  const waiters = new Set<() => void>();

  function changed(): void {
    for (const wake of [...waiters]) wake();
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      await promise;
      waiters.delete(resolve);
    }
  }

  const place = (n: number) => into.get(n) ?? n;

  return {
    isQuiet: (): boolean => open.size === 0,
    /** Records a turn known from an answer or a listing. Its events may have arrived before. */
    began(n: number): void {
      if (!ended.has(place(n))) open.add(place(n));
      changed();
    },
    take(event: AgentEvent): void {
      if (event.type === "turn_start" && !ended.has(event.turn)) open.add(event.turn);
      if (event.type === "steer_add") {
        into.set(event.turn, event.into);
        open.delete(event.turn);
      }
      if (event.type === "turn_end") {
        open.delete(event.turn);
        ended.set(event.turn, event.state);
      }
      changed();
    },
    /** Resolves with the final state of the turn, or of the turn that its input was put into. */
    async end(n: number): Promise<TurnState> {
      await until(() => ended.has(place(n)));
      return ended.get(place(n))!;
    },
    /** Resolves when a turn is open. */
    open: (): Promise<void> => until(() => open.size > 0),
  };
}
