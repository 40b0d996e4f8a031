// The agent's questions to the person: asked once for a call, parked with its turn, and answered by the API, a command or the
// next message. The tool `clarify` asks here; approvals.ts and parked-turn.ts answer. One question waits at a time.
import type { CallWait } from "../../agent/contract.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { ClarifyApproval } from "../../schemas/approvals/approval.ts";
import type { ClarifyAnswer, ClarifyQuestion } from "../../schemas/approvals/clarify.ts";
import type { NoticeEntry } from "../../schemas/entry.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { ClarifyDesk } from "../../tools/asking/clarify.ts";
import type { EngineContext } from "../context.ts";
import { type WaitEnd, endWait } from "../turn/waiting/park-turn.ts";
import { openApprovalRows } from "./approval-rows.ts";
import { describeEarlier } from "./question-text.ts";
import { describeAnswers, describeQuestions, toShown } from "./clarify-text.ts";
import { describeWait } from "./question-text.ts";
import { type GivenAnswer, checkAnswers, readAnswers } from "./read-answers.ts";
import { isUnattended } from "./unattended.ts";

export function createClarifyDesk(context: EngineContext): ClarifyDesk {
  const { host, log } = context;
  const rows = openApprovalRows(context);
  const find = (op: string): ClarifyApproval | null => {
    const found = rows.find(toId(op));
    return found.ok && found.value.kind === "clarify" ? found.value : null;
  };
  return {
    find,
    ask(op, questions) {
      const known = find(op);
      if (known) return known.state === "waiting" ? toWait(context, known) : null;
      const turn = log.openTurns()[0]?.n ?? 0;
      // A person who let one question pass is not waited for again in this turn.
      const hasPassed = rows
        .all()
        .some((row) => row.kind === "clarify" && row.turn === turn && row.state === "expired");
      if (isUnattended(context) || hasPassed) return null;
      const askedAt = host.clock.now();
      const asked: ClarifyApproval = {
        ...{ v: 2, kind: "clarify", id: toId(op), state: "waiting", turn, questions, askedAt },
        until: askedAt + host.settings.turn.clarifyMs,
        ...{ decidedAt: null, by: null, answers: null, said: null, reason: null },
      };
      return toWait(context, asked);
    },
  };
}

function toId(op: string): string {
  return sha256Hex(`clarify ${op}`).slice(0, 20);
}

/** A crash between the intent and the park repeats this with the same id, so the question is stored once. */
function toWait(context: EngineContext, asked: ClarifyApproval): CallWait {
  const { id, until, questions } = asked;
  return {
    asked: { for: "clarify", id, until, questions: toShown(questions) },
    code: "clarify_asked",
    text: describeQuestions(questions),
    record: () => openApprovalRows(context).add(asked),
  };
}

/** What a person sends to a question. `follows`: the answer is the message itself, which joins the turn after it. */
export type ClarifyReply =
  /** `source`: somebody who does not own the profile wrote them. */
  | { words: string; source?: "content" | undefined }
  | { answers: GivenAnswer[] }
  | { decline: true; reason?: string | undefined; source?: "content" | undefined }
  | { follows: true };

/**
 * A person's answer. Repeating it gives the same result. The caller has the driver continue. `before`: an entry to write first, in
 * the same transaction. Failures: `answer_invalid`, `approval_decided`.
 */
export function answerClarify(
  context: EngineContext,
  asked: ClarifyApproval,
  reply: ClarifyReply,
  before?: () => NoticeEntry,
): Result<ClarifyApproval> {
  const read = readReply(reply, asked.questions);
  if (!read.ok) return read;
  const { host, log } = context;
  if (asked.state !== "waiting") {
    const isSame = asked.by === "person" && toKey(asked) === toKey(read.value);
    return isSame ? ok(asked) : err("approval_decided", describeEarlier(asked.state));
  }
  const turn = log.turn(asked.turn);
  const isContent = turn?.more.source === "content" || ("source" in reply && reply.source === "content");
  const decided: ClarifyApproval = {
    ...{ ...asked, ...read.value, by: "person", decidedAt: host.clock.now() },
    ...(isContent && { source: "content" }),
  };
  if (turn?.more.parked?.id !== asked.id) return err("approval_decided", "The turn that asked this has ended.");
  endWait(context, turn, {
    ...(before && { before }),
    record() {
      openApprovalRows(context).put(decided);
      return { code: "clarify_answered", text: describeAnswers(decided) };
    },
  });
  return ok(decided);
}

type Reply = Pick<ClarifyApproval, "state" | "answers" | "said" | "reason">;

function readReply(reply: ClarifyReply, questions: ClarifyQuestion[]): Result<Reply> {
  if ("decline" in reply) {
    return ok({ state: "declined", answers: null, said: null, reason: reply.reason?.trim() || null });
  }
  const answered = (answers: ClarifyAnswer[] | null, said: string | null = null): Reply => {
    return { state: "answered", answers, said, reason: null };
  };
  if ("follows" in reply) return ok(answered(null));
  if ("words" in reply) {
    const answers = readAnswers(reply.words, questions);
    return ok(answers ? answered(answers) : answered(null, reply.words.trim()));
  }
  const checked = checkAnswers(reply.answers, questions);
  return checked.ok ? ok(answered(checked.value)) : checked;
}

function toKey({ state, answers, said, reason }: Reply): string {
  return JSON.stringify([state, answers, said, reason]);
}

/** What happens to a question whose turn stops waiting for it. */
export const CLARIFY_END: WaitEnd = {
  expire(context, id) {
    close(context, id, { state: "expired", by: "timeout" });
    const wait = describeWait(context.host.settings.turn.clarifyMs);
    const text = `Nobody answered within ${wait}. The agent goes on and decides by its own judgement.`;
    return { code: "clarify_timed_out", text };
  },
  withdraw: (context, id) => close(context, id, { state: "withdrawn", by: "turn" }),
};

function close(context: EngineContext, id: string, end: Pick<ClarifyApproval, "state" | "by">): void {
  const rows = openApprovalRows(context);
  const found = rows.find(id);
  if (!found.ok || found.value.kind !== "clarify" || found.value.state !== "waiting") return;
  rows.put({ ...found.value, ...end, decidedAt: context.host.clock.now() });
}
