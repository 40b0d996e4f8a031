// From the log to what a model reads, for drive.ts at the start of a turn. Pure: the same entries give the same bytes, so
// that a provider's cache holds. Must never leave a call without a result.
import type { Message } from "../agent/contract.ts";
import { fail, renderParts } from "../agent/tool-result.ts";
import { type AssistantEntry, type Entry, type ToolEntry, textOf } from "../schemas/entry.ts";
import { isSilent } from "./notices.ts";

/**
 * Messages of whole turns, in the log's order. A call without a result (its turn was stopped, or died) is answered by a
 * result that says so: a transcript with an open call would be refused by every provider, for ever.
 */
export function toMessages(entries: Entry[]): Message[] {
  const messages: Message[] = [];
  let open: { entry: AssistantEntry; results: Map<string, ToolEntry> } | null = null;

  const close = () => {
    if (!open) return;
    for (const call of open.entry.answer.calls) {
      const entry = open.results.get(call.id);
      const result =
        entry?.state === "done" ? entry : fail("turn_ended", "The turn ended before this call had a result.");
      messages.push({
        role: "tool",
        call: call.id,
        name: call.name,
        text: renderParts(result.parts),
        failed: result.failed,
      });
    }
    open = null;
  };

  for (const entry of entries) {
    if (entry.kind === "tool") {
      open?.results.set(entry.call.id, entry);
      continue;
    }
    // A notice of a resumption may stand between a call and its result.
    if (entry.kind === "notice" && isSilent(entry)) continue;
    close();
    if (entry.kind === "user") messages.push({ role: "user", text: textOf(entry) });
    else if (entry.kind === "assistant") {
      const { calls, native } = entry.answer;
      messages.push({ role: "assistant", text: textOf(entry), calls, native });
      open = { entry, results: new Map() };
    } else {
      messages.push({ role: "assistant", text: `[${textOf(entry)}]`, calls: [] });
    }
  }
  close();
  return messages;
}
