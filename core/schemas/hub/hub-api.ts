// The HTTP forms of the hub: what a package is, what an install or an update would do, and what is installed.
import * as z from "zod";
import { SkillDiff } from "../api.ts";
import { ImportFinding } from "../exchange.ts";
import { Sha256, SkillName } from "../ids.ts";
import { SkillConditions, SkillState } from "../skill.ts";
import { HubRef, HubSeen, HubTrust, HubVerdict, LockedSkill } from "./lock.ts";

/** As a person writes it: `owner/repo/path@v1`, `clawhub:slug`, an address. core/hub/finding/identifier.ts reads it. */
const SourceText = z.string().trim().min(1).max(2_000);
const Version = z.string().min(1).max(200);
const Names = z.array(z.string());

/** A piece of code that a text of the skill shows, and so tells an agent to run. */
export const HubCommand = z.object({
  path: z.string(),
  /** From 1. */
  line: z.int(),
  language: z.string(),
  /** Its beginning; of a longer one with the beginning of the SHA-256 of all of it. */
  code: z.string(),
});
export type HubCommand = z.infer<typeof HubCommand>;

/** What a package runs and needs; in an update, what is added. */
const Needs = {
  /** Files that can be run: scripts, programs, and checks of the skill. In an update those that are new, or have other bytes. */
  scripts: Names,
  commands: z.array(HubCommand),
  /** Tools that its `allowed-tools` would allow without a question. They are never allowed by installing it. */
  allowedTools: Names,
  /** Tools, hosts, variables and files with credentials that it names as needed; also hosts of addresses and variables in its texts and scripts. */
  tools: Names,
  hosts: Names,
  variables: Names,
  credentialFiles: Names,
  /** Packages, programs or other skills, as written. */
  dependencies: Names,
};

/** What a package needs and what it runs. */
export const HubReport = z.object({
  name: SkillName,
  description: z.string(),
  category: z.string(),
  /** Sizes in bytes, by path. */
  files: z.record(z.string(), z.int()),
  ...Needs,
  conditions: SkillConditions.optional(),
  verdict: HubVerdict,
  /** Version of the scanner's rules. */
  scanner: z.int(),
  findings: z.array(ImportFinding),
  /** Corrections made while reading, scripts that do not parse, files that were not scanned; in sentences. */
  warnings: Names,
});
export type HubReport = z.infer<typeof HubReport>;

/** `ask`: install exactly what was shown, with its `hash`. `refused`: nothing lifts it. */
export const HubDecision = z.object({ outcome: z.enum(["allowed", "ask", "refused"]), why: z.string() });
export type HubDecision = z.infer<typeof HubDecision>;

export const InspectHub = z.strictObject({ source: SourceText, name: SkillName.optional() });

export const HubInspection = z.object({
  ref: HubRef,
  version: z.string(),
  commit: z.string().optional(),
  /** Of all files. An install with it installs these bytes. */
  hash: Sha256,
  trust: HubTrust,
  decision: HubDecision,
  /** A skill of this name is here. `same`: this package. `other`: choose another `name`. */
  exists: z.enum(["no", "same", "older", "other"]),
  report: HubReport,
  /** What the source says of it, and what it left out. */
  notes: Names,
  /** Until when the bytes are kept for an install, in milliseconds since 1970. */
  keptUntil: z.int(),
});
export type HubInspection = z.infer<typeof HubInspection>;

export const InstallHub = z.strictObject({
  source: SourceText,
  /** Of what was inspected. Absent: fetched now, and installed only if the policy allows it without a question. */
  hash: Sha256.optional(),
  /** Instead of the name in its text. */
  name: SkillName.optional(),
});

/** A line of the lock, and what became of its skill here. */
export const InstalledSkill = LockedSkill.omit({ files: true, merging: true, withdrawn: true }).extend({
  name: SkillName,
  state: SkillState,
  /** Its files differ from those that were installed. */
  changedHere: z.boolean(),
});
export type InstalledSkill = z.infer<typeof InstalledSkill>;

export const HubInstalled = z.object({
  name: SkillName,
  /** `unchanged`: it was installed already. */
  outcome: z.enum(["installed", "unchanged"]),
  skill: InstalledSkill,
  report: HubReport,
  notes: Names,
});
export type HubInstalled = z.infer<typeof HubInstalled>;

export const HubSkillList = z.object({ skills: z.array(InstalledSkill), next: z.string().optional() });

