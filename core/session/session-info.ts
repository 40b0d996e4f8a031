// Describes a session and its turns for the API. Reads the log only. Called by the engine.
import type { CreatedSession, SessionDetail, TurnInfo } from "../schemas/api.ts";
import { toTurnId } from "../schemas/ids.ts";
import type { EngineContext } from "./context.ts";
import { sessionUsage } from "./ledger.ts";
import { undoneTurns } from "./undo/undone.ts";
import { type TurnRow, isOpen } from "./log-turns.ts";

/** The newest turns that a session's detail lists. */
const DETAIL_TURNS = 100;

export function toSessionInfo({ host, meta }: EngineContext): CreatedSession {
  const { title, learning, createdAt, backend = "workspace", kind, parent, choice, branchedFrom, from } = meta();
  return {
    session: host.session,
    title,
    learning,
    backend,
    createdAt,
    ...(kind && { kind }),
    ...(parent && { parent }),
    ...choice,
    ...(branchedFrom && { branchedFrom }),
    ...(from && { from }),
  };
}

export function toSessionDetail(context: EngineContext): SessionDetail {
  const { log, jobs } = context;
  const turns = log.turns(DETAIL_TURNS);
  return {
    ...toSessionInfo(context),
    state: turns.some(isOpen) ? "busy" : "idle",
    turns: turns.map((turn) => toTurnInfo(context, turn)),
    reviewing: jobs.all().flatMap((row) => (row.job.kind === "review" ? [row.job.review] : [])),
    usage: sessionUsage(context),
  };
}

function toTurnInfo({ host, log }: EngineContext, turn: TurnRow): TurnInfo {
  const { n, state, input, final, attempts, stats, startedAt, endedAt, more } = turn;
  const { into, reason, pausedUntil, parked } = more;
  const undone = undoneTurns(log).find((one) => one.turn === n);
  return {
    turn: toTurnId(host.session, n),
    n,
    state,
    ...(into !== undefined && { into }),
    input,
    final,
    ...(reason !== undefined && { reason }),
    ...(undone && { undoneBy: undone.by }),
    attempts,
    ...(pausedUntil !== undefined && { pausedUntil }),
    ...(state === "parked" &&
      parked && { parked: { for: parked.for, id: parked.id, since: parked.since, until: parked.until } }),
    stats,
    startedAt,
    endedAt,
  };
}
