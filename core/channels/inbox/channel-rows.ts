// The profile's channels, one row a platform: the sealed settings, what people set, and how the channel is. Over any Sql, synchronous.
// Called by durable-objects/channels. Never sees a secret in the clear.
import { assertKnownVersion } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import { type ChannelError, StoredChannel } from "../../schemas/channels/channel.ts";

export const CHANNEL_SCHEMA = `CREATE TABLE IF NOT EXISTS channel (platform TEXT PRIMARY KEY, body TEXT NOT NULL, last_in INTEGER,
  last_out INTEGER, mark TEXT) STRICT, WITHOUT ROWID`;

/** `mark`: where polling goes on. */
export interface ChannelRow {
  platform: PlatformName;
  channel: StoredChannel;
  lastIn: number | null;
  lastOut: number | null;
  mark: string | null;
}

interface RawRow extends Omit<ChannelRow, "channel"> {
  body: string;
}

export type ChannelRows = ReturnType<typeof createChannelRows>;

/** The table must exist. A row that a newer version wrote throws `StateNewerError`. */
export function createChannelRows(sql: Sql) {
  const columns = "platform, body, last_in AS lastIn, last_out AS lastOut, mark";
  function find(platform: PlatformName): ChannelRow | null {
    const row = sql.run<RawRow>(`SELECT ${columns} FROM channel WHERE platform = ?`, platform)[0];
    return row ? toRow(row) : null;
  }
  return {
    find,
    list: (): ChannelRow[] => sql.run<RawRow>(`SELECT ${columns} FROM channel ORDER BY platform`).map(toRow),
    platforms: (): PlatformName[] =>
      sql.run<{ platform: PlatformName }>("SELECT platform FROM channel ORDER BY platform").map((row) => row.platform),
    /** Those that are to be asked again by now. Rows of a newer version are left to it. */
    dueProbes: (now: number): PlatformName[] =>
      sql
        .run<{ platform: PlatformName }>(
          "SELECT platform FROM channel WHERE json_extract(body, '$.v') = 1 AND json_extract(body, '$.retryAt') <= ?",
          now,
        )
        .map((row) => row.platform),
    nextProbe: (): number | null =>
      sql.run<{ at: number | null }>(
        "SELECT min(json_extract(body, '$.retryAt')) AS at FROM channel WHERE json_extract(body, '$.v') = 1",
      )[0]?.at ?? null,
    put(platform: PlatformName, channel: StoredChannel): void {
      sql.run(
        "INSERT INTO channel (platform, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
        ...[platform, JSON.stringify(channel)],
      );
    },
    /** Does nothing if the channel was removed or saved again since `savedAt`. */
    change(platform: PlatformName, savedAt: number, changes: Partial<StoredChannel>): void {
      const row = find(platform);
      if (row?.channel.savedAt !== savedAt) return;
      sql.run(
        "UPDATE channel SET body = ? WHERE platform = ?",
        JSON.stringify({ ...row.channel, ...changes }),
        platform,
      );
    },
    noteIn(platform: PlatformName, at: number): void {
      sql.run("UPDATE channel SET last_in = ? WHERE platform = ?", at, platform);
    },
    noteOut(platform: PlatformName, at: number): void {
      sql.run("UPDATE channel SET last_out = ? WHERE platform = ?", at, platform);
    },
    noteError(platform: PlatformName, lastError: ChannelError): void {
      const row = find(platform);
      if (row) this.change(platform, row.channel.savedAt, { lastError });
    },
    setMark(platform: PlatformName, mark: string): void {
      sql.run("UPDATE channel SET mark = ? WHERE platform = ?", mark, platform);
    },
    /** False: there was none. */
    remove: (platform: PlatformName): boolean =>
      sql.run("DELETE FROM channel WHERE platform = ? RETURNING platform", platform).length > 0,
  };
}

function toRow({ body, ...row }: RawRow): ChannelRow {
  const raw: unknown = JSON.parse(body);
  const parsed = StoredChannel.safeParse(raw);
  if (!parsed.success) {
    assertKnownVersion(`The channel ${row.platform}`, raw, parsed.error);
    throw parsed.error;
  }
  return { ...row, channel: parsed.data };
}
