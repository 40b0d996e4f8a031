// Reads the `skills-lock.json` that the `skills` program writes into a project, for `talaria skills install`: which skills it installed, and
// under which name the hub knows them.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { UsageError } from "../connection/connection.ts";

export const SKILLS_LOCK = "skills-lock.json";

/** As version 1 of the file has it (`skills` 1.7.4); further fields are not read. */
const SkillsLock = z.object({
  version: z.number(),
  skills: z.record(
    z.string(),
    z.object({
      source: z.string(),
      sourceUrl: z.string().optional(),
      sourceType: z.string(),
      ref: z.string().optional(),
      /** Of the SKILL.md in the repository. */
      skillPath: z.string().optional(),
    }),
  ),
});
type LockEntry = z.infer<typeof SkillsLock>["skills"][string];

export interface LockedSource {
  name: string;
  /** As the hub takes it. `null`: the hub has no such source. */
  source: string | null;
  sourceType: string;
}

/** Null: `path` is neither such a file nor a folder that has one. Throws a UsageError for a file that cannot be read. */
export function readSkillsLock(path: string): LockedSource[] | null {
  const file = findLock(path);
  if (file === null) return null;
  const parsed = SkillsLock.safeParse(readJson(file));
  if (!parsed.success) throw new UsageError(`${file} is not a lock file of the \`skills\` program.`);
  return Object.entries(parsed.data.skills).map(([name, entry]) => ({
    name,
    source: toSource(name, entry),
    sourceType: entry.sourceType,
  }));
}

function findLock(path: string): string | null {
  if (path.endsWith(SKILLS_LOCK)) return path;
  const stat = statSync(path, { throwIfNoEntry: false });
  const inside = join(path, SKILLS_LOCK);
  return stat?.isDirectory() && statSync(inside, { throwIfNoEntry: false })?.isFile() ? inside : null;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "not JSON"}).`);
  }
}

function toSource(name: string, { source, sourceUrl, sourceType, ref, skillPath }: LockEntry): string | null {
  if (sourceType === "well-known") return `well-known:${sourceUrl ?? source}#${name}`;
  if (sourceType !== "github") return null;
  const folder = skillPath?.replace(/\/?SKILL\.md$/i, "");
  const version = ref === undefined ? "" : `#${encode(ref)}`;
  // Without a folder the skill is looked for by its name.
  if (folder === undefined) return `github:${source}${version}@${name}`.replace("#@", "@");
  return folder === ""
    ? `github:${source}/.${version}`
    : `github:${source}/${folder.split("/").map(encode).join("/")}${version}`;
}

/** What the form of the identifier would read as something else. */
function encode(text: string): string {
  return text.replace(/[%@#]/g, (sign) => encodeURIComponent(sign));
}
