// `/approvals`, `/approve`, `/deny`, `/answer` and `/revoke`: the person decides in the conversation about everything that agents asked
// for: calls and questions of a parked turn, instruction files, and changes of skills and memory. Called by run-command.ts, and by parked-turn.ts at once while
// a turn is parked. Idempotent: a command that is repeated after a crash answers the same.
import type { SessionCommand } from "../../../commands/commands.ts";
import { type Result, err, ok } from "../../../errors.ts";
import type { ApprovalInfo } from "../../../schemas/api.ts";
import { ApprovalScope } from "../../../schemas/approvals/approval.ts";
import type { NoticeEntry } from "../../../schemas/entry.ts";
import {
  type Decision,
  decideApproval,
  listAllowances,
  listApprovals,
  revokeAllowance,
} from "../../approvals/approvals.ts";
import { describeAnswers, describeQuestions } from "../../approvals/clarify-text.ts";
import { clipSummary, describeQuestion } from "../../approvals/question-text.ts";
import type { EngineContext } from "../../context.ts";
import type { NoticeEnding } from "../endings.ts";
import { decidePending, describePending, hasPending } from "./pending.ts";

/** `source`: that of the command's turn. `place`: writes the command as an entry, inside the transaction of a decision that ends a wait. */
export async function runApprovalCommand(
  context: EngineContext,
  { name, argument, source }: Pick<SessionCommand, "name" | "argument"> & Pick<Decision, "source">,
  place?: () => NoticeEntry,
): Promise<NoticeEnding> {
  if (name === "approvals") return listAll(context);
  if (name === "revoke") return revoke(context, argument);
  if (name === "answer") return answer(context, { answer: argument, source }, place);
  const read = readDecision(argument, name === "approve");
  const found = await findAsked(context, read.id);
  if (!found.ok) return toFailure(found.failure);
  if (found.value.kind === "pending") return decidePending(context, found.value.id, name === "approve");
  const { scope, reason } = read;
  const decision = { approve: name === "approve", scope, reason, source };
  const decided = await decideApproval(context, found.value.id, decision, place);
  if (!decided.ok) return toFailure(decided.failure);
  const text =
    decided.value.kind === "clarify"
      ? describeAnswers(decided.value)
      : `${name === "approve" ? "Approved" : "Refused"}: ${nameOf(decided.value)}`;
  return { state: "done", code: "decided", text };
}

/** Of the question that a parked turn waits for. */
async function answer(context: EngineContext, given: Decision, place?: () => NoticeEntry): Promise<NoticeEnding> {
  const waiting = listApprovals(context).find(({ kind, state }) => kind === "clarify" && state === "waiting");
  if (!waiting) return { state: "failed", code: "pending_not_found", text: "No question waits for an answer." };
  if (given.answer === "") {
    return { state: "failed", code: "answer_invalid", text: "Write it as /answer TEXT: a number, or your own words." };
  }
  const answered = await decideApproval(context, waiting.id, given, place);
  if (!answered.ok) return toFailure(answered.failure);
  return {
    state: "done",
    code: "decided",
    text: answered.value.kind === "clarify" ? describeAnswers(answered.value) : "",
  };
}

function toFailure({ code, message }: { code: string; message: string }): NoticeEnding {
  return { state: "failed", code, text: message };
}

function nameOf(approval: Exclude<ApprovalInfo, { kind: "clarify" }>): string {
  return approval.kind === "file" ? approval.path : clipSummary(approval.summary, approval.id);
}

const NOTHING = "Nothing waits for you.";
const ID = /^[0-9a-f]{4,20}$/;

