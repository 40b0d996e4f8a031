// Skills as resources: each file of an offered skill is `skill://<name>/<path>`, its bytes as they are stored.
import type { ListResourcesResult, ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import type { SkillLine } from "../../../core/schemas/api.ts";
import { toBase64 } from "../../../core/schemas/base64.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { followsBundle } from "../../../core/skills/library.ts";
import { type PresentSkill, bundledSkill, presentSkill, readSkillFile } from "../skills/present-skill.ts";
import { openSkills } from "../stores.ts";
import { InvalidParams, type McpScope } from "./contract.ts";
import { findOffered, openLibrary, pageOfSkills } from "./offered-skills.ts";

export const RESOURCE_TEMPLATE = {
  uriTemplate: "skill://{name}/{+path}",
  name: "skill-file",
  title: "A file of a skill",
  description: "name: a skill. path: SKILL.md, or another file of the skill, as resources/list has it.",
};

export async function listResources(scope: McpScope, cursor: string | undefined): Promise<ListResourcesResult> {
  const { lines, ...next } = await pageOfSkills(scope, cursor);
  const skills = await mapLimit(lines, MAX_CONNECTIONS, (line) => openPresent(scope, line));
  return { resources: skills.flatMap((skill) => (skill ? toResources(skill) : [])), ...next };
}

export async function readResource(scope: McpScope, uri: string): Promise<ReadResourceResult> {
  const place = parseUri(uri);
  const line = place && (await findOffered(openLibrary(scope), place.name));
  const skill = line && (await openPresent(scope, line));
  if (!place || !skill || !Object.hasOwn(skill.files, place.path)) throw notFound(uri);
  const body = await readSkillFile(openSkills(scope.env, scope.profile), skill, place.path);
  if (body === null) throw notFound(uri);
  const mimeType = typeof body === "string" ? textType(place.path) : "application/octet-stream";
  return { contents: [{ uri, mimeType, ...(typeof body === "string" ? { text: body } : { blob: toBase64(body) }) }] };
}

/** Null when it was deleted meanwhile. */
export async function openPresent({ env, profile }: McpScope, line: SkillLine): Promise<PresentSkill | null> {
  if (followsBundle(line)) return bundledSkill(line.name);
  const head = await openSkills(env, profile).head(line.name);
  return head && presentSkill(head);
}

function toResources({ name, description, files }: PresentSkill): Resource[] {
  const others = Object.keys(files).filter((path) => path !== SKILL_MD);
  return [SKILL_MD, ...others.toSorted()].map((path) => ({
    uri: toUri(name, path),
    ...(path === SKILL_MD ? { name, description } : { name: `${name}/${path}` }),
    ...(/\.md$/i.test(path) && { mimeType: "text/markdown" }),
    size: files[path]!.size,
  }));
}

export function toUri(name: string, path: string): string {
  return `skill://${name}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export function parseUri(uri: string): { name: string; path: string } | null {
  const [, name, path] = /^skill:\/\/([a-z0-9-]{1,64})\/(.+)$/s.exec(uri) ?? [];
  if (name === undefined || path === undefined) return null;
  try {
    return { name, path: decodeURIComponent(path) };
  } catch {
    return null; // a malformed escape
  }
}

function textType(path: string): string {
  return /\.md$/i.test(path) ? "text/markdown" : "text/plain";
}

function notFound(uri: string): InvalidParams {
  return new InvalidParams("There is no such resource. resources/list has the files of the skills.", { uri });
}
