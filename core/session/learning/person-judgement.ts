// What a person's messages say about answers: the message of a turn about the turn before, and messages that steered a turn
// while it ran. Called by observe-job.ts and its neighbours. Reads the log only.
import { finalEntry, withCorrection, withJudgement } from "../../learning/observe/observe.ts";
import { judgeMessage } from "../../learning/observe/judge-message.ts";
import { isSelfTool } from "../../learning/tool-facts.ts";
import { type Entry, type ToolEntry, type UserEntry, messageOf, spokenParts, textOf } from "../../schemas/entry.ts";
import type { Judgement } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isInherited, isUndone } from "../undo/undone.ts";
import { type JudgedTurn, observe, readTurnEntries } from "./observations.ts";

/** The end of an answer, where a question may be what the next message answers. */
const LAST_WORDS_CHARS = 200;

/**
 * Judges the turn before by the message that began this turn. The message counts as a judgement only if its author could
 * have read the answer. It may be a correction in any case.
 */
export function judgeTurnBefore(
  context: EngineContext,
  turn: TurnRow,
  entries: Entry[],
): { judged: JudgedTurn | null; corrects: boolean } | null {
  const { log } = context;
  const input = entries[0];
  const before = turnBefore(context, turn);
  // What goes on with a goal is written by the harness: it judges nothing.
  if (!before || !input || !isFromPrincipal(input) || input.goal) return null;
  const rowEntries = readTurnEntries(context, before);
  const final = finalEntry(rowEntries);
  const asked = final !== undefined && /[?？]/.test(textOf(final).slice(-LAST_WORDS_CHARS));
  const request = rowEntries.find(isFromPrincipal);
  const { outcome, correction } = judgeMessage(messageOf(input), {
    asked,
    calls: filterTaskCalls(rowEntries),
    ...(request && { request: messageOf(request) }),
    ...(final && { answer: textOf(final) }),
  });
  if (!couldReadAnswer(input, before) || isInherited(context, before.n)) return { judged: null, corrects: correction };
  const observation = log.observed(before.n)?.observation ?? observe(context, before, rowEntries);
  const isJudged = observation.judgements?.some(({ judge }) => judge === "message" || judge === "reviewer");
  if (isJudged) return null;
  if (outcome === "unknown") return correction ? { judged: null, corrects: true } : null;
  const judgement: Judgement = { judge: "message", outcome, at: input.at };
  const judged = withJudgement(observation, judgement);
  return {
    judged: {
      row: before,
      entries: rowEntries,
      judgement,
      nth: 1,
      observation: correction ? withCorrection(judged, input.n) : judged,
    },
    corrects: correction,
  };
}

/** The calls that worked on the task. */
function filterTaskCalls(entries: Entry[]): ToolEntry[] {
  return entries.filter((entry): entry is ToolEntry => entry.kind === "tool" && !isSelfTool(entry));
}

/** Whether the author of an input could have read the answer of the turn before. A message that interrupts a turn counts. */
export function couldReadAnswer({ waited }: UserEntry, before: TurnRow): boolean {
  return !waited || waited.interrupts === before.n || waited.since >= (before.endedAt ?? 0);
}

/** The last earlier turn with a model call that was not taken back. Turns that only carried out a command are skipped. */
export function turnBefore({ log }: EngineContext, turn: TurnRow): TurnRow | null {
  for (let before = log.turn(turn.n - 1); before; before = log.turn(before.n - 1)) {
    if (before.state !== "steered" && before.stats.modelCalls > 0 && !isUndone(log, before.n)) return before;
  }
  return null;
}

/** Entries with which the person corrected the turn while it ran. */
export function findSteeredCorrections(entries: Entry[]): number[] {
  const steered = entries.filter((entry): entry is UserEntry => isFromPrincipal(entry) && entry.steer !== undefined);
  return steered
    .filter((entry) => {
      const calls = filterTaskCalls(entries.filter(({ n }) => n < entry.n));
      return judgeMessage(textOf(entry), { calls }).correction;
    })
    .map(({ n }) => n);
}

export function isFromPrincipal(entry: Entry): entry is UserEntry {
  return entry.kind === "user" && spokenParts(entry).every(({ source }) => source === "principal");
}
