// The notices a session writes into its own log: how one is made, and which of them a model is not told of. Used by what
// writes entries (drive, journal, outbox) and by the history a model reads. Pure.
import type { NoticeEntry } from "../../schemas/entry.ts";

/**
 * They concern readers and the person: a turn that went on or waits, an answer that was asked for again, what a review
 * learned, and what waits for the person, which may be just what the scanner kept away from the model.
 */
const SILENT_CODES = new Set(["resumed", "model_retried", "paused", "learned", "compaction_failed", "pending"]);

export function toNotice(notice: Pick<NoticeEntry, "n" | "turn" | "at" | "code"> & { text: string }): NoticeEntry {
  const { n, turn, at, code, text } = notice;
  return { v: 1, n, turn, at, kind: "notice", code, parts: [{ source: "outcome", text }] };
}

export function isSilent(notice: NoticeEntry): boolean {
  return SILENT_CODES.has(notice.code);
}
