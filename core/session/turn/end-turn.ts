// The end of a turn: its last entries, and the one transaction that writes them with everything else the turn leaves. Called by
// the driver when the loop has ended or the turn is stopped. Synchronous, so that a stop and an answer cannot both end it.
import { byteLength } from "../../schemas/learning/digest.ts";
import { FIXED } from "../../limits.ts";
import { type AssistantEntry, type Entry, NO_STATS, type NoticeEntry } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { planGoal } from "../goals/plan-goal.ts";
import { planTurnEnd } from "../hooks/events.ts";
import { endReason, placeNotice, placeTurnEnd, replay } from "../readers/events.ts";
import { turnModels } from "../choice/choice.ts";
import { planEndDeliveries, planSettled } from "../channel/plan-delivery.ts";
import type { SessionJournal } from "./journal/journal.ts";
import { learnFromTurn } from "../learning/learn.ts";
import { settleLedger } from "../ledger.ts";
import { type TurnRow, hasBegun } from "../log-turns.ts";
import { toNotice } from "../prompt/notices.ts";
import type { NoticeEnding } from "./endings.ts";
import { planTitle } from "./title.ts";
import { countTurn } from "./count-turn.ts";
import { dropAnswers } from "../client/client-calls.ts";
import { dropClient, isShapedByClient } from "../client/client-rows.ts";
import type { DriveState } from "./drive-state.ts";
import { renewLease } from "./lease.ts";
import { WAIT_ENDS } from "./waiting/wait-ends.ts";

const CUT_OFF = "The turn was interrupted.";
const TURN_OVER = "The turn that asked this has ended.";

/** Without an `ending` the final entry is the journal's last answer. Does nothing if the turn has ended already. */
export function endTurn(
  { context, begun, current }: Pick<DriveState, "context" | "begun" | "current">,
  n: number,
  ending: NoticeEnding | null,
): void {
  const { host, log } = context;
  const turn = log.turn(n)!;
  if (!hasBegun(turn)) return;
  const journal = current?.turn === n ? current.journal : null;
  const isWaiting = turn.more.pausedUntil !== undefined || turn.state === "parked";
  const wasCutOff = !begun.has(n) && !journal?.live() && !isWaiting;
  const closing = ending ? toClosingEntries(context, { n, journal, wasCutOff }, ending) : [journal!.final()!];
  const final = closing.at(-1)!;
  const before = journal?.entries() ?? log.entries(turn.input!).filter((entry) => entry.turn === n);
  const entries = [...before, ...closing];
  const ended: TurnRow = {
    ...turn,
    state: ending?.state ?? "done",
    final: final.n,
    stats: countTurn(entries),
    endedAt: host.clock.now(),
    more: {
      reason: endReason(final),
      ...(turn.more.channel?.learned && { channel: turn.more.channel }),
      ...(turn.more.choice && { choice: turn.more.choice }),
      ...(isShapedByClient(log, turn) && { ofClient: true as const }),
    },
  };
  writeEnd(context, ended, {
    entries,
    closing,
    began: turn,
    settingsRev: turn.more.settingsRev,
    isAnswered: !ending || ending.answered === true,
    also: ending?.also,
  });
  journal?.close();
  notifyReaders(context, ended, closing, wasCutOff);
}

interface TurnLeaves {
  entries: Entry[];
  closing: Entry[];
  /** The turn as it was. */
  began: TurnRow;
  settingsRev: number | undefined;
  isAnswered: boolean;
  also: NoticeEnding["also"];
}

