// Where a client begins to follow a session. Used by the plain conversation and by the terminal. Pure.
import type { SessionDetail } from "../core/schemas/api.ts";

/** The event id to begin after: a running turn is shown whole, of an idle session only what follows its last turn. */
export function chooseStartEvent({ turns }: Pick<SessionDetail, "turns">): string {
  const running = turns.find(({ state }) => state === "running" || state === "parked");
  if (running) return `${running.input}.0`;
  const ended = turns.findLast(({ final }) => final !== null);
  return ended ? `${ended.final}.999999999999999` : "0.0";
}
