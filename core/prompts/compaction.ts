// The words of whoever shortens a conversation. Pure. What it reads is made by core/agent/compaction/compaction-summary.ts.
import policy from "./compaction.md";

export function compactionPrompt(): string {
  return policy.trim();
}
