// What is asked of a profile's library: by its owner through the API, and by the Accounts of profiles that follow it or that it follows. The Account
// hands it out; account-library.ts documents the calls. A caller that names another profile is an Account or workers/api, which have checked it.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err } from "../../core/errors.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import type {
  ChangeFollowing,
  CreateInvitation,
  CreatedInvitation,
  FollowLibrary,
  FollowerCounts,
  FollowerInfo,
  FollowingInfo,
  InvitationId,
  Library,
  LibraryReport,
} from "../../core/schemas/library/library.ts";
import {
  type AccountLibrary,
  type Admission,
  type AskedAdmission,
  INVITATION_UNKNOWN,
  type ReportAnswer,
} from "./account-library.ts";

const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class LibraryDesk extends RpcTarget {
  readonly #open: (willWrite: boolean) => AccountLibrary | null;
  readonly #arm: () => Promise<void>;

  /** `open`: `null` for a deleted profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(open: (willWrite: boolean) => AccountLibrary | null, arm: () => Promise<void>) {
    super();
    this.#open = open;
    this.#arm = arm;
  }

  // ---- the owner ----

  list(): Library {
    return this.#open(false)?.list() ?? { followers: [], following: [], invitations: [] };
  }
  invite(input: CreateInvitation): Result<CreatedInvitation> {
    const library = this.#open(true);
    return library ? { ok: true, value: library.invite(input) } : PROFILE_GONE;
  }
  takeBack(id: InvitationId): Result<null> {
    return this.#open(true)?.takeBack(id) ?? PROFILE_GONE;
  }
  follow(input: FollowLibrary): Promise<Result<FollowingInfo>> {
    return this.#armed(this.#open(true)?.follow(input) ?? PROFILE_GONE);
  }
  changeFollowing(publisher: ProfileId, changes: ChangeFollowing): Promise<Result<FollowingInfo>> {
    return this.#armed(this.#open(true)?.changeFollowing(publisher, changes) ?? PROFILE_GONE);
  }
  unfollow(publisher: ProfileId): Promise<Result<null>> {
    return this.#armed(this.#open(true)?.unfollow(publisher) ?? PROFILE_GONE);
  }
  changeFollower(follower: ProfileId, evidence: boolean): Promise<Result<FollowerInfo>> {
    return this.#armed(this.#open(true)?.changeFollower(follower, evidence) ?? PROFILE_GONE);
  }
  removeFollower(follower: ProfileId): Promise<Result<null>> {
    return this.#armed(this.#open(true)?.removeFollower(follower) ?? PROFILE_GONE);
  }
  isFollowing(publisher: ProfileId): boolean {
    return this.#open(false)?.isFollowing(publisher) ?? false;
  }
  /** `null`: nobody follows this profile. */
  countsOf(skill: SkillName, text: Sha256, ownJudged: number): FollowerCounts | null {
    const library = this.#open(false);
    return library?.hasFollowers() ? library.countsOf(skill, text, ownJudged) : null;
  }
  /** Followers are told within `afterMs`. Before a change, so that a crash in it is noticed, and after it. */
  planTelling(afterMs: number): Promise<null> {
    const library = this.#open(true);
    library?.planTelling(Date.now() + afterMs);
    return this.#armed(null);
  }

  // ---- Accounts of other profiles ----

  admit(follower: ProfileId, asked: AskedAdmission): Promise<Result<Admission>> {
    return this.#armed(this.#open(true)?.admit(follower, asked) ?? INVITATION_UNKNOWN);
  }
  async give(follower: ProfileId, given: { skill: SkillName; text: Sha256 } | null): Promise<boolean> {
    const isGiven = this.#open(true)?.give(follower, given) ?? false;
    return isGiven && given ? this.#armed(true) : isGiven;
  }
  report(follower: ProfileId, report: LibraryReport): ReportAnswer | null {
    return this.#open(true)?.takeReport(follower, report) ?? null;
  }
  hear(publisher: ProfileId, news: { takes: boolean }): Promise<boolean> {
    return this.#armed(this.#open(true)?.hear(publisher, news) ?? false);
  }

  async #armed<Answer>(answer: Answer | Promise<Answer>): Promise<Answer> {
    const answered = await answer;
    await this.#arm();
    return answered;
  }
}
