// The loop's Journal over a session's log. Writes each answer, intent and result before anyone acts on it, and tells the
// readers. Created by the driver, once for each attempt at a turn. Writes nothing after `close`.
import type { Journal, Message, ModelFailure, Recorded } from "../../../agent/contract.ts";
import { type Result, ok } from "../../../errors.ts";
import { FIXED } from "../../../limits.ts";
import { scrub } from "../../../memory/scrub.ts";
import { byteLength } from "../../../schemas/learning/digest.ts";
import {
  type Answer,
  type AssistantEntry,
  type Entry,
  type ToolCall,
  type UserEntry,
  textOf,
} from "../../../schemas/entry.ts";
import { type Spending, toSpentCall } from "../../../schemas/usage.ts";
import type { EngineContext } from "../../context.ts";
import type { LiveText } from "../../readers/events.ts";
import { beginAnswer, createSink, giveUpAnswer, showText } from "./live-answer.ts";
import { recordCall } from "./record-call.ts";
import { toSteerMessage } from "./steer.ts";
import { TOO_LONG } from "./too-long.ts";
import { takeSteers } from "./take-steers.ts";
import {
  type LateCall,
  TurnEnded,
  type TurnRecord,
  assertOpen,
  callKey,
  noteProgress,
  openRecord,
  putEntry,
} from "./turn-record.ts";

/** Not retried: the same answer would only be paid for again. */
const TOO_LARGE: ModelFailure = {
  code: "answer_too_large",
  message: "The model's answer is larger than can be stored. Ask for less at a time.",
  retry: false,
  compact: false,
  rotateKey: false,
  fallBack: false,
};

export interface SessionJournal extends Journal {
  /** The answer that is streaming now. */
  live(): LiveText | null;
  /** The last answer, not written yet: the turn's end writes it together with everything else. */
  final(): AssistantEntry | null;
  /** The turn's entries as written so far, in order. */
  entries(): Entry[];
  /** What the calls in `entries()` used and cost. */
  spent(): Spending;
  /** What the sessions that these calls began have spent. */
  delegated(): Spending;
  /** When something last came from a model or a tool. */
  lastProgressAt(): number;
  /** Counts as progress: a model that is not asked through the journal, such as one that summarises, sent something. */
  noteActivity(): void;
  /** Drops the answer in flight: a notice takes its entry number, and an event makes readers discard the answer. */
  abandon(failure: ModelFailure): void;
  /** Writes an entry of the turn that other code created. Throws `TurnEnded` after `close`. */
  put(entry: Entry): void;
  /** Whether the call has an intent or a result from an earlier attempt. */
  hasCall(step: number, call: ToolCall): boolean;
  close(): void;
}

export function createSessionJournal(context: EngineContext, turn: number): SessionJournal {
  const record = openRecord(context, turn);
  const sink = createSink(record);
  return {
    parallel: true,
    additions: (step) => additions(record, step),
    answer: (step, ask) => recordAnswer(record, step, () => ask(sink)),
    call: (step, _index, work) => recordCall(record, step, work),

    live: () => record.live && { entry: record.live.entry, turn, text: record.live.text },
    final: () => record.final,
    entries: () => [...record.written.values()].toSorted((a, b) => a.n - b.n),
    spent: () => record.spent,
    delegated: () => record.delegated,
    lastProgressAt: () => record.progressAt,
    noteActivity: () => noteProgress(record),
    abandon: (failure) => giveUpAnswer(record, "The model's answer did not come.", failure.spent),
    put(entry) {
      assertOpen(record);
      putEntry(record, entry);
    },
    hasCall: (step, call) => record.earlierCalls.has(callKey(step, call)),
    close() {
      record.isClosed = true;
      record.isPartialKept ||= !!record.live?.text;
      record.live = null;
    },
  };
}

/** Steers recorded at this step. A step without a recorded answer also takes those that wait now. */
function additions(record: TurnRecord, step: number): Message[] {
  assertOpen(record);
  const recorded = record.earlier.filter(
    (entry): entry is UserEntry => entry.kind === "user" && entry.steer?.step === step,
  );
  const taken = record.earlierAnswers[step] ? [] : takeSteers(record, step);
  return [...recorded, ...taken].map(toSteerMessage);
}

async function recordAnswer(
  record: TurnRecord,
  step: number,
  ask: () => ReturnType<Parameters<Journal["answer"]>[1]>,
): Promise<Result<Recorded<Answer>, ModelFailure>> {
  assertOpen(record);
  const earlier = record.earlierAnswers[step];
  if (earlier) return ok({ value: { ...earlier.answer, text: textOf(earlier) }, entry: earlier.n });
  if (!record.live) beginAnswer(record);
  const asked = await ask();
  if (record.isClosed) throw new TurnEnded(toLateCall(record, asked));
  if (!asked.ok) return giveUpOverflow(record, asked.failure);
  const answer = withoutRecalled(asked.value);
  const entry = settleAnswer(record, answer);
  if (byteLength(JSON.stringify(entry)) > FIXED.rowBytes) {
    return { ok: false, failure: { ...TOO_LARGE, spent: toSpentCall(asked.value) } };
  }
  if (answer.calls.length === 0) record.final = entry;
  else putAnswer(record, entry);
  return ok({ value: answer, entry: entry.n });
}

/**
 * A failure leaves the streamed text in flight, for the turn's end to keep. An overflow drops it: the conversation is about to
 * be shortened, and the compaction needs the next entry number.
 */
function giveUpOverflow(record: TurnRecord, failed: ModelFailure): Result<never, ModelFailure> {
  if (!failed.compact) return { ok: false, failure: failed };
  const { spent, ...failure } = failed;
  giveUpAnswer(record, TOO_LONG, spent);
  return { ok: false, failure }; // the notice has recorded the cost
}

/** Shows readers the text they have not seen, and returns the answer as an entry. */
function settleAnswer(record: TurnRecord, { text, ...answer }: Answer): AssistantEntry {
  // A provider may end with another text than it streamed.
  if (record.live && !text.startsWith(record.live.text)) {
    giveUpAnswer(record, "The model withdrew its answer and gave another.");
  }
  if (!record.live) beginAnswer(record);
  const { entry: n, text: shown } = record.live!;
  showText(record, text.slice(shown.length));
  noteProgress(record);
  return {
    v: 1,
    n,
    turn: record.turn,
    at: record.context.host.clock.now(),
    kind: "assistant",
    parts: text === "" ? [] : [{ source: "own", text }],
    answer,
  };
}

function putAnswer(record: TurnRecord, entry: AssistantEntry): void {
  const { host, log } = record.context;
  if (record.live?.blocks === 0) {
    putEntry(record, entry); // a single row needs no transaction
  } else {
    host.sql.transaction(() => {
      log.dropBlocks();
      putEntry(record, entry);
    });
  }
  record.live = null;
}

function toLateCall({ isPartialKept }: TurnRecord, asked: Result<Answer, ModelFailure>): LateCall | undefined {
  const spent = asked.ok ? toSpentCall(asked.value) : asked.failure.spent;
  return spent && { ...spent, calls: isPartialKept ? 0 : 1 };
}

/** Removes recalled memory that the model repeats, and with it the provider's own form of the answer, which repeats it too. */
function withoutRecalled(answer: Answer): Answer {
  const text = scrub(answer.text);
  if (text === answer.text) return answer;
  const { native: _, ...rest } = answer;
  return { ...rest, text };
}
