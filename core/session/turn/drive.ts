// Drives turns: begins them, resumes what was cut off, runs the loop, pauses where only time helps. One turn at a time, one
// driver an object; the flag is in memory, because a second object of the same name cannot live.
import { type LoopEnd, runLoop } from "../../agent/loop.ts";
import type { ModelFailure } from "../../agent/contract.ts";
import { type Failure, ok } from "../../errors.ts";
import { NO_STATS, textOf } from "../../schemas/entry.ts";
import type { BusyMode } from "../../schemas/settings.ts";
import { mayInvoke } from "../../skills/invocation.ts";
import { type Command, parseCommand } from "./commands.ts";
import { compress, createContextKeeper } from "../compaction/compact.ts";
import type { EngineContext } from "../context.ts";
import { type Current, type DriveState, type Ending, endTurn } from "./end-turn.ts";
import { type LiveText, placeNotice } from "../readers/events.ts";
import { readHistory } from "../prompt/history.ts";
import { readInvocation, readRecalled, recordInvocation } from "./invoke.ts";
import { createSessionJournal } from "./journal.ts";
import { TurnEnded } from "./turn-record.ts";
import { bookLate, openBudget } from "../ledger.ts";
import type { TurnRow } from "../log.ts";
import { collectNews } from "../prompt/notes.ts";
import { toNotice } from "../prompt/notices.ts";
import type { Outbox } from "../outbox.ts";
import { obeyPending } from "./pending.ts";
import { classifyPlatformError } from "./platform-error.ts";
import { prepareTurn, refreshPrompt } from "./prepare-turn.ts";
import { createRecall } from "../memory/recall.ts";
import { answerRefine } from "../learning/refine.ts";
import { countDone, decideRestart } from "./restart.ts";
import { markServer } from "./server-mark.ts";
import { type CompactionOptions, SAVES_NOTHING } from "../compaction/shorten.ts";
import { spillResult } from "./spill.ts";
import type { SummaryCall } from "../compaction/summarise.ts";

const STOPPED: Ending = { state: "stopped", code: "stopped", text: "The turn was stopped." };
const REDIRECTED: Ending = { state: "stopped", code: "redirected", text: "The turn ended for the message after it." };
const STUCK: Ending = {
  state: "failed",
  code: "no_progress",
  text: "The turn was given up: nothing came from a model or a tool for too long.",
};

/** How old what a session knows of its profile's skills and memory may become while it is in use. */
const NEWS_MS = 60_000;

