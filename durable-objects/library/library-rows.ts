// The library's rows of a profile, over SQL: its invitations, its followers, what it was told of their uses, and whom it follows. Each table is
// made with its first row. Called by account-library.ts. Has no clock: callers pass the time.
import type { Sql } from "../../core/ports.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import type { InvitationId, InvitationInfo, TextCount } from "../../core/schemas/library/library.ts";
import { hasTable } from "../sql.ts";

export const LIBRARY_TABLES = [
  "library_invitation",
  "library_follower",
  "library_following",
  "library_count",
  "library_look",
];

const INVITATION = `CREATE TABLE IF NOT EXISTS library_invitation (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID`;
/**
 * `told`: the mark of what it knows, or NULL. `due`: when it is told next, or NULL. `installing`: until when an install of what it was given may be
 * under way, or NULL.
 */
const FOLLOWER = `CREATE TABLE IF NOT EXISTS library_follower (profile TEXT PRIMARY KEY, label TEXT NOT NULL, since INTEGER NOT NULL,
  evidence INTEGER NOT NULL, sends INTEGER NOT NULL, told TEXT, tries INTEGER NOT NULL, due INTEGER, installing INTEGER) STRICT,
  WITHOUT ROWID`;
/** `sent`: the mark of the last report that the publisher has, or NULL. `due`: when a report is sent next, or NULL. */
const FOLLOWING = `CREATE TABLE IF NOT EXISTS library_following (profile TEXT PRIMARY KEY, label TEXT NOT NULL, own_label TEXT NOT NULL,
  since INTEGER NOT NULL, evidence INTEGER NOT NULL, takes INTEGER NOT NULL, sent TEXT, tries INTEGER NOT NULL, due INTEGER)
  STRICT, WITHOUT ROWID`;
/** A row is made when a follower is given the text: nothing is taken of any other. */
const COUNT = `CREATE TABLE IF NOT EXISTS library_count (follower TEXT, skill TEXT, text TEXT, uses INTEGER NOT NULL,
  successes INTEGER NOT NULL, failures INTEGER NOT NULL, PRIMARY KEY (follower, skill, text)) STRICT, WITHOUT ROWID`;

/** At most one row. `due`: when the profile looks whose word is out of date, or NULL. */
const LOOK = `CREATE TABLE IF NOT EXISTS library_look (id INTEGER PRIMARY KEY CHECK (id = 1), tries INTEGER NOT NULL, due INTEGER) STRICT`;

/** [own] Open invitations of a profile. A further one ends the oldest. */
export const MAX_INVITATIONS = 20;
/** [own] Each follower is a call when a skill is withdrawn. */
export const MAX_FOLLOWERS = 100;
/** [own] Each is a listing when counts are sent. */
export const MAX_FOLLOWING = 20;
/** [own] Texts given to one follower that are remembered. Of later ones no counts are taken. */
const MAX_GIVEN = 2_000;

export interface FollowerRow {
  profile: ProfileId;
  label: string;
  since: number;
  evidence: boolean;
  sends: boolean;
  told: string | null;
  tries: number;
  due: number | null;
  installing: number | null;
}

export interface FollowingRow {
  profile: ProfileId;
  label: string;
  ownLabel: string;
  since: number;
  evidence: boolean;
  takes: boolean;
  sent: string | null;
  tries: number;
  due: number | null;
}

export interface LookRow {
  tries: number;
  due: number | null;
}

type Stored<Row> = { [Key in keyof Row]: Row[Key] extends boolean ? number : Row[Key] };