/** Writes the end together with everything the turn leaves: steered turns, learning, bookings, the title, the next lease. */
function writeEnd(context: EngineContext, ended: TurnRow, leaves: TurnLeaves): void {
  const { host, log, jobs } = context;
  if (host.replay) return writeReplayEnd(context, ended, leaves);
  const { entries, closing, began, settingsRev, isAnswered, also } = leaves;
  const { parked, client } = began.more;
  const { final, endedAt } = ended;
  const steered = log.steeredInto(ended.n);
  const learning = learnFromTurn(context, ended, entries);
  const ledger = settleLedger(context, ended, entries);
  const title = isAnswered ? planTitle(context, ended) : null;
  host.sql.transaction(() => {
    if (parked && !parked.over) {
      WAIT_ENDS[parked.for].withdraw(context, parked.id);
      planSettled(context, began, { n: closing[0]!.n, text: TURN_OVER });
    }
    if (client) {
      dropClient(log, began);
      dropAnswers(log, began.n);
    }
    for (const entry of closing) log.put(entry);
    log.dropBlocks();
    log.putTurn(ended);
    for (const row of steered) log.putTurn({ ...row, final, endedAt, more: { ...row.more, ...ended.more } });
    ledger.write(learning.write(ledger.booking));
    title?.write();
    if (context.meta().kind === "delegated") jobs.put("report", host.clock.now(), { kind: "report" });
    planTurnEnd(context, ended, steered, settingsRev);
    planGoal(context, ended, { began, closing });
    planEndDeliveries(context, { ...ended, more: began.more }, steered, closing);
    also?.();
    if (log.openTurns().length > 0) renewLease(context);
    else jobs.delete("drive");
  });
}

/** A turn that is run again leaves its entries and its report. */
function writeReplayEnd({ host, log, jobs }: EngineContext, ended: TurnRow, { closing }: TurnLeaves): void {
  host.sql.transaction(() => {
    for (const entry of closing) log.put(entry);
    log.dropBlocks();
    log.putTurn(ended);
    jobs.put("replayed", host.clock.now(), { kind: "replayed" });
    jobs.delete("drive");
  });
}

function notifyReaders({ hub }: EngineContext, ended: TurnRow, closing: Entry[], wasCutOff: boolean): void {
  const final = closing.at(-1)!;
  if (wasCutOff) {
    const start = { entry: closing[0]!.n, offset: -1 };
    for (const event of replay(start, closing, [ended], null)) hub.emit(event);
    return;
  }
  if (final.kind === "notice") hub.emit(placeNotice(final));
  hub.emit(placeTurnEnd(ended, final));
}

/** A turn that is about to end. `wasCutOff`: an earlier object drove it, and what readers saw of its answer is unknown. */
interface EndingTurn {
  n: number;
  journal: SessionJournal | null;
  wasCutOff: boolean;
}

/**
 * The last entries of a turn whose last word is a notice. Text of an unfinished answer that a person has read is kept under its
 * number. Once an answer has begun, its number is never the notice's: readers would take one for the other.
 */
function toClosingEntries(
  context: EngineContext,
  { n: turn, journal, wasCutOff }: EndingTurn,
  ending: NoticeEnding,
): Entry[] {
  const { host, log } = context;
  const { code, text: words, spent, answered, compaction = [], undid } = ending;
  const at = host.clock.now();
  const answer = answered ? journal!.final()! : null;
  if (answer) return [answer, toNotice({ n: answer.n + 1, turn, at, code, text: words })];
  const live = journal?.live() ?? null;
  const next = live?.entry ?? log.nextEntry();
  const text = toStorable(live?.text ?? log.blocks(next));
  // This notice makes readers forget what they have of an answer that an earlier object began.
  const lost = wasCutOff ? [toNotice({ n: next, turn, at, code: "resumed", text: CUT_OFF })] : [];
  const first = next + lost.length;
  const notice: NoticeEntry = {
    ...toNotice({ n: text === "" && !live ? first : first + 1, turn, at, code, text: words }),
    ...(compaction.length > 0 && { compaction }),
    ...(undid && { undid }),
  };
  if (text === "") return [...lost, spent ? { ...notice, spent } : notice];
  return [...lost, toPartialAnswer(context, { n: first, turn, at, text, spent }), notice];
}

function toPartialAnswer(
  context: EngineContext,
  { n, turn, at, text, spent }: Pick<AssistantEntry, "n" | "turn" | "at"> & Pick<NoticeEnding, "text" | "spent">,
): AssistantEntry {
  const models = turnModels(context);
  const model = models.ok ? models.value[0].name : "none";
  const parts = [{ source: "own" as const, text }];
  const answer = { calls: [], stop: "end" as const, ...(spent ?? { usage: NO_STATS.usage, model }) };
  return { v: 1, n, turn, at, kind: "assistant", parts, answer };
}

/** The beginning of a text that is too long for a row. */
function toStorable(text: string): string {
  return byteLength(JSON.stringify(text)) < FIXED.rowBytes / 2 ? text : text.slice(0, FIXED.rowBytes / 12);
}
