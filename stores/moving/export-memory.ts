// The facts of a profile in KV on their way out: one page of KV's listing with its values. Called by workers/api. KV may list what was
// written in the last minute late; the sessions that wrote it have it in their rows (`overlay`), which travel as well.
import type { KeyValue } from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { MemoryLine } from "../../core/schemas/moving/lines.ts";
import { keyOf } from "../keys.ts";

/** [cf] Keys of one bulk get. */
const KEYS_PER_GET = 100;

/** `cursor`: of the page before, or `null`. */
export async function exportMemory(
  { kv, profile }: { kv: KeyValue; profile: ProfileId },
  cursor: string | null,
): Promise<{ lines: string[]; next: string | null }> {
  const root = keyOf("gone", { profile }).slice(0, -"GONE".length);
  const page = await kv.list({ prefix: root, ...(cursor !== null && { cursor }) });
  // The client sends the cursor back, and KV does not say what one of another prefix lists.
  const own = page.keys.filter(({ name }) => name.startsWith(root));
  const lines: string[] = [];
  for (let at = 0; at < own.length; at += KEYS_PER_GET) {
    const keys = own.slice(at, at + KEYS_PER_GET);
    const values = await kv.getMany(keys.map(({ name }) => name));
    for (const { name, metadata } of keys) {
      // A list may be newer than a get.
      const value = values.get(name) ?? (metadata == null ? null : JSON.stringify(metadata));
      if (value === null) continue;
      lines.push(JSON.stringify({ in: "memory", key: name.slice(root.length), value } satisfies MemoryLine));
    }
  }
  return { lines, next: page.list_complete ? null : (page.cursor ?? null) };
}
