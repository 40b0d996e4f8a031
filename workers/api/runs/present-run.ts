// A run as the API shows it: its row in the Account, and what its session says of the turn.
import { toTurnId } from "../../../core/schemas/ids.ts";
import type { RunInfo, RunRow, RunState, TurnReport } from "../../../core/schemas/run.ts";
import { START_MS } from "../../../durable-objects/runs/run-times.ts";

/** `report`: null for a run whose session has not accepted the message. */
export function presentRun(row: RunRow, report: TurnReport | null, now: number): RunInfo {
  const { run, session, turn, at } = row;
  const place = {
    run,
    session,
    turn: turn === null ? null : toTurnId(session, turn),
    events: `/v1/runs/${run}/events`,
  };
  if (!report) {
    const state = row.state !== "open" ? row.state : now - at > START_MS ? "failed" : "queued";
    const isLost = turn === null && state === "failed";
    const reason = isLost && { reason: "not_started" };
    const times = { createdAt: at, startedAt: null, endedAt: null };
    return { ...place, state, ...reason, answer: null, stats: null, ...times };
  }
  const { reason, waiting, answer, notice, stats, startedAt, endedAt } = report;
  const isRunning = endedAt === null && !waiting;
  return {
    ...place,
    state: toRunState(report),
    ...(reason !== undefined && { reason }),
    ...(waiting && { waiting }),
    answer,
    ...(notice !== null && { notice }),
    stats: isRunning ? null : stats,
    createdAt: at,
    startedAt,
    endedAt,
  };
}

/** The state to keep in the row; null: the run has not ended. */
export function toEndState({ state }: TurnReport): "done" | "failed" | "stopped" | null {
  return state === "done" || state === "failed" || state === "stopped" ? state : null;
}

function toRunState(report: TurnReport): RunState {
  if (report.waiting) return "waiting";
  return toEndState(report) ?? (report.state === "queued" ? "queued" : "running");
}
