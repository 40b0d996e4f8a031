// Reads the body of an import, or of a text to try: an archive, a SKILL.md, or files in JSON. Called by exchange.ts and by
// experiments/experiments.ts. Keeps every file byte for byte.
import type { Context } from "hono";
import * as z from "zod";
import { type Result, ok } from "../../../core/errors.ts";
import { GivenTokens } from "../../../core/schemas/learning/experiment-api.ts";
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

/** In JSON. A body is parsed by hand: a file may be ten megabytes of Base64. */
const NAME_AND_FILES = {
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
};

/** The contract of a JSON body of an import. */
const IMPORT_FOLDER = {
  schema: {
    type: "object" as const,
    required: ["files"],
    properties: {
      ...NAME_AND_FILES,
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
    },
  },
};

/** The same of a text to try. */
const TRIED_FOLDER = {
  schema: {
    type: "object" as const,
    required: ["files"],
    properties: {
      ...NAME_AND_FILES,
      tokens: { type: "integer" as const, minimum: 1, description: GivenTokens.description! },
    },
  },
};

export const IMPORT_BODY = describeBody(IMPORT_FOLDER);
export const TRIED_BODY = describeBody(TRIED_FOLDER);

function describeBody<Folder extends object>(folder: Folder) {
  const bytes = { schema: z.string().meta({ format: "binary" }) };
  const content = {
    ...{ "application/zip": bytes, "application/gzip": bytes, "application/octet-stream": bytes },
    ...{ "text/markdown": { schema: z.string() }, "application/json": folder },
  };
  return { required: true as const, content };
}

/** Of an import, and of a text to try. */
export const BODY_REFUSALS = [
  ...(["bad_archive", "archive_too_large", "bad_path", "bad_skill_md", "bad_skill_name", "bad_text"] as const),
  ...(["too_large", "too_many_files"] as const),
] as const;

/** Decides by the content type, and by the bytes if it is missing. */
export async function readImport(
  c: Context<ApiEnv>,
  options: ImportOptions,
): Promise<Result<ImportedSkill & { moved?: MovedSkill }>> {
  const { skill, more } = await readBody(c, options, "from");
  const moved = more === undefined ? undefined : MovedSkill.safeParse(more);
  if (moved?.success === false) throw new AppError("body_invalid", "`from` does not say where a skill came from.");
  return skill.ok && moved ? ok({ ...skill.value, moved: moved.data }) : skill;
}

/** The same of a text to try. `tokens`: what the person grants, in JSON. */
export async function readTried(
  c: Context<ApiEnv>,
  options: ImportOptions,
): Promise<Result<ImportedSkill & { tokens?: number }>> {
  const { skill, more } = await readBody(c, options, "tokens");
  const tokens = more === undefined ? undefined : GivenTokens.safeParse(more);
  if (tokens?.success === false) throw new AppError("body_invalid", "`tokens` must be a whole number from 1 on.");
  return skill.ok && tokens ? ok({ ...skill.value, tokens: tokens.data }) : skill;
}

/** `more`: what the field `extra` of a JSON body holds. */
async function readBody(
  c: Context<ApiEnv>,
  options: ImportOptions,
  extra: "from" | "tokens",
): Promise<{ skill: Result<ImportedSkill>; more?: unknown }> {
  const type = (c.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "application/json") return readJson(await c.req.text(), options, extra);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (ARCHIVE_TYPES.has(type)) return { skill: readArchive(bytes, options) };
  if (TEXT_TYPES.has(type)) return { skill: readSkillMd(bytes, options) };
  if (GENERIC_CONTENT_TYPES.has(type) && archiveKindOf(bytes) !== null) return { skill: readArchive(bytes, options) };
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

function readJson(
  body: string,
  options: ImportOptions,
  extra: "from" | "tokens",
): { skill: Result<ImportedSkill>; more: unknown } {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new AppError("json_malformed", "The body is not JSON.");
  }
  const { files: given, name, [extra]: more, ...unknown } = requireObject(raw, "The body");
  const [field] = Object.keys(unknown);
  if (field !== undefined)
    throw new AppError("field_unknown", `The field \`${field.slice(0, 80)}\` is unknown. Remove it.`);
  if (name !== undefined && typeof name !== "string") throw new AppError("body_invalid", "`name` must be text.");
  const files = Object.entries(requireObject(given, "`files`")).map(([path, body]) => [path, readFile(body)] as const);
  return { skill: readFolder(Object.fromEntries(files), { ...options, name: options.name ?? name }), more };
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