/** `[ID] [once|session|always]` after /approve, `[ID] [REASON]` after /deny. */
function readDecision(argument: string, approve: boolean): { id: string; scope?: ApprovalScope; reason?: string } {
  const [first = "", ...others] = argument.trim().split(/\s+/);
  const scoped = (word: string | undefined) => ApprovalScope.safeParse(word?.toLowerCase()).data;
  if (!approve) {
    const hasId = ID.test(first);
    const reason = (hasId ? argument.trim().slice(first.length) : argument).trim();
    return { id: hasId ? first : "", ...(reason !== "" && { reason }) };
  }
  const alone = scoped(first);
  if (alone) return { id: "", scope: alone };
  const scope = scoped(others[0]);
  return { id: first, ...(scope && { scope }) };
}

type Asked = { kind: "approval" | "pending"; id: string };

/**
 * What a decision means: by its id or the beginning of it, decided ones included, so that a repeated command finds the same. Without
 * an id: the call or the question that a parked turn waits for.
 */
async function findAsked(context: EngineContext, id: string): Promise<Result<Asked>> {
  const all = listApprovals(context);
  if (id === "") {
    const waiting = all.findLast(({ kind, state }) => kind !== "file" && state === "waiting");
    if (waiting) return ok({ kind: "approval", id: waiting.id });
    const others = all.some(({ state }) => state === "waiting") || (await describePending(context)).length > 0;
    const text = others ? "Name what you decide: /approvals shows what waits, each with its id." : NOTHING;
    return err("pending_not_found", text);
  }
  const found: Asked[] = all.filter((one) => one.id.startsWith(id)).map((one) => ({ kind: "approval", id: one.id }));
  const changes = await hasPending(context, id);
  found.push(...changes.map((change) => ({ kind: "pending" as const, id: change })));
  if (found.length === 1) return ok(found[0]!);
  if (found.length > 1) return err("pending_not_found", `${found.length} of them begin with '${id}': give more of it.`);
  return err(
    "pending_not_found",
    `Nothing begins with '${id.slice(0, 40).toWellFormed()}': /approvals shows what waits, each with its id.`,
  );
}

async function listAll(context: EngineContext): Promise<NoticeEnding> {
  const calls = listApprovals(context).filter(({ state }) => state === "waiting");
  const parts = [...calls.map(describe), ...(await describePending(context))];
  const allowances = await listAllowances(context);
  const standing = allowances.map(
    ({ id, scope, kind, key }) =>
      `${id}: ${scope}, ${kind === "family" ? `every harmless \`${key}\`` : `exactly \`${key}\``}`,
  );
  const waiting =
    parts.length === 0
      ? NOTHING
      : `${parts.join("\n\n")}\n\nDecide with /approve <id> or /deny <id>; the first letters of an id are enough.`;
  const allowed = standing.length === 0 ? "" : `\n\nAllowed without asking (/revoke <id>):\n${standing.join("\n")}`;
  return { state: "done", code: "pending", text: `${waiting}${allowed}` };
}

function describe(approval: ApprovalInfo): string {
  if (approval.kind === "file") {
    return `${approval.id}: new content of ${approval.path} (${approval.size} bytes). Read it before you approve it.`;
  }
  if (approval.kind === "clarify") return `${approval.id}: ${describeQuestions(approval.questions)}`;
  return `${approval.id}: ${describeQuestion({ ...approval, summary: clipSummary(approval.summary, approval.id) })}`;
}

async function revoke(context: EngineContext, id: string): Promise<NoticeEnding> {
  if (id === "") {
    const text = "Name what you revoke, as /revoke ID: /approvals shows what you allowed, each with its id.";
    return { state: "failed", code: "allowance_not_found", text };
  }
  const found = (await listAllowances(context)).filter((one) => one.id.startsWith(id));
  const [only] = found;
  if (!only || new Set(found.map((one) => one.id)).size > 1) {
    const text =
      found.length === 0
        ? `No allowance begins with '${id.slice(0, 40).toWellFormed()}'.`
        : `Several allowances begin with '${id}': give more of it.`;
    return { state: "failed", code: "allowance_not_found", text };
  }
  await revokeAllowance(context, only.id);
  return { state: "done", code: "decided", text: `Revoked: \`${only.key}\` asks again.` };
}
