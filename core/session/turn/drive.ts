// Drives the turns of a session: accepts inputs, pumps the queue one turn at a time, and reacts to stops and alarms. Called by
// the engine. A single pump runs in an object (`DriveState.pump`).
import type { LoopEnd } from "../../agent/loop.ts";
import type { EngineContext } from "../context.ts";
import { bookLate } from "../ledger.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { createRecall } from "../memory/recall.ts";
import type { Outbox } from "../outbox.ts";
import { collectNews } from "../prompt/collect-news.ts";
import type { LiveText } from "../readers/events.ts";
import { type AcceptedInput, acceptInput, beginQueuedTurn } from "./accept-input.ts";
import type { CurrentTurn, DriveState } from "./drive-state.ts";
import { endTurn } from "./end-turn.ts";
import { REDIRECTED, STOPPED, STUCK, toEnding } from "./endings.ts";
import { createSessionJournal } from "./journal/journal.ts";
import { renewLease } from "./lease.ts";
import { takeUpParked } from "./waiting/parked-turn.ts";
import { pauseTurn } from "./waiting/pause-turn.ts";
import { classifyPlatformError } from "./platform-error.ts";
import { takeUpTurn } from "./resume-turn.ts";
import { isInterrupted } from "./interrupted.ts";
import { runTurn } from "./run-turn.ts";
import { TurnEnded } from "./journal/turn-record.ts";

/** While a session is in use, its knowledge of changed skills and memory may be this old. */
const NEWS_MS = 60_000;

export type Driver = ReturnType<typeof createDriver>;

export function createDriver(context: EngineContext, outbox: Outbox) {
  const recall = createRecall(context);
  const drive: DriveState = {
    context,
    outbox,
    recall,
    begun: new Set(),
    current: null,
    pump: null,
    newsAt: -Infinity,
  };
  return {
    /** Inside the caller's transaction. */
    accept: (n: number, input: AcceptedInput): TurnRow => acceptInput(drive, n, input),
    /** Drives open turns, if none is being driven and none waits for the alarm. */
    kick: (): void => kick(drive),
    live: (): LiveText | null => drive.current?.journal.live() ?? null,
    isRunning: (): boolean => drive.current !== null,
    /** When something last came from a model or a tool of the turn that is driven; `null`: none is. */
    lastProgressAt: (): number | null => drive.current?.journal.lastProgressAt() ?? null,
    /** Ends a turn in a planned wait if a waiting message interrupts it. */
    redirect: (): void => redirectPaused(drive),
    /** Ends every open turn; queued ones never run. Returns their numbers. */
    stop: (): number[] => stopAll(drive),
    /** Ends one open turn. Turns behind it go on. */
    stopOne: (n: number): void => stopOne(drive, n),
    /** Aborts the running turn and writes nothing: the log is deleted as well. */
    end: (): void => abandon(drive),
    /** Call when the alarm fired. */
    onAlarm: (): void => onAlarm(drive),
  };
}

/** After a failed drive, in a planned wait and while parked only the alarm drives: requests would use up the turn's attempts. */
function kick(drive: DriveState): void {
  const { host, jobs } = drive.context;
  const row = jobs.get("drive");
  const isForAlarm = row && (row.tries > 0 || (row.job.kind === "drive" && row.job.paused));
  if (!isForAlarm || row.due <= host.clock.now()) startPump(drive);
}

function startPump(drive: DriveState): void {
  if (drive.pump) return;
  const mine = Symbol("pump");
  drive.pump = mine;
  drive.context.host.background(pump(drive, mine));
}

/** Drives open turns until none is left or one waits. */
async function pump(drive: DriveState, mine: symbol): Promise<void> {
  const { host, log, jobs } = drive.context;
  let isWaiting = false;
  try {
    for (let turn = log.openTurns()[0]; turn && !isWaiting && drive.pump === mine; turn = log.openTurns()[0]) {
      isWaiting = (await driveTurn(drive, turn)) === "waiting";
    }
  } catch (error) {
    if (drive.pump === mine) postpone(drive, error);
  } finally {
    if (drive.pump === mine) {
      drive.current?.journal.close();
      drive.current = null;
      drive.pump = null; // in the same tick as the last look at the queue, so that no kick falls between
    }
  }
  await jobs.arm({ exact: isWaiting }).catch((error) => host.report("arm", error));
}

/** The platform or a store failed. The turn stays open, and the alarm that was set before the drive resumes it. */
function postpone({ context, begun }: DriveState, error: unknown): void {
  const { host, log, jobs } = context;
  host.report("drive", error);
  begun.clear();
  try {
    const row = jobs.get("drive");
    if (row) jobs.retry(row);
    const turn = log.openTurns()[0];
    if (turn?.state === "running" && classifyPlatformError(error) === "memory") {
      log.putTurn({ ...turn, more: { ...turn.more, memoryStrikes: (turn.more.memoryStrikes ?? 0) + 1 } });
    }
  } catch (again) {
    host.report("postpone", again); // this object is ending: its successor resumes the turn when the lease expires
  }
}

