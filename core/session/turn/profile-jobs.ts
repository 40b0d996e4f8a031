// What the agent's tool `cronjob` needs of its session: the profile's jobs, whose word the turn is, and where its person reads the answer. Also
// used by `/jobs`.
import type { CronjobDesk } from "../../tools/jobs/cronjob.ts";
import { readBeginner } from "../channel/begun-by.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isOwnersTurn } from "./owners-turn.ts";

/** `null`: the session cannot reach jobs. */
export function createCronjobDesk({ host, log, taint }: EngineContext): CronjobDesk | null {
  const { profileJobs: jobs, session } = host;
  if (!jobs) return null;
  return {
    ...{ jobs, session },
    isTainted: taint.isTainted,
    isOwners: () => isOwnersTurn(log),
    chat() {
      const [turn] = log.openTurns();
      return turn ? chatOfTurn(turn) : null;
    },
  };
}

/** The chat of a channel that the turn's message came from; `null`: it came over the API. */
export function chatOfTurn({ more: { channel } }: Pick<TurnRow, "more">): string | null {
  return channel && readBeginner(channel).kind === "channel" ? channel.chat : null;
}
