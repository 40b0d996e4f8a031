// How a run ended, from how the turn of its session did: told by the session, or read from it. Called by the Agenda's runner. Pure.
import { MODEL_FAILURES } from "../models/failures/failure-codes.ts";
import type { RunEnd } from "../schemas/agenda/job.ts";
import type { SessionDelivery } from "../schemas/channels/delivery.ts";
import type { TurnReport } from "../schemas/run.ts";

/** Codes that a later attempt may not meet: nobody could be reached who answers. */
const UNREACHABLE = new Set(Object.entries(MODEL_FAILURES).flatMap(([code, { retry }]) => (retry ? [code] : [])));
/** Codes that every attempt would meet until a person changes something. */
const CONFIG = new Set([
  ...["model_not_configured", "unknown_model", "auth", "billing", "model_missing", "wrong_address"],
  "message_too_long",
]);

/** `null`: the turn goes on. */
export function toRunEnd({ ended, text }: Pick<SessionDelivery, "ended" | "text">): RunEnd | null {
  return ended ? toEnd(ended.state, ended.code, text) : null;
}

/** `null`: the turn goes on. */
export function readRunEnd(report: TurnReport): RunEnd | null {
  const { state, answer, notice, reason, stats, endedAt } = report;
  if (endedAt === null || (state !== "done" && state !== "failed" && state !== "stopped")) return null;
  const said = state === "done" ? [answer, notice] : [notice, answer];
  return withTokens(toEnd(state, reason, said.find((text) => text !== null) ?? ""), stats);
}

function toEnd(state: "done" | "failed" | "stopped", code: string | undefined, text: string): RunEnd {
  if (state === "done") return { state: "completed", text };
  const error = text.trim() === "" ? `The turn ended with ${code ?? state}.` : text;
  if (state === "stopped") return { state: "failed", outcome: "stopped", error };
  if (code !== undefined && CONFIG.has(code)) return { state: "failed", outcome: "config", error };
  if (code !== undefined && UNREACHABLE.has(code)) return { state: "failed", outcome: "unreachable", error };
  return { state: "failed", outcome: "error", error };
}

/** What the turn used, where the report says so. */
export function withTokens(end: RunEnd, { usage }: TurnReport["stats"]): RunEnd {
  if (end.state === "unknown") return end;
  return { ...end, tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite };
}
