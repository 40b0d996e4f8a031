// The port through which skills_list searches the full text of skills, and its timeout. A turn never waits long for a search
// and never fails because of it. Used by the registry of tools and by skills_list.
import type { Clock } from "../../ports.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { fuseRanks, rankSkills } from "../../skills/search/ranking.ts";
import { withTimeout } from "../../timeout.ts";

/** May reject. `unread`: number of skills whose text is not indexed yet. */
export type SkillSearch = (query: string) => Promise<{ names: SkillName[]; unread: number }>;

/** A person does not notice this much next to a model's answer. */
const MAX_SEARCH_MS = 1_000;

/** Adds a timeout to a search: late answers become rejections. */
export function withinTime(search: SkillSearch, clock: Clock): SkillSearch {
  return async (query) => withTimeout(search(query), MAX_SEARCH_MS, clock);
}

/** The best matches first, stale skills last. If the search fails or has not read every skill yet, the index lines are searched. */
export async function searchLines(lines: SkillLine[], query: string, search?: SkillSearch): Promise<SkillLine[]> {
  const ranked = rankSkills(lines, query);
  // It may fail in any way: the lines are enough to go on.
  const found = await search?.(query).catch(() => null);
  if (!found) return ranked;
  const byName = new Map(lines.map((line) => [line.name, line]));
  const whole = found.names.flatMap((name) => byName.get(name) ?? []);
  const fused = found.unread > 0 ? fuseRanks([whole, ranked], ({ name }) => name) : [...new Set([...whole, ...ranked])];
  return [...fused.filter((line) => line.state !== "stale"), ...fused.filter((line) => line.state === "stale")];
}
