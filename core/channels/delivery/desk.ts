// What the files of this folder share while they send: the ports, the rows, and how an attempt is written down. Called by deliver.ts,
// send-next.ts and settle.ts.
import { type Failure, type Result, err, messageOf } from "../../errors.ts";
import type { DeliveryError } from "../../schemas/channels/ledger.ts";
import type { Body, DeliveryRow } from "./delivery-row.ts";
import type { DeliveryRows } from "./delivery-rows.ts";
import { backOff } from "./judge-failure.ts";
import type { DeliveryPorts } from "./ports.ts";

/** [own] Longer than any request of a platform. A live object does not begin the same again meanwhile. */
export const LEASE_MS = 60_000;
export interface Desk {
  ports: DeliveryPorts;
  rows: DeliveryRows;
  /** By chat: attempts in a row that the platform never read. */
  misses: Map<string, number>;
  /** By chat: when the last message was sent. */
  lastAt: Map<string, number>;
}

/** A delivery that has not ended. */
export type OpenRow = DeliveryRow & { body: Body };

export function isOpen(row: DeliveryRow | null): row is OpenRow {
  return row !== null && row.ended === null && row.body !== null;
}

/** A client that throws has a bug; what it had sent by then is unknown. */
export async function attempt<T>(call: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await call();
  } catch (error) {
    return err("channel_unavailable", messageOf(error), { maybeSent: true });
  }
}

/** The channel, or the session, cannot be asked now. Nothing was sent. */
export function postpone({ ports, rows, misses }: Desk, row: DeliveryRow, { code, message }: Failure): boolean {
  const current = rows.find(row.n);
  if (!isOpen(current)) return true;
  const missed = misses.get(row.chat) ?? 0;
  misses.set(row.chat, missed + 1);
  rows.write({ ...current, due: ports.clock.now() + backOff(missed), error: { code, message } });
  return false;
}

/** The words stay while a button of the message can be pressed. */
export function end(
  { ports, rows }: Desk,
  row: OpenRow,
  state: "sent" | "dropped" | "failed",
  error: DeliveryError | null,
): boolean {
  const keeps = state === "sent" && row.body.shown !== undefined;
  ports.sql.transaction(() => {
    if (!keeps) rows.dropButtons(row.n);
    const body = keeps ? row.body : null;
    rows.write({ ...row, state, error, body, flying: false, due: null, ended: ports.clock.now() });
  });
  return true;
}