export function createLibraryRows(sql: Sql) {
  const has = (table: string) => hasTable(sql, table);

  return {
    addInvitation(invitation: InvitationInfo & { hash: Sha256 }, now: number): void {
      const { id, hash, label, createdAt, expiresAt, uses } = invitation;
      sql.transaction(() => {
        sql.run(INVITATION);
        sql.run("DELETE FROM library_invitation WHERE expires_at <= ?", now);
        sql.run(
          `DELETE FROM library_invitation WHERE id IN
            (SELECT id FROM library_invitation ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)`,
          MAX_INVITATIONS - 1,
        );
        const row = [id, hash, label, createdAt, expiresAt, uses];
        sql.run("INSERT INTO library_invitation VALUES (?, ?, ?, ?, ?, ?)", ...row);
      });
    },
    /** Found by its hash: a secret of 260 bits is not guessed from how long that takes. */
    findInvitation(hash: Sha256, now: number): { id: InvitationId; label: string } | null {
      if (!has("library_invitation")) return null;
      const found = sql.run<{ id: InvitationId; label: string }>(
        "SELECT id, label FROM library_invitation WHERE hash = ? AND expires_at > ? AND uses > 0",
        ...[hash, now],
      );
      return found[0] ?? null;
    },
    spendInvitation(id: InvitationId): void {
      sql.run("UPDATE library_invitation SET uses = uses - 1 WHERE id = ?", id);
      sql.run("DELETE FROM library_invitation WHERE id = ? AND uses <= 0", id);
    },
    /** False: there is none. */
    removeInvitation(id: InvitationId): boolean {
      if (!has("library_invitation")) return false;
      return sql.run("DELETE FROM library_invitation WHERE id = ? RETURNING id", id).length > 0;
    },
    /** Oldest first. */
    invitations(now: number): InvitationInfo[] {
      if (!has("library_invitation")) return [];
      return sql.run<InvitationInfo & { [key: string]: string | number }>(
        `SELECT id, label, created_at AS createdAt, expires_at AS expiresAt, uses FROM library_invitation
          WHERE expires_at > ? ORDER BY created_at, id`,
        now,
      );
    },

    hasFollowers: (): boolean =>
      has("library_follower") && sql.run("SELECT 1 FROM library_follower LIMIT 1").length > 0,
    followers(): FollowerRow[] {
      if (!has("library_follower")) return [];
      return sql.run<Stored<FollowerRow>>("SELECT * FROM library_follower ORDER BY since, profile").map(toFollower);
    },
    follower(profile: ProfileId): FollowerRow | null {
      if (!has("library_follower")) return null;
      const [row] = sql.run<Stored<FollowerRow>>("SELECT * FROM library_follower WHERE profile = ?", profile);
      return row ? toFollower(row) : null;
    },
    putFollower({ profile, label, since, evidence, sends, told, tries, due, installing }: FollowerRow): void {
      sql.run(FOLLOWER);
      const row = [profile, label, since, evidence ? 1 : 0, sends ? 1 : 0, told, tries, due, installing];
      sql.run("INSERT OR REPLACE INTO library_follower VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", ...row);
    },
    /** With its counts. False: there is none. */
    removeFollower(profile: ProfileId): boolean {
      if (!has("library_follower")) return false;
      return sql.transaction(() => {
        if (has("library_count")) sql.run("DELETE FROM library_count WHERE follower = ?", profile);
        return sql.run("DELETE FROM library_follower WHERE profile = ? RETURNING profile", profile).length > 0;
      });
    },

    followings(): FollowingRow[] {
      if (!has("library_following")) return [];
      const columns = "profile, label, own_label AS ownLabel, since, evidence, takes, sent, tries, due";
      return sql
        .run<Stored<FollowingRow>>(`SELECT ${columns} FROM library_following ORDER BY since, profile`)
        .map(toFollowing);
    },
    following(profile: ProfileId): FollowingRow | null {
      return this.followings().find((row) => row.profile === profile) ?? null;
    },
    putFollowing({ profile, label, ownLabel, since, evidence, takes, sent, tries, due }: FollowingRow): void {
      sql.run(FOLLOWING);
      const row = [profile, label, ownLabel, since, evidence ? 1 : 0, takes ? 1 : 0, sent, tries, due];
      sql.run("INSERT OR REPLACE INTO library_following VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", ...row);
    },
    /** False: there is none. */
    removeFollowing(profile: ProfileId): boolean {
      if (!has("library_following")) return false;
      return sql.run("DELETE FROM library_following WHERE profile = ? RETURNING profile", profile).length > 0;
    },

    look(): LookRow | null {
      if (!has("library_look")) return null;
      return sql.run<{ tries: number; due: number | null }>("SELECT tries, due FROM library_look")[0] ?? null;
    },
    putLook({ tries, due }: LookRow): void {
      sql.run(LOOK);
      sql.run("INSERT OR REPLACE INTO library_look VALUES (1, ?, ?)", tries, due);
    },
    /** Messages to followers that wait are sent at `at` at the latest. */
    hastenFollowers(at: number): void {
      if (has("library_follower")) sql.run("UPDATE library_follower SET due = ?1, tries = 0 WHERE due > ?1", at);
    },
    nextDue(): number | null {
      const dues = ["library_follower", "library_following", "library_look"].flatMap((table) =>
        has(table) ? sql.run<{ due: number | null }>(`SELECT min(due) AS due FROM ${table}`) : [],
      );
      const known = dues.map(({ due }) => due).filter((due) => due !== null);
      return known.length > 0 ? Math.min(...known) : null;
    },

    /** The follower has been given this text. */
    noteGiven(follower: ProfileId, skill: SkillName, text: Sha256): void {
      sql.run(COUNT);
      const { n } = sql.run<{ n: number }>("SELECT count(*) AS n FROM library_count WHERE follower = ?", follower)[0]!;
      if (n >= MAX_GIVEN) return;
      sql.run("INSERT OR IGNORE INTO library_count VALUES (?, ?, ?, 0, 0, 0)", follower, skill, text);
    },
    /** False: the follower was never given this text. */
    putCount(follower: ProfileId, { skill, text, uses, successes, failures }: TextCount): boolean {
      if (!has("library_count")) return false;
      const changed = sql.run(
        `UPDATE library_count SET uses = ?, successes = ?, failures = ? WHERE follower = ? AND skill = ? AND text = ?
          RETURNING follower`,
        ...[uses, successes, failures, follower, skill, text],
      );
      return changed.length > 0;
    },
    /** Forgets what a follower has reported, and remembers what it was given. */
    clearCounts(follower: ProfileId): void {
      if (!has("library_count")) return;
      sql.run("UPDATE library_count SET uses = 0, successes = 0, failures = 0 WHERE follower = ?", follower);
    },
    /** Of each follower that used the text. */
    countsOf(skill: SkillName, text: Sha256): Omit<TextCount, "skill" | "text">[] {
      if (!has("library_count")) return [];
      return sql.run<{ uses: number; successes: number; failures: number }>(
        "SELECT uses, successes, failures FROM library_count WHERE skill = ? AND text = ? AND uses > 0",
        ...[skill, text],
      );
    },
  };
}

export type LibraryRows = ReturnType<typeof createLibraryRows>;

function toFollower(row: Stored<FollowerRow>): FollowerRow {
  return { ...row, evidence: row.evidence === 1, sends: row.sends === 1 };
}

function toFollowing(row: Stored<FollowingRow>): FollowingRow {
  return { ...row, evidence: row.evidence === 1, takes: row.takes === 1 };
}
