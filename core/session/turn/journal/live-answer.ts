// The answer that is streaming: shows its text to readers, stores blocks of it, and gives it up when the model call is
// repeated. Used by the journal. Writes nothing once the record is closed.
import type { AnswerSink, ModelFailure } from "../../../agent/contract.ts";
import { FORMAT_UNMET } from "../../../agent/answer-format.ts";
import { TEXT_RETRACTED } from "../../../agent/model-turn.ts";
import { createScrubber } from "../../../memory/scrub.ts";
import { toNotice } from "../../prompt/notices.ts";
import { TOO_LONG } from "./too-long.ts";
import { type TurnRecord, nextEntry, noteProgress, putEntry } from "./turn-record.ts";

// A block is stored after this much text or time. A killed answer is asked for again, so blocks only preserve what a person
// had already read.
const BLOCK_CHARS = 4_096;
const BLOCK_MS = 2_000;

export function beginAnswer(record: TurnRecord): void {
  const { context, turn } = record;
  const { host, hub } = context;
  const entry = nextEntry(record);
  const lastBlockAt = host.clock.now();
  record.live = { entry, turn, text: "", storedChars: 0, blocks: 0, lastBlockAt, scrubber: createScrubber() };
  hub.emit({ at: { entry, offset: 0 }, event: { type: "entry_start", turn, entry } });
}

/**
 * Drops the answer in flight and tells readers to forget it. Its entry number goes to a notice, so that no number ever means
 * two texts.
 */
export function giveUpAnswer(record: TurnRecord, text: string, spent?: ModelFailure["spent"]): void {
  const { live, turn, context } = record;
  if (!live) return;
  const { host, log, hub } = context;
  const notice = toNotice({ n: live.entry, turn, at: host.clock.now(), code: "model_retried", text });
  // An exact replay has the notices of the recorded turn. A model that fails now is no part of that.
  const isLeft = !host.replay?.isExact || text === TOO_LONG;
  record.live = null;
  host.sql.transaction(() => {
    log.dropBlocks();
    if (isLeft) putEntry(record, spent ? { ...notice, spent } : notice);
  });
  hub.emit({
    at: { entry: live.entry, offset: live.text.length + 1 },
    event: { type: "entry_restart", entry: live.entry },
  });
}

/** Adds text to the answer in flight. The caller has removed recalled memory that the model repeats. */
export function showText({ live, context }: TurnRecord, delta: string): void {
  if (!live || delta === "") return;
  const { host, log, hub } = context;
  const offset = live.text.length;
  live.text += delta;
  const at = { entry: live.entry, offset: live.text.length };
  hub.emit({ at, event: { type: "text_delta", entry: live.entry, offset, text: delta } });
  const now = host.clock.now();
  if (live.text.length - live.storedChars < BLOCK_CHARS && now - live.lastBlockAt < BLOCK_MS) return;
  log.putBlock(live.entry, live.blocks++, live.text.slice(live.storedChars));
  live.storedChars = live.text.length;
  live.lastBlockAt = now;
}

export function createSink(record: TurnRecord): AnswerSink {
  const { hub } = record.context;
  const noteActivity = () => noteProgress(record);
  return {
    noteActivity,
    // A model's own timeout is longer than the turn's limit for time without progress.
    noteWaiting: noteActivity,
    text(delta) {
      if (record.isClosed || !record.live || delta === "") return;
      noteProgress(record);
      showText(record, record.live.scrubber.push(delta));
    },
    reasoning(delta) {
      const { live, isClosed } = record;
      if (isClosed || !live) return;
      noteProgress(record);
      const at = { entry: live.entry, offset: live.text.length };
      hub.emit({ at, event: { type: "reasoning_delta", entry: live.entry, text: delta } });
    },
    restart(failure) {
      noteProgress(record); // the number of repetitions is limited elsewhere
      const { live, isClosed } = record;
      if (isClosed || !live) return;
      // A call that failed before any text or cost leaves no trace: the repetition takes its entry number.
      if (live.text === "" && !failure.spent) return;
      giveUpAnswer(record, toRestartText(failure), failure.spent);
      beginAnswer(record);
    },
  };
}

function toRestartText({ code, message }: ModelFailure): string {
  return code === TEXT_RETRACTED || code === FORMAT_UNMET
    ? message
    : "The model's answer was cut off and requested again.";
}
