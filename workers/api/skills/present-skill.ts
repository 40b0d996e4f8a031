// A skill in its present form, file by file: what its head says, or the deployment's text for an unchanged bundled skill. Read by
// the public routes and by the MCP server. Its file of requests is left out, since it is in the owner's words.
import type { SkillStore } from "../../../core/ports.ts";
import { hashFiles, sha256Hex, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import type { FileBody } from "../../../core/schemas/file-body.ts";
import type { SkillName } from "../../../core/schemas/ids.ts";
import type { SkillHead } from "../../../core/schemas/skill.ts";
import { withoutRequests } from "../../../core/schemas/skill-requests.ts";
import { SKILL_MD, parseSkill } from "../../../core/skills/format/format.ts";
import { followsBundle } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";

export type PresentSkill = Pick<SkillHead, "name" | "description" | "text" | "files">;

/** Null for a head that follows a bundled skill which the deployment no longer has. */
export function presentSkill(head: SkillHead): PresentSkill | null {
  if (followsBundle(head)) return bundledSkill(head.name);
  const { name, description, text } = head;
  return { name, description, text, files: withoutRequests(head.files) };
}

/** The deployment's own skill of this name, or null. */
export function bundledSkill(name: SkillName): PresentSkill | null {
  const own = findSeed(name);
  const parsed = own && parseSkill(own[SKILL_MD] ?? "");
  if (!parsed?.ok) return null;
  const files = withoutRequests(hashFiles(own!));
  return { name, description: parsed.value.description, text: textOfFiles(files), files };
}

/** Null when it was purged meanwhile. `path` is one of the skill's files. */
export async function readSkillFile(
  store: SkillStore,
  { name, files }: PresentSkill,
  path: string,
): Promise<FileBody | null> {
  const { sha256 } = files[path]!;
  const own = findSeed(name);
  const isOwn = own !== null && Object.hasOwn(own, path) && sha256Hex(own[path]!) === sha256;
  return isOwn ? own[path]! : store.blob(sha256);
}

function findSeed(name: SkillName): Record<string, string> | null {
  return Object.hasOwn(seeds, name) ? seeds[name]! : null;
}
