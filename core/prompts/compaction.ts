// The prompt that compacts a conversation. Pure. core/agent/compaction/compaction-summary.ts builds the conversation text that follows it.
import policy from "./compaction.md";

export function compactionPrompt(): string {
  return policy.trim();
}
