// The prompt that compacts a conversation. Pure. core/agent/compaction/compaction-summary.ts makes the material it reads.
import policy from "./compaction.md";

export function compactionPrompt(): string {
  return policy.trim();
}