/** `waiting`: the turn is in a planned wait or parked, and only the alarm or an answer drives it. */
async function driveTurn(drive: DriveState, open: TurnRow): Promise<"waiting" | "ended"> {
  const { context, outbox, recall } = drive;
  const { log } = context;
  if (open.more.cancelled) {
    endTurn(drive, beginQueuedTurn(drive, open).n, STOPPED);
    return "ended";
  }
  const turn = open.state === "parked" ? await takeUpParked(drive, open.n) : takeUp(drive, open);
  if (turn?.state !== "running") return log.turn(open.n)?.state === "parked" ? "waiting" : "ended";
  const journal = createSessionJournal(context, turn.n);
  const current: CurrentTurn = { turn: turn.n, journal, abort: new AbortController() };
  drive.current = current;
  try {
    const attempt = await runTurn(drive, turn, current);
    if ("ending" in attempt) endTurn(drive, turn.n, attempt.ending);
    else if (settle(drive, turn.n, attempt.end) === "waiting") return "waiting";
  } catch (error) {
    if (!(error instanceof TurnEnded)) throw error;
    if (error.late) bookLate(context, turn.n, [{ kind: "turn", ...error.late }]);
  } finally {
    current.mark?.clear();
    journal.close();
    if (drive.current === current) drive.current = null;
  }
  await context.jobs.arm();
  if (!context.host.replay) recall.sendTurn(turn.n);
  context.host.background(outbox.drain().then(() => lookForNews(drive)));
  return "ended";
}

/** Synchronous: a message that is accepted next finds the turn begun. */
function takeUp(drive: DriveState, open: TurnRow): TurnRow {
  return open.state === "queued" ? beginQueuedTurn(drive, open) : takeUpTurn(drive, open);
}

/** Ends the turn as its loop ended, or pauses it. An interrupting message does not wait for a pause to pass. */
function settle(drive: DriveState, n: number, end: LoopEnd): "waiting" | "ended" {
  const { log } = drive.context;
  const isRedirected = (end.state === "paused" || end.state === "parked") && isInterrupted(log, n);
  if (end.state === "parked") {
    if (isRedirected) endTurn(drive, n, REDIRECTED);
    // An answer that came already has the turn go on at once.
    const turn = log.turn(n)!;
    return turn.state === "parked" && !turn.more.parked?.over ? "waiting" : "ended";
  }
  if (end.state === "paused" && !isRedirected && pauseTurn(drive, n, end.failure, end.delayMs)) return "waiting";
  endTurn(drive, n, isRedirected ? { ...toEnding(end), ...REDIRECTED } : toEnding(end));
  return "ended";
}

/** Reads R2, so it does not run after every turn of a quick conversation. */
async function lookForNews(drive: DriveState): Promise<void> {
  const now = drive.context.host.clock.now();
  if (drive.context.host.replay || now - drive.newsAt < NEWS_MS) return;
  drive.newsAt = now;
  await collectNews(drive.context);
}

/** Also ends a turn that is parked: its question is withdrawn. */
function redirectPaused(drive: DriveState): void {
  const { log } = drive.context;
  const [running] = log.openTurns();
  const isWaiting = running?.more.pausedUntil !== undefined || running?.state === "parked";
  if (!running || !isWaiting || !isInterrupted(log, running.n)) return;
  endTurn(drive, running.n, REDIRECTED);
}

function stopAll(drive: DriveState): number[] {
  const { host, log } = drive.context;
  const open = log.openTurns();
  for (const turn of open) {
    if (turn.state === "queued") beginQueuedTurn(drive, turn);
    const running = drive.current?.turn === turn.n ? drive.current : null;
    endTurn(drive, turn.n, STOPPED);
    running?.abort.abort();
  }
  host.background(drive.outbox.drain());
  return open.map((turn) => turn.n);
}

/** A running or parked turn ends at once. A waiting one is marked: it begins and ends when its place comes. */
function stopOne(drive: DriveState, n: number): void {
  const { host, log } = drive.context;
  const turn = log.turn(n);
  if (turn?.state === "queued") {
    log.putTurn({ ...turn, more: { ...turn.more, busy: "queue", cancelled: true } });
    return;
  }
  if (!turn || !isOpen(turn)) return;
  const running = drive.current?.turn === n ? drive.current : null;
  endTurn(drive, n, STOPPED);
  running?.abort.abort();
  if (log.openTurns().length > 0) startPump(drive);
  host.background(drive.outbox.drain());
}

function abandon(drive: DriveState): void {
  const { current } = drive;
  drive.pump = drive.current = null;
  current?.abort.abort();
}

/** The lease expired. A live pump that makes progress gets a new one; a stuck turn ends; without a pump the turn resumes. */
function onAlarm(drive: DriveState): void {
  const { context, current } = drive;
  const { clock, settings } = context.host;
  const row = context.jobs.get("drive");
  if (!row || row.due > clock.now()) return;
  if (current && clock.now() - current.journal.lastProgressAt() > settings.turn.noProgressMs) {
    endTurn(drive, current.turn, STUCK);
    abandon(drive);
  }
  if (context.jobs.get("drive")) renewLease(context, row.tries);
  startPump(drive);
}
