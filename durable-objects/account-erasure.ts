// Erases what a profile's owner deleted: rows in the Account say what and when, and a pass erases it from R2, KV and the other
// objects. One pass is not enough, because listings may be stale, queues may deliver late and writers may still run. Called by
// the Account.
import { type Result, messageOf } from "../core/errors.ts";
import type { SkillStore, Sql } from "../core/ports.ts";
import { DAY_MS, type ProfileId, type SkillName } from "../core/schemas/ids.ts";
import { eraseWorksOfSession } from "../stores/copies.ts";
import { type TextArchive, type TextExperiments, eraseText } from "../wiring/erase-text.ts";
import type { ErasureEnv, ErasureStores } from "../wiring/erasure-stores.ts";
import {
  eraseProfileMemory,
  eraseProfileObjects,
  erasePendingOfSkill,
  eraseSessionObjects,
  markProfileGone,
  markSessionDeleted,
} from "../stores/erasure.ts";
import { createHubLockStore, dropFromHubLock } from "../stores/hub/lock-store.ts";
import { GRACE_MS } from "../stores/skills/purge-lease.ts";
import { createSkillStore } from "../stores/skills/skill-store.ts";
import { readSkillTexts } from "../stores/skills/skill-texts.ts";
import type { HookEnv } from "./account-hooks.ts";
import type { Agenda } from "./agenda/agenda.ts";
import type { Archive } from "./archive.ts";
import type { Experiments } from "./experiments/experiments.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export interface AccountEnv extends ErasureEnv, HookEnv {
  SESSION: DurableObjectNamespace;
  ARCHIVE: DurableObjectNamespace<Archive>;
  WEBHOOKS: DurableObjectNamespace<Webhooks>;
  CHANNELS: DurableObjectNamespace;
  AGENDA: DurableObjectNamespace<Agenda>;
  BOARD: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace;
  EXPERIMENTS: DurableObjectNamespace;
}

