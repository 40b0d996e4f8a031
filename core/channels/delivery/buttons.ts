// The buttons of a question. Where a platform has too few, the less needed ones are left out: the question's words say how to answer without
// any. Pure.
import type { AskedQuestion } from "../../schemas/entry.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { ButtonMeaning } from "./meaning.ts";

/** [own] Platforms cut longer labels; WhatsApp takes 20 characters. */
const LABEL_CHARS = 40;

export interface MeantButton {
  label: string;
  means: ButtonMeaning;
}

/** `room`: the most buttons that the platform shows. Empty: the person answers in words. */
export function questionButtons(question: AskedQuestion, session: SessionId, room: number): MeantButton[] {
  if (question.for === "approval") return approvalButtons(question, session, room);
  if (question.for !== "clarify") return [];
  const [only] = question.questions;
  // Buttons stand for one choice of one question.
  if (!only || question.questions.length > 1 || only.multiSelect) return [];
  if (only.choices.length === 0 || only.choices.length > room) return [];
  return only.choices.map((choice, at) => ({
    label: toLabel(choice),
    means: { does: "answer", session, approval: question.id, choice: at + 1 },
  }));
}

function approvalButtons(
  { id: approval, covers }: Extract<AskedQuestion, { for: "approval" }>,
  session: SessionId,
  room: number,
): MeantButton[] {
  const allow = (label: string, scope: "once" | "session" | "always"): MeantButton => ({
    label,
    means: { does: "approve", session, approval, scope },
  });
  const deny: MeantButton = { label: "Deny", means: { does: "deny", session, approval } };
  const wider = covers === null ? [] : [allow("Allow for session", "session"), allow("Always allow", "always")];
  if (room < 2) return [];
  return [allow("Allow once", "once"), ...wider.slice(0, room - 2), deny];
}

function toLabel(choice: string): string {
  const line = choice.replaceAll(/\s+/g, " ").trim();
  const signs = [...line];
  return signs.length > LABEL_CHARS ? `${signs.slice(0, LABEL_CHARS - 1).join("")}…` : line;
}
