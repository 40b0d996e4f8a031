// The shared library, as a profile's Account keeps it, for both sides: a publisher admits followers, tells them when what it shares changes, and
// takes their counts; a follower hears of changes and reports counts. Two outboxes, one a side: a row's `due` is set before anything is sent and
// cleared by the other Account's answer, so a message survives a crash. Each message is about the present state, so a repetition changes nothing.
// Called by the Account, which owns the alarm. A profile without followers or publishers has no row and pays nothing.
import { toOfferMark } from "../../core/library/offer.ts";
import { weighCounts } from "../../core/library/follower-counts.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { mapLimit } from "../../core/map-limit.ts";
import type { Clock, Sql } from "../../core/ports.ts";
import { DAY_MS, type ProfileId, type Sha256, type SkillName } from "../../core/schemas/ids.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { SkillIndex } from "../../core/schemas/skill.ts";
import {
  type ChangeFollowing,
  type CreateInvitation,
  type CreatedInvitation,
  type FollowLibrary,
  type FollowerCounts,
  type FollowerInfo,
  type FollowingInfo,
  type InvitationId,
  type Library,
  LibraryReport,
  type TextCount,
} from "../../core/schemas/library/library.ts";
import { createInvitationId, createSecret, parseLibraryCode, toLibraryCode } from "../account-key.ts";
import {
  type FollowerRow,
  type FollowingRow,
  MAX_FOLLOWERS,
  MAX_FOLLOWING,
  createLibraryRows,
} from "./library-rows.ts";

/** [own] From a booking to the look at what it changed: a session's verdict and its counts are stored after it has booked. */
const LOOK_AFTER_MS = 10_000;
/** [own] Until a message is sent again, doubled each time. */
const RETRY_MS = 30_000;
const MAX_RETRY_MS = 60 * 60_000;
/** [own] An install is over by then: its request has a minute. */
const INSTALLED_AFTER_MS = 90_000;
const SENDING_MS = 60_000;
/** [own] Within this time of its admission, a follower that does not know that it follows is asked again. */
const ADMISSION_MS = 10 * 60_000;
/** [own] A publisher looks so often whether what it shares has changed without its Account: a curation archives in R2 only. */
const LOOK_EVERY_MS = DAY_MS;
/** Messages that are under way together. */
const SENT_AT_ONCE = 5;

const NO_FOLLOWER = err("follower_not_found", "This profile has no follower of that id.");
const NOT_FOLLOWED = err("not_followed", "This profile does not follow a profile of that id.");
/** Also for a deleted profile: it must not say which profiles exist. */
export const INVITATION_UNKNOWN = err(
  "invitation_unknown",
  "This invitation was used already, has expired or was taken back. Ask its publisher for another one.",
);

/** How an Account reaches the one of another profile. `null`: that profile does not know this one, or was deleted. */
export interface LibraryPeer {
  /** To a publisher. Failures: `invitation_unknown`, `too_many_followers`. */
  admit(follower: ProfileId, asked: AskedAdmission): Promise<Result<Admission>>;
  report(follower: ProfileId, report: LibraryReport): Promise<ReportAnswer | null>;
  /** To a follower: what this profile shares has changed. */
  hear(publisher: ProfileId, news: { takes: boolean }): Promise<boolean>;
}

export interface AskedAdmission {
  hash: Sha256;
  label: string;
  evidence: boolean;
}
export interface Admission {
  label: string;
  takes: boolean;
}
/** `refused`: texts that this follower was never given. */
export interface ReportAnswer {
  takes: boolean;
  refused: number;
}

export interface LibraryDeps {
  sql: Sql;
  clock: Clock;
  profile: ProfileId;
  peer(profile: ProfileId): LibraryPeer;
  /** This profile's index. */
  index(): Promise<SkillIndex>;
  /** Makes this profile's copies follow what that publisher shares now. */
  followCopies(publisher: ProfileId): Promise<void>;
  /** The copies stay; their lock says that nothing comes any more. */
  leaveCopies(publisher: ProfileId, why: "deleted" | "ended"): Promise<void>;
  /** How the copies of that publisher's texts did here. */
  countCopies(publisher: ProfileId): Promise<TextCount[]>;
  /** Tells the other profile that this one is no longer its follower or publisher. Stored before it answers. */
  planFarewell(to: ProfileId, as: "follower" | "publisher"): void;
  dropFarewell(to: ProfileId, as: "follower" | "publisher"): void;
  report(what: string, error: unknown): void;
}

