// Which notices of the log a person reads, and how. Used by turn-view.tsx. Pure.
import type { Turn } from "../session/conversation.ts";
import type { NoticeItem } from "../session/items.ts";

/** They repeat for the model, or show elsewhere, what the person knows already. */
const HIDDEN = new Set([
  "news",
  "rating",
  "learned",
  "skill_commands",
  "guidance_given",
  "approval_asked",
  "clarify_asked",
  "client_asked",
]);

const GOOD = new Set(["clarify_answered", "approval_decided", "client_answered", "skills", "recalled_skill"]);

/** `page`: the answer of a command, as text with lines. */
export type NoticeForm = "hidden" | "good" | "plain" | "page";

export function toForm(turn: Turn, { code, text }: NoticeItem): NoticeForm {
  // The line below the turn says so.
  if (code === "stopped" && turn.end?.reason === "stopped") return "hidden";
  if (HIDDEN.has(code) || text.trim() === "") return "hidden";
  if (code === "command_answer") return "page";
  // A command is a turn without a model, and its notice is its answer.
  const isCommand = turn.end?.stats?.modelCalls === 0 && turn.end.state === "done";
  if (isCommand) return "page";
  return GOOD.has(code) ? "good" : "plain";
}
