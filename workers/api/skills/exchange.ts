// Skills in and out: import, export and publication. Files are kept and returned byte for byte. Findings of the scanner are
// reported to the person and never refuse an import.
import { type UnknownObject, isObject } from "../../../core/unknown-object.ts";
import { fromBase64 } from "../../../core/schemas/base64.ts";
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ulid } from "ulid";
import * as z from "zod";
import { type Result, err } from "../../../core/errors.ts";
import {
  ExportFormat,
  ExportedFolder,
  type ImportFinding,
  ImportedSkillAnswer,
  PublishSkill,
} from "../../../core/schemas/exchange.ts";
import { type FileBodies, toContents, toFileBody } from "../../../core/schemas/file-body.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { archiveKindOf, pack } from "../../../core/skills/exchange/archive.ts";
import {
  type ImportOptions,
  type ImportedSkill,
  readArchive,
  readFolder,
  readSkillMd,
  toImport,
} from "../../../core/skills/exchange/import.ts";
import { makeStrictCopy } from "../../../core/skills/exchange/strict.ts";
import { findBadScripts } from "../../../core/skills/checks.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { scanFiles } from "../../../core/skills/scanner/scanner.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { AppError, unwrap } from "../problems.ts";
import { type ApiEnv, Flag, PROBLEM_RESPONSE, describeResponses, createRouter, jsonBody } from "../router.ts";
import { followPublication } from "./public-skills.ts";
import { amend, presentFiles } from "./skills.ts";
import { openSkills } from "../stores.ts";

export const exchange = createRouter();

export const IMPORT_ROUTE = "/v1/skills/import";

const SkillParams = z.object({ name: SkillName });
const BYTES = { schema: z.string().meta({ format: "binary" }) };
const TEXT = { schema: z.string() };
/** Parsed by hand: a file may be ten megabytes of Base64. */
const FOLDER = {
  schema: {
    type: "object" as const,
    required: ["files"],
    properties: {
      name: { type: "string" as const },
      files: {
        type: "object" as const,
        description: "By path: text, or `{base64}`",
        additionalProperties: {
          oneOf: [
            { type: "string" as const },
            { type: "object" as const, properties: { base64: { type: "string" as const } }, required: ["base64"] },
          ],
        },
      },
    },
  },
};

exchange.openapi(
  createRoute({
    method: "post",
    path: IMPORT_ROUTE,
    operationId: "importSkill",
    description:
      "Imports a zip or `.skill`, a tar.gz, a SKILL.md, or files in JSON. The skill is the person's, and active at once. " +
      "`warnings` names scripts that cannot be parsed.",
    request: {
      query: z.strictObject({ name: z.string().optional(), replace: Flag }),
      body: {
        required: true,
        content: {
          "application/zip": BYTES,
          "application/gzip": BYTES,
          "application/octet-stream": BYTES,
          "text/markdown": TEXT,
          "application/json": FOLDER,
        },
      },
    },
    responses: describeResponses(200, "The imported skill", ImportedSkillAnswer),
  }),
  async (c) => {
    const { name, replace } = c.req.valid("query");
    const skill = unwrap(await readBody(c, { name }));
    const store = openSkills(c.env, c.var.profile);
    const since = (await store.head(skill.name))?.rev ?? 0;
    const broken = await findBadScripts({}, skill.files, runChecks);
    const health = broken.length > 0 ? { checkedAt: Date.now(), broken } : undefined;
    const decide = toImport(skill, { replace, seeds, health });
    const change = { name: skill.name, op: `api:${ulid()}`, since, decide };
    const { head } = unwrap(await store.change(change));
    const { findings, warnings } = scan(skill.files);
    return c.json(
      { name: head.name, rev: head.rev, warnings: [...skill.warnings, ...warnings, ...broken], findings },
      200,
    );
  },
);

exchange.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/export",
    operationId: "exportSkill",
    description:
      "Exports the skill's files as they were imported or written. With `strict`: a copy whose SKILL.md every validator of " +
      "the Agent Skills standard accepts. An archive holds one folder with the skill's name.",
    request: {
      params: SkillParams,
      query: z.strictObject({ format: ExportFormat.default("zip"), strict: Flag }),
    },
    responses: {
      200: {
        description: "The skill",
        content: {
          "application/zip": BYTES,
          "application/gzip": BYTES,
          "application/json": { schema: ExportedFolder },
        },
      },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { format, strict } = c.req.valid("query");
    const own = presentFiles(name, await openSkills(c.env, c.var.profile).open(name));
    const { files, warnings } = strict ? unwrap(toStrictCopy(name, own)) : { files: own, warnings: [] };
    if (format === "folder") return c.json({ name, files: toContents(files), warnings }, 200);
    const kind = format === "tar.gz" ? "tar.gz" : "zip";
    return new Response(pack(kind, files, name), {
      headers: {
        "content-type": kind === "zip" ? "application/zip" : "application/gzip",
        "content-disposition": `attachment; filename="${name}.${format}"`,
        "x-content-type-options": "nosniff",
      },
    });
  },
);