export type AccountLibrary = ReturnType<typeof createAccountLibrary>;

export function createAccountLibrary(deps: LibraryDeps) {
  const { sql, clock, profile, peer } = deps;
  const rows = createLibraryRows(sql);
  let sending: Promise<void> | null = null;
  const toInfo = (row: FollowerRow) => toFollowerInfo(row, clock.now());

  /** The next try's time, or none: a row that was planned anew while the message was under way keeps its plan. */
  const settle = <Row extends { due: number | null; tries: number }>(
    now: Row,
    lease: number,
    isDone: boolean,
    next: number | null = null,
  ): Row => {
    if (now.due !== lease) return now;
    if (isDone) return { ...now, due: next, tries: 0 };
    const waitMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** now.tries);
    return { ...now, due: clock.now() + waitMs, tries: now.tries + 1 };
  };

  /** Tells one follower what is shared now, unless it knows. */
  async function tell(row: FollowerRow, mark: string): Promise<void> {
    const lease = clock.now() + RETRY_MS;
    rows.putFollower({ ...row, due: lease });
    const knows = `${mark} ${row.evidence ? 1 : 0}`;
    try {
      const isFollowing = row.told === knows || (await peer(row.profile).hear(profile, { takes: row.evidence }));
      const now = rows.follower(row.profile);
      if (!now) return;
      if (isFollowing) rows.putFollower({ ...settle(now, lease, true, clock.now() + LOOK_EVERY_MS), told: knows });
      // Just admitted: it may not have stored yet that it follows.
      else if (clock.now() - row.since < ADMISSION_MS) rows.putFollower(settle(now, lease, false));
      else rows.removeFollower(row.profile);
    } catch (error) {
      const now = rows.follower(row.profile);
      if (now) rows.putFollower(settle(now, lease, false));
      deps.report("follower_not_told", error);
    }
  }

  /** Sends counts to one publisher, unless it has them. */
  async function send(row: FollowingRow): Promise<void> {
    const lease = clock.now() + RETRY_MS;
    rows.putFollowing({ ...row, due: lease });
    try {
      const flows = row.evidence && row.takes;
      const counts = flows ? await deps.countCopies(row.profile) : [];
      const report: LibraryReport = { evidence: row.evidence, label: row.ownLabel, counts };
      const mark = sha256Hex(JSON.stringify(report));
      const answer = row.sent === mark ? { takes: row.takes } : await peer(row.profile).report(profile, report);
      const now = rows.following(row.profile);
      if (!now) return;
      if (!answer) return await end(row.profile, "ended");
      const settled = settle(now, lease, true);
      // A publisher that takes counts now is sent them next.
      const isNew = answer.takes && !row.takes && row.evidence;
      rows.putFollowing({ ...settled, takes: answer.takes, sent: mark, ...(isNew && { due: clock.now() }) });
    } catch (error) {
      const now = rows.following(row.profile);
      if (now) rows.putFollowing(settle(now, lease, false));
      deps.report("counts_not_sent", error);
    }
  }

  /** The other side has ended it. */
  async function end(publisher: ProfileId, why: "deleted" | "ended"): Promise<void> {
    await deps.leaveCopies(publisher, why);
    rows.removeFollowing(publisher);
  }

  async function sendAll(): Promise<void> {
    const isDue = ({ due }: { due: number | null }) => due !== null && due <= clock.now();
    const followers = rows.followers().filter(isDue);
    if (followers.length > 0) {
      try {
        const mark = toOfferMark(await deps.index());
        await mapLimit(followers, SENT_AT_ONCE, (row) => tell(row, mark));
      } catch (error) {
        for (const row of followers) rows.putFollower(settle(row, row.due!, false));
        deps.report("followers_not_told", error);
      }
    }
    await mapLimit(rows.followings().filter(isDue), SENT_AT_ONCE, send);
  }

  return {
    // ---- what the owner asks ----

    list(): Library {
      return {
        followers: rows.followers().map(toInfo),
        following: rows.followings().map(toFollowingInfo),
        invitations: rows.invitations(clock.now()),
      };
    },

    /** The only answer with the code. */
    invite({ label, expiresInMs, uses }: CreateInvitation): CreatedInvitation {
      const [now, secret] = [clock.now(), createSecret()];
      const invitation = { id: createInvitationId(), label, createdAt: now, expiresAt: now + expiresInMs, uses };
      rows.addInvitation({ ...invitation, hash: sha256Hex(secret) }, now);
      return { ...invitation, code: toLibraryCode(profile, secret) };
    },

    /** Failure: `invitation_not_found`. */
    takeBack(id: InvitationId): Result<null> {
      if (rows.removeInvitation(id)) return ok(null);
      return err("invitation_not_found", "This profile has no open invitation of that id.");
    },

    /** Failures: `invitation_unknown`, `own_library`, `too_many_followers`, `too_many_followed`. */
    async follow({ code, evidence, label }: FollowLibrary): Promise<Result<FollowingInfo>> {
      const parsed = parseLibraryCode(code);
      if (!parsed) return INVITATION_UNKNOWN;
      const { profile: publisher, secret } = parsed;
      if (publisher === profile)
        return err("own_library", "This invitation is this profile's own. Send it to another.");
      if (!rows.following(publisher) && rows.followings().length >= MAX_FOLLOWING) {
        const detail = `A profile follows at most ${MAX_FOLLOWING} others. Unfollow one first.`;
        return err("too_many_followed", detail);
      }
      const admitted = await peer(publisher).admit(profile, { hash: sha256Hex(secret), label, evidence });
      if (!admitted.ok) return admitted;
      const before = rows.following(publisher);
      const now = clock.now();
      const row: FollowingRow = {
        ...{ profile: publisher, ...admitted.value, ownLabel: label, evidence },
        ...{ since: before?.since ?? now, sent: null, tries: 0, due: now },
      };
      // A farewell of an earlier following, which was not delivered yet, would end this one.
      deps.dropFarewell(publisher, "follower");
      rows.putFollowing(row);
      return ok(toFollowingInfo(row));
    },

    /** Failure: `not_followed`. */
    changeFollowing(publisher: ProfileId, { evidence, label }: ChangeFollowing): Result<FollowingInfo> {
      const row = rows.following(publisher);
      if (!row) return NOT_FOLLOWED;
      const changed = {
        ...row,
        evidence: evidence ?? row.evidence,
        ownLabel: label ?? row.ownLabel,
        tries: 0,
        due: clock.now(),
      };
      rows.putFollowing(changed);
      return ok(toFollowingInfo(changed));
    },

    /** Failure: `not_followed`. */
    async unfollow(publisher: ProfileId): Promise<Result<null>> {
      if (!rows.following(publisher)) return NOT_FOLLOWED;
      deps.planFarewell(publisher, "follower");
      await end(publisher, "ended");
      return ok(null);
    },

    /** Failure: `follower_not_found`. */
    changeFollower(follower: ProfileId, evidence: boolean): Result<FollowerInfo> {
      const row = rows.follower(follower);
      if (!row) return NO_FOLLOWER;
      const changed = { ...row, evidence, tries: 0, due: clock.now() };
      rows.putFollower(changed);
      if (!evidence) rows.clearCounts(follower);
      return ok(toInfo(changed));
    },

    /** Failure: `follower_not_found`. */
    removeFollower(follower: ProfileId): Result<null> {
      if (!rows.removeFollower(follower)) return NO_FOLLOWER;
      deps.planFarewell(follower, "publisher");
      return ok(null);
    },

    isFollowing: (publisher: ProfileId): boolean => rows.following(publisher) !== null,

    /** `ownJudged`: the publisher's own judged uses of the text. */
    countsOf: (skill: SkillName, text: Sha256, ownJudged: number): FollowerCounts =>
      weighCounts(rows.countsOf(skill, text), ownJudged),

    // ---- what the Accounts of other profiles say ----

    /** Idempotent: a follower that asks again spends nothing. Failures: `invitation_unknown`, `too_many_followers`. */
    admit(follower: ProfileId, { hash, label, evidence }: AskedAdmission): Result<Admission> {
      const now = clock.now();
      const [before, invitation] = [rows.follower(follower), rows.findInvitation(hash, now)];
      if (!invitation) return INVITATION_UNKNOWN;
      if (!before && rows.followers().length >= MAX_FOLLOWERS) {
        return err(
          "too_many_followers",
          `A library has at most ${MAX_FOLLOWERS} followers. Its publisher can remove one.`,
        );
      }
      sql.transaction(() => {
        if (!before) rows.spendInvitation(invitation.id);
        const made = { since: now, evidence: false, told: null, tries: 0, due: now + LOOK_AFTER_MS };
        rows.putFollower({ ...(before ?? made), profile: follower, label, sends: evidence });
      });
      deps.dropFarewell(follower, "publisher");
      return ok({ label: invitation.label, takes: before?.evidence ?? false });
    },

    /**
     * Whether the profile follows this one. With a text: notes that it is given it. It is told once more when it has had time to install the text,
     * in case that is withdrawn meanwhile.
     */
    give(follower: ProfileId, given: { skill: SkillName; text: Sha256 } | null): boolean {
      const row = rows.follower(follower);
      if (!row) return false;
      if (!given) return true;
      rows.noteGiven(follower, given.skill, given.text);
      const at = clock.now() + INSTALLED_AFTER_MS;
      rows.putFollower({ ...row, told: null, due: row.due === null ? at : Math.min(row.due, at) });
      return true;
    },

    /** `null`: that profile does not follow this one. Takes counts only of texts that it was given, and only while both agree. */
    takeReport(follower: ProfileId, sent: LibraryReport): ReportAnswer | null {
      const row = rows.follower(follower);
      if (!row) return null;
      const { evidence, label, counts } = LibraryReport.parse(sent);
      return sql.transaction(() => {
        rows.putFollower({ ...row, label, sends: evidence });
        if (!evidence || !row.evidence) {
          rows.clearCounts(follower);
          return { takes: row.evidence, refused: 0 };
        }
        const refused = counts.filter((count) => !rows.putCount(follower, count)).length;
        return { takes: true, refused };
      });
    },

    /** False: this profile does not follow that one. */
    async hear(publisher: ProfileId, { takes }: { takes: boolean }): Promise<boolean> {
      const row = rows.following(publisher);
      if (!row) return false;
      // A publisher that begins to take counts is sent them.
      if (row.takes !== takes) rows.putFollowing({ ...row, takes, sent: null, tries: 0, due: clock.now() });
      await deps.followCopies(publisher);
      // A copy may be shared on: what was archived here is told to this profile's own followers.
      rows.planAll("library_follower", clock.now());
      return true;
    },

    /** That profile is no longer a follower or a publisher of this one. Idempotent. */
    async part(other: ProfileId, as: "follower" | "publisher", why: "deleted" | "ended"): Promise<void> {
      if (as === "follower") rows.removeFollower(other);
      else if (rows.following(other)) await end(other, why);
    },

    // ---- the outboxes ----

    hasFollowers: rows.hasFollowers,
    /** What is shared may have changed, or will at once: followers are told at `at` at the latest. */
    planTelling: (at: number): void => rows.planAll("library_follower", at),
    /** A turn has ended, or a person changed something: a skill or a use of a copy may have to be told. False: nobody wants to know. */
    noteWork(): boolean {
      const at = clock.now() + LOOK_AFTER_MS;
      const sides = [rows.hasFollowers(), rows.followings().some(({ evidence, takes }) => evidence && takes)];
      if (sides[0]) rows.planAll("library_follower", at);
      if (sides[1]) rows.planAll("library_following", at);
      return sides.includes(true);
    },
    /** While messages are under way, the alarm only matters if the object dies. */
    nextDue(): number | null {
      const due = rows.nextDue();
      return due !== null && sending ? Math.max(due, clock.now() + SENDING_MS) : due;
    },
    /** One run at a time; what is planned meanwhile waits for the next. Never rejects. */
    async sendDue(): Promise<void> {
      sending ??= sendAll()
        .catch((error: unknown) => deps.report("library", error))
        .finally(() => (sending = null));
      await sending;
    },

    /** The profile is being deleted: every other side is told. Call right before its tables are dropped. */
    partFromAll(): void {
      for (const { profile: other } of rows.followers()) deps.planFarewell(other, "publisher");
      for (const { profile: other } of rows.followings()) deps.planFarewell(other, "follower");
    },
  };
}

/** What is due within `INSTALLED_AFTER_MS` is a message; later, the daily look. */
function toFollowerInfo(
  { profile, label, since, evidence, sends, told, tries, due }: FollowerRow,
  now: number,
): FollowerInfo {
  const isPlanned = tries > 0 || (due !== null && due <= now + INSTALLED_AFTER_MS);
  return { profile, label, since, evidence, sendsEvidence: sends, told: told !== null && !isPlanned };
}

function toFollowingInfo({ profile, label, since, evidence, takes }: FollowingRow): FollowingInfo {
  return { profile, label, since, evidence, takesEvidence: takes };
}
