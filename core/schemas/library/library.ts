// The shared library: which profiles may read another's shared skills, and what flows back. What the routes under /v1/library take and
// answer, and what the Accounts of two profiles say to each other. Forms only.
import * as z from "zod";
import { ProfileId, Sha256, SkillName } from "../ids.ts";

/** [own] Public and shared skills of a profile, of each kind. Listing the public ones costs one read each, and longer lists are not useful. */
export const MAX_PUBLISHED = 200;
/** [own] A label is a few words. */
const MAX_LABEL_CHARS = 80;
const Label = z
  .string()
  .max(MAX_LABEL_CHARS)
  .regex(/^[^\p{Cc}]*$/u, "a label is one line of text");

/** [own] Long enough to pass a code on to a colleague. */
const DEFAULT_INVITATION_MS = 7 * 24 * 60 * 60_000;
const MAX_INVITATION_MS = 90 * 24 * 60 * 60_000;
/** [own] A code for more profiles than this is no invitation. */
const MAX_INVITATION_USES = 100;

export const InvitationId = z.string().regex(/^inv_[0-9a-z]{12}$/, "the id of an invitation is inv_ and 12 characters");
export type InvitationId = z.infer<typeof InvitationId>;

export const CreateInvitation = z.strictObject({
  label: Label.default("").meta({ description: "What followers see of this profile" }),
  expiresInMs: z.int().min(60_000).max(MAX_INVITATION_MS).default(DEFAULT_INVITATION_MS),
  uses: z
    .int()
    .min(1)
    .max(MAX_INVITATION_USES)
    .default(1)
    .meta({ description: "How many profiles may follow with the code" }),
});
export type CreateInvitation = z.infer<typeof CreateInvitation>;

export const InvitationInfo = z.object({
  id: InvitationId,
  label: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  uses: z.int().meta({ description: "How many profiles may still follow with it" }),
});
export type InvitationInfo = z.infer<typeof InvitationInfo>;

export const CreatedInvitation = InvitationInfo.extend({ code: z.string() });
export type CreatedInvitation = z.infer<typeof CreatedInvitation>;

export const FollowLibrary = z.strictObject({
  code: z.string().min(1).max(200),
  evidence: z.boolean().default(false).meta({ description: "Send back how often its texts were used, as counts" }),
  label: Label.default("").meta({ description: "What the publisher sees of this profile" }),
});
export type FollowLibrary = z.infer<typeof FollowLibrary>;

export const ChangeFollowing = z
  .strictObject({ evidence: z.boolean().optional(), label: Label.optional() })
  .refine((changes) => Object.keys(changes).length > 0, "name at least one field");
export type ChangeFollowing = z.infer<typeof ChangeFollowing>;

export const ChangeFollower = z.strictObject({ evidence: z.boolean() });

/** A profile that follows this one. */
export const FollowerInfo = z.object({
  profile: ProfileId,
  /** As that profile calls itself. */
  label: z.string(),
  since: z.int(),
  evidence: z.boolean().meta({ description: "This profile takes its counts" }),
  sendsEvidence: z.boolean().meta({ description: "It agrees to send them" }),
  told: z.boolean().meta({ description: "It knows the present state of the shared skills" }),
});
export type FollowerInfo = z.infer<typeof FollowerInfo>;

/** A profile that this one follows. */
export const FollowingInfo = z.object({
  profile: ProfileId,
  /** As that profile calls itself. */
  label: z.string(),
  since: z.int(),
  evidence: z.boolean().meta({ description: "This profile sends counts" }),
  takesEvidence: z.boolean().meta({ description: "The publisher takes them" }),
});
export type FollowingInfo = z.infer<typeof FollowingInfo>;

export const Library = z.object({
  followers: z.array(FollowerInfo),
  following: z.array(FollowingInfo),
  invitations: z.array(InvitationInfo),
});
export type Library = z.infer<typeof Library>;

/** A skill that a followed profile shares. */
export const OfferedSkill = z.object({
  name: SkillName,
  description: z.string(),
  text: Sha256,
  installed: z.boolean().meta({ description: "This profile has a copy" }),
  update: z.boolean().meta({ description: "The copy was made from another text" }),
});
export type OfferedSkill = z.infer<typeof OfferedSkill>;

export const OfferedSkills = z.object({ skills: z.array(OfferedSkill) });

/** [own] What a profile can offer at most: as many public skills as shared ones. `left` is asked for as it was answered. */
export const MAX_OFFERED = 2 * MAX_PUBLISHED;
export const InstallOffered = z.strictObject({
  skills: z.array(SkillName).min(1).max(MAX_OFFERED).optional().meta({ description: "Absent: all that are offered" }),
});

export const InstalledOffered = z.object({
  installed: z.array(z.object({ name: SkillName, rev: z.int() })),
  refused: z.array(z.object({ name: SkillName, code: z.string(), detail: z.string() })),
  left: z.array(SkillName).meta({ description: "Not reached in this request: ask again" }),
});
export type InstalledOffered = z.infer<typeof InstalledOffered>;

/** How one text of a skill did at a follower. Judged uses are successes and failures. */
export const TextCount = z
  .object({ skill: SkillName, text: Sha256, uses: z.int().min(0), successes: z.int().min(0), failures: z.int().min(0) })
  .refine(({ uses, successes, failures }) => successes + failures <= uses, "more judged uses than uses");
export type TextCount = z.infer<typeof TextCount>;

/** What a follower reports: absolute numbers, so that a repetition changes nothing. `evidence` false: it sends none any more. */
export const LibraryReport = z.object({ evidence: z.boolean(), label: z.string(), counts: z.array(TextCount) });
export type LibraryReport = z.infer<typeof LibraryReport>;

/** Followers' counts as the publisher reads them; core/library/follower-counts.ts says how they are weighed. */
export const FollowerCounts = z.object({
  profiles: z.int().min(0).meta({ description: "Followers that sent counts of this text" }),
  uses: z.number().min(0),
  successes: z.number().min(0),
  failures: z.number().min(0),
  weight: z.number().min(0).meta({ description: "The judged uses that they count as together" }),
});
export type FollowerCounts = z.infer<typeof FollowerCounts>;
