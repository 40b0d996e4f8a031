// The memory snapshot in a frozen prompt: both stores, newest entries kept. Called when an epoch's prompt is built. Pure:
// equal entries give equal bytes.
import { fence, withoutFences } from "../prompt-block.ts";
import type { MemoryEntry, MemoryStoreName } from "../schemas/memory.ts";
import type { Settings } from "../schemas/settings.ts";
import { fitNewest, limitOf, usageOf } from "./rules.ts";

const TITLES: Record<MemoryStoreName, string> = { memory: "Your notes", user: "Who the user is" };

/** `""` when both stores are empty. Entries are given oldest first and stand so. */
export function renderMemoryBlock(memory: MemoryEntry[], user: MemoryEntry[], settings: Settings): string {
  const sections = [renderStore("user", user, settings.memory), renderStore("memory", memory, settings.memory)].filter(
    (section) => section !== "",
  );
  return sections.length === 0 ? "" : fence("memory", sections.join("\n\n"));
}

function renderStore(store: MemoryStoreName, entries: MemoryEntry[], settings: Settings["memory"]): string {
  if (entries.length === 0) return "";
  const limit = limitOf(store, settings);
  const { chars, percent, outside } = usageOf(entries, limit);
  const header = `${TITLES[store]} (store ${store}, ${percent} % full: ${chars} of ${limit} characters)`;
  const lines = fitNewest(entries, limit).map(({ text }) => `- ${withoutFences(text)}`);
  const note = `(${outside} older ${outside === 1 ? "entry is" : "entries are"} stored but not shown: merge or remove some.)`;
  return [header, ...(outside > 0 ? [note] : []), ...lines].join("\n");
}
