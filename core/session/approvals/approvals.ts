// Everything in a session that waits for a person: calls of a parked turn, and new content of instruction files. The API and the
// session's commands list and decide them here. Repeating a decision gives the same answer.
import { type Result, ok } from "../../errors.ts";
import type { AllowanceInfo, ApprovalDetail, ApprovalInfo } from "../../schemas/api.ts";
import type { Approval, StandingAllowance } from "../../schemas/approvals/approval.ts";
import type { NoticeEntry } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { nameCovered, revokeSessionAllowance, sessionAllowances } from "./allowances.ts";
import { openApprovalRows } from "./approval-rows.ts";
import { decideFile, openFile } from "./file-changes.ts";
import { type QuestionDecision, decideQuestion } from "./questions.ts";

export type { QuestionDecision } from "./questions.ts";

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

/**
 * The caller has the driver look afterwards: the decision may end a turn's wait. `before`: an entry to write first, in the same
 * transaction, for a decision that ends a wait. Failures: `approval_not_found`, and those of deciding either kind.
 */
export async function decideApproval(
  context: EngineContext,
  id: string,
  decision: QuestionDecision,
  before?: () => NoticeEntry,
): Promise<Result<ApprovalInfo>> {
  const found = openApprovalRows(context).find(id);
  if (!found.ok) return found;
  const asked = found.value;
  const decided =
    asked.kind === "file"
      ? decideFile(context, asked, decision.approve)
      : await decideQuestion(context, asked, decision, before);
  return decided.ok ? ok(toInfo(decided.value)) : decided;
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
  const { allowance, kind, state, turn, tool, summary, reasons, until, by, scope, reason } = approval;
  const covers = nameCovered(allowance);
  return { id, kind, state, turn, tool, summary, reasons, covers, askedAt, until, decidedAt, by, scope, reason };
}
