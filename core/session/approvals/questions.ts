// Questions about calls: whether a person may be asked, the stored question, and what its decision makes of the call. Called by
// the journal before an intent is written, so a call that nobody has allowed leaves nothing unknown.
import type { Admission, GatedCall } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import { type Result, err, ok } from "../../errors.ts";
import {
  type ApprovalMode,
  type ApprovalScope,
  type CommandApproval,
  stricterMode,
} from "../../schemas/approvals/approval.ts";
import type { NoticeEntry } from "../../schemas/entry.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { SpentCall } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import { toNotice } from "../prompt/notices.ts";
import { type WaitEnd, endWait, parkTurn } from "../turn/waiting/park-turn.ts";
import { addSessionAllowances, readPolicy, isCovered, nameCovered } from "./allowances.ts";
import { openApprovalRows } from "./approval-rows.ts";
import { clipSummary, describeQuestion, toDenial } from "./question-text.ts";
import { type TriageBudget, triageCall } from "./triage.ts";

export interface QuestionPlace {
  turn: number;
  step: number;
  /** An earlier attempt has written the intent of the call. */
  hasIntent: boolean;
  /** Budgets of the turn, for the model that decides first. */
  findRefusal: TriageBudget;
  signal: AbortSignal;
  /** Writes a notice into the turn's log. */
  put(notice: NoticeEntry): void;
}

/** Decides on a call before its intent. The same place in a turn is asked about once, however often the turn is resumed. */
export async function admitCall(
  context: EngineContext,
  place: QuestionPlace,
  { call, gate }: GatedCall,
): Promise<Admission> {
  const { host, log } = context;
  const rows = openApprovalRows(context);
  const id = sha256Hex(`${host.session}-${place.turn}:${place.step} ${call.id}`).slice(0, 20);
  const known = rows.find(id);
  if (known.ok && known.value.kind === "command" && known.value.state !== "waiting") {
    return toAdmission(context, known.value);
  }
  if (place.hasIntent) return { state: "run" };
  const { mode, isAllowed } = await judgeGate(context, gate);
  if (isAllowed) return { state: "run" };
  const asked: CommandApproval = {
    ...{ v: 2, kind: "command", id, state: "waiting", turn: place.turn, tool: call.name },
    summary: gate.summary,
    reasons: gate.reasons,
    allowance: gate.allowance ?? null,
    ...{ askedAt: host.clock.now(), until: host.clock.now() + host.settings.turn.approvalMs },
    ...{ decidedAt: null, by: null, scope: null, reason: null },
  };
  let spent: NoticeEntry["approval"] = [];
  if (mode === "smart") {
    const judged = await triageCall(context, asked, place);
    const { decision, reason } = judged;
    if (decision !== "ask") return recordModel(context, asked, { decision, reason, spent: judged.spent }, place);
    spent = judged.spent;
  }
  if (host.isUnattended?.()) return { state: "refused", result: UNATTENDED };
  // Stopped or interrupted meanwhile: the question would be asked for nothing.
  if (log.turn(place.turn)?.state !== "running" || place.signal.aborted) return { state: "parked" };
  ask(context, asked, spent);
  return { state: "parked" };
}

/** Whether a call runs without a question, by the mode or a standing allowance. No model is asked. */
export async function isAllowedUnasked(context: EngineContext, gate: GatedCall["gate"]): Promise<boolean> {
  return (await judgeGate(context, gate)).isAllowed;
}

async function judgeGate(
  context: EngineContext,
  gate: GatedCall["gate"],
): Promise<{ mode: ApprovalMode; isAllowed: boolean }> {
  const policy = await readPolicy(context);
  const mode = stricterMode(context.host.settings.approvals.mode, policy.mode);
  const isUnasked = mode === "off" || (mode !== "manual" && gate.reasons.length === 0);
  return { mode, isAllowed: isUnasked || isCovered(policy.allowances, gate.allowance) };
}

const UNATTENDED = fail(
  "approval_unattended",
  "This needs a person's approval, and nobody is there in this run. Do it another way, or say what is left to do.",
);

function ask(context: EngineContext, asked: CommandApproval, spent: NoticeEntry["approval"]): void {
  const { host, log } = context;
  const { id, until, turn, summary, reasons, askedAt } = asked;
  const question = {
    ...{ for: "approval" as const, id, until, reasons },
    summary: clipSummary(summary, id),
    covers: nameCovered(asked.allowance),
  };
  const notice: NoticeEntry = {
    ...toNotice({ n: log.nextEntry(), turn, at: askedAt, code: "approval_asked", text: describeQuestion(question) }),
    asked: question,
    ...(spent && spent.length > 0 && { approval: spent }),
  };
  parkTurn(context, turn, {
    wait: { for: "approval", id, until },
    notice,
    record: () => openApprovalRows({ host, log }).add(asked),
  });
}

/** The model's decision is stored with its cost, so that a resumed turn does not pay for it again. */
function recordModel(
  context: EngineContext,
  asked: CommandApproval,
  judged: { decision: "approve" | "deny"; reason: string; spent: SpentCall[] },
  { put }: QuestionPlace,
): Admission {
  const { host, log } = context;
  const state = judged.decision === "approve" ? "approved" : "refused";
  const decided: CommandApproval = {
    ...asked,
    ...{ state, by: "model", decidedAt: host.clock.now(), reason: judged.reason, scope: "once" },
  };
  const text = `The approval model ${state === "approved" ? "allowed" : "refused"}: ${clipSummary(asked.summary, asked.id)}\n${judged.reason}`;
  const notice = toNotice({
    n: log.nextEntry(),
    turn: asked.turn,
    at: host.clock.now(),
    code: "approval_judged",
    text,
  });
  host.sql.transaction(() => {
    openApprovalRows(context).add(decided);
    put({ ...notice, approval: judged.spent });
  });
  return toAdmission(context, decided);
}

