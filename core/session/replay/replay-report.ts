// What a replay reports: how it ended, what it cost, what became of the words of the tested text. Made from the entries of its turn alone.
// Called by replay-engine.ts. Reads only.
import { headOf } from "../../clip.ts";
import { isAnswered, observeTurn } from "../../learning/observe/observe.ts";
import { type Entry, addUsage, textOf } from "../../schemas/entry.ts";
import { MAX_ANSWER_CHARS, type ReplayEnd, type ReplayReport, emptyReport } from "../../schemas/learning/experiment.ts";
import { failureCode } from "../../learning/tool-facts.ts";
import type { UsageLine } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import { isOpen } from "../log-turns.ts";
import { readTurnEntries } from "../learning/observations.ts";
import { toTurnLines } from "../ledger.ts";
import { NOT_IN_REPLAY } from "./recording.ts";
import type { ReplayState } from "./replay-state.ts";

/** Codes of turns that their budget ended. */
const SPENT = new Set(["turn_budget_spent", "session_budget_spent", "profile_budget_spent"]);

/** `null`: it has not ended. `isCopied`: the entry was not written by this run. */
export function toReport(
  context: EngineContext,
  state: ReplayState,
  isCopied: (entry: Entry) => boolean,
): ReplayReport | null {
  const { host, log } = context;
  const { order, placed, failed, left = null, text = null } = state;
  if (failed) return emptyReport("failed", failed.code, failed.at);
  const turn = placed ? log.turn(order.source.turn) : null;
  if (!placed || !turn || isOpen(turn)) return null;
  const entries = readTurnEntries(context, turn);
  const counted = entries.filter((entry) => !isRefusedHere(entry));
  const refused = entries.length - counted.length;
  const observed = observeTurn({ session: host.session, turn: turn.n, entries: counted });
  const isTested = (one: { skill: string; text: string }) =>
    one.skill === order.skill && (text === null || one.text === text);
  const tried = (observed.triedWords ?? []).filter(isTested);
  const last = entries.at(-1);
  const code = last?.kind === "notice" ? last.code : null;
  const answer = entries.findLast((entry) => entry.kind === "assistant");
  const failedWords = tried.flatMap((words) => words.failed);
  return {
    v: 1,
    end: toEnd(turn.state === "done" && isAnswered(entries), left !== null, code),
    code,
    answer: answer ? headOf(textOf(answer), MAX_ANSWER_CHARS) : null,
    stats: {
      ...turn.stats,
      toolCalls: turn.stats.toolCalls - refused,
      failedCalls: turn.stats.failedCalls - refused,
    },
    exit: observed.judgements![0]!.outcome,
    loaded: observed.loaded.some(isTested),
    contradicted: failedWords.length > 0 || (observed.unfollowed ?? []).some(isTested),
    failedWords,
    refusedWords: tried.flatMap(({ refused = [] }) => refused),
    workedWords: tried.flatMap(({ worked }) => worked),
    left,
    lines: toOwnLines(entries, isCopied),
    endedAt: (turn.endedAt ?? 0) - placed.shiftMs,
  };
}

/** A call that is only done outside of repetitions. It says nothing of the text: it counts as no call, and as no failure. */
function isRefusedHere(entry: Entry): boolean {
  return entry.kind === "tool" && entry.failed && failureCode(entry) === NOT_IN_REPLAY;
}

/** What the run has used so far. */
export function toLinesSoFar(
  context: EngineContext,
  { order, placed }: ReplayState,
  isCopied: (entry: Entry) => boolean,
): UsageLine[] {
  const { log } = context;
  if (!placed) return [];
  const written = log.entries(placed.input);
  return toOwnLines(
    written.filter(({ turn }) => turn === order.source.turn),
    isCopied,
  );
}

function toOwnLines(entries: Entry[], isCopied: (entry: Entry) => boolean): UsageLine[] {
  return toReplayLines(entries.filter((entry) => entry.kind !== "tool" && !isCopied(entry)));
}

function toEnd(answered: boolean, hasLeft: boolean, code: string | null): ReplayEnd {
  if (answered) return "answered";
  if (hasLeft) return "left_recording";
  return code !== null && SPENT.has(code) ? "over_budget" : "failed";
}

/** What served calls spent was spent by the recorded turn. */
function toReplayLines(entries: Entry[]): UsageLine[] {
  const lines = new Map<string, UsageLine>();
  for (const line of toTurnLines(entries)) {
    const key = `${line.model} ${line.source}`;
    const known = lines.get(key);
    lines.set(key, known ? addLine(known, line) : { ...line, kind: "replay" });
  }
  return [...lines.values()];
}

function addLine(a: UsageLine, b: UsageLine): UsageLine {
  return { ...a, calls: a.calls + b.calls, usage: addUsage(a.usage, b.usage), usdMicros: a.usdMicros + b.usdMicros };
}
