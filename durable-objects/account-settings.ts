// What a profile's owner has set for its agent, by section and key, with a revision that rises at every change. Its table is made
// with the first row. Called by the Account.
import { type Result, err, ok } from "../core/errors.ts";
import { applyPreferences, readPreferences } from "../core/preferences.ts";
import type { Sql } from "../core/ports.ts";
import { applyQuota } from "../core/quota.ts";
import { QUOTA_KEY } from "../core/schemas/profile/quota.ts";
import {
  PROFILE_SECTIONS,
  type ProfileSection,
  type ProfileSetting,
  type ProfileSettings,
  noProfileSettings,
} from "../core/schemas/profile/settings.ts";
import type { Settings } from "../core/schemas/settings.ts";

/** [own] Values of one section: a longer list is not readable, and a session reads all of them at once. */
const MAX_VALUES = 100;
/** [own] JSON characters of one value. */
const MAX_VALUE_CHARS = 64 * 1024;
/** [own] A catalog holds schemas. */
const MORE_CHARS: Partial<Record<ProfileSection, number>> = { mcpCatalogs: 128 * 1024 };
/** [cf] A session keeps all values in one row, of at most 2 MB. Names and punctuation take the rest. */
const MAX_ALL_BYTES = 1_800_000;
const FEWER_VALUES: Partial<Record<ProfileSection, number>> = { mcp: 10, hubTaps: 50 };
/** A value of these sections exists only while its key exists in the other one. */
const BELONGS_TO: Partial<Record<ProfileSection, ProfileSection>> = { mcpCatalogs: "mcp", mcpAccess: "mcp" };

export const SETTINGS_TABLE = "profile_setting";

/** The revision is the row of section `''`. */
export const SETTINGS_SCHEMA = `CREATE TABLE IF NOT EXISTS profile_setting (section TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (section, key)) STRICT, WITHOUT ROWID`;

export type AccountSettings = ReturnType<typeof createAccountSettings>;

export function createAccountSettings(sql: Sql) {
  const hasTable = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", SETTINGS_TABLE).length > 0;
  const readRev = () =>
    Number(sql.run<{ value: string }>(`SELECT value FROM ${SETTINGS_TABLE} WHERE section = ''`)[0]?.value ?? 0);
  const keysOf = (section: ProfileSection) =>
    sql.run<{ key: string }>(`SELECT key FROM ${SETTINGS_TABLE} WHERE section = ?`, section).map(({ key }) => key);
  const bytesBeside = (section: ProfileSection, key: string) =>
    sql.run<{ n: number }>(
      `SELECT total(length(CAST(value AS BLOB))) AS n FROM ${SETTINGS_TABLE} WHERE section <> ? OR key <> ?`,
      ...[section, key],
    )[0]!.n;
  const raiseRev = () =>
    void sql.run(`INSERT OR REPLACE INTO ${SETTINGS_TABLE} VALUES ('', '', ?)`, String(readRev() + 1));

  function put<Section extends ProfileSection>(
    section: Section,
    key: string,
    value: ProfileSetting<Section>,
  ): Result<null> {
    const text = JSON.stringify(value);
    const maxChars = MORE_CHARS[section] ?? MAX_VALUE_CHARS;
    if (text.length > maxChars) {
      return err("setting_too_large", `As JSON, one setting has at most ${maxChars} characters.`);
    }
    return sql.transaction(() => {
      sql.run(SETTINGS_SCHEMA);
      const owner = BELONGS_TO[section];
      if (owner && !keysOf(owner).includes(key)) {
        return err("setting_not_found", `This profile has no ${owner} of that name.`);
      }
      const keys = keysOf(section);
      const maxValues = FEWER_VALUES[section] ?? MAX_VALUES;
      if (keys.length >= maxValues && !keys.includes(key)) {
        return err("too_many_settings", `A profile has at most ${maxValues} ${section}: remove one first.`);
      }
      if (bytesBeside(section, key) + new TextEncoder().encode(text).length > MAX_ALL_BYTES) {
        return err("setting_too_large", "The profile's settings are too large together: remove one first.");
      }
      sql.run(`INSERT OR REPLACE INTO ${SETTINGS_TABLE} VALUES (?, ?, ?)`, section, key, text);
      raiseRev();
      return ok(null);
    });
  }

  function remove(section: ProfileSection, key: string): boolean {
    if (!hasTable()) return false;
    return sql.transaction(() => {
      const removed = sql.run(
        `DELETE FROM ${SETTINGS_TABLE} WHERE section = ? AND key = ? RETURNING key`,
        section,
        key,
      );
      for (const [owned, owner] of Object.entries(BELONGS_TO)) {
        if (owner === section) sql.run(`DELETE FROM ${SETTINGS_TABLE} WHERE section = ? AND key = ?`, owned, key);
      }
      if (removed.length > 0) raiseRev();
      return removed.length > 0;
    });
  }

  function read(): ProfileSettings {
    const settings = noProfileSettings();
    if (!hasTable()) return settings;
    settings.rev = readRev();
    const rows = sql.run<{ section: ProfileSection; key: string; value: string }>(
      `SELECT section, key, value FROM ${SETTINGS_TABLE} WHERE section <> '' ORDER BY section, key`,
    );
    for (const { section, key, value } of rows) {
      const parsed = PROFILE_SECTIONS[section]?.safeParse(JSON.parse(value));
      if (parsed?.success) Object.assign(settings.sections[section], { [key]: parsed.data });
    }
    return settings;
  }

  return {
    rev: (): number => (hasTable() ? readRev() : 0),

    /** Values that this version no longer understands are left out. */
    read,

    /** The operator's settings with the profile's quota, and what the person has changed of them. */
    inForce(operator: Settings): Settings {
      if (!hasTable()) return operator;
      const { preferences, quota } = read().sections;
      return applyPreferences(applyQuota(operator, quota[QUOTA_KEY]), readPreferences(preferences));
    },

    /** Replaces the value of the key. Failures: `too_many_settings`, `setting_too_large`, `setting_not_found` (of what it belongs to). */
    put,

    /** False: there was none of that key. */
    remove,

    /** Sets values, and removes those that are `null`; all or none. Failures: as `put`. */
    change<Section extends ProfileSection>(
      section: Section,
      changes: Record<string, ProfileSetting<Section> | null>,
    ): Result<null> {
      let refused: Result<null> = ok(null);
      try {
        sql.transaction(() => {
          for (const [key, value] of Object.entries(changes)) {
            if (value === null) remove(section, key);
            else refused = put(section, key, value);
            if (!refused.ok) throw new Error("rolled back");
          }
        });
      } catch (error) {
        if (refused.ok) throw error;
      }
      return refused;
    },
  };
}
