// The HTTP forms of skill imports, exports and publication, and the two forms of a public index.
import * as z from "zod";
import { FileContents } from "./file-body.ts";
import { SkillName } from "./ids.ts";
import { SkillConditions, SkillContract } from "./skill.ts";

export const ImportFinding = z.object({
  path: z.string(),
  line: z.int(),
  column: z.int(),
  severity: z.string(),
  category: z.string(),
  pattern: z.string(),
  reason: z.string(),
});
export type ImportFinding = z.infer<typeof ImportFinding>;

export const ImportedSkillAnswer = z.object({
  name: SkillName,
  rev: z.int().min(1),
  /** Corrections made while reading, in sentences. Scripts that do not parse, as in `health` of a skill. */
  warnings: z.array(z.string()),
  /** Findings of the scanner. They never refuse a person's import. */
  findings: z.array(ImportFinding),
});
export type ImportedSkillAnswer = z.infer<typeof ImportedSkillAnswer>;

/** What an import would do. Nothing is stored. */
export const ImportPreview = ImportedSkillAnswer.omit({ rev: true }).extend({
  description: z.string(),
  category: z.string(),
  /** A skill of this name is there, so the import needs `replace`. */
  exists: z.boolean(),
  /** Sizes in bytes, by path. */
  files: z.record(z.string(), z.int()),
  /** What must be there for the skill to be used. */
  conditions: SkillConditions.optional(),
  contract: SkillContract.nullable(),
  /** Packages, programs or other skills, as written. */
  dependencies: z.array(z.string()),
});
export type ImportPreview = z.infer<typeof ImportPreview>;

export const ExportFormat = z.enum(["zip", "skill", "tar.gz", "folder"]);
export type ExportFormat = z.infer<typeof ExportFormat>;

export const ExportedFolder = z.object({ name: SkillName, files: FileContents, warnings: z.array(z.string()) });
export type ExportedFolder = z.infer<typeof ExportedFolder>;

export const PublishSkill = z
  .strictObject({
    public: z.boolean().optional().meta({ description: "To everyone, and so also to followers" }),
    shared: z.boolean().optional().meta({ description: "To the profiles that follow this one" }),
  })
  .refine((offered) => Object.keys(offered).length > 0, "say `public`, `shared` or both");

/** Agent Skills Discovery 0.2.0. */
export const DISCOVERY_SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
export const PublicIndex = z.object({
  $schema: z.literal(DISCOVERY_SCHEMA),
  skills: z.array(
    z.object({
      name: SkillName,
      type: z.enum(["skill-md", "archive"]),
      description: z.string(),
      /** Relative to the index. */
      url: z.string(),
      /** SHA-256 of the artifact's bytes. */
      digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    }),
  ),
});
export type PublicIndex = z.infer<typeof PublicIndex>;

/** The form before 0.2.0: files by path, next to the index. */
export const OldPublicIndex = z.object({
  skills: z.array(z.object({ name: SkillName, description: z.string(), files: z.array(z.string()) })),
});
export type OldPublicIndex = z.infer<typeof OldPublicIndex>;