export const ERASURE_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS erasure (kind TEXT, id TEXT, at INTEGER NOT NULL, pass INTEGER NOT NULL, due INTEGER,
    PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID`,
];

/** `external`: what an external memory keeps of the profile. `library`: what another profile's Account keeps of this one. */
export type ErasureKind = "session" | "skill" | "profile" | "external" | "library";

export interface ErasureRow {
  kind: ErasureKind;
  id: string;
  at: number;
  /** Number of completed passes. */
  pass: number;
  /** `null`: all passes are done. The row stays, so that late messages about the deleted thing are recognised. */
  due: number | null;
}

const HOUR_MS = 60 * 60_000;

/** At once; when KV surely shows the last writes; when no late write can arrive any more. */
const PASSES_AFTER_MS = [0, HOUR_MS, 30 * DAY_MS];
/** Until another pass, if the last one still found something. */
const FOUND_AGAIN_MS = DAY_MS;
const RETRY_MS = 5 * 60_000;
/** A service that refuses to erase is asked each hour, for as long as late writes may arrive. */
const EXTERNAL_RETRY_MS = HOUR_MS;
const EXTERNAL_GIVE_UP_MS = 30 * DAY_MS;
/** Rows per alarm. A profile may have many sessions, and each costs a call and wakes an object. */
const ROWS_AT_ONCE = 200;
/** Sessions that are closed together, and share one wait for their writers. */
const CLOSED_AT_ONCE = 20;
/** Each key of KV costs a call, and an invocation has 10,000. */
const MEMORY_KEYS_AT_ONCE = 2_000;

export function createErasures(sql: Sql) {
  const cancel = (kind: ErasureKind, id: string): void =>
    void sql.run("DELETE FROM erasure WHERE kind = ? AND id = ?", kind, id);

  return {
    cancel,
    begin(kind: ErasureKind, id: string, now: number): void {
      sql.run(
        `INSERT INTO erasure VALUES (?, ?, ?, 0, ?) ON CONFLICT DO UPDATE SET at = excluded.at, pass = 0, due = excluded.due`,
        ...[kind, id, now, now],
      );
    },
    has: (kind: ErasureKind, id: string): boolean =>
      sql.run("SELECT 1 FROM erasure WHERE kind = ? AND id = ?", kind, id).length > 0,
    due: (now: number): ErasureRow[] =>
      // A profile comes last, after its objects. First passes come before repeated ones, because somebody waits for them.
      sql.run<ErasureRow>(
        `SELECT * FROM erasure WHERE due <= ? ORDER BY kind = 'profile', pass > 0, due LIMIT ${ROWS_AT_ONCE}`,
        now,
      ),
    nextDue: (): number | null =>
      sql.run<{ due: number | null }>("SELECT min(due) AS due FROM erasure")[0]?.due ?? null,
    /** The erasure was requested, and its first pass is not done. */
    isPending: (kind: ErasureKind, id: string): boolean =>
      sql.run("SELECT 1 FROM erasure WHERE kind = ? AND id = ? AND pass = 0", kind, id).length > 0,
    isOpen: (): boolean => sql.run("SELECT 1 FROM erasure WHERE due IS NOT NULL LIMIT 1").length > 0,
    /** `found`: how much this pass erased. `more`: it could not erase everything. */
    passed({ kind, id, at, pass }: ErasureRow, now: number, { found, more }: { found: number; more: boolean }): void {
      // One pass: the two may follow each other again later, and a second would end that.
      if (kind === "library") return cancel(kind, id);
      const after = PASSES_AFTER_MS[pass + 1];
      let next = { pass, due: found > 0 ? now + FOUND_AGAIN_MS : null };
      if (more) next = { pass, due: now };
      else if (after !== undefined) next = { pass: pass + 1, due: at + after };
      sql.run("UPDATE erasure SET pass = ?, due = ? WHERE kind = ? AND id = ?", next.pass, next.due, kind, id);
    },
    failed({ kind, id, at }: ErasureRow, now: number): void {
      let due: number | null = now + RETRY_MS;
      if (kind === "external") due = now < at + EXTERNAL_GIVE_UP_MS ? now + EXTERNAL_RETRY_MS : null;
      sql.run("UPDATE erasure SET due = ? WHERE kind = ? AND id = ?", due, kind, id);
    },
  };
}

/** After the erasure of a profile began: the request that began it takes the rows that are due at once. */
const EXTERNAL_AFTER_MS = 1_000;

/** Drops `tables`, and plans the erasure of everything that is elsewhere. */
export function beginProfileErasure(
  sql: Sql,
  { profile, hasExternal, tables, now }: { profile: ProfileId; hasExternal: boolean; tables: string[]; now: number },
): void {
  sql.transaction(() => {
    const erasures = createErasures(sql);
    const listed = sql.run<{ id: string }>("SELECT id FROM session");
    const erased = sql.run<{ id: string }>("SELECT id FROM erasure WHERE kind = 'session'");
    for (const { id } of [...listed, ...erased]) erasures.begin("session", id, now);
    sql.run("DELETE FROM erasure WHERE kind = 'skill'");
    erasures.begin("profile", profile, now);
    // By the alarm, so that the request does not wait for another service.
    if (hasExternal) erasures.begin("external", profile, now + EXTERNAL_AFTER_MS);
    for (const table of tables) sql.run(`DROP TABLE IF EXISTS ${table}`);
  });
}

/** Runs the passes that are due, as far as this invocation has room. Failed passes are retried later. */
export async function eraseDue(asked: {
  env: AccountEnv;
  stores: ErasureStores;
  profile: ProfileId;
  erasures: ReturnType<typeof createErasures>;
  isGone: boolean;
}): Promise<void> {
  const { env, stores, profile, erasures, isGone } = asked;
  const { clock } = stores;
  const fail = (row: ErasureRow, error: unknown) => {
    erasures.failed(row, clock.now());
    console.error(JSON.stringify({ event: "erasure_failed", kind: row.kind, id: row.id, error: messageOf(error) }));
  };
  const rows = erasures.due(clock.now());
  for (let at = 0; at < rows.length; at += CLOSED_AT_ONCE) {
    if (!stores.hasRoom()) return;
    const some = rows.slice(at, at + CLOSED_AT_ONCE);
    const close = (row: ErasureRow) =>
      closeFor(env, stores, profile, row, isGone).catch((error: unknown) => ({ error }));
    const closed = await Promise.all(some.map(close));
    // Writers that checked before the mark was set have finished after this wait. Sessions closed earlier need none.
    const isNew = some.some(({ kind, pass }) => kind === "session" && pass === 0);
    if (isNew && !isGone) await clock.sleep(GRACE_MS);
    for (const [n, row] of some.entries()) {
      const failed = closed[n];
      if (failed) {
        fail(row, failed.error);
        continue;
      }
      if (!stores.hasRoom()) return;
      try {
        erasures.passed(row, clock.now(), await erasePass(env, stores, profile, row, isGone));
      } catch (error) {
        fail(row, error);
      }
    }
  }
}

/** Closes a session before its pass. Erases the object even if writing the mark fails, so that it cannot be read any more. */
async function closeFor(
  env: AccountEnv,
  { bucket }: ErasureStores,
  profile: ProfileId,
  { kind, id }: ErasureRow,
  isGone: boolean,
): Promise<void> {
  if (kind !== "session") return;
  const both = await Promise.allSettled([
    isGone ? null : markSessionDeleted({ bucket, profile }, id),
    toSession(env, profile, id).erase(),
  ]);
  for (const one of both) if (one.status === "rejected") throw one.reason;
}

/** One pass over one deleted thing. A session must be closed before. Throws when a store or an object does. */
export async function erasePass(
  env: AccountEnv,
  stores: ErasureStores,
  profile: ProfileId,
  row: ErasureRow,
  isGone: boolean,
): Promise<{ found: number; more: boolean }> {
  const archive = env.ARCHIVE.getByName(profile);
  const experiments = toExperiments(env, profile);
  switch (row.kind) {
    case "session": {
      // The profile's own pass erases the rest.
      if (isGone) return { found: 0, more: false };
      const turns = await archive.eraseSession(row.id);
      await toChannels(env, profile).forgetSession(row.id);
      await env.WEBHOOKS.getByName(profile).forgetSession(row.id);
      await env.AGENDA.getByName(profile).forgetSession(row.id);
      await experiments.forgetSession(row.id);
      const of = { bucket: stores.bucket, profile };
      const objects = await eraseSessionObjects(of, row.id);
      const works = await eraseWorksOfSession({ ...of, now: stores.clock.now() }, row.id);
      return { found: turns + objects + works, more: false };
    }
    case "skill": {
      if (isGone) return { found: 0, more: false };
      const skills = openSkills(stores, profile);
      unwrap(await skills.markDeleted(row.id, row.at));
      if (row.pass === 0) await eraseSkillTexts(stores, profile, { skills, archive, experiments }, row.id);
      const { known } = unwrap(await skills.erase(row.id, row.at));
      const pending = await erasePendingOfSkill({ bucket: stores.bucket, profile }, row.id);
      const lock = { bucket: stores.bucket, profile, clock: stores.clock, random: Math.random };
      await dropFromHubLock(createHubLockStore(lock), row.id);
      await archive.eraseSkill(row.id);
      // Later passes might meet a skill that a person has made since.
      if (row.pass === 0) await experiments.forgetSkill(row.id);
      return { found: pending + (known ? 1 : 0), more: false };
    }
    case "profile": {
      await markProfileGone({ bucket: stores.bucket, profile });
      await stores.clock.sleep(GRACE_MS);
      await archive.erase();
      await env.WEBHOOKS.getByName(profile).erase();
      await toChannels(env, profile).erase();
      await env.AGENDA.getByName(profile).erase();
      await experiments.erase();
      const objects = await eraseProfileObjects({ bucket: stores.bucket, profile });
      const memory = await eraseProfileMemory(stores.kv, profile, MEMORY_KEYS_AT_ONCE);
      return { found: objects + memory.deleted, more: memory.more };
    }
    case "library": {
      const { as, other } = readFarewell(row.id);
      await toLibrary(env, other).partLibrary(profile, as, isGone ? "deleted" : "ended");
      return { found: 0, more: false };
    }
    case "external":
      await stores.eraseExternal(profile);
      return { found: 0, more: false };
  }
}

/** Erases copies of a skill's texts. Must run before the skill's files are erased, because they say what to search for. */
async function eraseSkillTexts(
  { bucket, clock }: ErasureStores,
  profile: ProfileId,
  { skills, ...copies }: { skills: SkillStore; archive: TextArchive; experiments: TextExperiments },
  name: SkillName,
) {
  const texts = await readSkillTexts(skills, name);
  await eraseText({ bucket, profile, now: clock.now(), ...copies }, { subject: `skills/${name}`, ...texts });
}

function openSkills({ bucket, clock, swapMs }: ErasureStores, profile: ProfileId) {
  return createSkillStore({ bucket, profile, clock, random: Math.random, swapMs });
}

function toSession(env: AccountEnv, profile: ProfileId, session: string): { erase(): Promise<void> } {
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as { erase(): Promise<void> };
}

/** An erasure's id: what this profile was to the other one, and the other one. */
export function toFarewell(as: LibrarySide, other: ProfileId): string {
  return `${as}:${other}`;
}

function readFarewell(id: string): { as: LibrarySide; other: ProfileId } {
  const [as, other = ""] = id.split(":");
  return { as: as === "follower" ? "follower" : "publisher", other };
}

type LibrarySide = "follower" | "publisher";

function toLibrary(
  env: AccountEnv,
  profile: ProfileId,
): { partLibrary(other: ProfileId, as: LibrarySide, why: "deleted" | "ended"): Promise<void> } {
  return env.ACCOUNT.getByName(profile) as unknown as ReturnType<typeof toLibrary>;
}

function toChannels(
  env: AccountEnv,
  profile: ProfileId,
): { erase(): Promise<void>; forgetSession(session: string): Promise<void> } {
  return env.CHANNELS.getByName(profile) as unknown as ReturnType<typeof toChannels>;
}

function toExperiments(
  env: AccountEnv,
  profile: ProfileId,
): Pick<Experiments, "forgetSession" | "forgetSkill" | "forgetWords" | "erase"> {
  return env.EXPERIMENTS.getByName(profile) as unknown as ReturnType<typeof toExperiments>;
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
