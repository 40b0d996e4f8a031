// What becomes of a line that is typed while a turn waits for a person. Used by the plain conversation and by the terminal. Pure.
import { isBesideCommand, parseSessionCommand } from "../core/commands/parse-command.ts";
import type { WaitKind } from "../core/schemas/entry.ts";

/** What a person reads whose message waits for the end of a turn that waits for them. Some commands act at once; any words answer a question. */
export function describeWait(text: string, waitsFor: WaitKind): { hint: string; isSent: boolean } | null {
  if (isBesideCommand(text)) return null;
  if (waitsFor !== "approval" && parseSessionCommand(text) === null) return null;
  if (!/^(?:y|yes|ok|n|no|once|session|always|approve|allow|deny|[osad])[.!]?$/i.test(text)) {
    const end = waitsFor === "children" ? "the delegated work has ended" : "the question above is answered";
    return { hint: `(sent when ${end})`, isSent: true };
  }
  const hint = "(Not sent: answer the question with /approve, /approve session, /approve always or /deny.)";
  return { hint, isSent: false };
}
