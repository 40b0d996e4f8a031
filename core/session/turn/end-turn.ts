// The end of a turn: what its last entries are, and the one transaction that writes them with everything the turn leaves
// behind. Called by the driver when the loop has ended, and by whoever stops a turn. Synchronous, so that a stop and an
// answer cannot both end it.
import type { ModelFailure } from "../../agent/contract.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import { FIXED } from "../../limits.ts";
import {
  type Entry,
  NO_STATS,
  type NoticeEntry,
  type TurnState,
  type TurnStats,
  addUsage,
} from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { endReason, placeNotice, placeTurnEnd, replay } from "../readers/events.ts";
import type { SessionJournal } from "./journal.ts";
import { learnFromTurn } from "../learning/learn.ts";
import { settleLedger } from "../ledger.ts";
import type { TurnRow } from "../log.ts";
import { toNotice } from "../prompt/notices.ts";
import type { SummaryCall } from "../compaction/summarise.ts";
import { planTitle } from "./title.ts";
import type { ServerMark } from "./server-mark.ts";

/** How a turn ends when the last word is not the model's: with a notice. */
export interface Ending {
  state: Extract<TurnState, "done" | "failed" | "stopped">;
  code: string;
  text: string;
  /** The notice comes after the journal's last answer, which is not whole or was made to be the last. */
  answered?: true;
  /** What the last call was charged for, which brought no answer. */
  spent?: ModelFailure["spent"];
  /** Calls for a summary that came to nothing. */
  compaction?: SummaryCall[];
}

const CUT_OFF = "The turn was interrupted.";

/** The turn that is being driven. */
export interface Current {
  turn: number;
  journal: SessionJournal;
  abort: AbortController;
  /** Whether it was noted that the turn runs on a server of the operator's own. */
  mark?: ServerMark;
}

/** In memory: a second object of the same name cannot live. */
export interface DriveState {
  /** Turns this very object began: any other running turn was cut off. */
  begun: Set<number>;
  current: Current | null;
}

/** Without an `ending` the final entry is the journal's last answer. A turn that has ended is left alone. */
export function endTurn(
  context: EngineContext,
  { begun, current }: DriveState,
  n: number,
  ending: Ending | null,
): void {
  const { host, log, jobs, hub } = context;
  const { sql, clock, settings } = host;
  const turn = log.turn(n)!;
  if (turn.state !== "running") return;
  const journal = current?.turn === n ? current.journal : null;
  /** By an earlier object's end: nobody here knows what it had told. */
  const wasCutOff = !begun.has(n) && !journal?.live() && turn.more.pausedUntil === undefined;
  const closing = ending ? toEndingEntries(ending) : [journal!.final()!];
  const final = closing.at(-1)!;
  const before = journal?.entries() ?? log.entries(turn.input!).filter((entry) => entry.turn === n);
  const entries = [...before, ...closing];
  const endedAt = clock.now();
  const settled: TurnRow = {
    ...turn,
    state: ending?.state ?? "done",
    final: final.n,
    stats: countTurn(entries),
    endedAt,
    more: { reason: endReason(final) },
  };
  const steered = log.steeredInto(n);
  const learnt = learnFromTurn(context, settled, entries);
  const ledger = settleLedger(context, settled, entries);
  const title = ending && !ending.answered ? null : planTitle(context, settled);
  sql.transaction(() => {
    for (const entry of closing) log.put(entry);
    log.dropBlocks();
    log.putTurn(settled);
    for (const row of steered) {
      log.putTurn({ ...row, final: final.n, endedAt, more: { ...row.more, ...settled.more } });
    }
    ledger.write(learnt.write(ledger.booking));
    title?.write();
    if (log.openTurns().length > 0) jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" });
    else jobs.delete("drive");
  });
  journal?.close();
  if (wasCutOff) {
    const start = { entry: closing[0]!.n, offset: -1 };
    for (const event of replay(start, closing, [settled], null)) hub.emit(event);
    return;
  }
  if (final.kind === "notice") hub.emit(placeNotice(final));
  hub.emit(placeTurnEnd(settled, final));

  /**
   * What a person had already read of an unfinished answer is kept, under its number. Where an answer has begun, that
   * number is never the notice's: a reader would take the one for the other.
   */
  function toEndingEntries({ code, text: words, spent, answered, compaction = [] }: Ending): Entry[] {
    const answer = answered ? journal!.final()! : null;
    if (answer) return [answer, toNotice({ n: answer.n + 1, turn: n, at: clock.now(), code, text: words })];
    const live = journal?.live() ?? null;
    const next = live?.entry ?? log.nextEntry();
    const text = toStorable(live?.text ?? log.blocks(next));
    const at = clock.now();
    // How much readers had of an answer that died with an earlier object is not known: they are told to forget it.
    const lost = wasCutOff ? [toNotice({ n: next, turn: n, at, code: "resumed", text: CUT_OFF })] : [];
    const first = next + lost.length;
    const notice: NoticeEntry = {
      ...toNotice({ n: text === "" && !live ? first : first + 1, turn: n, at, code, text: words }),
      ...(compaction.length > 0 && { compaction }),
    };
    if (text === "") return [...lost, spent ? { ...notice, spent } : notice];
    const models = host.models("turn");
    const model = models.ok ? models.value[0].name : "none";
    const partial: Entry = {
      v: 1,
      n: first,
      turn: n,
      at,
      kind: "assistant",
      parts: [{ source: "own", text }],
      answer: { calls: [], stop: "end", ...(spent ?? { usage: NO_STATS.usage, model }) },
    };
    return [...lost, partial, notice];
  }
}

/** Of a text that no row can hold, the beginning. */
function toStorable(text: string): string {
  return byteLength(JSON.stringify(text)) < FIXED.rowBytes / 2 ? text : text.slice(0, FIXED.rowBytes / 12);
}

/** Calls that brought no answer, and those of a compaction, are no steps; their tokens and money count. */
function countTurn(entries: Entry[]): TurnStats {
  const stats: TurnStats = { ...NO_STATS };
  const pay = ({ usage, cost }: Pick<Extract<Entry, { kind: "assistant" }>["answer"], "usage" | "cost">) => {
    stats.usage = addUsage(stats.usage, usage);
    if (cost && cost.source !== "none") stats.usdMicros = (stats.usdMicros ?? 0) + cost.usdMicros;
  };
  for (const entry of entries) {
    if (entry.kind === "assistant") {
      stats.modelCalls++;
      pay(entry.answer);
    }
    if (entry.kind === "compaction") for (const call of entry.calls) pay(call);
    if (entry.kind === "notice" && entry.spent) pay(entry.spent);
    if (entry.kind === "notice") for (const call of entry.compaction ?? []) pay(call);
    if (entry.kind === "tool") stats.toolCalls++;
    if (entry.kind === "tool" && entry.failed) stats.failedCalls++;
  }
  return stats;
}
