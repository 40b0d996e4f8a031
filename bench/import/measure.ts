// Measures one row of bench:import. It imports the skill into an empty library, with the product's store over an in-memory bucket.
// Then it exports the skill as a folder and as archives, and imports the archives again.
import { messageOf } from "../../core/errors.ts";
import type { Bucket } from "../../core/ports.ts";
import { type FileBodies, fromContents, toBytes, toContents } from "../../core/schemas/file-body.ts";
import { pack } from "../../core/skills/exchange/archive.ts";
import { type ImportedSkill, readArchive, readFolder, toImport } from "../../core/skills/exchange/import.ts";
import { SKILL_MD } from "../../core/skills/format/format.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createMemoryBucket } from "../../test/support/bindings/memory-bucket.ts";
import type { Row } from "./rows.ts";

export interface Outcome {
  path: string;
  outcome: "imported" | "refused" | "crashed";
  /** Why the import was refused: as a code, and as a sentence. */
  reason?: string;
  message?: string;
  /** What the reader corrected. */
  warnings: string[];
  /** The export forms after which the skill differs from the original. */
  differs: string[];
}

/** The row's path gives the skill's folder and the file's name. */
export async function importRow(row: Row): Promise<Outcome> {
  const path = row.path || (row.name ? `${row.name}/${SKILL_MD}` : SKILL_MD);
  try {
    const given = new TextEncoder().encode(row.text);
    const [file = "", folder = ""] = path.split("/").reverse();
    const read = readFolder({ [/\.md$/i.test(file) ? file : SKILL_MD]: toText(given) }, { folder });
    if (!read.ok) return refused(path, read.failure);
    const library = await openLibrary();
    const stored = await library.importSkill(read.value);
    if (!stored.ok) return refused(path, stored.failure);
    const differs = await findDifferences(given, stored.files, read.value);
    return { path, outcome: "imported", warnings: read.value.warnings, differs };
  } catch (thrown) {
    return { path, outcome: "crashed", message: messageOf(thrown), warnings: [], differs: [] };
  }
}

function refused(
  path: string,
  { code, message, facts }: { code: string; message: string; facts?: Record<string, unknown> },
): Outcome {
  const reason = [code, facts?.reason].filter((part) => typeof part === "string" && part !== "").join(": ");
  return { path, outcome: "refused", reason, message, warnings: [], differs: [] };
}

/** Encoding replaces lone surrogates in the data. The bytes after that are the original that is compared. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function openLibrary() {
  const bucket: Bucket = createMemoryBucket();
  const store = createSkillStore({ bucket, profile: PROFILE, clock: systemClock, random: Math.random, swapMs: 1_000 });
  return {
    async importSkill(skill: ImportedSkill) {
      const decide = toImport(skill, { replace: false, seeds: {} });
      const changed = await store.change({ name: skill.name, op: "import", since: 0, decide });
      if (!changed.ok) return changed;
      const snapshot = await store.open(skill.name);
      if (!snapshot) throw new Error(`${skill.name} is missing after it was stored`);
      return { ok: true as const, files: snapshot.files };
    },
  };
}

const PROFILE = "0".repeat(26);

async function findDifferences(given: Uint8Array, stored: FileBodies, skill: ImportedSkill): Promise<string[]> {
  const folder = fromContents(JSON.parse(JSON.stringify(toContents(stored))) as ReturnType<typeof toContents>);
  const ways: [string, FileBodies | null][] = [["folder", folder]];
  for (const kind of ["zip", "tar.gz"] as const) {
    const again = readArchive(pack(kind, stored, skill.name));
    const taken =
      again.ok && again.value.name === skill.name ? await (await openLibrary()).importSkill(again.value) : null;
    ways.push([kind, taken?.ok ? taken.files : null]);
  }
  return ways.filter(([, files]) => !files || !hasOnly(files, given)).map(([way]) => way);
}

function hasOnly(files: FileBodies, given: Uint8Array): boolean {
  const own = files[SKILL_MD];
  return Object.keys(files).length === 1 && own !== undefined && Buffer.compare(toBytes(own), given) === 0;
}
