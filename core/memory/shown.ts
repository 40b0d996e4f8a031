// Turns a memory entry into the line a model may read. An entry that tries to command the agent is replaced by a
// placeholder with the reason and its id. The owner can still list and remove it. Called wherever entries become words
// for a model. Pure.
import { escapeTags } from "../prompt-block.ts";
import { type MemoryEntry, normaliseMemory } from "../schemas/memory.ts";
import { decide, scanText } from "../skills/scanner/scanner.ts";

/** Characters of an id in a placeholder. [own] Enough to tell apart the entries of one profile. */
export const SHORT_ID_CHARS = 12;
const REASON_CHARS = 80;

/** The fields that decide how an entry is shown. */
export type ShownEntry = Pick<MemoryEntry, "id" | "text" | "origin" | "approved">;

/** Why an entry is hidden, or `null` when it may be shown. Entries that a person wrote or approved are always shown. */
export function reasonToHide({ text, origin, approved }: Omit<ShownEntry, "id">): string | null {
  if (origin === "user" || approved) return null;
  const findings = scanText(text, "note");
  if (decide(findings, origin) === "allow") return null;
  const reasons = findings.filter(({ severity }) => severity === "critical" || severity === "high");
  return (reasons[0] ?? findings[0])?.reason.slice(0, REASON_CHARS) ?? "it is not safe";
}

/** One line that can neither open nor close a block of the prompt. */
export function toShown(entry: ShownEntry): string {
  const reason = reasonToHide(entry);
  if (reason === null) return escapeTags(normaliseMemory(entry.text.replace(/\p{Cc}/gu, " ")));
  return `[hidden: ${reason}; id ${entry.id.slice(0, SHORT_ID_CHARS)}]`;
}
