// What a conversation is doing: which turn is open, what it waits for, what it works at. Pure.
import { type Conversation, type Turn, isRunning } from "./conversation.ts";
import type { QuestionItem } from "./items.ts";

/** Notices that say that a question has its answer. */
const ANSWERED = new Set([
  "approval_decided",
  "clarify_answered",
  "clarify_timed_out",
  "client_answered",
  "client_timed_out",
]);

/** What the turn waits for; `null`: nothing. */
export function openQuestion({ items, end }: Turn): QuestionItem | null {
  if (end !== null) return null;
  const at = items.findLastIndex(({ kind }) => kind === "question");
  const isOver = items
    .slice(at + 1)
    .some(
      (item) => item.kind === "answer" || item.kind === "tool" || (item.kind === "notice" && ANSWERED.has(item.code)),
    );
  return at === -1 || isOver ? null : (items[at] as QuestionItem);
}

/** The turn that has begun and not ended. */
export function openTurn({ turns }: Conversation): Turn | null {
  return turns.findLast(({ end, items }) => end === null && items.length > 0) ?? null;
}

export type Activity =
  | { kind: "idle" }
  /** Only the person can go on. */
  | { kind: "asks" }
  | { kind: "works"; what: string };

export function describeActivity(conversation: Conversation): Activity {
  const turn = openTurn(conversation);
  if (turn === null) return { kind: "idle" };
  const question = openQuestion(turn);
  if (question?.question.for === "approval" || question?.question.for === "clarify") return { kind: "asks" };
  if (question?.question.for === "children") return { kind: "works", what: "Waiting for delegated sessions" };
  if (question) return { kind: "works", what: "Waiting for the client's tools" };
  const running = turn.items.find(isRunning);
  if (running?.kind === "tool") return { kind: "works", what: `Running ${running.name}` };
  const last = turn.items.at(-1);
  if (last?.kind === "answer" && !last.stored) {
    if (last.text !== "") return { kind: "works", what: "Answering" };
    if (last.reasoning !== "") return { kind: "works", what: "Thinking" };
  }
  return { kind: "works", what: "Waiting for the model" };
}

/** Whether the text of this item is still growing. */
export function isStreaming(turn: Turn, entry: number): boolean {
  const last = turn.items.at(-1);
  return turn.end === null && last?.entry === entry && !last.stored;
}
