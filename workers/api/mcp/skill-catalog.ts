// Skills by the extension of MCP for skills (SEP-2640): entries with their frontmatter and the digest of each file, which is read as a
// resource. A skill whose SKILL.md another reader could understand differently has no entry; its files are resources all the same.
import * as z from "zod";
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import type { SkillLine } from "../../../core/schemas/api.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { readFrontmatter } from "../../../core/skills/format/frontmatter.ts";
import { type PresentSkill, readSkillFile } from "../skills/present-skill.ts";
import { openSkills } from "../stores.ts";
import { InvalidParams, type McpScope } from "./contract.ts";
import { findOffered, openLibrary, pageOfSkills } from "./offered-skills.ts";
import { openPresent, parseUri, toUri } from "./skill-resources.ts";

export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";
export const ListSkillsParams = z.object({ cursor: z.string().optional() });
export const GetSkillParams = z.object({ uri: z.string() });

/** Entries change whenever a skill does, and are of one profile. */
const CACHE = { ttlMs: 0, cacheScope: "private" };

interface SkillEntry {
  uri: string;
  frontmatter: JsonObject;
  resources: { uri: string; digest: string; size: number }[];
}

export async function listSkills(scope: McpScope, cursor: string | undefined) {
  const { lines, ...next } = await pageOfSkills(scope, cursor);
  const entries = await mapLimit(lines, MAX_CONNECTIONS, (line) => openEntry(scope, line));
  return { skills: entries.filter((entry) => entry !== null), ...next, ...CACHE };
}

export async function getSkill(scope: McpScope, uri: string) {
  const place = parseUri(uri);
  const line = place?.path === SKILL_MD ? await findOffered(openLibrary(scope), place.name) : null;
  const skill = line && (await openEntry(scope, line));
  if (skill) return { skill, ...CACHE };
  throw new InvalidParams("There is no such skill. skills/list has those that there are.");
}

async function openEntry(scope: McpScope, line: SkillLine): Promise<SkillEntry | null> {
  const skill = await openPresent(scope, line);
  const text = skill && (await readSkillFile(openSkills(scope.env, scope.profile), skill, SKILL_MD));
  const read = typeof text === "string" ? readFrontmatter(text) : null;
  if (!skill || !read?.ok || read.value.warnings.length > 0) return null;
  const { name, description } = read.value.fields;
  if (name !== skill.name || typeof description !== "string") return null;
  return { uri: toUri(name, SKILL_MD), frontmatter: read.value.fields, resources: toEntries(skill) };
}

function toEntries({ name, files }: PresentSkill): SkillEntry["resources"] {
  return Object.entries(files).map(([path, { sha256, size }]) => ({
    uri: toUri(name, path),
    digest: `sha256:${sha256}`,
    size,
  }));
}
