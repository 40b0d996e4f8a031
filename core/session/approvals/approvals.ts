// Everything in a session that waits for a person: calls of a parked turn, its questions, and new content of instruction files. The
// API and the session's commands list and decide them here. Repeating a decision gives the same answer.
import { type Result, err, ok } from "../../errors.ts";
import type { AllowanceInfo, ApprovalDetail, ApprovalInfo, DecideApproval } from "../../schemas/api.ts";
import type { Approval, StandingAllowance } from "../../schemas/approvals/approval.ts";
import type { NoticeEntry } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { nameCovered, revokeSessionAllowance, sessionAllowances } from "./allowances.ts";
import { openApprovalRows } from "./approval-rows.ts";
import { type ClarifyReply, answerClarify } from "./clarifying.ts";
import { decideFile, openFile } from "./file-changes.ts";
import { decideQuestion } from "./questions.ts";

type FileInfo = Extract<ApprovalInfo, { kind: "file" }>;

/** Oldest first. */
export function listApprovals(context: EngineContext): ApprovalInfo[] {
  return openApprovalRows(context).all().map(toInfo);
}

/** Failure: `approval_not_found`. */
export function openApproval(context: EngineContext, id: string): Result<ApprovalDetail> {
  const found = openApprovalRows(context).find(id);
  if (!found.ok) return found;
  const approval = found.value;
  return ok(
    approval.kind === "file"
      ? { ...(toInfo(approval) as FileInfo), ...openFile(context, approval) }
      : (toInfo(approval) as ApprovalDetail),
  );
}

/** `source`: somebody who does not own the profile decides, so the words are no instruction of the owner's. */
export type Decision = DecideApproval & { source?: "content" | undefined };

/**
 * The caller has the driver look afterwards: the decision may end a turn's wait. `before`: an entry to write first, in the same
 * transaction, for a decision that ends a wait. Failures: `approval_not_found`, `answer_invalid`, and those of deciding each kind.
 */
export async function decideApproval(
  context: EngineContext,
  id: string,
  decision: Decision,
  before?: () => NoticeEntry,
): Promise<Result<ApprovalInfo>> {
  const found = openApprovalRows(context).find(id);
  if (!found.ok) return found;
  const asked = found.value;
  if (asked.kind === "clarify") {
    const reply = toReply(decision);
    return reply ? answerQuestion(context, id, reply, before) : err("answer_invalid", ANSWER_IT);
  }
  const { approve } = decision;
  if (approve === undefined) return err("answer_invalid", APPROVE_IT);
  const decided =
    asked.kind === "file"
      ? decideFile(context, asked, approve)
      : await decideQuestion(context, asked, { ...decision, approve }, before);
  return decided.ok ? ok(toInfo(decided.value)) : decided;
}

/** The answer to the question of that id. Failures: `approval_not_found`, those of `answerClarify`. */
export function answerQuestion(
  context: EngineContext,
  id: string,
  reply: ClarifyReply,
  before?: () => NoticeEntry,
): Result<ApprovalInfo> {
  const found = openApprovalRows(context).find(id);
  if (!found.ok) return found;
  if (found.value.kind !== "clarify") return err("answer_invalid", APPROVE_IT);
  const answered = answerClarify(context, found.value, reply, before);
  return answered.ok ? ok(toInfo(answered.value)) : answered;
}

const APPROVE_IT = "This waits for a decision, not for words: approve it or refuse it.";
const ANSWER_IT =
  "This is a question: answer it with the number of a choice or in your own words, or refuse to answer.";

/** Null: a question cannot be approved. */
function toReply({ approve, reason, answer, answers, source }: Decision): ClarifyReply | null {
  if (answers) return { answers };
  if (answer !== undefined) return { words: answer, source };
  return approve === false ? { decline: true, reason, source } : null;
}

/** The session's standing allowances, then the profile's. */
export async function listAllowances(context: EngineContext): Promise<AllowanceInfo[]> {
  const profile = (await context.host.approvals?.read())?.allowances ?? [];
  return [
    ...sessionAllowances(context).map((allowance) => ({ ...toListed(allowance), scope: "session" as const })),
    ...profile.map((allowance) => ({ ...toListed(allowance), scope: "always" as const })),
  ];
}

function toListed({ id, kind, key, at }: StandingAllowance): Omit<StandingAllowance, "v"> {
  return { id, kind, key, at };
}

/** Of the session or of the profile. False: there is none of that id. */
export async function revokeAllowance(context: EngineContext, id: string): Promise<boolean> {
  const own = revokeSessionAllowance(context, id);
  const kept = (await context.host.approvals?.revoke(id)) ?? false;
  return own || kept;
}

function toInfo(approval: Approval): ApprovalInfo {
  const { id, askedAt, decidedAt } = approval;
  if (approval.kind === "file") {
    const { kind, path, state, size } = approval;
    return { id, kind, path, state, size, askedAt, decidedAt };
  }
  if (approval.kind === "clarify") {
    const { v: _, ...info } = approval;
    return info;
  }
  const { v: _, allowance, ...info } = approval;
  return { ...info, covers: nameCovered(allowance) };
}
