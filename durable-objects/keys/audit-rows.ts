// The audit log of a profile, over SQL: who changed what, never the content. Bounded in age and number; the acts of admins and the
// operator have room of their own, so that a flood of daily changes does not push them out. Made with the first row. Called by the Account.
import type { Sql } from "../../core/ports.ts";
import { DAY_MS, type SkillName } from "../../core/schemas/ids.ts";
import {
  AUDIT_DAYS,
  type AuditAsked,
  type AuditEntry,
  type NewAuditEntry,
  type SkillAct,
} from "../../core/schemas/keys/audit.ts";
import { hasTable } from "../sql.ts";

export const AUDIT_TABLE = "audit";
const SCHEMA = `CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL,
  key TEXT, act TEXT NOT NULL, target TEXT NOT NULL, is_admin INTEGER NOT NULL, label TEXT) STRICT`;
/** [own] Acts on one skill that are shown: more than a person reads. */
const MAX_SKILL_ACTS = 50;
/** [own] Rows of each of the two kinds. */
export const MAX_AUDIT_ROWS = 10_000;
/** Entries between two prunings, because one reads all rows. */
const PRUNED_EACH = 100;
/** Names and ids are shorter; a file's path may be longer. */
const MAX_TARGET_CHARS = 300;

export function createAuditRows(sql: Sql) {
  function prune(now: number): void {
    sql.run("DELETE FROM audit WHERE at < ?", now - AUDIT_DAYS * DAY_MS);
    for (const kind of [0, 1]) {
      sql.run(
        `DELETE FROM audit WHERE is_admin = ?1 AND id <=
          (SELECT id FROM audit WHERE is_admin = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
        ...[kind, MAX_AUDIT_ROWS],
      );
    }
  }

  const hasLabels = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql LIKE '%label%'", AUDIT_TABLE)
      .length > 0;

  /** The table of an earlier version gets the newer column, which that version ignores. */
  function makeTable(): void {
    sql.run(SCHEMA);
    if (!hasLabels()) sql.run("ALTER TABLE audit ADD COLUMN label TEXT");
  }

  return {
    /** `label`: of the key, now. */
    add({ by, key, act, target, isAdmin }: NewAuditEntry, now: number, label?: string): void {
      const kind = isAdmin ? 1 : 0;
      makeTable();
      sql.run(
        "INSERT INTO audit (at, by, key, act, target, is_admin, label) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...[now, by, key ?? null, act, target.slice(0, MAX_TARGET_CHARS).toWellFormed(), kind, label || null],
      );
      const { id } = sql.run<{ id: number }>("SELECT max(id) AS id FROM audit")[0]!;
      if (id % PRUNED_EACH === 0) prune(now);
    },
    /** Newest first. */
    list({ before, limit, key, act }: AuditAsked, now: number): AuditEntry[] {
      if (!hasTable(sql, AUDIT_TABLE)) return [];
      const rows = sql.run<Omit<AuditEntry, "key"> & { key: string | null }>(
        `SELECT id, at, by, key, act, target FROM audit WHERE at >= ?1 AND id < ?2 AND (?3 IS NULL OR key = ?3 OR by = ?3)
          AND (?4 IS NULL OR act = ?4) ORDER BY id DESC LIMIT ?5`,
        ...[now - AUDIT_DAYS * DAY_MS, before ?? Number.MAX_SAFE_INTEGER, key ?? null, act ?? null, limit],
      );
      return rows.map(({ key: of, ...row }) => ({ ...row, ...(of !== null && { key: of }) }));
    },
    // [cf] A pattern of LIKE has at most 50 bytes, and a skill's name 64: hence no LIKE with a name.
    /** What was done to a skill, and which decisions were made on changes of it. Newest first. */
    ofSkill(name: SkillName, now: number): SkillAct[] {
      if (!hasTable(sql, AUDIT_TABLE)) return [];
      const rows = sql.run<Pick<AuditEntry, "at" | "by" | "act" | "target"> & { label: string | null }>(
        `SELECT at, by, act, target, ${hasLabels() ? "label" : "NULL AS label"} FROM audit WHERE at >= ?1
          AND ((act LIKE 'skill\\_%' ESCAPE '\\' AND (target = ?2 OR substr(target, 1, length(?2) + 1) = ?2 || '/'))
            OR (act = 'pending_decide' AND substr(target, -length(?2) - 1) = ' ' || ?2)) ORDER BY id DESC LIMIT ?3`,
        ...[now - AUDIT_DAYS * DAY_MS, name, MAX_SKILL_ACTS],
      );
      return rows.map(({ at, by, label, act, target }) => {
        const [, rev] = /^[^ ]*\/(\d+)$/.exec(target) ?? [];
        return { at, by, ...(label !== null && { label }), act, ...(rev !== undefined && { rev: Number(rev) }) };
      });
    },
    tidy(now: number): void {
      if (hasTable(sql, AUDIT_TABLE)) prune(now);
    },
  };
}
