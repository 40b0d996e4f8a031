// The loop's Journal over a session's log. Writes an answer, an intent or a result before anyone acts on it, and tells
// the readers. After `close` it writes nothing more: the turn was ended by someone else.
import { RETRACTED } from "../../agent/model-turn.ts";
import type { AnswerSink, Effect, Journal, Message, ModelFailure, Recorded, ToolResult } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import { type Result, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import { type Scrubber, createScrubber, scrub } from "../../memory/scrub.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import {
  type Answer,
  type AssistantEntry,
  type Entry,
  type JsonObject,
  type ToolCall,
  type ToolEntry,
  type UserEntry,
  textOf,
} from "../../schemas/entry.ts";
import { type SpentCall, type Spending, toSpentCall } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import { type LiveText, placeSteer, placeTool } from "../readers/events.ts";
import { addSpending, spentIn } from "../ledger.ts";
import { type TurnRow, isOpen } from "../log.ts";
import { toNotice } from "../prompt/notices.ts";
import { toSteerMessage } from "./steer.ts";

// A block is written when this much text or time has gathered: a killed answer is asked for again, so blocks only keep
// what a person had already read.
const BLOCK_CHARS = 4_096;
const BLOCK_MS = 2_000;

/** Asking again would only be paid for again. */
const TOO_LARGE: ModelFailure = {
  code: "answer_too_large",
  message: "The model's answer is larger than can be stored. Ask for less at a time.",
  retry: false,
  compact: false,
  rotateKey: false,
  fallBack: false,
};

/** Thrown into a drive whose turn was ended meanwhile; nobody but the drive may catch it. */
export class TurnEnded extends Error {
  override name = "TurnEnded";

  /** What the call that was cut off is charged for all the same. */
  readonly late: LateCall | undefined;

  constructor(late?: LateCall) {
    super();
    this.late = late;
  }
}

/** `calls` is 0 where the turn has counted the call by what it had said. */
export type LateCall = SpentCall & { calls: 0 | 1 };

export interface SessionJournal extends Journal {
  /** The answer that is streaming now. */
  live(): LiveText | null;
  /** The last answer, not yet written: the turn's end writes it together with everything else. */
  final(): AssistantEntry | null;
  /** The turn's entries as they are written now. */
  entries(): Entry[];
  /** What the calls these entries tell of have used and cost. */
  spent(): Spending;
  /** When something last came from a model or a tool. */
  lastProgressAt(): number;
  /** Something came from a model that is asked beside the journal. */
  noteActivity(): void;
  /** The answer in flight will not come: its number goes to a notice, and readers are told to forget it. */
  abandon(failure: ModelFailure): void;
  /** Writes an entry of the turn that somebody else made. Throws when the turn was ended. */
  put(entry: Entry): void;
  close(): void;
}

