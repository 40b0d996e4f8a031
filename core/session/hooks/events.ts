// What each event of a session says: ids and small facts. A receiver that needs the words asks the API for them with a key. Called where
// the event happens, inside the transaction that makes it true.
import { readOutcome } from "../../agent/tool-result.ts";
import { toWithdrawn } from "../../hooks/hook-event.ts";
import type { SkillMove } from "../../learning/evidence/settle.ts";
import type { ToolEntry, WaitKind } from "../../schemas/entry.ts";
import { dayOf, toTurnId } from "../../schemas/ids.ts";
import type { ReviewResult } from "../../schemas/learning/review.ts";
import { type PendingInfo, PendingTool } from "../../schemas/approvals/pending.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isWanted, planEvent } from "./plan-event.ts";

/** Codes of turns that a budget ended, and whose budget it was. */
const BUDGETS: Record<string, "turn" | "session" | "profile_day"> = {
  turn_budget_spent: "turn",
  session_budget_spent: "session",
  profile_budget_spent: "profile_day",
};

/** Waits that a person ends. */
const OF_PERSON: readonly string[] = ["approval", "clarify"];

/** `turn.ended`, and `budget.reached` if a budget ended it. */
export function planTurnEnd(context: EngineContext, ended: TurnRow, steered: TurnRow[], settingsRev?: number): void {
  const { session } = context.host;
  const { n, state, stats, startedAt, endedAt, more } = ended;
  const turn = toTurnId(session, n);
  const data = {
    ...{ turn, state, reason: more.reason },
    ...(steered.length > 0 && { steered: steered.map((row) => toTurnId(session, row.n)) }),
    ...{ modelCalls: stats.modelCalls, toolCalls: stats.toolCalls, failedCalls: stats.failedCalls },
    ...(stats.usdMicros !== undefined && { usdMicros: stats.usdMicros }),
    ...{ startedAt: toTime(startedAt), endedAt: toTime(endedAt) },
  };
  planEvent(context, { type: "turn.ended", about: turn, data }, settingsRev);
  const budget = BUDGETS[more.reason ?? ""];
  if (!budget) return;
  const about = { turn, session, profile_day: dayOf(endedAt ?? context.host.clock.now()) }[budget];
  planEvent(context, { type: "budget.reached", about: `${budget} ${about}`, data: { turn, budget } }, settingsRev);
}

/** `approval.needed`: a turn waits for a person, whose answer lets it go on. */
export function planQuestion(
  context: EngineContext,
  turn: number,
  wait: { for: WaitKind; id: string; until: number },
): void {
  if (!OF_PERSON.includes(wait.for)) return;
  const { session } = context.host;
  const data = { turn: toTurnId(session, turn), for: wait.for, approval: wait.id, until: toTime(wait.until) };
  planEvent(context, { type: "approval.needed", about: `${session} ${wait.id}`, data });
}

/** `approval.needed` for a file that only the person may change. The turn goes on meanwhile. */
export function planFileQuestion(context: Pick<EngineContext, "host" | "log" | "jobs">, id: string): void {
  const { session } = context.host;
  const [running] = context.log.openTurns();
  const data = { ...(running && { turn: toTurnId(session, running.n) }), for: "file", approval: id };
  planEvent(context, { type: "approval.needed", about: `${session} ${id}`, data });
}

/** `review.learned`: skills by name, and the number of facts. */
export function planLearned(context: EngineContext, { review, trigger, lessons, waiting = 0 }: ReviewResult): void {
  if (lessons.length === 0) return;
  const skills = [...new Set(lessons.flatMap((lesson) => (lesson.kind === "skill" ? [lesson.skill] : [])))];
  const facts = lessons.filter(({ kind }) => kind === "memory").length;
  planEvent(context, { type: "review.learned", about: review, data: { review, trigger, skills, facts, waiting } });
}

/** `skill.withdrawn`, also if only some sentences were. */
export function planWithdrawn(context: EngineContext, moves: SkillMove[]): void {
  for (const { skill, to, rev, withdrew, inPart } of moves) {
    if (withdrew) planEvent(context, toWithdrawn({ skill, state: to, rev, inPart }));
  }
}

/** `pending.created`, if the result of the call says that a change waits for a person. */
export function planPendingOfCall(context: EngineContext, { turn, failed, parts, call }: ToolEntry): void {
  if (!PendingTool.safeParse(call.name).success || !isWanted(context, "pending.created")) return;
  const { pending, state = "waiting" } = readOutcome({ failed, parts });
  if (typeof pending !== "string" || state !== "waiting") return;
  const data = { pending, tool: call.name, by: "session", turn: toTurnId(context.host.session, turn) };
  planEvent(context, { type: "pending.created", about: pending, data });
}

/** `pending.created` for each write that a review leaves to a person. */
export function planPendingOfReview(context: EngineContext, review: string, waiting: PendingInfo[]): void {
  for (const { id, tool } of waiting) {
    planEvent(context, { type: "pending.created", about: id, data: { pending: id, tool, by: "review", review } });
  }
}

/** The writes of a review that wait for a person. Asks the store only if a hook wants to know. */
export async function findPendingOfReview(
  context: EngineContext,
  outcome: Pick<ReviewResult, "review" | "waiting">,
): Promise<PendingInfo[]> {
  const { pending, session } = context.host;
  if (!outcome.waiting || !pending || !isWanted(context, "pending.created")) return [];
  const listed = (await pending.list()).filter((one) => one.session === session && one.state === "waiting");
  const found = await Promise.all(listed.map(({ id }) => pending.get(id)));
  return found.filter((one) => one?.op.startsWith(`${outcome.review}.`)) as PendingInfo[];
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
