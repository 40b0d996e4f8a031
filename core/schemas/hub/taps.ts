// The taps of a profile: the repositories and indexes whose skills its searches also name, and where it publishes by pull request. And
// the profile's access to GitHub. Both are profile settings of the Account; the forms of their routes stand beside them. Forms only.
import * as z from "zod";
import { SkillName } from "../ids.ts";

export const TapName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    "must have 1 to 40 lower-case letters, digits or hyphens, with neither end a hyphen",
  );
export type TapName = z.infer<typeof TapName>;

/** Section `hubTaps` of the profile settings, by the tap's name. */
export const HubTap = z.strictObject({
  /** `github`: `identifier` is `owner/repo` or `owner/repo/path`. `well-known`: the address of an index. */
  source: z.enum(["github", "well-known"]),
  identifier: z.string().min(1).max(2_000),
  addedAt: z.int(),
});
export type HubTap = z.infer<typeof HubTap>;

/** Section `hubAccess` of the profile settings, key `github`: a token, for one server only. */
export const HubAccess = z.strictObject({
  /** The address of the API that it was given for. */
  server: z.string(),
  /** A `SealedAccess` as JSON, sealed: the server is inside once more, so that no other can be put beside the token. */
  sealed: z.string(),
  setAt: z.int(),
});
export type HubAccess = z.infer<typeof HubAccess>;

export const SealedAccess = z.strictObject({ server: z.string(), token: z.string() });
export type SealedAccess = z.infer<typeof SealedAccess>;

/** Body of `PUT /v1/hub/taps/{tap}`. */
export const PutTap = z.strictObject({
  source: z
    .string()
    .min(1)
    .max(2_000)
    .describe("A GitHub repository as `owner/repo` or `owner/repo/path`, or the address of an index of skills."),
});

export const TapInfo = HubTap.extend({ tap: TapName });
export type TapInfo = z.infer<typeof TapInfo>;

export const TapList = z.object({
  taps: z.array(TapInfo),
  /** Null: no token is set. */
  githubToken: z
    .object({
      server: z.string(),
      setAt: z.int(),
      /** False: it was given for another server than the deployment uses now. */
      usable: z.boolean(),
    })
    .nullable(),
  next: z.string().optional(),
});
export type TapList = z.infer<typeof TapList>;

/** Body of `PUT /v1/hub/github-token`. */
export const PutGithubToken = z.strictObject({
  token: z
    .string()
    .regex(/^[\x21-\x7e]{10,500}$/, "must be a token of 10 to 500 characters without blanks")
    .describe(
      "A personal access token that may read and write contents and pull requests. Stored sealed, never shown.",
    ),
});

/** Body of `POST /v1/hub/publish`. */
export const PublishToTap = z.strictObject({
  skill: SkillName,
  tap: TapName.describe("A tap of the profile that is a GitHub repository."),
  message: z.string().min(1).max(2_000).optional().describe("The text of the pull request."),
});
export type PublishToTap = z.infer<typeof PublishToTap>;

export const PublishedPull = z.object({
  skill: SkillName,
  tap: TapName,
  /** `owner/repo` that is asked to take the skill, and the folder in it. */
  repository: z.string(),
  folder: z.string(),
  /** `owner/repo` that has the branch: the same, or the person's fork. */
  head: z.string(),
  branch: z.string(),
  /** SHA-256 over the sorted lines `<sha256>  <path>\n` of what was published. */
  hash: z.string(),
  /** Null: the repository has exactly these files already, so that there is nothing to ask. */
  pull: z.object({ number: z.int(), url: z.string(), state: z.enum(["open", "closed", "merged"]) }).nullable(),
  /** This request opened the pull request. */
  opened: z.boolean(),
  /** What the copy left out or changed. */
  warnings: z.array(z.string()),
});
export type PublishedPull = z.infer<typeof PublishedPull>;
