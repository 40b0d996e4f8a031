// What of a memory entry a model may read. A text that tries to command the agent is hidden behind a placeholder that
// names the reason and the id; it stays stored, listed for its owner, and removable. Called wherever entries become words
// for a model. Pure.
import { escapeTags } from "../prompt-block.ts";
import { type MemoryEntry, normaliseMemory } from "../schemas/memory.ts";
import { decide, scanText } from "../skills/scanner/scanner.ts";

/** Of an id in a placeholder. [own] Enough to tell the entries of one profile apart. */
export const SHORT_ID_CHARS = 12;
const REASON_CHARS = 80;

/** What an entry is shown by. */
export type Shown = Pick<MemoryEntry, "id" | "text" | "origin" | "approved">;

/** What a person said themselves, or approved, is theirs to say. `null`: nothing speaks against showing it. */
export function reasonToHide({ text, origin, approved }: Omit<Shown, "id">): string | null {
  if (origin === "user" || approved) return null;
  const findings = scanText(text, "note");
  if (decide(findings, origin) === "allow") return null;
  const reasons = findings.filter(({ severity }) => severity === "critical" || severity === "high");
  return (reasons[0] ?? findings[0])?.reason.slice(0, REASON_CHARS) ?? "it is not safe";
}

/** One line that opens no block and closes none. */
export function toShown(entry: Shown): string {
  const reason = reasonToHide(entry);
  if (reason === null) return escapeTags(normaliseMemory(entry.text.replace(/\p{Cc}/gu, " ")));
  return `[hidden: ${reason}; id ${entry.id.slice(0, SHORT_ID_CHARS)}]`;
}
