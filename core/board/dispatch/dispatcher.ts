// Gives cards to workers: claims what can be claimed, begins a session for each claim, hears how its turn ends, and looks after runs of which
// nothing was heard. Every step can be repeated at any crash. Created by the Board object, which owns the alarm; runs over node:sqlite in tests.
import { clip } from "../../clip.ts";
import { type Failure, messageOf } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { RoleName } from "../../schemas/agenda/role.ts";
import { type CardRun, MAX_SUMMARY_CHARS } from "../../schemas/board/card.ts";
import type { SessionDelivery } from "../../schemas/channels/delivery.ts";
import { DAY_MS, type SessionId, fromTurnId } from "../../schemas/ids.ts";
import type { Board, RunEnd } from "../contract.ts";
import type { DispatchRow, DispatchRows } from "./dispatch-rows.ts";
import { type TurnEnd, isBudgetSpent, judgeEnd } from "./judge-end.ts";
import type { LookedAtTurn, WorkerPort } from "./worker-port.ts";

export interface DispatcherDeps {
  board: Board;
  rows: DispatchRows;
  clock: Clock;
  newSession(): SessionId;
  workers: WorkerPort;
  /** Asks the profile for room for `open` runs, before a claim and after runs have ended. Returns how many of them may be open. */
  takePlaces(open: number): Promise<number>;
  /** Something of the board has changed that no caller did. */
  changed(): void;
  report(what: string, error: unknown): void;
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;
/** [own] About five minutes: less than a claim holds. */
const MAX_TRIES = 8;
/** More than runs may be open. */
const PAGE = 200;
/** [own] As a rate limit's. */
const HOLD_MS = 5 * 60_000;
/** [own] */
const FORGET_MS = DAY_MS;

export function createDispatcher({ board, rows, clock, workers, ...deps }: DispatcherDeps) {
  const lanes = new Map<SessionId, Promise<void>>();
  /** What lanes failed with that their steps do not expect. */
  const broken: unknown[] = [];
  /** What the profile has granted; `null`: not asked, or given back. */
  let places: number | null = null;
  /** The profile knows how many runs are open. */
  let isTold = true;
  /** No card is claimed before: the profile's budget was spent. A new object tries once more. */
  let heldUntil = 0;
  /** Counts `noteRole`. */
  let rolesFound = 0;

  // ---- claims ----

  async function claim(): Promise<void> {
    for (;;) {
      const due = board.nextDue();
      if (due === null || due > clock.now() || clock.now() < heldUntil) return tellPlaces();
      places = await askPlaces(board.countRunning() + 1);
      if (board.countRunning() >= places || !claimOne()) return tellPlaces();
    }
  }

  /** The row comes first: a claim without one would be nobody's. */
  function claimOne(): boolean {
    const session = deps.newSession();
    rows.add(session, clock.now());
    const claimed = board.claimNext(session);
    if (!claimed) {
      rows.remove(session);
      return false;
    }
    rows.change(session, { run: claimed.run.id, card: claimed.card.id });
    changed();
    return true;
  }

  async function askPlaces(open: number): Promise<number> {
    isTold = true;
    return deps.takePlaces(open);
  }

  /** The profile's other boards get the places that are free. */
  async function tellPlaces(): Promise<void> {
    const open = board.countRunning();
    if (isTold && (places === null || open >= places)) return;
    await askPlaces(open);
    places = null;
  }

  function changed(): void {
    isTold = false;
    deps.changed();
  }

  // ---- steps ----

  async function carry(row: DispatchRow): Promise<void> {
    if (row.run === null) return adopt(row);
    try {
      if (row.step === "stop") await stop(row);
      else if (isOver(row)) rows.change(row.session, { step: "stop" });
      else if (row.step === "begin") await begin(row);
      else await nudge(row);
    } catch (error) {
      deps.report(`card ${row.card}: ${row.step}`, error);
      retry(row, messageOf(error));
    }
  }

  /** The object died while it claimed. */
  function adopt({ session }: DispatchRow): void {
    const run = board.listOpen().find((open) => open.session === session);
    if (run) rows.change(session, { run: run.id, card: run.card });
    else rows.remove(session);
  }

  async function begin(row: DispatchRow): Promise<void> {
    const run = board.findRun(row.run!)!;
    const shown = board.show(run.card);
    if (!shown.ok) return rows.remove(row.session);
    const asked = rolesFound;
    const begun = await workers.begin(run, shown.value, row.session);
    if (!begun.ok) {
      if (begun.failure.code !== "role_not_found") return refuse(row, begun.failure);
      // A role may have come between the question and its answer: nobody would say so again.
      if (rolesFound !== asked) return retry(row, begun.failure.message);
      return end(row, { how: "no_role", error: begun.failure.message }, { isQuiet: true });
    }
    board.noteTurn(run.id, begun.value);
    // Its turn may have ended meanwhile, or its card may have been cancelled.
    if (rows.find(row.session)?.step !== "begin") return;
    rows.change(row.session, { step: "work", posted: fromTurnId(begun.value).n, due: null, tries: 0 });
  }

  async function nudge(row: DispatchRow): Promise<void> {
    const posted = await workers.remind(board.findRun(row.run!)!, row.session);
    if (posted.ok) {
      if (rows.find(row.session)?.step !== "nudge") return;
      rows.change(row.session, { step: "nudged", posted: fromTurnId(posted.value).n, due: null, tries: 0 });
    } else if (isFinal(posted.failure)) end(row, { how: "handed_over", summary: row.said ?? "" }, { isQuiet: true });
    else retry(row, posted.failure.message);
  }

  async function stop(row: DispatchRow): Promise<void> {
    await workers.stop(row.session);
    rows.remove(row.session);
  }

  function refuse(row: DispatchRow, failure: Failure): void {
    if (isFinal(failure)) end(row, { how: "spawn_failed", error: failure.message }, { isQuiet: true });
    else retry(row, failure.message);
  }

  function retry(row: DispatchRow, reason: string): void {
    if (row.tries + 1 < MAX_TRIES) {
      const due = clock.now() + Math.min(BASE_RETRY_MS * 2 ** row.tries, MAX_RETRY_MS);
      return rows.change(row.session, { tries: row.tries + 1, due });
    }
    if (row.step === "stop") return rows.remove(row.session); // the run is over, so it can write nothing more
    if (row.step === "nudge") return end(row, { how: "handed_over", summary: row.said ?? "" }, { isQuiet: true });
    // An answer may have been lost, and then the session works.
    end(row, { how: "spawn_failed", error: reason }, { isQuiet: false });
  }

  /** `isQuiet`: nothing runs in the session. */
  function end(row: DispatchRow, how: RunEnd, { isQuiet }: { isQuiet: boolean }): void {
    if (row.run !== null) board.endRun(row.run, how);
    if (isQuiet) rows.remove(row.session);
    else rows.change(row.session, { step: "stop", due: clock.now(), tries: 0 });
    changed();
  }

  /** It has ended, or its card was deleted since. */
  function isOver({ run }: DispatchRow): boolean {
    return run !== null && board.findRun(run)?.endedAt !== null;
  }

  // ---- ends ----

  /** A turn of the session has ended. `turn`: a later one answers the reminder. */
  function hear(row: DispatchRow, turn: number, ended: TurnEnd, text: string): void {
    if (turn <= row.heard) return;
    isTold = false;
    if (isOver(row)) return rows.remove(row.session);
    if (isBudgetSpent(ended)) heldUntil = clock.now() + HOLD_MS;
    const how = judgeEnd(ended);
    if (how !== "said") return end(row, { how, error: text }, { isQuiet: true });
    const isFirst = row.heard === 0;
    if (!isFirst) return end(row, { how: "handed_over", summary: text || (row.said ?? "") }, { isQuiet: true });
    rows.change(row.session, {
      step: "nudge",
      heard: turn,
      said: clip(text, MAX_SUMMARY_CHARS),
      due: clock.now(),
      tries: 0,
    });
  }

  /** A run whose claim has expired: its end may have been lost on the way. */
  async function lookAfter(run: CardRun): Promise<void> {
    const row = run.session === null ? null : rows.find(run.session);
    if (!row || row.run !== run.id) {
      board.endRun(run.id, { how: "lost", error: "Nothing was heard of it until its claim expired." });
      return changed();
    }
    const looked = await look(row);
    if (isOver(row)) return;
    if (looked === "gone") return end(row, { how: "lost", error: "Its session was deleted." }, { isQuiet: true });
    if (looked !== "open") return hear(row, looked.turn, looked.ended, looked.text);
    board.extendClaim(run.id);
    if (board.listExpired(PAGE).some(({ id }) => id === run.id)) {
      end(row, { how: "timed_out", error: "The time of the run is over." }, { isQuiet: false });
    }
  }

  /** The steps that post have tries of their own. */
  async function look(row: DispatchRow): Promise<LookedAtTurn> {
    if (row.step === "begin" || row.step === "nudge") return "open";
    try {
      return await workers.look(row.session, row.posted);
    } catch (error) {
      deps.report(`card ${row.card}`, error);
      return "open"; // it is asked again while the run has time
    }
  }

  async function lookAfterAll(): Promise<void> {
    for (const run of board.listExpired(PAGE)) await lookAfter(run);
    for (const row of rows.all()) {
      // Its session was deleted: the end of its turn comes no more.
      const endedAt = row.run === null ? null : (board.findRun(row.run)?.endedAt ?? null);
      if (endedAt !== null && row.due === null && endedAt + FORGET_MS <= clock.now()) rows.remove(row.session);
    }
  }

  // ---- rounds ----

  function beginLanes(): void {
    const now = clock.now();
    for (const row of rows.all()) {
      if (row.due === null || row.due > now || lanes.has(row.session)) continue;
      const work = carry(row)
        .catch((error: unknown) => void broken.push(error))
        .finally(() => lanes.delete(row.session));
      lanes.set(row.session, work);
    }
  }

  async function round(): Promise<void> {
    while (board.releaseDue());
    await lookAfterAll();
    deps.changed();
    await claim();
    while (board.tidy());
    beginLanes();
  }

  return {
    /** Does what is due. Settles when nothing is due now. Rejects if the profile's places cannot be asked for, or nothing can be stored. */
    async run(): Promise<void> {
      await round();
      while (lanes.size > 0 && broken.length === 0) {
        await Promise.race(lanes.values());
        await round();
      }
      if (broken.length > 0) throw broken.splice(0)[0];
    },
    /** Once this has answered, it is stored. What it asks for is done by `run`. */
    takeDelivery({ session, turn, ended, text }: SessionDelivery): void {
      const row = rows.find(session);
      if (row && ended) hear(row, turn, ended, text);
    },
    /** The run was taken from its worker by a call. */
    stopRun({ session }: CardRun): void {
      if (session !== null) rows.change(session, { step: "stop", due: clock.now(), tries: 0 });
    },
    /** The profile has a role of this name: cards that waited for it can be claimed. */
    noteRole(role: RoleName): void {
      rolesFound++;
      while (board.releaseRole(role));
      deps.changed();
    },
    /** Runs may have ended by a call. */
    noteCall(): void {
      isTold &&= rows.all().length === 0;
    },
    /** The profile is to be told how many runs are open. */
    mustRun: (): boolean => !isTold,
    /** Milliseconds since 1970; `null`: nothing until something happens. */
    nextDue(): number | null {
      const dues = rows.all().flatMap(({ due }) => due ?? []);
      const isHeld = clock.now() < heldUntil;
      const ofBoard = [board.nextDue(isHeld ? 0 : (places ?? undefined)), isHeld ? heldUntil : null];
      return [...dues, ...ofBoard.filter((due) => due !== null)].reduce<number | null>(
        (first, due) => (first === null || due < first ? due : first),
        null,
      );
    },
  };
}

/** A failure that another try would meet again. */
function isFinal({ facts }: Failure): boolean {
  return facts?.isFinal === true;
}
