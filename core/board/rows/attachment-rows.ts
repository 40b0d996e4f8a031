// Files of cards, in pieces that fit into rows. Used by core/board/attach.ts, inside its transactions. Synchronous, over any Sql.
import { assert } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import type { Sql } from "../../ports.ts";
import type { CardId } from "../../schemas/board/card.ts";
import { CardAttachment } from "../../schemas/board/log.ts";

export function createAttachmentRows(sql: Sql) {
  const read = (rows: { record: string }[]) => rows.map(({ record }) => CardAttachment.parse(JSON.parse(record)));
  return {
    listOf: (card: CardId): CardAttachment[] =>
      read(sql.run("SELECT record FROM card_attachment WHERE card = ? ORDER BY name", card)),
    find: (card: CardId, name: string): CardAttachment | null =>
      read(sql.run("SELECT record FROM card_attachment WHERE card = ? AND name = ?", card, name))[0] ?? null,
    /** Replaces one of the same name. */
    put(card: CardId, attachment: CardAttachment, bytes: Uint8Array): void {
      this.remove(card, attachment.name);
      sql.run("INSERT INTO card_attachment VALUES (?, ?, ?)", card, attachment.name, JSON.stringify(attachment));
      for (let from = 0; from < bytes.length; from += FIXED.rowBytes) {
        const part = bytes.subarray(from, from + FIXED.rowBytes);
        sql.run("INSERT INTO card_attachment_part VALUES (?, ?, ?, ?)", card, attachment.name, from, part);
      }
    },
    bytes(card: CardId, { name, bytes: size }: CardAttachment): Uint8Array {
      const whole = new Uint8Array(size);
      const query = "SELECT bytes FROM card_attachment_part WHERE card = ? AND name = ? AND n >= ? ORDER BY n LIMIT 1";
      // One row at a time: all of them beside the whole would be twice its size in memory.
      for (let at = 0; at < size;) {
        const [part] = sql.run<{ bytes: ArrayBuffer | Uint8Array }>(query, card, name, at);
        assert(part, `a part of the attachment ${name} is missing`);
        whole.set(new Uint8Array(part.bytes), at);
        at += part.bytes.byteLength;
      }
      return whole;
    },
    /** False: there was none. */
    remove(card: CardId, name: string): boolean {
      sql.run("DELETE FROM card_attachment_part WHERE card = ? AND name = ?", card, name);
      return sql.run("DELETE FROM card_attachment WHERE card = ? AND name = ? RETURNING name", card, name).length > 0;
    },
    removeOf(card: CardId): void {
      for (const { name } of this.listOf(card)) this.remove(card, name);
    },
  };
}
