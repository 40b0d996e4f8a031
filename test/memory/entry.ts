// A stored memory entry.
import { type MemoryEntry, memoryId } from "../../core/schemas/memory.ts";

export function entry(text: string, change: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id: memoryId(text), store: "memory", text, since: 1, origin: "review", adds: ["op"], ...change };
}