function toAdmission(context: EngineContext, decided: CommandApproval): Admission {
  if (decided.state === "approved") return { state: "run" };
  const streak = decided.by === "model" ? countModelDenials(context) : 0;
  return { state: "refused", result: toDenial(decided, streak, context.host.settings.turn.approvalMs) };
}

/** Refusals of the model in a row, the newest included. A refusal by a person does not count; any approval ends the row. */
function countModelDenials(context: EngineContext): number {
  const decided = openApprovalRows(context)
    .all()
    .filter((row): row is CommandApproval => row.kind === "command" && row.decidedAt !== null)
    .toSorted((a, b) => b.decidedAt! - a.decidedAt!);
  let count = 0;
  for (const { state, by } of decided) {
    if (state === "approved") break;
    if (by === "model") count++;
  }
  return count;
}

export interface QuestionDecision {
  approve: boolean;
  /** Default `once`. */
  scope?: ApprovalScope | undefined;
  /** Why not; the model reads it. */
  reason?: string | undefined;
}

/**
 * A person's decision. Repeating it gives the same answer. The caller has the driver continue. `before`: an entry to write first,
 * in the same transaction. Failures: `approval_decided`, `approval_too_wide`, and those of storing an allowance.
 */
export async function decideQuestion(
  context: EngineContext,
  asked: CommandApproval,
  { approve, scope = "once", reason }: QuestionDecision,
  before?: () => NoticeEntry,
): Promise<Result<CommandApproval>> {
  const { host, log } = context;
  const refusal = checkDecision(asked, approve, scope);
  if (refusal !== "open") return refusal;
  if (approve && scope === "always") {
    // Idempotent, and before the decision: a decision that cannot be kept is not made.
    const kept = await host.approvals?.allow({ id: asked.id, ...widest(asked), at: host.clock.now() });
    if (kept && !kept.ok) return kept;
    const now = openApprovalRows(context).find(asked.id);
    if (now.ok && now.value.kind === "command" && now.value.state !== "waiting") {
      const again = checkDecision(now.value, approve, scope);
      // Another decision, the timeout or a stop came first, so this one allows nothing.
      if (again !== "open" && !again.ok) await host.approvals?.revoke(asked.id);
      return again === "open" ? ok(now.value) : again;
    }
  }
  const decided: CommandApproval = {
    ...asked,
    state: approve ? "approved" : "refused",
    ...{ decidedAt: host.clock.now(), by: "person", scope: approve ? scope : null },
    reason: approve ? null : reason?.trim() || null,
  };
  const turn = log.turn(asked.turn);
  if (turn?.more.parked?.id !== asked.id) return err("approval_decided", "The turn that asked this has ended.");
  endWait(context, turn, {
    ...(before && { before }),
    record() {
      openApprovalRows(context).put(decided);
      if (approve && scope === "session") addSessionAllowances(context, asked);
      return { code: "approval_decided", text: describeDecision(decided) };
    },
  });
  return ok(decided);
}

function checkDecision(
  asked: CommandApproval,
  approve: boolean,
  scope: ApprovalScope,
): "open" | Result<CommandApproval> {
  const { state, by, allowance } = asked;
  if (state === "waiting") {
    const isTooWide = approve && scope !== "once" && allowance === null;
    if (!isTooWide) return "open";
    return err(
      "approval_too_wide",
      "This call can only be allowed once: it is not the same every time. Approve it once.",
    );
  }
  const isSame = by === "person" && (approve ? state === "approved" && asked.scope === scope : state === "refused");
  return isSame ? ok(asked) : err("approval_decided", `This was ${state} before.`);
}

/** The widest key that the person was shown. */
function widest({ allowance }: CommandApproval): { kind: "exact" | "family"; key: string } {
  const family = allowance?.family;
  return family === undefined ? { kind: "exact", key: allowance!.exact } : { kind: "family", key: family };
}

function describeDecision({ state, scope, allowance, summary, id }: CommandApproval): string {
  if (state === "refused") return `Refused: ${clipSummary(summary, id)}`;
  if (scope === "once" || scope === null) return `Allowed once: ${clipSummary(summary, id)}`;
  const span = scope === "session" ? "in this session" : "always";
  return `Allowed ${span}: ${nameCovered(allowance) ?? clipSummary(summary, id)}`;
}

/** What happens to a question whose turn stops waiting for it. */
export const QUESTION_END: WaitEnd = {
  expire(context, id) {
    const closed = closeQuestion(context, id, "expired", "timeout");
    const text = closed
      ? `Nobody decided in time, so this was not run: ${clipSummary(closed.summary, id)}`
      : "Nobody decided.";
    return { code: "approval_decided", text };
  },
  withdraw: (context, id) => void closeQuestion(context, id, "withdrawn", "turn"),
};

function closeQuestion(
  context: EngineContext,
  id: string,
  state: "expired" | "withdrawn",
  by: "timeout" | "turn",
): CommandApproval | null {
  const rows = openApprovalRows(context);
  const found = rows.find(id);
  if (!found.ok || found.value.kind !== "command" || found.value.state !== "waiting") return null;
  const closed: CommandApproval = { ...found.value, state, by, decidedAt: context.host.clock.now() };
  rows.put(closed);
  return closed;
}
