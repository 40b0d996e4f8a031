// What came in and is not carried out yet, and the ids of what was: a platform's repetition finds its id. Over any Sql, synchronous.
// Called by the pump and by durable-objects/channels, inside their transactions.
import { assertKnownVersion } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import { DAY_MS } from "../../schemas/ids.ts";
import type { MovedPlace } from "../session-key.ts";
import { InboundEvent, InboundMessage, type PlatformName } from "../../schemas/channels/inbound.ts";
import * as z from "zod";

/** `lane`: events of one lane are carried out one after the other. `body` NULL: carried out. */
export const INBOUND_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS channel_inbound (n INTEGER PRIMARY KEY, platform TEXT NOT NULL, id TEXT NOT NULL, lane TEXT NOT NULL,
    body TEXT, tries INTEGER NOT NULL, due INTEGER, at INTEGER NOT NULL, UNIQUE (platform, id)) STRICT`,
  `CREATE INDEX IF NOT EXISTS channel_inbound_due ON channel_inbound (lane, n) WHERE body IS NOT NULL`,
];

/** WhatsApp repeats for up to seven days, longer than all others. https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
const KEPT_MS = 8 * DAY_MS;

/** [own] No further part of an album comes after so long, and it waits for no more after the second. */
const ALBUM_MS = 1_000;
const MAX_ALBUM_MS = 10_000;

const StoredEvent = z.object({ v: z.literal(1), event: InboundEvent });

export interface InboundRow {
  n: number;
  platform: PlatformName;
  id: string;
  lane: string;
  event: InboundEvent;
  tries: number;
  due: number;
  /** When it was stored. */
  at: number;
}

interface RawRow extends Omit<InboundRow, "event"> {
  body: string;
}

export type InboundRows = ReturnType<typeof createInboundRows>;

/** The table must exist. */
export function createInboundRows(sql: Sql) {
  const columns = "n, platform, id, lane, body, tries, due, at";
  const toBody = (event: InboundEvent) => JSON.stringify({ v: 1, event });

  function insert(
    platform: PlatformName,
    event: InboundEvent,
    row: { body: string | null; due: number | null; at: number },
  ) {
    const added = sql.run(
      `INSERT INTO channel_inbound (platform, id, lane, body, tries, due, at) VALUES (?, ?, ?, ?, 0, ?, ?)
        ON CONFLICT DO NOTHING RETURNING n`,
      ...[platform, event.id, toLane(platform, event), row.body, row.due, row.at],
    );
    return added.length > 0;
  }

  /**
   * The message that waits for more parts of this one's album, with this one in it. A row that was not due yet was never carried out: after a
   * try, the session may have the message already.
   */
  function joinAlbum(lane: string, part: InboundMessage, now: number): Pick<InboundRow, "n" | "event" | "at"> | null {
    const waiting = sql.run<{ n: number; at: number; body: string }>(
      `SELECT n, at, body FROM channel_inbound WHERE lane = ? AND body IS NOT NULL AND tries = 0 AND due > ?
        AND json_extract(body, '$.event.album') = ? ORDER BY n`,
      ...[lane, now, part.album!],
    );
    for (const { n, at, body } of waiting) {
      const first = StoredEvent.safeParse(JSON.parse(body)).data?.event;
      const event = first?.kind === "message" ? joinParts(first, part) : null;
      if (event) return { n, at, event };
    }
    return null;
  }

  return {
    /**
     * False: the id was stored before. A part of an album joins the first of its parts as long as that waits, so that one message comes of
     * them; then its row is only an id.
     */
    add(platform: PlatformName, event: InboundEvent, now: number): boolean {
      const isPart = event.kind === "message" && event.album !== undefined && !event.edited;
      const whole = isPart ? joinAlbum(toLane(platform, event), event, now) : null;
      if (!whole) return insert(platform, event, { body: toBody(event), due: isPart ? now + ALBUM_MS : now, at: now });
      if (!insert(platform, event, { body: null, due: null, at: now })) return false;
      const due = Math.min(now + ALBUM_MS, whole.at + MAX_ALBUM_MS);
      sql.run("UPDATE channel_inbound SET body = ?, due = ? WHERE n = ?", toBody(whole.event), due, whole.n);
      return true;
    },
    /** The first event of each lane, if it is due. */
    heads(now: number): { n: number; lane: string }[] {
      return sql
        .run<{ n: number; lane: string; due: number }>(
          `SELECT n, lane, due FROM channel_inbound WHERE n IN
            (SELECT min(n) FROM channel_inbound WHERE body IS NOT NULL GROUP BY lane) ORDER BY n`,
        )
        .filter(({ due }) => due <= now);
    },
    /** `null`: it was carried out, or its channel was removed. Throws `StateNewerError`. */
    read(n: number): InboundRow | null {
      const row = sql.run<RawRow>(`SELECT ${columns} FROM channel_inbound WHERE n = ? AND body IS NOT NULL`, n)[0];
      return row ? toRow(row) : null;
    },
    /** The id alone stays, so that a repetition is recognised: the lane names the chat. */
    finish(n: number): void {
      sql.run("UPDATE channel_inbound SET body = NULL, due = NULL, lane = '' WHERE n = ?", n);
    },
    retry(n: number, due: number): void {
      sql.run("UPDATE channel_inbound SET tries = tries + 1, due = ? WHERE n = ?", due, n);
    },
    /** Postpones without counting a try. */
    postpone(n: number, due: number): void {
      sql.run("UPDATE channel_inbound SET due = ? WHERE n = ?", due, n);
    },
    /** The place has another id on its platform: what waits is of the new one. Its lane stays, since one event of it may be in work. */
    move(platform: PlatformName, { from, to }: MovedPlace): void {
      sql.run(
        `UPDATE channel_inbound SET body = json_set(body, '$.event.chat.id', ?) WHERE platform = ? AND body IS NOT NULL
          AND json_extract(body, '$.event.chat.id') = ?`,
        ...[to, platform, from],
      );
    },
    nextDue: (): number | null =>
      sql.run<{ due: number | null }>(
        `SELECT min(due) AS due FROM channel_inbound WHERE n IN
          (SELECT min(n) FROM channel_inbound WHERE body IS NOT NULL GROUP BY lane)`,
      )[0]?.due ?? null,
    waiting: (): number =>
      sql.run<{ n: number }>("SELECT count(*) AS n FROM channel_inbound WHERE body IS NOT NULL")[0]!.n,
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_inbound WHERE platform = ?", platform);
    },
    tidy(now: number): void {
      sql.run("DELETE FROM channel_inbound WHERE body IS NULL AND at < ?", now - KEPT_MS);
    },
  };
}

/** `null`: they are of different people, or have too many files for one message. */
function joinParts(whole: InboundMessage, part: InboundMessage): InboundMessage | null {
  if (whole.from.id !== part.from.id) return null;
  const joined = InboundMessage.safeParse({
    ...part,
    ...whole,
    text: [whole.text, part.text].filter((text) => text.trim() !== "").join("\n\n"),
    addressed: whole.addressed || part.addressed,
    files: [...whole.files, ...part.files],
    ...((whole.context ?? part.context) && { context: { ...whole.context, ...part.context } }),
  });
  return joined.data ?? null;
}

/** Events of one place wait for each other. */
function toLane(platform: PlatformName, { chat }: InboundEvent): string {
  return JSON.stringify([platform, chat.scope ?? "", chat.id, chat.thread ?? ""]);
}

function toRow({ body, ...row }: RawRow): InboundRow {
  const raw: unknown = JSON.parse(body);
  const parsed = StoredEvent.safeParse(raw);
  if (!parsed.success) {
    assertKnownVersion("A message that waits in a channel", raw, parsed.error);
    throw parsed.error;
  }
  return { ...row, event: parsed.data.event };
}
