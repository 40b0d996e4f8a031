// What became of one turn, for a program that asks for this turn alone: its state, its answer, what it waits for. Reads the log; whether it
// can be run again takes the list of checkpoints, too. A message that joined another turn is reported as that turn.
import { type Result, err, ok } from "../../errors.ts";
import { type Entry, textOf } from "../../schemas/entry.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { RunWait, TurnInfo, TurnReport } from "../../schemas/run.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isOpen } from "../log-turns.ts";
import { findReplayability } from "../replay/replayable.ts";
import { countTurn } from "../turn/count-turn.ts";

/** Failure: `turn_not_found`. */
export function readTurn({ log }: EngineContext, n: number): Result<TurnReport> {
  const own = log.turn(n);
  const turn = own?.more.into === undefined ? own : log.turn(own.more.into);
  if (!turn) return err("turn_not_found", `This session has no turn ${n}.`);
  const { state, final, startedAt, endedAt, more } = turn;
  const { reason, parked, cancelled } = more;
  if (cancelled) return ok({ ...EMPTY, state: "stopped", reason: "stopped", stats: turn.stats, startedAt, endedAt });
  const isWaiting = state === "parked" && parked !== undefined && !parked.over;
  const entries = isWaiting ? log.entries(turn.input!).filter((entry) => entry.turn === turn.n) : [];
  return ok({
    ...(final === null ? EMPTY : readEnd(log.entries(Math.max(1, final - 1), final), turn)),
    state: isOpen(turn) && !isWaiting && state === "parked" ? "running" : state,
    ...(reason !== undefined && { reason }),
    ...(isWaiting && { waiting: toWait(entries, parked) }),
    stats: isWaiting ? countTurn(entries) : turn.stats,
    startedAt,
    endedAt,
  });
}

/** Failure: `turn_not_found`. */
export function readTurnInfo(context: EngineContext, asked: number): Result<TurnInfo> {
  const read = readTurn(context, asked);
  if (!read.ok) return read;
  const { reason: end, notice, ...report } = read.value;
  const n = context.log.turn(asked)!.more.into ?? asked;
  return ok({
    turn: toTurnId(context.host.session, n),
    ...report,
    ...(end !== undefined && { end }),
    ...(notice !== null && { notice }),
    ...findReplayability(context, n),
  });
}

const EMPTY = { answer: null, notice: null };

/** The final entry, and the one before it: a notice may follow a closing or an unfinished answer. */
function readEnd(entries: Entry[], { n, final }: TurnRow): Pick<TurnReport, "answer" | "notice"> {
  const answer = entries.findLast((entry) => entry.kind === "assistant" && entry.turn === n);
  const notice = entries.findLast((entry) => entry.kind === "notice" && entry.n === final);
  return { answer: answer ? textOf(answer) : null, notice: notice ? textOf(notice) : null };
}

function toWait(entries: Entry[], parked: NonNullable<TurnRow["more"]["parked"]>): RunWait {
  const asked = entries.findLast((entry) => entry.kind === "notice" && entry.asked?.id === parked.id);
  const question = asked?.kind === "notice" ? (asked.asked ?? null) : null;
  const { for: kind, id, since, until } = parked;
  return { for: kind, id, since, until, text: asked ? textOf(asked) : "", question };
}
