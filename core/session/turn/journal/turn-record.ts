// What one turn has written so far, and its answer in flight. The journal and its parts share this record; no other
// code changes it. Once `isClosed` is set nothing may be written: other code has ended the turn.
import type { Scrubber } from "../../../memory/scrub.ts";
import type { AssistantEntry, Entry, ToolCall, ToolEntry } from "../../../schemas/entry.ts";
import type { SpentCall, Spending } from "../../../schemas/usage.ts";
import type { EngineContext } from "../../context.ts";
import { addSpending, sumDelegated, sumSpent } from "../../ledger.ts";
import type { LiveText } from "../../readers/events.ts";
import { copyNotices } from "../../replay/copy-notices.ts";

/** Ends a drive whose turn other code has ended. Only the driver may catch it. */
export class TurnEnded extends Error {
  override name = "TurnEnded";

  /** A model call that was cut off and is charged nevertheless. */
  readonly late: LateCall | undefined;

  constructor(late?: LateCall) {
    super();
    this.late = late;
  }
}

/** `calls` is 0 if the turn has already counted the call, because the partial answer became an entry. */
export type LateCall = SpentCall & { calls: 0 | 1 };

/** The answer in flight, and what of it has been stored in blocks. */
export interface LiveAnswer extends LiveText {
  storedChars: number;
  blocks: number;
  lastBlockAt: number;
  scrubber: Scrubber;
}

export interface TurnRecord {
  readonly context: EngineContext;
  readonly turn: number;
  /** Entries that earlier attempts wrote, and among them the answers by step and the tool calls by `callKey`. */
  readonly earlier: readonly Entry[];
  readonly earlierAnswers: readonly AssistantEntry[];
  readonly earlierCalls: ReadonlyMap<string, ToolEntry>;
  /** All entries of the turn, by number. */
  readonly written: Map<number, Entry>;
  /** What the calls in `written` used and cost. */
  spent: Spending;
  /** What the sessions that these calls began have spent. */
  delegated: Spending;
  /** When something last came from a model or a tool. */
  progressAt: number;
  live: LiveAnswer | null;
  /** The last answer, not written yet: the turn's end writes it together with everything else. */
  final: AssistantEntry | null;
  isClosed: boolean;
  /** The turn was closed during an answer that had text. The turn's end keeps that text as an entry. */
  isPartialKept: boolean;
}

export function openRecord(context: EngineContext, turn: number): TurnRecord {
  const { host, log } = context;
  const earlier = log.entries(log.turn(turn)?.input ?? 1).filter((entry) => entry.turn === turn);
  const tools = earlier.filter((entry) => entry.kind === "tool");
  return {
    context,
    turn,
    earlier,
    earlierAnswers: earlier.filter((entry) => entry.kind === "assistant"),
    earlierCalls: new Map(tools.map((entry) => [callKey(entry.step, entry.call), entry])),
    written: new Map(earlier.map((entry) => [entry.n, entry])),
    spent: sumSpent(earlier),
    delegated: sumDelegated(earlier),
    progressAt: host.clock.now(),
    live: null,
    final: null,
    isClosed: false,
    isPartialKept: false,
  };
}

export function callKey(step: number, call: ToolCall): string {
  return `${step} ${call.id}`;
}

export function assertOpen(record: TurnRecord): void {
  if (record.isClosed) throw new TurnEnded();
}

export function putEntry(record: TurnRecord, entry: Entry): void {
  record.context.log.put(entry);
  if (!record.written.has(entry.n)) record.spent = addSpending(record.spent, sumSpent([entry]));
  if (entry.kind === "tool" && entry.delegated) record.delegated = addSpending(record.delegated, entry.delegated);
  record.written.set(entry.n, entry);
}

/** The number of the turn's next entry. */
export function nextEntry(record: TurnRecord): number {
  copyNotices(record.context, (notice) => putEntry(record, notice));
  return record.context.log.nextEntry();
}

export function noteProgress(record: TurnRecord): void {
  record.progressAt = record.context.host.clock.now();
}
