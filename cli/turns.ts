// Tracks which turns of a session are open, from its events, and lets callers wait for the end of a turn. Used by converse.ts.
import type { AgentEvent, TurnState, WaitKind } from "../core/schemas/entry.ts";

export type Turns = ReturnType<typeof createTurns>;

/** What only the person can end. A turn that waits for anything else is busy. */
export const FOR_PERSON: ReadonlySet<WaitKind> = new Set(["approval", "clarify"]);

export function createTurns() {
  const open = new Set<number>();
  const ended = new Map<number, TurnState>();
  /** Turns whose input joined a running turn, and the number of that turn. Both end together. */
  const into = new Map<number, number>();
  /** Turns that wait for an answer. */
  const parked = new Map<number, WaitKind>();
  /** The parked turn to which a command was sent that is not answered yet. */
  let answering: [number, WaitKind] | null = null;
  const waiters = new Set<() => void>();

  function wakeWaiters(): void {
    for (const wake of [...waiters]) wake();
  }

  async function waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      await promise;
      waiters.delete(resolve);
    }
  }

  /** The turn that has this turn's input. */
  const resolveTurn = (n: number) => into.get(n) ?? n;

  return {
    /** Nothing runs: every open turn waits for an answer. */
    isQuiet: (): boolean => [...open].every((n) => parked.has(n)),
    /** What a turn waits for; `null`: none waits for the person. */
    waitsFor: (): WaitKind | null => [...parked.values()][0] ?? null,
    /** Adds a turn from a response of the API. Its events may have arrived already. */
    add(n: number): void {
      if (!ended.has(resolveTurn(n))) open.add(resolveTurn(n));
      wakeWaiters();
    },
    apply(event: AgentEvent): void {
      if (event.type === "turn_start" && !ended.has(event.turn)) open.add(event.turn);
      if (event.type === "steer_add") {
        into.set(event.turn, event.into);
        open.delete(event.turn);
        const kind = parked.get(event.into);
        if (kind && parked.delete(event.into)) answering = [event.into, kind];
      }
      if (event.type === "turn_park" && FOR_PERSON.has(event.question.for)) parked.set(event.turn, event.question.for);
      if (event.type === "notice_add" && event.code === "command_answer" && answering) parked.set(...answering);
      if (event.type === "tool_start" || event.type === "entry_start") {
        parked.clear();
        answering = null;
      }
      if (event.type === "turn_end") {
        open.delete(event.turn);
        parked.delete(event.turn);
        ended.set(event.turn, event.state);
      }
      wakeWaiters();
    },
    /** Resolves with the final state of the turn, or of the turn that its input joined; with `parked` if that waits for an answer. */
    async waitForEnd(n: number): Promise<TurnState> {
      await waitUntil(() => ended.has(resolveTurn(n)) || parked.has(resolveTurn(n)));
      return ended.get(resolveTurn(n)) ?? "parked";
    },
    /** Resolves when any turn is open. */
    waitForOpen: (): Promise<void> => waitUntil(() => open.size > 0),
  };
}
