// The loop's Journal over a session's log. Writes an answer, an intent or a result before anyone acts on it, and tells
// the readers. After `close` it writes nothing more: the turn was ended by someone else.
import type { AnswerSink, Effect, Journal, ModelFailure, ToolResult } from "../agent/contract.ts";
import { fail } from "../agent/tool-result.ts";
import type { Result } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { Clock, Sql } from "../ports.ts";
import { byteLength } from "../schemas/digest.ts";
import {
  type Answer,
  type AssistantEntry,
  type Entry,
  type JsonObject,
  type ToolCall,
  type ToolEntry,
  textOf,
} from "../schemas/entry.ts";
import { type LiveText, placeTool } from "./events.ts";
import type { Hub } from "./hub.ts";
import type { Log } from "./log.ts";
import { toNotice } from "./notices.ts";

// A block is written when this much text or time has gathered: a killed answer is asked for again, so blocks only keep
// what a person had already read.
const BLOCK_CHARS = 4_096;
const BLOCK_MS = 2_000;

/** Asking again would only be paid for again. */
const TOO_LARGE: ModelFailure = {
  code: "answer_too_large",
  message: "The model's answer is larger than can be stored. Ask for less at a time.",
  retryable: false,
};

/** Thrown into a drive whose turn was ended meanwhile; nobody but the drive may catch it. */
export class TurnEnded extends Error {
  override name = "TurnEnded";
}

export interface SessionJournal extends Journal {
  /** The answer that is streaming now. */
  live(): LiveText | null;
  /** The last answer, not yet written: the turn's end writes it together with everything else. */
  final(): AssistantEntry | null;
  close(): void;
}

export function createSessionJournal(options: {
  sql: Sql;
  log: Log;
  hub: Hub;
  clock: Clock;
  session: string;
  turn: number;
}): SessionJournal {
  const { sql, log, hub, clock, session, turn } = options;
  const before: Entry[] = log.entries(log.turn(turn)?.input ?? 1).filter((entry) => entry.turn === turn);
  const answers = before.filter((entry) => entry.kind === "assistant");
  const calls = new Map(
    before.filter((entry) => entry.kind === "tool").map((entry) => [keyOf(entry.step, entry.call), entry]),
  );
  let closed = false;
  let live: (LiveText & { written: number; blocks: number; since: number }) | null = null;
  let final: AssistantEntry | null = null;

  function guard(): void {
    if (closed) throw new TurnEnded();
  }

  function begin(): void {
    live = { entry: log.nextEntry(), turn, text: "", written: 0, blocks: 0, since: clock.now() };
    hub.emit({ at: { entry: live.entry, offset: 0 }, event: { type: "entry_start", turn, entry: live.entry } });
  }

  const sink: AnswerSink = {
    text(delta) {
      if (closed || !live || delta === "") return;
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
    },
    reasoning(delta) {
      if (closed || !live) return;
      const at = { entry: live.entry, offset: live.text.length };
      hub.emit({ at, event: { type: "reasoning_delta", entry: live.entry, text: delta } });
    },
    restart() {
      if (closed || !live) return;
      const { entry, text } = live;
      const broken = "The model's answer broke off and was asked for again.";
      const notice = toNotice({ n: entry, turn, at: clock.now(), code: "model_retried", text: broken });
      sql.transaction(() => {
        log.dropBlocks();
        log.put(notice);
      });
      hub.emit({ at: { entry, offset: text.length + 1 }, event: { type: "entry_restart", entry } });
      begin();
    },
  };

  return {
    live: () => live && { entry: live.entry, turn, text: live.text },
    final: () => final,
    close() {
      closed = true;
      live = null;
    },

    async answer(step, ask): Promise<Result<Answer, ModelFailure>> {
      guard();
      const recorded = answers[step];
      if (recorded) return { ok: true, value: { ...recorded.answer, text: textOf(recorded) } };
      begin();
      const asked = await ask(sink);
      guard();
      if (!asked.ok || !live) return asked; // what streamed so far stays for the turn's end to keep
      const { text, ...answer } = asked.value;
      // A provider may send text only with the end: readers get what they have not seen. One that ends with another
      // text than it streamed has taken that back.
      if (!text.startsWith(live.text)) sink.restart();
      sink.text(text.slice(live.text.length));
      const entry: AssistantEntry = {
        v: 1,
        n: live.entry,
        turn,
        at: clock.now(),
        kind: "assistant",
        parts: text === "" ? [] : [{ source: "own", text }],
        answer,
      };
      if (byteLength(JSON.stringify(entry)) > FIXED.rowBytes) return { ok: false, failure: TOO_LARGE };
      if (answer.calls.length === 0) {
        final = entry;
      } else {
        const blocks = live.blocks;
        sql.transaction(() => {
          if (blocks > 0) log.dropBlocks();
          log.put(entry);
        });
        live = null;
      }
      return asked;
    },

    async call(step, _index, work): Promise<ToolResult> {
      guard();
      const recorded = calls.get(keyOf(step, work.call));
      if (recorded?.state === "done") return recorded;
      let intent: ToolEntry;
      let unknown = false;
      if (recorded) {
        intent = recorded;
        unknown = !mayRunAgain(work.effect);
      } else {
        const prepared = await work.prepare();
        guard();
        intent = toIntent(log.nextEntry(), step, work.call, prepared);
        log.put(intent);
        hub.emit(placeTool(intent)[0]!);
      }
      const result = unknown
        ? outcomeUnknown()
        : await work.run({ op: `${session}-${turn}:${intent.n}`, prepared: intent.prepared });
      guard();
      const done: ToolEntry = { ...intent, state: "done", failed: result.failed, parts: result.parts, at: clock.now() };
      log.put(done);
      hub.emit(placeTool(done)[1]!);
      return result;
    },
  };

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
