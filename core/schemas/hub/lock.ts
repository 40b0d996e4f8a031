// What the hub keeps of a profile: which skills came from where, in which version, with the hashes of what was installed. Stored in R2
// as `p/<profile>/hub.lock`; changed by compare-and-swap. Forms only.
import * as z from "zod";
import { FileContents } from "../file-body.ts";
import { Sha256, SkillName } from "../ids.ts";

/** `library`: another profile of this deployment that shares its skills. `url`: one SKILL.md or one archive at an address. */
export const HUB_SOURCES = ["github", "skills-sh", "clawhub", "well-known", "url", "library"] as const;
export const HubSourceName = z.enum(HUB_SOURCES);
export type HubSourceName = z.infer<typeof HubSourceName>;

/**
 * A skill at its source. `identifier` is canonical, without the version: `owner/repo/path` (github; `.` for the root), `owner/repo/slug`
 * (skills-sh), `slug` or `owner/slug` (clawhub), the address of the index, `#` and a name (well-known), an address (url), `<profile>/<name>`
 * (library). A person may leave open which skill: `owner/repo`, `owner/repo@name`, the address of a site. `version`: a branch, tag or commit, a
 * version number, or a digest; absent for the newest.
 */
export const HubRef = z.strictObject({
  source: HubSourceName,
  identifier: z.string().min(1).max(2_000),
  version: z.string().min(1).max(200).optional(),
});
export type HubRef = z.infer<typeof HubRef>;

/** How far a source is believed. `trusted`: the operator named it (`hub.trusted`). `library`: a profile that this one follows. */
export const HubTrust = z.enum(["trusted", "library", "community"]);
export type HubTrust = z.infer<typeof HubTrust>;

/** The worst that the scanner found. */
export const HubVerdict = z.enum(["safe", "caution", "dangerous"]);
export type HubVerdict = z.infer<typeof HubVerdict>;

/**
 * What the last look at the source said. `gone`: it is no longer there. `moved`: the name of the installed version (a tag, a version number) now
 * means another content. `unreachable`: the source did not answer, which says nothing.
 */
export const HubSeen = z.enum(["current", "update", "gone", "moved", "unreachable"]);
export type HubSeen = z.infer<typeof HubSeen>;

export const LockedSkill = z.object({
  source: HubSourceName,
  identifier: z.string(),
  /** As the source names it: `v1.2.0`, a commit, a digest. */
  version: z.string(),
  /** The point that cannot change: a commit of 40 digits, or the digest of an artifact. */
  commit: z.string().optional(),
  /** As `HubVersion.content`: equal at the source means that there is no update, whatever the commit. */
  content: z.string().optional(),
  /** The branch that was named at the installation. Absent: the newest is followed. */
  follows: z.string().optional(),
  /** SHA-256 over the sorted lines `<sha256>  <path>\n` of all files, as installed. */
  hash: Sha256,
  /** SHA-256 by path, as installed: the base of a merge. */
  files: z.record(z.string(), Sha256),
  /** The revision of the skill that has these files. */
  rev: z.int().min(1),
  trust: HubTrust,
  verdict: HubVerdict,
  /** Version of the scanner's rules. */
  scanner: z.int(),
  findings: z.int().min(0),
  /** The version that it is kept at. A newer one is not offered; it can be named. */
  pinned: z.string().min(1).max(200).optional(),
  /**
   * An update with a merge is under way: the package becomes one revision, the merged text the next. `rev`: the revision that was changed
   * here. The next request that reads the lock completes it.
   */
  merging: z.object({ rev: z.int().min(1), hash: Sha256 }).optional(),
  installedAt: z.int(),
  updatedAt: z.int(),
  /** Its publisher's withdrawal has reached this copy of the library. Absent again once the skill is seen to be shared. */
  withdrawn: z.literal(true).optional(),
  seen: z
    .object({ state: HubSeen, at: z.int(), version: z.string().optional(), detail: z.string().optional() })
    .optional(),
});
export type LockedSkill = z.infer<typeof LockedSkill>;

export const HubLock = z.object({ v: z.literal(1), seq: z.int().min(0), skills: z.record(SkillName, LockedSkill) });
export type HubLock = z.infer<typeof HubLock>;

/** [own] Skills of the hub in a profile: a lock of this size is read in one piece. */
export const MAX_INSTALLED = 300;

/**
 * [own] Bytes of a lock as JSON; each list, search and message of a publisher reads it whole. A file has about 100 of them, so this is 20,000 files: 300
 * skills of 60. With 500 files each it would be 16 MB.
 */
export const MAX_LOCK_BYTES = 2 * 1024 * 1024;

export const EMPTY_LOCK: HubLock = { v: 1, seq: 0, skills: {} };

/** One fetched package, as it was shown to a person. Stored in R2 for a day; docs/STORAGE.md. */
export const Quarantined = z.object({
  v: z.literal(1),
  ref: HubRef,
  version: z.string(),
  commit: z.string().optional(),
  content: z.string().optional(),
  follows: z.string().optional(),
  offBranch: z.literal(true).optional(),
  folder: z.string(),
  files: FileContents,
  notes: z.array(z.string()),
  at: z.int(),
});
export type Quarantined = z.infer<typeof Quarantined>;
