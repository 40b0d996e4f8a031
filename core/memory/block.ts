// Renders memory for a model: the block in a frozen prompt (the newest entries of both stores), and the longer block
// that a review reads, which adds the entries that did not fit. Called when an epoch's prompt is built and when a
// review begins. Pure: equal entries give equal bytes.
import { fence } from "../prompt-block.ts";
import type { MemoryEntry, MemoryStoreName } from "../schemas/memory.ts";
import type { Settings } from "../schemas/settings.ts";
import { type StoreLimits, fitNewest, selectLimit, measureUsage } from "./rules.ts";
import { toShown } from "./shown.ts";

const TITLES: Record<MemoryStoreName, string> = { memory: "Your notes", user: "Who the user is" };

/**
 * How many characters of the entries outside a store's block one review is shown. A later review sees the rest. [own]
 */
const OUTSIDE_CHARS = 6_000;

/**
 * Returns `""` when both stores are empty. Entries are given and shown oldest first. `shown` limits the characters
 * shown of each store when the model's window has room for fewer than the store may hold.
 */
export function renderMemoryBlock(
  memory: MemoryEntry[],
  user: MemoryEntry[],
  settings: Settings,
  shown: StoreLimits = settings.memory,
): string {
  const limits = { stored: settings.memory, shown };
  const sections = [renderStore("user", user, limits), renderStore("memory", memory, limits)].filter(
    (section) => section !== "",
  );
  return sections.length === 0 ? "" : fence("memory", sections.join("\n\n"));
}

/** The memory block, plus the entries of each store that is over its limit and the order to merge them. */
export function renderReviewMemory(memory: MemoryEntry[], user: MemoryEntry[], settings: Settings): string {
  const sections = [renderOutside("user", user, settings.memory), renderOutside("memory", memory, settings.memory)];
  const outside = sections.filter((section) => section !== "");
  const block = renderMemoryBlock(memory, user, settings);
  if (outside.length === 0) return block;
  return [
    block,
    `Too full: these entries are stored, but the agent does not see them.\n\n${fence("memory", outside.join("\n\n"))}`,
    CONSOLIDATE_REQUEST,
  ].join("\n\n");
}

const CONSOLIDATE_REQUEST =
  "Bring each store that is too full back under its limit in this review: merge entries about one thing into one shorter " +
  "entry, those outside among them, with one call of `memory` a store and its `operations` (replace one entry by the merged " +
  "fact, remove the others in the same call). Such a call needs no citations as long as it says nothing that the entries did " +
  "not say. What is plainly out of date may be removed where the transcript shows it. Lose no fact that still matters.";

function renderStore(
  store: MemoryStoreName,
  entries: MemoryEntry[],
  { stored, shown }: { stored: StoreLimits; shown: StoreLimits },
): string {
  if (entries.length === 0) return "";
  const limit = selectLimit(store, stored);
  const { chars, percent } = measureUsage(entries, limit);
  const header = `${TITLES[store]} (store ${store}, ${percent} % full: ${chars} of ${limit} characters)`;
  const inView = fitNewest(entries, Math.min(limit, selectLimit(store, shown)));
  const lines = inView.map((entry) => `- ${toShown(entry)}`);
  const outside = entries.length - inView.length;
  const advice = chars > limit ? ": merge or remove some" : "";
  const note = `(${outside} older ${outside === 1 ? "entry is" : "entries are"} stored but not shown${advice}.)`;
  return [header, ...(outside > 0 ? [note] : []), ...lines].join("\n");
}

function renderOutside(store: MemoryStoreName, entries: MemoryEntry[], settings: Settings["memory"]): string {
  const limit = selectLimit(store, settings);
  const outside = entries.slice(0, entries.length - fitNewest(entries, limit).length);
  if (outside.length === 0) return "";
  const lines: string[] = [];
  let chars = 0;
  for (const entry of outside) {
    const line = `- ${toShown(entry)}`;
    chars += line.length + 1;
    if (chars > OUTSIDE_CHARS) break;
    lines.push(line);
  }
  const over = measureUsage(entries, limit).chars - limit;
  const hidden = outside.length - lines.length;
  const more = hidden > 0 ? [`(and ${hidden} more, for a later review)`] : [];
  return [`Outside (store ${store}, ${over} characters over its limit), oldest first:`, ...lines, ...more].join("\n");
}
