// The parked state: a turn that has begun waits for something outside, and nothing of it is in memory. Whatever lets a turn wait
// parks it here and ends the wait here. The turn's own row says what it waits for; the job `drive` is due when the wait ends.
// Everything is synchronous: a wait begins and ends in one transaction each.
import { assert } from "../../../errors.ts";
import type { CallWait } from "../../../agent/contract.ts";
import type { NoticeEntry, WaitKind } from "../../../schemas/entry.ts";
import type { EngineContext } from "../../context.ts";
import { planAsked, planSettled } from "../../channel/plan-delivery.ts";
import { planQuestion } from "../../hooks/events.ts";
import type { TurnRow } from "../../log-turns.ts";
import { toNotice } from "../../prompt/notices.ts";
import { placeNotice } from "../../readers/events.ts";

export interface Wait {
  for: WaitKind;
  /** Names what the turn waits for, among waits of this kind. */
  id: string;
  /** The wait ends then at the latest. */
  until: number;
}

/** What one kind of wait does. Both are called inside the caller's transaction. */
export interface WaitEnd {
  /** The time is over. Returns a notice for the person, of a code that no model reads. */
  expire(context: EngineContext, id: string): { code: string; text: string };
  /** The turn ends before the wait does. */
  withdraw(context: EngineContext, id: string): void;
}

/**
 * Parks the running turn, with `notice` as the reader's word of it. `record` writes the notice and what the wait is about, in the
 * same transaction. After this the caller ends the turn's run in memory.
 */
export function parkTurn(
  context: EngineContext,
  n: number,
  { wait, notice, record }: { wait: Wait; notice: NoticeEntry; record(): void },
): void {
  const { host, log, jobs, hub } = context;
  const turn = log.turn(n);
  assert(turn?.state === "running", "only a running turn can be parked");
  // The time of the wait does not count as time without progress.
  const { fruitlessSince: _, ...more } = turn.more;
  host.sql.transaction(() => {
    record();
    planQuestion(context, n, wait);
    planAsked(context, turn, notice);
    const parked = { ...wait, since: host.clock.now(), newest: log.lastTurn()!.n };
    log.putTurn({ ...turn, state: "parked", more: { ...more, parked } });
    jobs.put("drive", wait.until, { kind: "drive", paused: true });
  });
  hub.emit(placeNotice(notice));
}

/** Parks the turn with what one of its calls waits for. Does nothing for a turn that was stopped meanwhile. */
export function parkCall(context: EngineContext, n: number, wait: CallWait): void {
  const { asked, code, text, record } = wait;
  const { log, host } = context;
  if (log.turn(n)?.state !== "running") return;
  const notice = { ...toNotice({ n: log.nextEntry(), turn: n, at: host.clock.now(), code, text }), asked };
  parkTurn(context, n, {
    wait: { for: asked.for, id: asked.id, until: asked.until },
    notice,
    record() {
      record?.();
      log.put(notice);
    },
  });
}

/**
 * Ends the wait: the turn goes on when it is driven next, which the caller begins. `record` writes the outcome in the same
 * transaction; it returns the notice.
 */
export function endWait(
  context: EngineContext,
  turn: TurnRow,
  { record, before }: { record(): { code: string; text: string }; before?(): NoticeEntry },
): void {
  const { host, log, jobs, hub } = context;
  const { parked } = turn.more;
  assert(turn.state === "parked" && parked !== undefined, "only a parked turn waits");
  const notices: NoticeEntry[] = [];
  host.sql.transaction(() => {
    if (before) notices.push(before());
    const said = record();
    notices.push(toNotice({ n: log.nextEntry(), turn: turn.n, at: host.clock.now(), ...said }));
    log.put(notices.at(-1)!);
    planSettled(context, turn, { n: notices.at(-1)!.n, text: said.text });
    log.putTurn({ ...turn, more: { ...turn.more, parked: { ...parked, over: true } } });
    jobs.put("drive", host.clock.now(), { kind: "drive", paused: true });
  });
  for (const notice of notices) hub.emit(placeNotice(notice));
}

/** Has the driver look at the parked turn at once, without ending its wait. Inside the caller's transaction. */
export function wakeParked({ host, jobs }: EngineContext): void {
  jobs.put("drive", host.clock.now(), { kind: "drive", paused: true });
}
