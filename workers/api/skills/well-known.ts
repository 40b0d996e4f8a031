// The owner's public skills in the form of Agent Skills Discovery (0.2.0 and the form before it): an index, and each skill next
// to it. Open routes: they only read, and show only skills that are public now.
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import type { RouteConfig } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { DISCOVERY_SCHEMA, OldPublicIndex, PublicIndex } from "../../../core/schemas/exchange.ts";
import { toBytes } from "../../../core/schemas/file-body.ts";
import { ProfileId, SkillName } from "../../../core/schemas/ids.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { mergeLines } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { keyOf } from "../../../stores/keys.ts";
import { AppError } from "../problems.ts";
import {
  type PublicScope,
  type PublicSkill,
  isJustText,
  isPublic,
  openPublic,
  packOnce,
  toPublicSkill,
} from "./public-skills.ts";
import { readSkillFile } from "./present-skill.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, refuses, refuseQuery, ANY_PATH } from "../router.ts";

export const wellKnown = createRouter();

type Answer = Promise<Response>;
const BYTES = { schema: z.string().meta({ format: "binary" }) };

/** Each profile has its own path. One profile, named by the operator, is also served at the host's root. */
for (const [prefix, suffix] of [
  ["", "OfHost"],
  ["/p/{profile}", ""],
] as const) {
  const now = `${prefix}/.well-known/agent-skills`;
  const old = `${prefix}/.well-known/skills`;
  addRoute(`${now}/index.json`, (c) => answerIndex(c, toPublicIndex), {
    operationId: `discoverSkills${suffix}`,
    description: "Lists public skills in the form of Agent Skills Discovery 0.2.0.",
    responses: describeResponses(200, "Public skills with their digests", PublicIndex),
  });
  addRoute(`${now}/{name}/{artifact}`, answerArtifact, {
    operationId: `fetchSkill${suffix}`,
    description: "`SKILL.md`, or `<name>.zip` with all files at its root.",
    responses: toResponses("The artifact", ["text/markdown", "application/zip"]),
  });
  addRoute(`${old}/index.json`, (c) => answerIndex(c, toOldIndex), {
    operationId: `discoverSkillFiles${suffix}`,
    description: "Lists public skills in the form before 0.2.0.",
    responses: describeResponses(200, "Public skills with the paths of their files", OldPublicIndex),
  });
  addRoute(`${old}/{name}/{path}`, answerFile, {
    operationId: `fetchSkillFile${suffix}`,
    description: "Reads one file of a public skill.",
    responses: toResponses("The file", ["text/markdown", "application/octet-stream"]),
  });
}

type RouteContract = Pick<RouteConfig, "operationId" | "description" | "responses">;

/** These routes set their own headers and answer 304, which typed routes cannot express. */
function addRoute(path: string, answer: (c: Context<ApiEnv>) => Answer, contract: RouteContract): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  wellKnown.openAPIRegistry.registerPath({
    method: "get",
    path,
    security: [],
    request: { params },
    ...refuses("not_published"),
    ...contract,
  });
  const route = path.replace("{path}", `:path${ANY_PATH}`).replace(/\{(\w+)\}/g, ":$1");
  wellKnown.get(route, refuseQuery, answer);
}

function toResponses(description: string, types: string[]): RouteContract["responses"] {
  return {
    200: { description, content: Object.fromEntries(types.map((type) => [type, BYTES])) },
    default: PROBLEM_RESPONSE,
  };
}

/** A profile that does not exist looks like one that publishes nothing. */
async function openPlace(c: Context<ApiEnv>): Promise<PublicScope> {
  const parsed = ProfileId.safeParse(c.req.param("profile") ?? c.env.TALARIA_PUBLIC_PROFILE);
  if (!parsed.success) throw notPublished();
  const profile = parsed.data;
  if (await c.env.SKILLS.head(keyOf("gone", { profile }))) throw notPublished();
  return openPublic(c.env, profile);
}

type BuildIndex<T> = (shown: PublicSkill[], place: PublicScope) => Promise<T> | T;

async function answerIndex<T>(c: Context<ApiEnv>, build: BuildIndex<T>): Answer {
  const place = await openPlace(c);
  const lines = mergeLines(await place.store.index(), seeds).filter(isPublic);
  if (lines.length === 0) throw notPublished();
  // Skips building the index when nothing that it depends on has changed.
  const listed = computeEtag(lines);
  if (isKnown(c, listed)) return notModified(listed);
  // The index may lag behind a head that was just changed or withdrawn.
  const heads = await mapLimit(lines, MAX_CONNECTIONS, ({ name }) => place.store.head(name));
  const shown = heads.map(toPublicSkill).filter((skill) => skill !== null);
  if (shown.length === 0) throw notPublished();
  return new Response(JSON.stringify(await build(shown, place)), {
    headers: { ...COMMON, "content-type": "application/json", etag: computeEtag(shown) },
  });
}

