// The shared library, as a profile's Account keeps it, for both sides: a publisher admits followers, tells them when what it shares changes, and
// takes their counts; a follower hears of changes and reports counts. Two outboxes, one a side: a row's `due` is set before anything is sent and
// cleared by the other Account's answer, so a message survives a crash. Each message is about the present state, so a repetition changes nothing.
// What may have changed something only plans a look, one row for all: it compares once, and writes for those whose word is out of date.
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
  type LookRow,
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
  let isLooking = false;
  const isSoon = (due: number | null | undefined) => typeof due === "number" && due <= clock.now() + INSTALLED_AFTER_MS;
  const toInfo = (row: FollowerRow) => toFollowerInfo(row, isSoon(row.due) || isSoon(rows.look()?.due));

  /** The next try's time, or none: a row that was planned again while the message was under way keeps its plan. */
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

  /** One row, whatever the number of followers; none if a look is due by then. One that is under way may have missed it. */
  function planLook(at: number): void {
    const due = rows.look()?.due ?? null;
    if (isLooking || due === null || due > at) rows.putLook({ tries: 0, due: at });
  }

  /** What is shared may have changed: followers whose word is out of date are told at `at` at the latest. */
  function planTelling(at: number): void {
    if (!rows.hasFollowers()) return;
    rows.hastenFollowers(at);
    planLook(at);
  }

  const toWord = (mark: string, { evidence }: FollowerRow) => `${mark} ${evidence ? 1 : 0}`;
  const takesCounts = ({ evidence, takes }: FollowingRow) => evidence && takes;

  /** Plans a message to those whose word is out of date. Answers with what it read. Counts that cannot be read now are tried as a message. */
  async function look(begun: LookRow): Promise<{ mark: string | null; reports: Map<ProfileId, LibraryReport | null> }> {
    const reports = new Map<ProfileId, LibraryReport | null>();
    const settleLook = (isDone: boolean, next: number | null = null) => {
      const now = rows.look();
      if (now) rows.putLook(settle(now, begun.due!, isDone, next));
    };
    isLooking = true;
    try {
      const mark = rows.hasFollowers() ? toOfferMark(await deps.index()) : null;
      const counting = rows.followings().filter((row) => row.due === null && takesCounts(row));
      await mapLimit(counting, SENT_AT_ONCE, async (row) =>
        reports.set(row.profile, await toReport(row).catch(() => null)),
      );
      const now = clock.now();
      const followers = mark === null ? [] : rows.followers();
      sql.transaction(() => {
        for (const row of followers)
          if (row.due === null && row.told !== toWord(mark!, row)) rows.putFollower({ ...row, due: now });
        for (const row of rows.followings()) {
          const report = reports.get(row.profile);
          const isOld = report === null || (report && row.sent !== toSent(report));
          if (isOld && row.due === null) rows.putFollowing({ ...row, due: now });
        }
        settleLook(true, followers.length > 0 ? now + LOOK_EVERY_MS : null);
      });
      return { mark, reports };
    } catch (error) {
      settleLook(false);
      deps.report("library_not_looked", error);
      return { mark: null, reports: new Map() };
    } finally {
      isLooking = false;
    }
  }

  /** Tells one follower what is shared now, unless it knows. */
  async function tell({ profile: follower }: FollowerRow, mark: string): Promise<void> {
    const row = rows.follower(follower);
    if (!row) return;
    const knows = toWord(mark, row);
    if (row.told === knows) return rows.putFollower({ ...row, tries: 0, due: null });
    const lease = clock.now() + RETRY_MS;
    rows.putFollower({ ...row, due: lease });
    try {
      const isFollowing = await peer(follower).hear(profile, { takes: row.evidence });
      const now = rows.follower(follower);
      if (!now) return;
      if (isFollowing) {
        // It did not have yet what it is installing, so it is told once more.
        const again = now.installing !== null && now.installing > clock.now() ? now.installing : null;
        const told = again === null ? { told: knows, installing: null } : { told: null };
        rows.putFollower({ ...settle(now, lease, true, again), ...told });
      }
      // Just admitted: it may not have stored yet that it follows.
      else if (clock.now() - row.since < ADMISSION_MS) rows.putFollower(settle(now, lease, false));
      else rows.removeFollower(follower);
    } catch (error) {
      const now = rows.follower(follower);
      if (now) rows.putFollower(settle(now, lease, false));
      deps.report("follower_not_told", error);
    }
  }

  async function toReport(row: FollowingRow): Promise<LibraryReport> {
    const counts = takesCounts(row) ? await deps.countCopies(row.profile) : [];
    return { evidence: row.evidence, label: row.ownLabel, counts };
  }

  /** Sends counts to one publisher, unless it has them. `looked`: those that a look has just read. */
  async function send({ profile: publisher }: FollowingRow, looked?: LibraryReport | null): Promise<void> {
    const row = rows.following(publisher);
    if (!row) return;
    const lease = clock.now() + RETRY_MS;
    rows.putFollowing({ ...row, due: lease });
    try {
      const report = looked ?? (await toReport(row));
      const mark = toSent(report);
      const answer = row.sent === mark ? { takes: row.takes } : await peer(publisher).report(profile, report);
      const now = rows.following(publisher);
      if (!now) return;
      if (!answer) return await end(publisher, "ended");
      const settled = settle(now, lease, true);
      // A publisher that takes counts now is sent them next.
      const isNew = answer.takes && !row.takes && row.evidence;
      rows.putFollowing({ ...settled, takes: answer.takes, sent: mark, ...(isNew && { due: clock.now() }) });
    } catch (error) {
      const now = rows.following(publisher);
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
    const planned = rows.look();
    const looked = planned && isDue(planned) ? await look(planned) : null;
    const followers = rows.followers().filter(isDue);
    if (followers.length > 0) {
      planLook(clock.now() + LOOK_EVERY_MS);
      try {
        const mark = looked?.mark ?? toOfferMark(await deps.index());
        await mapLimit(followers, SENT_AT_ONCE, (row) => tell(row, mark));
      } catch (error) {
        for (const row of followers) rows.putFollower(settle(row, row.due!, false));
        deps.report("followers_not_told", error);
      }
    }
    const followings = rows.followings().filter(isDue);
    await mapLimit(followings, SENT_AT_ONCE, (row) => send(row, looked?.reports.get(row.profile)));
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
        const made = { since: now, evidence: false, told: null, tries: 0, due: now + LOOK_AFTER_MS, installing: null };
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
      rows.putFollower({ ...row, told: null, due: row.due ?? at, installing: at });
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
      planTelling(clock.now());
      return true;
    },

    /** That profile is no longer a follower or a publisher of this one. Idempotent. */
    async part(other: ProfileId, as: "follower" | "publisher", why: "deleted" | "ended"): Promise<void> {
      if (as === "follower") rows.removeFollower(other);
      else if (rows.following(other)) await end(other, why);
    },

    // ---- the outboxes ----

    hasFollowers: rows.hasFollowers,
    planTelling,
    /** A turn has ended, or a person changed something: a skill or a use of a copy may have to be told. False: nobody wants to know. */
    noteWork(): boolean {
      if (!rows.hasFollowers() && !rows.followings().some(takesCounts)) return false;
      planLook(clock.now() + LOOK_AFTER_MS);
      return true;
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

/** `isPlanned`: a message or a look is due within `INSTALLED_AFTER_MS`. */
function toFollowerInfo(
  { profile, label, since, evidence, sends, told, tries }: FollowerRow,
  isPlanned: boolean,
): FollowerInfo {
  return {
    ...{ profile, label, since, evidence, sendsEvidence: sends },
    told: told !== null && tries === 0 && !isPlanned,
  };
}

/** The mark of a report that was sent. */
function toSent(report: LibraryReport): string {
  return sha256Hex(JSON.stringify(report));
}

function toFollowingInfo({ profile, label, since, evidence, takes }: FollowingRow): FollowingInfo {
  return { profile, label, since, evidence, takesEvidence: takes };
}