export function createDriver(context: EngineContext, outbox: Outbox) {
  const { host, log, jobs, hub } = context;
  const { sql, clock, settings } = host;
  const state: DriveState = { begun: new Set(), current: null };
  const recall = createRecall(context);
  /** The one pump that may go on. Another one that still hangs somewhere has been given up. */
  let pumping: symbol | null = null;
  let newsAt = -Infinity;

  /** Inside the caller's transaction. An input that finds a turn open waits for its end, or goes into it. */
  function accept(n: number, text: string, busy: BusyMode): TurnRow {
    const open = log.openTurns();
    const turn: TurnRow = {
      n,
      state: "queued",
      waiting: text,
      input: null,
      final: null,
      attempts: 0,
      stats: NO_STATS,
      startedAt: null,
      endedAt: null,
      more: {},
    };
    const running = open[0];
    // An order to the session itself is nothing to tell the running turn, nor to end it for.
    const mode = parseCommand(text) ? "queue" : busy;
    if (!running || mode !== "steer") recall.begin(n, text);
    if (!running) {
      jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" });
      return begin(turn);
    }
    const more = { busy: mode, since: clock.now(), ...(mode === "interrupt" && { interrupts: running.n }) };
    const queued = { ...turn, more };
    log.putTurn(queued);
    return queued;
  }

  /** Inside the caller's transaction: the input becomes an entry. */
  function begin(turn: TurnRow): TurnRow {
    const n = log.nextEntry();
    const startedAt = clock.now();
    const running: TurnRow = { ...turn, state: "running", waiting: null, input: n, attempts: 1, startedAt, more: {} };
    const parts = [{ source: "principal" as const, text: turn.waiting ?? "" }];
    const { since, interrupts } = turn.more;
    const waited = since !== undefined && { waited: { since, ...(interrupts !== undefined && { interrupts }) } };
    log.put({ v: 1, n, turn: turn.n, at: startedAt, kind: "user", parts, ...waited });
    log.putTurn(running);
    state.begun.add(turn.n);
    return running;
  }

  /** After a failed drive, and in a planned wait, only the alarm drives: who looks or posts would spend the turn's attempts. */
  function kick(): void {
    const row = jobs.get("drive");
    const waits = row && (row.tries > 0 || (row.job.kind === "drive" && row.job.paused));
    if (!waits || row.due <= clock.now()) drive();
  }

  function drive(): void {
    if (pumping) return;
    pumping = Symbol("pump");
    host.background(pump(pumping));
  }

  async function pump(mine: symbol): Promise<void> {
    let paused = false;
    try {
      for (let turn = log.openTurns()[0]; turn && !paused && pumping === mine; turn = log.openTurns()[0]) {
        paused = (await driveTurn(turn)) === "paused";
      }
    } catch (error) {
      if (pumping === mine) putOff(error);
    } finally {
      if (pumping === mine) {
        state.current?.journal.close();
        state.current = null;
        pumping = null; // in the same tick as the last look at the queue, so that no kick falls between
      }
    }
    await jobs.arm({ exact: paused }).catch((error) => host.report("arm", error));
  }

  /** The platform or a store failed. The turn stays open; the alarm, armed before the drive began, brings it back. */
  function putOff(error: unknown): void {
    host.report("drive", error);
    state.begun.clear();
    try {
      const row = jobs.get("drive");
      if (row) jobs.retry(row);
      const turn = log.openTurns()[0];
      if (turn?.state === "running" && classifyPlatformError(error) === "memory") {
        log.putTurn({ ...turn, more: { ...turn.more, memoryStrikes: (turn.more.memoryStrikes ?? 0) + 1 } });
      }
    } catch (again) {
      host.report("put off", again); // this object is ending: newer code takes the turn up at the lease's end
    }
  }

  async function driveTurn(open: TurnRow): Promise<"paused" | "ended"> {
    const turn = open.state === "queued" ? beginQueued(open) : takeUp(open);
    if (turn.state !== "running") return "ended";
    const current: Current = {
      turn: turn.n,
      journal: createSessionJournal(context, turn.n),
      abort: new AbortController(),
    };
    state.current = current;
    try {
      const end = await run(turn, current);
      if (end !== "ended") {
        // Who said something else meanwhile does not wait for what will then not be wanted.
        const isRedirected = end.state === "paused" && isInterrupted(turn.n);
        if (end.state === "paused" && !isRedirected && pause(turn.n, end.failure, end.delayMs)) return "paused";
        endTurn(context, state, turn.n, isRedirected ? { ...toEnding(end), ...REDIRECTED } : toEnding(end));
      }
    } catch (error) {
      if (!(error instanceof TurnEnded)) throw error;
      if (error.late) bookLate(context, turn.n, [{ kind: "turn", ...error.late }]);
    } finally {
      current.mark?.clear();
      current.journal.close();
      if (state.current === current) state.current = null;
    }
    await jobs.arm();
    recall.ended(turn.n);
    host.background(outbox.drain().then(lookForNews));
    return "ended";
  }

  /** It asks R2, so not after every turn of a quick conversation. */
  async function lookForNews(): Promise<void> {
    if (clock.now() - newsAt < NEWS_MS) return;
    newsAt = clock.now();
    await collectNews(context);
  }

  /** `ended`: a command did the work, and the turn has its last entry. */
  async function run(turn: TurnRow, current: Current): Promise<LoopEnd | "ended"> {
    const { journal, abort } = current;
    const models = host.models("turn");
    if (!models.ok) return { state: "failed", failure: models.failure, stats: NO_STATS };
    // An object may die between an input and its wake-up: a turn that a request took up is not driven without one.
    await jobs.arm();
    await outbox.look(() => state.current?.journal === journal);
    const request = textOf(log.entry(turn.input!)!);
    const keeping: CompactionOptions = {
      put: journal.put,
      noteActivity: journal.noteActivity,
      late: (calls) =>
        bookLate(
          context,
          turn.n,
          calls.map((call) => ({ kind: "compaction", ...call })),
        ),
      mayAsk: openBudget(context, turn, journal.spent).mayAsk,
      recalled: recall.beforeCompaction,
    };
    const command = parseCommand(request);
    if (command) {
      const ending = await obey(command, abort.signal, keeping);
      endTurn(context, state, turn.n, ending);
      return "ended";
    }
    const invoked = mayInvoke(request)
      ? await readInvocation(context, turn, request, models.value[0].contextWindow)
      : ok(null);
    if (!invoked.ok) {
      const { code, message: text } = invoked.failure;
      endTurn(context, state, turn.n, { state: "failed", code, text });
      return "ended";
    }
    const { server } = models.value[0];
    if (server !== undefined) current.mark = markServer(host, server);
    const { tools, system, learned } = await prepareTurn(context, turn, request, models.value[0]);
    const loading = invoked.value ?? (learned && (await readRecalled(context, turn, request, learned)));
    await recall.take(turn, request, journal.put);
    if (loading) recordInvocation(context, turn, loading, journal.put);
    return runLoop({
      models: models.value,
      tools,
      journal,
      system,
      history: readHistory(context, turn),
      limits: settings.turn,
      effort: settings.models.effort.turn,
      cacheKey: host.session,
      clock,
      random: host.random,
      signal: abort.signal,
      guardrails: { settings: settings.guardrails, attended: () => hub.isWatched() },
      isInterrupted: () => isInterrupted(turn.n),
      spill: async (place, text) => spillResult(context, place, text),
      context: createContextKeeper(context, turn.n, keeping),
      mayAsk: keeping.mayAsk,
    });
  }

  async function obey(command: Command, signal: AbortSignal, keeping: CompactionOptions): Promise<Ending> {
    if (command.name === "refine") return answerRefine(context, command.focus);
    if (command.name !== "compress" && command.name !== "refresh") return obeyPending(context, command);
    if (command.name === "refresh") {
      const models = host.models("turn");
      await refreshPrompt(context, models.ok ? models.value[0].contextWindow : undefined);
      return {
        state: "done",
        code: "refreshed",
        text: "The prompt was made again: skills, memory and files as they are now.",
      };
    }
    let compaction: SummaryCall[] = [];
    const failed = (calls: SummaryCall[]) => (compaction = calls);
    const done = await compress(context, command.focus, signal, { ...keeping, failed });
    if (!done.ok) {
      const { code, message: text } = done.failure;
      // The order was carried out; that it was of no use is its answer.
      return { state: SAVES_NOTHING.has(code) ? "done" : "failed", code, text, compaction };
    }
    const { before, after } = done.value;
    return {
      state: "done",
      code: "compressed",
      text: `The conversation was made shorter: from about ${before} to ${after} tokens.`,
    };
  }

  /** Readers are told here and nowhere else: one who comes to a turn that has begun finds its start in the log. */
  function beginQueued(queued: TurnRow): TurnRow {
    const turn = sql.transaction(() => begin(queued));
    hub.emit({
      at: { entry: turn.input!, offset: 0 },
      event: { type: "turn_start", turn: turn.n, entry: turn.input! },
    });
    return turn;
  }

  function takeUp(open: TurnRow): TurnRow {
    if (open.more.pausedUntil !== undefined) return unpause(open);
    return state.begun.has(open.n) ? open : resume(open);
  }

  /** The turn was cut off. A notice takes the number of the answer that was lost, so that no number means two texts. */
  function resume(open: TurnRow): TurnRow {
    const entries = log.entries(open.input!).filter((entry) => entry.turn === open.n);
    const resumed = decideRestart(open, entries, clock.now(), settings.turn);
    if (!resumed.ok) {
      endTurn(context, state, open.n, { state: "failed", code: resumed.failure.code, text: resumed.failure.message });
      return { ...open, state: "failed" };
    }
    const text = "The turn was interrupted and went on.";
    const notice = toNotice({ n: log.nextEntry(), turn: open.n, at: clock.now(), code: "resumed", text });
    sql.transaction(() => {
      log.dropBlocks();
      log.put(notice);
      log.putTurn(resumed.value);
      renewLease();
    });
    hub.emit(placeNotice(notice));
    state.begun.add(open.n);
    return resumed.value;
  }

  /** A planned wait, not a crash: it counts for nothing. */
  function unpause(open: TurnRow): TurnRow {
    const { pausedUntil: _, ...more } = open.more;
    const turn = { ...open, more };
    sql.transaction(() => {
      log.putTurn(turn);
      renewLease();
    });
    state.begun.add(open.n);
    return turn;
  }

  /** The tries stay: a drive that fails again waits longer. */
  function renewLease(): void {
    jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" }, jobs.get("drive")?.tries);
  }

  /**
   * No model of the chain answers now, but one may in a while: the isolate is left and the alarm comes back. False when
   * the turn has waited often enough, or is asked to wait too long.
   */
  function pause(n: number, failure: ModelFailure, delayMs: number | undefined): boolean {
    const turn = log.turn(n)!;
    const { pausesMs, maxPauseMs } = settings.turn;
    const done = countDone(state.current?.journal.entries() ?? []);
    const pauses = done > (turn.more.doneAtPause ?? 0) ? 0 : (turn.more.pauses ?? 0);
    const planned = pausesMs[pauses];
    if (turn.state !== "running" || planned === undefined || (delayMs ?? 0) > maxPauseMs) return false;
    const waitMs = Math.max(delayMs ?? 0, Math.round(planned * (1 + host.random() * 0.5)));
    const until = clock.now() + waitMs;
    state.current?.journal.abandon(failure);
    const text = `${failure.message} The turn goes on by itself in ${Math.round(waitMs / 1_000)} seconds.`;
    const notice = toNotice({ n: log.nextEntry(), turn: n, at: clock.now(), code: "paused", text });
    // The time of a planned wait is none without progress.
    const { fruitlessSince: _, ...more } = turn.more;
    sql.transaction(() => {
      log.put(notice);
      log.putTurn({ ...turn, more: { ...more, pauses: pauses + 1, doneAtPause: done, pausedUntil: until } });
      jobs.put("drive", until, { kind: "drive", paused: true });
    });
    hub.emit(placeNotice(notice));
    return true;
  }

  function isInterrupted(n: number): boolean {
    return log.openTurns().some((turn) => turn.more.interrupts === n);
  }

  return {
    accept,
    kick,
    live: (): LiveText | null => state.current?.journal.live() ?? null,
    isRunning: (): boolean => state.current !== null,

    /** An input that interrupts a turn which only waits for its time has nothing to wait for. */
    redirect(): void {
      const running = log.openTurns()[0];
      if (!running || running.more.pausedUntil === undefined || !isInterrupted(running.n)) return;
      endTurn(context, state, running.n, REDIRECTED);
    },

    /** Ends every open turn, the waiting ones unheard. Returns their numbers. */
    stop(): number[] {
      const open = log.openTurns();
      for (const turn of open) {
        if (turn.state === "queued") beginQueued(turn);
        const running = state.current?.turn === turn.n ? state.current : null;
        endTurn(context, state, turn.n, STOPPED);
        running?.abort.abort();
      }
      host.background(outbox.drain());
      return open.map((turn) => turn.n);
    },

    /** Nothing is written: the log goes as well. */
    end(): void {
      const { current } = state;
      pumping = state.current = null;
      current?.abort.abort();
    },

    /** The lease ran out. A live driver that gets on takes a new one; without one the turn was cut off. */
    onAlarm(): void {
      const row = jobs.get("drive");
      if (!row || row.due > clock.now()) return;
      const { current } = state;
      if (current && clock.now() - current.journal.lastProgressAt() > settings.turn.noProgressMs) {
        endTurn(context, state, current.turn, STUCK);
        current.abort.abort();
        state.current = null;
        pumping = null;
      }
      if (jobs.get("drive")) jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" }, row.tries);
      drive();
    },
  };
}

/** Null: the model has the last word, and its answer is whole. A turn in which nothing was said is never done. */
function toEnding(end: LoopEnd): Ending | null {
  switch (end.state) {
    case "done": {
      if (end.why === null) return null;
      const state = end.text.trim() === "" ? "failed" : "done";
      return { state, code: end.reason, text: end.why, answered: true };
    }
    case "stopped":
      return STOPPED;
    case "interrupted":
      return REDIRECTED;
    case "failed":
    case "paused": {
      const { code, message: text, spent }: Failure & Pick<ModelFailure, "spent"> = end.failure;
      return { state: "failed", code, text, ...(spent && { spent }) };
    }
  }
}
