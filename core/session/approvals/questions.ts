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
import { bookLate } from "../ledger.ts";
import { toNotice } from "../prompt/notices.ts";
import { placeNotice } from "../readers/events.ts";
import { type WaitEnd, endWait, parkTurn } from "../turn/waiting/park-turn.ts";
import { checkRoom } from "./allowance-room.ts";
import {
  addSessionAllowances,
  isCovered,
  keepProfileAllowance,
  nameCovered,
  putProfileAllowance,
  readPolicy,
  toStanding,
} from "./allowances.ts";
import { openApprovalRows } from "./approval-rows.ts";
import { clipSummary, describeEarlier, describeQuestion, toDenial } from "./question-text.ts";
import { type TriageBudget, triageCall } from "./triage.ts";
import { isUnattended } from "./unattended.ts";

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
  const judged = mode === "smart" ? await triageCall(context, asked, place) : null;
  // Stopped meanwhile: the question would be asked for nothing.
  if (log.turn(place.turn)?.state !== "running" || place.signal.aborted) {
    bookLate(
      context,
      place.turn,
      (judged?.spent ?? []).map((spent) => ({ kind: "approval", ...spent })),
    );
    return { state: "parked" };
  }
  if (judged && judged.decision !== "ask") {
    return recordModel(context, asked, { ...judged, decision: judged.decision }, place);
  }
  if (isUnattended(context)) return { state: "refused", result: UNATTENDED };
  ask(context, asked, judged?.spent ?? [], place);
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
  if (gate.insists) return { mode: "manual", isAllowed: false };
  const isUnasked = mode === "off" || (mode !== "manual" && gate.reasons.length === 0);
  return { mode, isAllowed: isUnasked || isCovered(policy.allowances, gate.allowance) };
}

const UNATTENDED = fail(
  "approval_unattended",
  "This needs a person's approval, and nobody is there in this run. Do it another way, or say what is left to do.",
);

function ask(context: EngineContext, asked: CommandApproval, spent: SpentCall[], { put }: QuestionPlace): void {
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
    ...(spent.length > 0 && { approval: spent }),
  };
  parkTurn(context, turn, {
    wait: { for: "approval", id, until },
    notice,
    record() {
      openApprovalRows({ host, log }).add(asked);
      put(notice);
    },
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
  context.hub.emit(placeNotice(notice));
  return toAdmission(context, decided);
}

function toAdmission(context: EngineContext, decided: CommandApproval): Admission {
  if (decided.state === "approved") return { state: "run" };
  const { approvals, turn } = context.host.settings;
  const isBroken = decided.by === "model" && approvals.breaker > 0 && countModelDenials(context) >= approvals.breaker;
  return { state: "refused", result: toDenial(decided, isBroken, turn.approvalMs) };
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
  /** Somebody who does not own the profile decides. */
  source?: "content" | undefined;
}

/**
 * A person's decision. Repeating it gives the same answer. The caller has the driver continue. `before`: an entry to write first,
 * in the same transaction. Failures: `approval_decided`, `approval_too_wide`, `too_many_allowances`, `forbidden`.
 */
export async function decideQuestion(
  context: EngineContext,
  asked: CommandApproval,
  { approve, scope = "once", reason, source }: QuestionDecision,
  before?: () => NoticeEntry,
): Promise<Result<CommandApproval>> {
  const { host, log } = context;
  if (approve && scope === "always" && source === "content") return OWNER_ONLY;
  const refusal = checkDecision(asked, approve, scope);
  if (refusal !== "open") return refusal;
  const isForAll = approve && scope === "always" && host.approvals !== undefined;
  if (isForAll) {
    // A decision that cannot be kept is not made.
    const room = checkRoom((await host.approvals!.read()).allowances, toStanding(context, asked));
    if (!room.ok) return room;
    const now = openApprovalRows(context).find(asked.id);
    if (!now.ok) return now;
    // Another decision, the timeout or a stop may have come first.
    const again = checkDecision(now.value as CommandApproval, approve, scope);
    if (again !== "open") return again;
  }
  const decided: CommandApproval = {
    ...asked,
    state: approve ? "approved" : "refused",
    ...{ decidedAt: host.clock.now(), by: "person", scope: approve ? scope : null },
    reason: approve ? null : reason?.trim() || null,
    ...(source && { source }),
  };
  const turn = log.turn(asked.turn);
  if (turn?.more.parked?.id !== asked.id) return err("approval_decided", "The turn that asked this has ended.");
  endWait(context, turn, {
    ...(before && { before }),
    record() {
      openApprovalRows(context).put(decided);
      if (approve && scope === "session") addSessionAllowances(context, asked);
      if (isForAll) putProfileAllowance(context, asked);
      return { code: "approval_decided", text: describeDecision(decided) };
    },
  });
  if (isForAll) await keepProfileAllowance(context, asked.id);
  return ok(decided);
}

/** It would hold for every session of the profile, and outlive the person's role. */
const OWNER_ONLY = err("forbidden", "Only the owner may allow a call always. Allow it once, or for the session.");

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
  return isSame ? ok(asked) : err("approval_decided", describeEarlier(state));
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
