// Makes the notices that a session writes into its own log, and knows which of them no model reads. Used by the writers
// of entries (turns, journal, outbox) and by history.ts. Pure.
import type { NoticeEntry } from "../../schemas/entry.ts";

/**
 * Notices for readers and the person only. `pending` describes changes that wait for a decision: the scanner may have
 * kept exactly that text away from the model.
 */
const SILENT_CODES = new Set([
  ...["resumed", "model_retried", "paused", "learned", "compaction_failed", "pending", "image_described"],
  ...["approval_asked", "approval_decided", "approval_judged", "command", "command_answer", "skill_commands"],
  ...["clarify_asked", "clarify_answered", "clarify_timed_out", "message_answer"],
  ...["board", "children_begun", "child_ended"],
  ...["client_asked", "client_answered", "client_timed_out", "guidance_given"],
  ...["goal", "jobs"],
]);

export function toNotice(notice: Pick<NoticeEntry, "n" | "turn" | "at" | "code"> & { text: string }): NoticeEntry {
  const { n, turn, at, code, text } = notice;
  return { v: 1, n, turn, at, kind: "notice", code, parts: [{ source: "outcome", text }] };
}

export function isSilent(notice: NoticeEntry): boolean {
  return SILENT_CODES.has(notice.code);
}