/** Public skills of a profile. Listing them costs one read each, and longer lists are not useful. */
const MAX_PUBLIC = 200;

exchange.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/publish",
    operationId: "publishSkill",
    description:
      "Publishes or withdraws the skill. Anyone can read a public skill under `/.well-known/agent-skills/`, always its newest version.",
    request: { params: SkillParams, body: jsonBody(PublishSkill) },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const next = c.req.valid("json");
    const store = openSkills(c.env, c.var.profile);
    const since = (await store.head(name))?.rev ?? 0;
    const published = await store.change({
      name,
      op: `api:${ulid()}`,
      since,
      decide(current, index) {
        if (next.public && current?.head.state === "archived") {
          return err("skill_archived", `The skill \`${name}\` is archived. Restore it first, then publish it.`);
        }
        const others = Object.entries(index.skills).filter(([other, line]) => other !== name && line.public);
        if (next.public && others.length >= MAX_PUBLIC) {
          return err("too_many_public", `A profile has at most ${MAX_PUBLIC} public skills. Withdraw one first.`);
        }
        return amend(name, current, next);
      },
    });
    const { head } = unwrap(published);
    await followPublication(c.env, c.var.profile, head);
    return c.json(head, 200);
  },
);

/** Decides by the content type, and by the bytes if it is missing. */
async function readBody(c: Context<ApiEnv>, options: ImportOptions): Promise<Result<ImportedSkill>> {
  const type = (c.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "application/json") return readJson(await c.req.text(), options);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (ARCHIVE_TYPES.has(type)) return readArchive(bytes, options);
  if (TEXT_TYPES.has(type)) return readSkillMd(bytes, options);
  if (GENERIC_CONTENT_TYPES.has(type) && archiveKindOf(bytes) !== null) return readArchive(bytes, options);
  throw new AppError(
    "content_type_unsupported",
    "Send a skill as `application/zip`, `application/gzip`, `text/markdown` or `application/json`.",
  );
}

const ARCHIVE_TYPES = new Set([
  "application/zip",
  "application/x-zip-compressed",
  "application/gzip",
  "application/x-gzip",
]);
const TEXT_TYPES = new Set(["text/markdown", "text/plain"]);
/** Content types that clients send by default. */
const GENERIC_CONTENT_TYPES = new Set(["", "application/octet-stream", "application/x-www-form-urlencoded"]);

function readJson(body: string, options: ImportOptions): Result<ImportedSkill> {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new AppError("json_malformed", "The body is not JSON.");
  }
  const { files: given, name, ...unknown } = requireObject(raw, "The body");
  const [field] = Object.keys(unknown);
  if (field !== undefined)
    throw new AppError("field_unknown", `The field \`${field.slice(0, 80)}\` is unknown. Remove it.`);
  if (name !== undefined && typeof name !== "string") throw new AppError("body_invalid", "`name` must be text.");
  const files = Object.entries(requireObject(given, "`files`")).map(([path, body]) => [path, readFile(body)] as const);
  return readFolder(Object.fromEntries(files), { ...options, name: options.name ?? name });
}

function readFile(body: unknown): FileBodies[string] {
  if (typeof body === "string") return body;
  const base64 = requireObject(body, "A file that is not text").base64;
  try {
    if (typeof base64 === "string") return toFileBody(fromBase64(base64));
  } catch {
    // Not Base64: refused below.
  }
  throw new AppError("body_invalid", 'A file is text, or `{"base64": "…"}`.');
}

function requireObject(value: unknown, what: string): UnknownObject {
  if (!isObject(value)) throw new AppError("body_invalid", `${what} must be an object.`);
  return value;
}

function toStrictCopy(name: SkillName, files: FileBodies): ReturnType<typeof makeStrictCopy> {
  const copy = makeStrictCopy(name, files);
  return copy.ok ? copy : err("bad_skill_md", copy.failure.message, { reason: copy.failure.code });
}

/** Of one import. Scanning takes about a millisecond a KiB. */
const MAX_SCANNED_CHARS = 512 << 10;
/** Findings that an import reports. */
const MAX_FINDINGS = 50;

/** Scans SKILL.md first, then by path, within the limit. */
function scan(files: FileBodies): { findings: z.infer<typeof ImportFinding>[]; warnings: string[] } {
  const paths = Object.keys(files).sort((a, b) => Number(b === SKILL_MD) - Number(a === SKILL_MD) || (a < b ? -1 : 1));
  let chars = 0;
  const scanned: string[] = [];
  for (const path of paths) {
    const body = files[path]!;
    chars += typeof body === "string" ? body.length : 0;
    if (chars <= MAX_SCANNED_CHARS) scanned.push(path);
  }
  const findings = scanFiles(Object.fromEntries(scanned.map((path) => [path, files[path]!])));
  const unscanned = paths.length - scanned.length;
  const warnings =
    unscanned > 0 ? [`${unscanned} files were not scanned for hidden orders, because there is too much text.`] : [];
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => {
    const { path, line, column, severity, category, pattern, reason } = finding;
    return { path, line, column, severity, category, pattern, reason };
  });
  return { findings: shown, warnings };
}
