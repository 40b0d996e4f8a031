// Carries out what came in: in order within a lane, several lanes side by side. A row is finished when its work is done, so a crash
// repeats the work, which must be idempotent. Called by durable-objects/channels, which owns the alarm.
import { messageOf } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { InboundRow, InboundRows } from "./inbound-rows.ts";

/** [own] Lanes at once: each may fetch a file of several MB. */
const MAX_LANES = 6;
const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;
/** [own] Work that throws is given up after this many tries, about an hour. */
const MAX_TRIES = 16;
/** A row of a newer version waits for that version. */
const NEWER_MS = 60 * 60_000;

export interface PumpDeps {
  rows: InboundRows;
  clock: Clock;
  /** Idempotent by the event's id. Throws: it is tried again. */
  carry(row: InboundRow): Promise<void>;
  /** The event could not be carried out, ever. */
  giveUp(row: InboundRow, error: unknown): void;
  report(what: string, error: unknown): void;
}

export type Pump = ReturnType<typeof createPump>;

export function createPump({ rows, clock, carry, giveUp, report }: PumpDeps) {
  const lanes = new Map<string, Promise<void>>();

  /** Carries out the lane's events until one waits. Never rejects. */
  async function run(lane: string, first: number): Promise<void> {
    let n: number | undefined = first;
    while (n !== undefined) {
      await carryOne(n);
      n = rows.heads(clock.now()).find((head) => head.lane === lane)?.n;
    }
  }

  async function carryOne(n: number): Promise<void> {
    let row: InboundRow | null;
    try {
      row = rows.read(n);
    } catch (error) {
      report("inbound", error);
      return rows.postpone(n, clock.now() + NEWER_MS);
    }
    if (!row) return;
    try {
      await carry(row);
    } catch (error) {
      report(`inbound ${row.platform}`, messageOf(error));
      if (row.tries + 1 < MAX_TRIES) {
        return rows.retry(n, clock.now() + Math.min(BASE_RETRY_MS * 2 ** row.tries, MAX_RETRY_MS));
      }
      giveUp(row, error);
    }
    rows.finish(n);
  }

  return {
    /** Begins what is due. Settles when nothing that was begun still runs. Never rejects. */
    async run(): Promise<void> {
      for (;;) {
        for (const { n, lane } of rows.heads(clock.now())) {
          if (lanes.size >= MAX_LANES) break;
          if (lanes.has(lane)) continue;
          const work = run(lane, n)
            .catch((error: unknown) => report("inbound", error))
            .finally(() => lanes.delete(lane));
          lanes.set(lane, work);
        }
        if (lanes.size === 0) return;
        await Promise.race(lanes.values());
      }
    },
    isBusy: (): boolean => lanes.size > 0,
  };
}
