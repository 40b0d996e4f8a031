// The port through which skills_list searches whole skills, and its time limit. A search is a convenience: a turn never
// waits long for it and never fails by it. Used by the registry of tools and by skills_list.
import type { Clock } from "../../ports.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { fuseRanks, rankSkills } from "../../skills/search/ranking.ts";
import { answerWithin } from "../../time-limit.ts";

/** May reject. `unread`: how many skills it knows by their lines only. */
export type SkillSearch = (query: string) => Promise<{ names: SkillName[]; unread: number }>;

/** As long as a person would not notice beside a model's answer. */
const MAX_SEARCH_MS = 1_000;

/** The same search, which rejects when it has not answered in time. */
export function withinTime(search: SkillSearch, clock: Clock): SkillSearch {
  return async (query) => answerWithin(search(query), MAX_SEARCH_MS, clock);
}

/** What fits best first, stale ones last. Where the search fails, or has not read every skill yet, the lines help out. */
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
