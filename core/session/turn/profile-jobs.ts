// What the agent's tool `cronjob` needs of its session: the profile's jobs, whose word the turn is, and where its person reads the answer. Also
// used by `/jobs`.
import { spokenParts } from "../../schemas/entry.ts";
import type { CronjobDesk } from "../../tools/jobs/cronjob.ts";
import { readBeginner } from "../channel/begun-by.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";

/** `null`: the session cannot reach jobs. */
export function createCronjobDesk({ host, log, taint }: EngineContext): CronjobDesk | null {
  const { profileJobs: jobs, session } = host;
  if (!jobs) return null;
  return {
    ...{ jobs, session },
    isTainted: taint.isTainted,
    /** Each message of the turn is the owner's, or a task of theirs to which others have added. */
    isOwners() {
      const [turn] = log.openTurns();
      const inputs = log.entries(turn?.input ?? 0).filter((entry) => entry.kind === "user");
      return inputs.length > 0 && inputs.every((entry) => spokenParts(entry)[0]?.source === "principal");
    },
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