/** A fingerprint of everything the index depends on. */
function computeEtag(skills: Pick<PublicSkill, "name" | "text" | "description">[]): string {
  const seen = skills.map(({ name, text, description }) => [name, text, description]);
  return toEtag(sha256Hex(JSON.stringify(seen)).slice(0, 32));
}

/** [cf] Each is a read, of the 10,000 requests of an invocation. 200 archives take up to 1,400 further calls. */
const PACKED_FILES = 4_000;
const STILL_PACKING = "Public skills that were changed are being packed: ask again.";

async function toPublicIndex(shown: PublicSkill[], place: PublicScope): Promise<PublicIndex> {
  const skills: PublicIndex["skills"] = [];
  const digests = shown.every(isJustText) ? new Map<string, string>() : await place.archives.digests();
  let left = PACKED_FILES;
  // One at a time: unpacking and packing several would fill the isolate's memory.
  for (const skill of shown) {
    const { name, description } = skill;
    const isText = isJustText(skill);
    const isPacked = isText || digests.has(`${name}/${skill.text}`);
    // Packed archives are stored, so the next request finds less to do.
    if (!isPacked && (left -= Object.keys(skill.files).length) < 0) throw new AppError("platform_busy", STILL_PACKING);
    const digest = isText ? skill.files[SKILL_MD]!.sha256 : await digestOfZip(digests, skill, place);
    skills.push({
      name,
      type: isText ? "skill-md" : "archive",
      description,
      url: isText ? `${name}/${SKILL_MD}` : `${name}/${name}.zip`,
      digest: `sha256:${digest}`,
    });
  }
  return { $schema: DISCOVERY_SCHEMA, skills };
}

function toOldIndex(shown: PublicSkill[]): OldPublicIndex {
  return {
    skills: shown.map(({ name, description, files }) => ({ name, description, files: Object.keys(files).sort() })),
  };
}

/** Serves any archive requested since publication. A newer text is packed here, once. */
async function digestOfZip(digests: Map<string, string>, skill: PublicSkill, place: PublicScope): Promise<string> {
  const known = digests.get(`${skill.name}/${skill.text}`);
  if (known !== undefined) return known;
  const packed = await packOnce(place, skill);
  if (!packed) throw notPublished();
  return packed.digest;
}

async function answerArtifact(c: Context<ApiEnv>): Answer {
  const place = await openPlace(c);
  const skill = await openShown(c, place);
  const artifact = c.req.param("artifact");
  if (artifact === SKILL_MD) return answerOwnFile(c, place, skill, SKILL_MD);
  if (artifact !== `${skill.name}.zip`) throw notPublished();
  const etag = toEtag(`zip-${skill.text}`);
  if (isKnown(c, etag)) return notModified(etag);
  const packed = await packOnce(place, skill);
  if (!packed) throw notPublished();
  return new Response(packed.zip, { headers: { ...COMMON, "content-type": "application/zip", etag } });
}

async function answerFile(c: Context<ApiEnv>): Answer {
  const place = await openPlace(c);
  return answerOwnFile(c, place, await openShown(c, place), c.req.param("path") ?? "");
}

/** A file may contain anything, including a page with a script, so it is never displayed as part of this origin. */
async function answerOwnFile(c: Context<ApiEnv>, place: PublicScope, skill: PublicSkill, path: string): Answer {
  const file = Object.hasOwn(skill.files, path) ? skill.files[path] : undefined;
  if (!file) throw notPublished();
  const etag = toEtag(file.sha256);
  if (isKnown(c, etag)) return notModified(etag);
  const body = await readSkillFile(place.store, skill, path);
  if (body === null) throw notPublished();
  const type = /\.md$/i.test(path) ? "text/markdown; charset=utf-8" : "application/octet-stream";
  const guard = { "content-security-policy": "sandbox; default-src 'none'" };
  return new Response(toBytes(body) as Uint8Array<ArrayBuffer>, {
    headers: { ...COMMON, ...guard, "content-type": type, etag },
  });
}

async function openShown(c: Context<ApiEnv>, { store }: PublicScope): Promise<PublicSkill> {
  const name = SkillName.safeParse(c.req.param("name"));
  const shown = toPublicSkill(name.success ? await store.head(name.data) : null);
  if (!shown) throw notPublished();
  return shown;
}

/** Clients revalidate every time, which an ETag makes cheap: an index and its archives must be from the same time. */
const COMMON = {
  "cache-control": "public, max-age=0, must-revalidate",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

function toEtag(value: string): string {
  return `"${value}"`;
}

function isKnown(c: Context, etag: string): boolean {
  const seen = (c.req.header("if-none-match") ?? "").split(",").map((part) => part.trim().replace(/^W\//, ""));
  return seen.includes(etag) || seen.includes("*");
}

function notModified(etag: string): Response {
  return new Response(null, { status: 304, headers: { ...COMMON, etag } });
}

function notPublished(): AppError {
  return new AppError("not_published", "Nothing is published under this address.");
}
