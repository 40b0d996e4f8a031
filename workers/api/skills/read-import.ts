// Reads the body of an import: an archive, a SKILL.md, or files in JSON. Called by exchange.ts. Keeps every file byte for byte.
import type { Context } from "hono";
import { type Result, ok } from "../../../core/errors.ts";
import { fromBase64 } from "../../../core/schemas/base64.ts";
import { type FileBodies, toFileBody } from "../../../core/schemas/file-body.ts";
import { archiveKindOf } from "../../../core/skills/exchange/archive.ts";
import {
  type ImportOptions,
  type ImportedSkill,
  MovedSkill,
  readArchive,
  readFolder,
  readSkillMd,
} from "../../../core/skills/exchange/import.ts";
import { FOREIGN_PROGRAMS } from "../../../core/schemas/sessions/transcript.ts";
import { type UnknownObject, isObject } from "../../../core/unknown-object.ts";
import { AppError } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";

/** The contract of a JSON body. It is parsed by hand: a file may be ten megabytes of Base64. */
export const IMPORT_FOLDER = {
  schema: {
    type: "object" as const,
    required: ["files"],
    properties: {
      name: { type: "string" as const },
      from: {
        type: "object" as const,
        description: "What another program knew of the skill. Its uses are shown, and are no evidence",
        required: ["source", "identifier"],
        properties: {
          source: { type: "string" as const, enum: [...FOREIGN_PROGRAMS] },
          ...{ identifier: { type: "string" as const }, version: { type: "string" as const } },
          ...{ hash: { type: "string" as const }, uses: { type: "integer" as const } },
          ...{ lastUsedDay: { type: "string" as const }, pinned: { type: "boolean" as const } },
          archived: { type: "boolean" as const },
        },
      },
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

/** Decides by the content type, and by the bytes if it is missing. */
export async function readImport(
  c: Context<ApiEnv>,
  options: ImportOptions,
): Promise<Result<ImportedSkill & { moved?: MovedSkill }>> {
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

function readJson(body: string, options: ImportOptions): Result<ImportedSkill & { moved?: MovedSkill }> {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new AppError("json_malformed", "The body is not JSON.");
  }
  const { files: given, name, from, ...unknown } = requireObject(raw, "The body");
  const [field] = Object.keys(unknown);
  if (field !== undefined)
    throw new AppError("field_unknown", `The field \`${field.slice(0, 80)}\` is unknown. Remove it.`);
  if (name !== undefined && typeof name !== "string") throw new AppError("body_invalid", "`name` must be text.");
  const files = Object.entries(requireObject(given, "`files`")).map(([path, body]) => [path, readFile(body)] as const);
  const moved = from === undefined ? undefined : MovedSkill.safeParse(from);
  if (moved?.success === false) throw new AppError("body_invalid", "`from` does not say where a skill came from.");
  const skill = readFolder(Object.fromEntries(files), { ...options, name: options.name ?? name });
  return skill.ok && moved ? ok({ ...skill.value, moved: moved.data }) : skill;
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
