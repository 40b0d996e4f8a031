// Carries out what was accepted: in order within a lane, several lanes side by side. A row ends when its message is in its session, so a crash
// repeats the step, and the message's key makes that harmless. Created by the Webhooks object, which owns the alarm.
import { type Result, messageOf } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { SessionId, TurnId } from "../schemas/ids.ts";
import type { DeliveryRows, WaitingDelivery } from "./delivery-rows.ts";

/** [own] Sessions of a profile that work for webhooks at the same time: as many as runs (`turn.maxOpenRuns`). */
const MAX_LANES = 10;
/** [own] Messages that one session is given before its turns are waited for: half of `turn.maxQueuedTurns`. */
const MAX_AHEAD = 10;
const FIRST_LOOK_MS = 20;
const MAX_LOOK_MS = 2_000;
/** A turn may wait for its provider. Others do not wait for it longer than this. */
const MAX_WAIT_MS = 5 * 60_000;
const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 15 * 60_000;
/** Until a session is asked again whose queue is full. */
const FULL_MS = 10_000;
/** [own] About a day. */
const MAX_TRIES = 100;

export interface PumpDeps {
  rows: DeliveryRows;
  clock: Clock;
  sessions: {
    /**
     * Posts the delivery's message under its key, and makes the session first if there is none. Failures: those of `SessionCalls.post`;
     * `session_gone`, the session was deleted and another one takes its place; `profile_gone`.
     */
    post(row: WaitingDelivery & { session: SessionId }): Promise<Result<{ turn: TurnId }>>;
    /** Whether the turn has not ended. */
    isOpen(session: SessionId, turn: TurnId): Promise<boolean>;
  };
  /** Sends the text on without an agent. Idempotent by the row's id. Failures: any; it is tried again unless `isFinal` is among its facts. */
  sendOn(row: WaitingDelivery): Promise<Result<null>>;
  report(what: string, error: unknown): void;
}

export type Pump = ReturnType<typeof createPump>;

/** What a lane does after a row. */
type Step = { next: "go on" | "stop"; posted?: { session: SessionId; turn: TurnId } };

export function createPump({ rows, clock, sessions, sendOn, report }: PumpDeps) {
  const lanes = new Map<string, Promise<void>>();
  /** Lanes whose first delivery waits for a later attempt, until when: those after it wait too. */
  const blocked = new Map<string, number>();
  /** Where the search for the next lane goes on, so that each has its turn. */
  let cursor = "";

  function blockedLanes(): string[] {
    for (const [lane, until] of blocked) if (until <= clock.now()) blocked.delete(lane);
    return [...blocked.keys()];
  }

  async function runLane(lane: string): Promise<void> {
    let last: Step["posted"];
    for (let n = 0; n < MAX_AHEAD; n++) {
      const row = rows.head(lane, clock.now());
      if (!row || row.due > clock.now()) break;
      if (row.part !== null) rows.closeGroup(row.n);
      const step = await carry(row);
      last = step.posted ?? last;
      if (step.next === "stop") break;
    }
    if (last) await waitForTurn(last);
  }

  async function carry(row: WaitingDelivery): Promise<Step> {
    try {
      return row.session === null ? await carryOn(row) : await carryMessage({ ...row, session: row.session });
    } catch (error) {
      report("webhook", error);
      return retry(row, messageOf(error));
    }
  }

  async function carryMessage(row: WaitingDelivery & { session: SessionId }): Promise<Step> {
    const posted = await sessions.post(row);
    if (posted.ok) {
      rows.end(row.n, "posted", posted.value);
      return { next: "go on", posted: { session: row.session, ...posted.value } };
    }
    const { code, message } = posted.failure;
    switch (code) {
      case "session_gone":
        return { next: "stop" }; // the row has another lane now
      case "idempotency_conflict":
        rows.end(row.n, "posted", { reason: code }); // an earlier attempt, by another version, has posted it
        return { next: "go on" };
      case "message_too_long":
        rows.end(row.n, "failed", { reason: message });
        return { next: "go on" };
      case "too_many_queued":
        return postpone(row, FULL_MS, code, false);
      default:
        return retry(row, message);
    }
  }

  async function carryOn(row: WaitingDelivery): Promise<Step> {
    const sent = await sendOn(row);
    if (sent.ok) rows.end(row.n, "delivered");
    else if (sent.failure.facts?.isFinal === true) rows.end(row.n, "failed", { reason: sent.failure.message });
    else return retry(row, sent.failure.message);
    return { next: "go on" };
  }

  function retry(row: WaitingDelivery, reason: string): Step {
    if (row.tries + 1 >= MAX_TRIES) {
      rows.end(row.n, "failed", { reason });
      return { next: "go on" };
    }
    return postpone(row, Math.min(BASE_RETRY_MS * 2 ** row.tries, MAX_RETRY_MS), reason);
  }

  function postpone(row: WaitingDelivery, waitMs: number, reason: string, counts = true): Step {
    const due = clock.now() + waitMs;
    rows.postpone(row.n, due, reason, counts);
    blocked.set(row.lane, due);
    return { next: "stop" };
  }

  /** So that a flood does not run all its turns at once. Nobody waits if nothing else is due. */
  async function waitForTurn({ session, turn }: { session: SessionId; turn: TurnId }): Promise<void> {
    const until = clock.now() + MAX_WAIT_MS;
    for (let wait = FIRST_LOOK_MS; clock.now() < until; wait = Math.min(wait * 2, MAX_LOOK_MS)) {
      if (!rows.hasDue(clock.now(), blockedLanes())) return;
      await clock.sleep(wait);
      if (!(await sessions.isOpen(session, turn))) return;
    }
  }

  /** A lane that has something to do now and is not at work. The lanes after the last one that was begun come first. */
  function findLane(): string | null {
    for (const from of cursor === "" ? [""] : [cursor, ""]) {
      for (let lane = rows.nextLane(from, clock.now()); lane !== null; lane = rows.nextLane(lane, clock.now())) {
        if (lanes.has(lane) || (blocked.get(lane) ?? 0) > clock.now()) continue;
        const head = rows.head(lane, clock.now());
        if (head && head.due <= clock.now()) return lane;
        if (head) blocked.set(lane, head.due);
      }
    }
    return null;
  }

  function beginLanes(): void {
    while (lanes.size < MAX_LANES) {
      const lane = findLane();
      if (lane === null) return;
      cursor = lane;
      const work = runLane(lane)
        .catch((error: unknown) => report("webhook", error))
        .finally(() => lanes.delete(lane));
      lanes.set(lane, work);
    }
  }

  return {
    /** Carries out what is due. Settles when nothing runs and nothing more can begin now. Never rejects. */
    async run(): Promise<void> {
      for (beginLanes(); lanes.size > 0; beginLanes()) await Promise.race(lanes.values());
    },
    /** New deliveries have come while it runs. */
    wake: beginLanes,
    /** When there is something to do again; `null`: nothing waits. */
    nextDue(): number | null {
      const dues = [rows.nextDue(blockedLanes()), ...blocked.values()].filter((due) => due !== null);
      return dues.length === 0 ? null : Math.min(...dues);
    },
  };
}
