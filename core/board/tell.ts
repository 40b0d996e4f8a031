// Tells the profile's Account, which sends webhooks, what has become of cards: one at a time, in order. A row leaves once the Account has it. A
// crash in between repeats the event with the same id, by which the Account knows it. Created by the Board object, which owns the alarm.
import { toHookEvent } from "../hooks/hook-event.ts";
import type { Clock } from "../ports.ts";
import type { BoardName } from "../schemas/board/card.ts";
import type { ProfileId } from "../schemas/ids.ts";
import type { HookEvent } from "../schemas/profile/hooks.ts";
import type { NewsRows } from "./rows/news-rows.ts";

export interface TellDeps {
  profile: ProfileId;
  board: BoardName;
  clock: Pick<Clock, "now">;
  rows: NewsRows;
  /** The board is not erased. Looked at before each use of the rows. */
  exists(): boolean;
  /** Rejects if the Account cannot be reached. Idempotent by the event's id. */
  take(event: HookEvent): Promise<void>;
  report(what: string, error: unknown): void;
}

const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;
/** One that another object does not answer is asked again after this, if this one has died. */
const WATCH_MS = 30_000;

export function createTeller({ profile, board, clock, rows, ...deps }: TellDeps) {
  let [tries, notBefore] = [0, 0];
  let telling: Promise<void> | null = null;
  const next = () => (deps.exists() && clock.now() >= notBefore ? rows.first() : null);

  async function tellAll(): Promise<void> {
    try {
      for (let row = next(); row; row = next()) {
        const { n, card, news } = row;
        const about = `${board} ${card} ${n}`;
        const { data, ...facts } = news;
        await deps.take(toHookEvent({ profile, about, ...facts, data: { board, ...data } }));
        tries = 0;
        if (deps.exists()) rows.remove(n);
      }
    } catch (error) {
      notBefore = clock.now() + Math.min(MAX_RETRY_MS, BASE_RETRY_MS * 2 ** tries++);
      deps.report("webhooks", error);
    }
  }

  return {
    /** Settles when nothing is to be told now. `null`: that is so already. Never rejects. */
    tell(): Promise<void> | null {
      if (telling || !next()) return telling;
      telling = tellAll().finally(() => {
        telling = null;
      });
      return telling;
    },
    /** What is being told; `null`: nothing. */
    telling: () => telling,
    /** Milliseconds since 1970; `null`: there is nothing to tell. */
    nextDue(): number | null {
      if (rows.first() === null) return null;
      return notBefore > clock.now() ? notBefore : clock.now() + (telling ? WATCH_MS : 0);
    },
  };
}
