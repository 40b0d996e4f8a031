// The skills that an MCP client may see: those that the agent would be offered. Read for each request.
import type { SkillLine } from "../../../core/schemas/api.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { type Library, createLibrary } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { parseEnvSettings } from "../env.ts";
import { openSkills } from "../stores.ts";
import { InvalidParams, type McpScope } from "./contract.ts";

/** [own] Skills of one page. A page of resources reads one head for each. */
const PAGE_SKILLS = 50;

export function openLibrary({ env, profile }: McpScope): Library {
  const scene = { disabled: parseEnvSettings(env).skills.disabled, now: () => systemClock.now() };
  return createLibrary({ store: openSkills(env, profile), seeds, scene });
}

/** By name, after the skill that the cursor names. `next`: the cursor of the next page. */
export async function pageOfSkills(
  scope: McpScope,
  cursor: string | undefined,
): Promise<{ lines: SkillLine[]; nextCursor?: string }> {
  if (cursor !== undefined && !SkillName.safeParse(cursor).success) {
    throw new InvalidParams("The cursor is not one of this list. Begin again without it.");
  }
  const offered = await openLibrary(scope).offered();
  const rest = cursor === undefined ? offered : offered.filter(({ name }) => name > cursor);
  const lines = rest.slice(0, PAGE_SKILLS);
  return { lines, ...(rest.length > lines.length && { nextCursor: lines.at(-1)!.name }) };
}

/** Null for a skill that is not offered. */
export async function findOffered(library: Library, name: string): Promise<SkillLine | null> {
  return (await library.offered()).find((line) => line.name === name) ?? null;
}