export function createSessionJournal(context: EngineContext, turn: number): SessionJournal {
  const { host, log, hub } = context;
  const { sql, clock, session } = host;
  const written = new Map<number, Entry>();
  for (const entry of log.entries(log.turn(turn)?.input ?? 1)) if (entry.turn === turn) written.set(entry.n, entry);
  const before = [...written.values()];
  const answers = before.filter((entry) => entry.kind === "assistant");
  const calls = new Map(
    before.filter((entry) => entry.kind === "tool").map((entry) => [keyOf(entry.step, entry.call), entry]),
  );
  let closed = false;
  /** What the answer that was cut off by the end had said is an entry. */
  let isKept = false;
  let live: (LiveText & { written: number; blocks: number; since: number; scrubber: Scrubber }) | null = null;
  let final: AssistantEntry | null = null;
  let progressAt = clock.now();
  let spent = spentIn(before);

  function guard(): void {
    if (closed) throw new TurnEnded();
  }

  function toLate(asked: Result<Answer, ModelFailure>): LateCall | undefined {
    const spent = asked.ok ? toSpentCall(asked.value) : asked.failure.spent;
    return spent && { ...spent, calls: isKept ? 0 : 1 };
  }

  function put(entry: Entry): void {
    log.put(entry);
    if (!written.has(entry.n)) spent = addSpending(spent, spentIn([entry]));
    written.set(entry.n, entry);
  }

  function begin(): void {
    const scrubber = createScrubber();
    live = { entry: log.nextEntry(), turn, text: "", written: 0, blocks: 0, since: clock.now(), scrubber };
    hub.emit({ at: { entry: live.entry, offset: 0 }, event: { type: "entry_start", turn, entry: live.entry } });
  }

  /** The number of an answer that nobody will get becomes a notice's, so that no number ever means two texts. */
  function giveUpLive(text: string, spent?: ModelFailure["spent"]): void {
    if (!live) return;
    const { entry, text: shown } = live;
    const notice = toNotice({ n: entry, turn, at: clock.now(), code: "model_retried", text });
    live = null;
    sql.transaction(() => {
      log.dropBlocks();
      put(spent ? { ...notice, spent } : notice);
    });
    hub.emit({ at: { entry, offset: shown.length + 1 }, event: { type: "entry_restart", entry } });
  }

  function noteActivity(): void {
    progressAt = clock.now();
  }

  /** Without what a model repeats of the recalled text it was given: neither shown nor kept. */
  function show(delta: string): void {
    if (!live || delta === "") return;
    const offset = live.text.length;
    live.text += delta;
    const at = { entry: live.entry, offset: live.text.length };
    hub.emit({ at, event: { type: "text_delta", entry: live.entry, offset, text: delta } });
    const waiting = live.text.length - live.written;
    if (waiting >= BLOCK_CHARS || clock.now() - live.since >= BLOCK_MS) {
      log.putBlock(live.entry, live.blocks++, live.text.slice(live.written));
      live.written = live.text.length;
      live.since = clock.now();
    }
  }

  const sink: AnswerSink = {
    noteActivity,
    // A model's own time limit is longer than a turn's without progress.
    noteWaiting: noteActivity,
    text(delta) {
      if (closed || !live || delta === "") return;
      progressAt = clock.now();
      show(live.scrubber.push(delta));
    },
    reasoning(delta) {
      if (closed || !live) return;
      progressAt = clock.now();
      const at = { entry: live.entry, offset: live.text.length };
      hub.emit({ at, event: { type: "reasoning_delta", entry: live.entry, text: delta } });
    },
    restart(failure) {
      noteActivity(); // how often a call is repeated is limited elsewhere
      if (closed || !live) return;
      // A call that failed before it said or cost anything leaves no trace but its number's next try.
      if (live.text === "" && !failure.spent) return;
      const why =
        failure.code === RETRACTED ? failure.message : "The model's answer broke off and was asked for again.";
      giveUpLive(why, failure.spent);
      begin();
    },
  };

  return {
    parallel: true,
    live: () => live && { entry: live.entry, turn, text: live.text },
    final: () => final,
    entries: () => [...written.values()].toSorted((a, b) => a.n - b.n),
    spent: () => spent,
    lastProgressAt: () => progressAt,
    noteActivity,
    abandon: (failure) => giveUpLive("The model's answer did not come.", failure.spent),
    put(entry) {
      guard();
      put(entry);
    },
    close() {
      closed = true;
      isKept ||= !!live?.text;
      live = null;
    },

    additions(step): Message[] {
      guard();
      const recorded = before.filter((entry) => entry.kind === "user" && entry.steer?.step === step) as UserEntry[];
      // Recorded steps are told again as they were; only a step that is still to be asked takes what waits.
      const taken = answers[step] ? [] : takeSteers(step);
      return [...recorded, ...taken].map(toSteerMessage);
    },

    async answer(step, ask): Promise<Result<Recorded<Answer>, ModelFailure>> {
      guard();
      const recorded = answers[step];
      if (recorded) return ok({ value: { ...recorded.answer, text: textOf(recorded) }, entry: recorded.n });
      if (!live) begin();
      const asked = await ask(sink);
      if (closed) throw new TurnEnded(toLate(asked));
      if (!asked.ok || !live) {
        // The conversation is about to be shortened, and that takes an entry of its own. Else what streamed stays for
        // the turn's end to keep.
        if (asked.ok || !asked.failure.compact) return asked as Result<never, ModelFailure>;
        const { spent, ...failure } = asked.failure;
        giveUpLive("The conversation was too long for the model.", spent);
        return { ok: false, failure }; // what it was charged is recorded now
      }
      const { text, ...answer } = withoutRecalled(asked.value);
      // A provider may send text only with the end: readers get what they have not seen. One that ends with another
      // text than it streamed has taken that back.
      if (!text.startsWith(live.text)) {
        giveUpLive("The model took its answer back and gave another.");
        begin();
      }
      show(text.slice(live.text.length));
      progressAt = clock.now();
      const entry: AssistantEntry = {
        v: 1,
        n: live.entry,
        turn,
        at: clock.now(),
        kind: "assistant",
        parts: text === "" ? [] : [{ source: "own", text }],
        answer,
      };
      if (byteLength(JSON.stringify(entry)) > FIXED.rowBytes) {
        return { ok: false, failure: { ...TOO_LARGE, spent: toSpentCall(asked.value) } };
      }
      if (answer.calls.length === 0) {
        final = entry;
      } else {
        if (live.blocks === 0) put(entry);
        else {
          sql.transaction(() => {
            log.dropBlocks();
            put(entry);
          });
        }
        live = null;
      }
      return ok({ value: { ...answer, text }, entry: entry.n });
    },

    async call(step, _index, work): Promise<Recorded<ToolResult>> {
      guard();
      const recorded = calls.get(keyOf(step, work.call));
      if (recorded?.state === "done") return { value: recorded, entry: recorded.n };
      let intent: ToolEntry;
      let unknown = false;
      if (recorded) {
        intent = recorded;
        unknown = !mayRunAgain(work.effect);
      } else {
        let prepared: JsonObject = {};
        if (work.prepare) {
          prepared = await work.prepare();
          guard();
        }
        intent = toIntent(log.nextEntry(), step, work.call, prepared);
        put(intent);
        hub.emit(placeTool(intent)[0]!);
      }
      const attempt = {
        ...{ op: `${session}-${turn}:${intent.n}`, prepared: intent.prepared, entry: intent.n },
        ...(recorded && { resumed: true as const }),
      };
      const result = unknown ? outcomeUnknown() : await work.run(attempt);
      guard();
      progressAt = clock.now();
      const { failed, parts, print } = result;
      const done: ToolEntry = { ...intent, state: "done", failed, parts, at: clock.now(), ...(print ? { print } : {}) };
      put(done);
      hub.emit(placeTool(done)[1]!);
      return { value: result, entry: intent.n };
    },
  };

  /**
   * The inputs next in line that were to steer this turn become its entries. Each stays a turn of its own in the list, so
   * that its key, its reader and its place are answered for.
   */
  function takeSteers(step: number): UserEntry[] {
    const waiting: TurnRow[] = [];
    for (
      let next = log.turn(turn + 1 + log.steeredInto(turn).length);
      next && isOpen(next);
      next = log.turn(next.n + 1)
    ) {
      if (next.more.busy !== "steer") break;
      waiting.push(next);
    }
    if (waiting.length === 0) return [];
    const earlier = [...written.values()].find((entry): entry is UserEntry => entry.kind === "user" && !!entry.steer);
    const marker = earlier?.steer?.marker ?? host.token();
    const first = log.nextEntry();
    const at = clock.now();
    const taken = waiting.map((row, i): UserEntry => ({
      v: 1,
      n: first + i,
      turn,
      at,
      kind: "user",
      parts: [{ source: "principal", text: row.waiting ?? "" }],
      steer: { accepted: row.n, marker, step },
    }));
    sql.transaction(() => {
      for (const [i, row] of waiting.entries()) {
        put(taken[i]!);
        const more = { into: turn };
        log.putTurn({ ...row, state: "steered", waiting: null, input: taken[i]!.n, startedAt: at, more });
      }
    });
    for (const entry of taken) hub.emit(placeSteer(entry));
    return taken;
  }

  function toIntent(n: number, step: number, call: ToolCall, prepared: JsonObject): ToolEntry {
    return {
      v: 1,
      n,
      turn,
      at: clock.now(),
      kind: "tool",
      state: "open",
      parts: [],
      call,
      step,
      failed: false,
      prepared,
    };
  }
}

/** A provider's own form of the answer would say again what was taken out. */
function withoutRecalled(answer: Answer): Answer {
  const text = scrub(answer.text);
  if (text === answer.text) return answer;
  const { native: _, ...rest } = answer;
  return { ...rest, text };
}

function keyOf(step: number, call: ToolCall): string {
  return `${step} ${call.id}`;
}

function mayRunAgain(effect: Effect): boolean {
  return effect !== "unkeyed";
}

function outcomeUnknown(): ToolResult {
  return fail(
    "outcome_unknown",
    "The session was interrupted while this ran, so whether it took effect is unknown. Look before you do it again.",
  );
}
