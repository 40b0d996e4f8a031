// Stored forms of memory: an observed-remove set in KV. The meaning of a key never changes once it is written. See
// docs/STORAGE.md.
import * as z from "zod";
import { sha256Hex } from "./learning/digest.ts";
import { SessionId, Sha256, Source } from "./ids.ts";
import { Origin } from "./skill.ts";

/** `memory`: the agent's notes. `user`: facts about the user. */
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
  /** The least trusted source of what it cites; absent if nothing was cited, and in older records. */
  source: Source.optional(),
  /** A person saw it before it was stored, so it is never hidden for its appearance. */
  approved: z.literal(true).optional(),
});
export type MemoryAdd = z.infer<typeof MemoryAdd>;

/** The value under `…/-<op>`, where `<op>` is the add it removes. */
export const MemoryRemove = z.object({
  v: z.literal(1),
  at: z.int(),
  by: z.string(),
  /** When its add was last seen to be deleted; the removal itself is deleted later. */
  swept: z.int().optional(),
});
export type MemoryRemove = z.infer<typeof MemoryRemove>;

/** The value under `…/purged`: a person had the text purged, and no add of it counts. */
export const MemoryPurge = z.object({ v: z.literal(1), at: z.int(), by: z.string() });
export type MemoryPurge = z.infer<typeof MemoryPurge>;

/** A living entry: at least one of its adds is not removed. */
export const MemoryEntry = z.object({
  id: Sha256,
  store: MemoryStoreName,
  text: z.string(),
  /** When it was first added; the prompt block sorts by it. */
  since: z.int(),
  /** From its first add, like the next four fields; from the person's add if there is one. */
  origin: Origin,
  session: SessionId.optional(),
  source: Source.optional(),
  citations: z.array(z.string()).optional(),
  approved: z.literal(true).optional(),
  /** The adds that are not removed; a remove has to name them. */
  adds: z.array(z.string()).min(1),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

/** NFC, trimmed, single spaces: two spellings of one fact share a key. */
export function normaliseMemory(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

export function memoryId(text: string): Sha256 {
  return sha256Hex(normaliseMemory(text));
}
