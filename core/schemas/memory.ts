// Stored forms of memory: an observed-remove set in KV. No key is ever overwritten. See docs/STORAGE.md.
import * as z from "zod";
import { sha256Hex } from "./digest.ts";
import { SessionId, Sha256 } from "./ids.ts";
import { Origin } from "./skill.ts";

/** `memory`: the agent's notes. `user`: who the user is. */
export const MemoryStoreName = z.enum(["memory", "user"]);
export type MemoryStoreName = z.infer<typeof MemoryStoreName>;

/** The value under `…/+<op>`. */
export const MemoryAdd = z.object({
  v: z.literal(1),
  text: z.string().min(1),
  at: z.int(),
  origin: Origin,
  session: SessionId.optional(),
  citations: z.array(z.string()).optional(),
});
export type MemoryAdd = z.infer<typeof MemoryAdd>;

/** The value under `…/-<op>`, where `<op>` is the add it removes. */
export const MemoryRemove = z.object({ v: z.literal(1), at: z.int(), by: z.string() });
export type MemoryRemove = z.infer<typeof MemoryRemove>;

/** An entry that lives: at least one of its adds is not removed. */
export const MemoryEntry = z.object({
  id: Sha256,
  store: MemoryStoreName,
  text: z.string(),
  /** When it was first added; the block is rendered by this age. */
  since: z.int(),
  origin: Origin,
  session: SessionId.optional(),
  /** The adds that are not removed: what a remove has to name. */
  adds: z.array(z.string()).min(1),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

/** NFC, trimmed, white space single: two spellings of one fact share a key. */
export function normaliseMemory(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

export function memoryId(text: string): Sha256 {
  return sha256Hex(normaliseMemory(text));
}
