// Reads and writes a skill's files on this machine, for `talaria skills import`, `try` and `export`.
import { type Stats, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ImportedSkillAnswer } from "../../core/schemas/exchange.ts";
import { type FileContents, toContents, toFileBody } from "../../core/schemas/file-body.ts";
import { Experiment } from "../../core/schemas/learning/experiment.ts";
import type { Client } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import { fillRoute } from "../connection/routes.ts";

export const EXPORT_FORMATS = ["zip", "skill", "tar.gz"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Far more than the API takes; a wrong folder is noticed before it is read whole. */
const MAX_FILES = 500;

const TYPES: readonly [RegExp, string][] = [
  [/\.(?:zip|skill)$/i, "application/zip"],
  [/\.(?:tgz|tar\.gz|gz)$/i, "application/gzip"],
  [/\.md$/i, "text/markdown"],
  [/\.json$/i, "application/json"],
];

/** `file`: a folder, an archive, a SKILL.md, or `-`. */
export async function importSkill(
  client: Client,
  file: string,
  { name, replace }: { name: string | undefined; replace: boolean },
): Promise<ImportedSkillAnswer> {
  const skill = readSkill(file);
  const query = { name: name ?? skill.folder, replace: replace ? ("true" as const) : undefined };
  const [method, path] = fillRoute("POST /v1/skills/import", { query });
  return client.http.json(ImportedSkillAnswer, method, path, skill.body);
}

/** The same of a skill that is tried and not stored. `key`: a repetition with it is the same experiment. */
export async function trySkill(
  client: Client,
  file: string,
  { key, name, ...asked }: Record<"name" | "turns", string | undefined> & { tokens: number | undefined; key: string },
): Promise<Experiment> {
  const { folder, body } = readSkill(file);
  const [method, path] = fillRoute("POST /v1/skills/try", { query: { name: name ?? folder, ...asked } });
  const headers = { ...body.headers, "idempotency-key": key };
  return client.http.json(Experiment, method, path, { ...body, headers });
}

/** `folder`: its name, which is the skill's unless another is given. */
function readSkill(file: string): {
  folder: string | undefined;
  body: { body: Uint8Array<ArrayBuffer> | object; headers: Record<string, string> };
} {
  const isFolder = file !== "-" && read(file, () => statSync(file) as Stats).isDirectory();
  if (isFolder) {
    return { folder: basename(resolve(file)), body: { body: { files: readFolder(file) }, headers: {} } };
  }
  const bytes = new Uint8Array(read(file, () => readFileSync(file === "-" ? 0 : file)));
  if (bytes.length === 0) throw new UsageError(`${file === "-" ? "stdin" : file} is empty.`);
  const type = TYPES.find(([pattern]) => pattern.test(file))?.[1] ?? "application/octet-stream";
  return { folder: undefined, body: { body: bytes, headers: { "content-type": type } } };
}

export async function exportSkill(
  client: Client,
  skill: string,
  { format, strict }: { format: ExportFormat; strict: boolean },
): Promise<Uint8Array> {
  const query = { format, strict: strict ? ("true" as const) : undefined };
  const response = await client.send("GET /v1/skills/{name}/export", { params: { name: skill }, query });
  return new Uint8Array(await response.arrayBuffer());
}

function readFolder(folder: string): FileContents {
  const paths = read(folder, () => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length))
    .filter((path) => !path.split("/").some((part) => part === ".git" || part === "node_modules"));
  if (!paths.includes("SKILL.md")) throw new UsageError(`${folder} has no SKILL.md: it is not a skill's folder.`);
  if (paths.length > MAX_FILES)
    throw new UsageError(`${folder} has ${paths.length} files: a skill has ${MAX_FILES} at most.`);
  const bodies = paths.map((path) => [path, toFileBody(read(path, () => readFileSync(join(folder, path))))] as const);
  return toContents(Object.fromEntries(bodies));
}

function read<T>(path: string, get: () => T): T {
  try {
    return get();
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`);
  }
}