export const HubHits = z.object({
  hits: z.array(
    z.object({
      ref: HubRef,
      /** What `inspect` and `install` take. */
      identifier: z.string(),
      name: z.string(),
      description: z.string(),
      installs: z.int().optional(),
      warning: z.string().optional(),
      trust: HubTrust,
      /** The profile's tap that has it. */
      tap: z.string().optional(),
      /** Under which name it is installed here. */
      installed: SkillName.optional(),
    }),
  ),
  /** What did not answer: a source, or `tap:<name>`. */
  failed: z.array(z.object({ from: z.string(), code: z.string(), message: z.string() })),
});

/** At most this many skills are checked or audited with one request. */
export const HUB_PAGE = 50;

export const CheckHub = z.strictObject({
  /** Absent: all, a page at a time. */
  names: z.array(SkillName).min(1).max(HUB_PAGE).optional(),
  /** `next` of the page before. */
  after: SkillName.optional(),
});

export const HubChecked = z.object({
  checked: z.array(
    z.object({
      name: SkillName,
      version: z.string(),
      pinned: z.string().optional(),
      state: HubSeen,
      /** The version that an update would install. */
      newest: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
  next: z.string().optional(),
});
export type HubChecked = z.infer<typeof HubChecked>;

export const AuditHub = z.strictObject({ after: SkillName.optional() });

export const HubAudit = z.object({
  audited: z.array(
    z.object({
      name: SkillName,
      /** When it was installed, and by the rules of then. */
      was: HubVerdict,
      verdict: HubVerdict,
      scanner: z.int(),
      findings: z.array(ImportFinding),
      /** The present rules find worse than those of the installation did, or more. */
      grown: z.boolean(),
      /** Files that differ from those that were installed. */
      changed: z.array(z.object({ path: z.string(), change: z.enum(["added", "removed", "changed"]) })),
      /** `missing`: it was archived or deleted here. */
      state: z.union([SkillState, z.literal("missing")]),
    }),
  ),
  next: z.string().optional(),
});
export type HubAudit = z.infer<typeof HubAudit>;

export const UpdateHub = z.strictObject({
  /** Of what a request without it has shown. Exactly that is applied. */
  hash: Sha256.optional(),
  /** Another version than the newest or the pinned one; an older one, too. */
  version: Version.optional(),
  /** `companion`: the text that was changed here becomes `<name>-local`, and the package replaces it. */
  keep: z.enum(["companion"]).optional(),
});

/** What an update adds. */
export const HubGrown = z.object({
  ...Needs,
  findings: z.array(ImportFinding),
  /** The verdict is worse than the present one. */
  verdict: z.object({ from: HubVerdict, to: HubVerdict }).optional(),
});
export type HubGrown = z.infer<typeof HubGrown>;

const PointInTime = z.object({ version: z.string(), commit: z.string().optional(), hash: Sha256 });

export const HubUpdate = z.object({
  name: SkillName,
  /** `current`: nothing to do. `preview`: send its `hash`. */
  outcome: z.enum(["current", "preview", "updated"]),
  from: PointInTime,
  to: PointInTime,
  decision: HubDecision,
  report: HubReport,
  grown: HubGrown,
  /** From the present files to those after the update; with conflicts, from the installed to the new package. */
  files: SkillDiff.shape.files,
  /** Paths that were changed here since the installation. */
  changedHere: Names,
  /**
   * What an update would make of them. `merged`: both changes are kept. `conflict`: in `conflicts`; it needs `keep`. `no_base`: the installed
   * text was purged, so there is nothing to merge by; it needs `keep`.
   */
  merge: z.enum(["unchanged", "merged", "conflict", "no_base"]),
  /** Places that were changed here and there. `line`: of the present file, from 1; 0 for the whole file. */
  conflicts: z.array(z.object({ path: z.string(), line: z.int(), here: z.string(), there: z.string() })),
  notes: Names,
  keptUntil: z.int().optional(),
  /** After an update: the skill's revision, and the companion that was made. */
  rev: z.int().optional(),
  companion: SkillName.optional(),
});
export type HubUpdate = z.infer<typeof HubUpdate>;

/** `null`: it follows the newest version again. */
export const PinHub = z.strictObject({ version: Version.nullable() });

export const HubUninstalled = z.object({
  name: SkillName,
  /** Its files had been changed here. The archive keeps them. */
  changedHere: z.boolean(),
  /** What stays, in a sentence. */
  kept: z.string(),
});
