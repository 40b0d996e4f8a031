// The words of a question: for the person who decides it, and for the model whose call was refused. Pure.
import type { ToolResult } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import type { CommandApproval } from "../../schemas/approvals/approval.ts";
import type { ApprovalQuestion } from "../../schemas/entry.ts";

/** Control characters other than tab and line feed, those that turn or hide text, and separators that look like blanks. */
const HIDDEN = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Co}]/gu;
const BLANK_LINES = /\n(?:[ \t]*\n){3,}/g;
const BLANKS = /[ \t]{40,}/g;

/** A command as a person can read it: hidden characters by their code, and long blank stretches by their length. */
export function showHidden(command: string): string {
  return command
    .replace(HIDDEN, (sign) => `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`)
    .replace(BLANK_LINES, (lines) => `\n⟨${lines.split("\n").length - 2} blank lines⟩\n`)
    .replace(BLANKS, (blanks) => ` ⟨${blanks.length} blanks⟩ `);
}

/** Why a decision or an answer comes too late. */
export function describeEarlier(state: string): string {
  if (state === "expired") return "Nobody answered in time, and the turn went on without an answer.";
  if (state === "withdrawn") return "The turn that asked this has ended.";
  return `This was ${state} before.`;
}

const MAX_SUMMARY_CHARS = 1_500;

/** What would run, as a person can read it: its beginning and its end, and how much is left out between them. */
export function clipSummary(summary: string, id: string): string {
  const text = showHidden(summary);
  if (text.length <= MAX_SUMMARY_CHARS) return text;
  const half = MAX_SUMMARY_CHARS / 2;
  const left = text.length - 2 * half;
  const [start, end] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${start}\n[… ${left} characters are left out here: read approval ${id} to see all of it …]\n${end}`;
}

/** What would run, why it is asked, what a wider answer covers, and how to answer. */
export function describeQuestion({ id, summary, reasons, covers }: Omit<ApprovalQuestion, "for" | "until">): string {
  const short = id.slice(0, 6);
  const wider = covers === null ? [] : [`\`/approve ${short} session\` or \`always\` allows: ${covers}`];
  return [
    `The agent asks to run:\n${summary}`,
    ...reasons.map((reason) => `- ${reason}`),
    `Answer with \`/approve ${short}\` or \`/deny ${short} REASON\`.`,
    ...wider,
  ].join("\n");
}

/**
 * The result of a call that was not allowed. The owner's reason is the person's own words, anybody else's is content. `isBroken`: too
 * many were, one after the other.
 */
export function toDenial(
  { by, reason, state, source }: CommandApproval,
  isBroken: boolean,
  waitMs: number,
): ToolResult {
  if (state === "expired" || by === "timeout") {
    const text = `Nobody answered within ${describeWait(waitMs)}, so this was not run. Do not ask for it again in this turn: go on without it, or say what is left to do.`;
    return fail("approval_timed_out", text);
  }
  const denied =
    "This was not allowed, so it was not run. Do not reach the same effect another way: go on without it, or ask the person.";
  if (by !== "model") return withReason(fail("approval_denied", denied), source ?? "principal", reason);
  const stop =
    " Several calls in a row were refused: stop here, and report to the person what you wanted to do and why.";
  return withReason(fail("approval_denied", `${denied}${isBroken ? stop : ""}`), "own", reason);
}

function withReason(denial: ToolResult, source: "principal" | "content" | "own", reason: string | null): ToolResult {
  if (reason === null || reason === "") return denial;
  return { ...denial, parts: [...denial.parts, { source, text: JSON.stringify({ reason }) }] };
}

/** Such as "60 minutes". */
export function describeWait(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes >= 2 ? `${minutes} minutes` : `${Math.max(1, Math.round(ms / 1_000))} seconds`;
}
