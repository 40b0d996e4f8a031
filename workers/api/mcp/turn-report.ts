// Waits for the end of a turn and reports it: its state, and the answer or the reason why there is none. Reads the session's events to
// learn that something ended, and the session's detail to learn what. Stops nothing when the waiting ends.
import { fromTurnId } from "../../../core/schemas/ids.ts";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { TurnInfo } from "../../../core/schemas/api.ts";
import { type Entry, type JsonObject, textOf } from "../../../core/schemas/entry.ts";
import { AppError, unwrap } from "../problems.ts";
import type { SessionRpc } from "../sessions/session-rpc.ts";
import type { CallContext } from "./contract.ts";

/** How often a client that asked for progress is told that the turn still runs. */
const PROGRESS_MS = 10_000;
/** Pause before the events are opened again. They break off when the session's object restarts. */
const REOPEN_MS = 500;

interface Asked {
  n: number;
  /** 0: only look. */
  waitMs: number;
}

/** A turn, and the turn before it that waits for a person: until then no other turn begins. */
interface Seen {
  turn: TurnInfo;
  blocker?: TurnInfo;
}

/** Throws `session_not_found` and `turn_not_found`. */
export async function awaitTurn(session: SessionRpc, { n, waitMs }: Asked, context: CallContext): Promise<JsonObject> {
  const deadline = Date.now() + waitMs;
  let seen = await readTurn(session, n);
  while (isRunning(seen) && Date.now() < deadline && !context.signal.aborted) {
    await context.reportProgress(`The turn is ${seen.turn.state}.`);
    const step = Math.min(PROGRESS_MS, deadline - Date.now());
    const isOver = await waitForEvent(session, seen.turn.n, step, context.signal);
    seen = await readTurn(session, n);
    if (isOver && isRunning(seen)) await sleep(REOPEN_MS, context.signal);
  }
  return toReport(session, seen);
}

/** The turn, or the running turn that took in its message. */
async function readTurn(session: SessionRpc, n: number): Promise<Seen> {
  const detail = await session.detail();
  if (!detail) throw new AppError("session_not_found", NO_SESSION);
  const own = detail.turns.find((turn) => turn.n === n);
  const turn = own?.into === undefined ? own : detail.turns.find((other) => other.n === own.into);
  if (turn) {
    const blocker =
      turn.state === "queued" && detail.turns.find((other) => other.n < turn.n && isAwaitingPerson(other));
    return { turn, ...(blocker && { blocker }) };
  }
  throw new AppError(
    "turn_not_found",
    "The session has no such turn among its newest 100. Read older ones with search_sessions.",
  );
}

/** A turn that waits for sessions which it began goes on by itself. */
function isRunning({ turn: { state, parked }, blocker }: Seen): boolean {
  return !blocker && (state === "queued" || state === "running" || parked?.for === "children");
}

function isAwaitingPerson({ state, parked }: TurnInfo): boolean {
  return state === "parked" && parked !== undefined && parked.for !== "children";
}

/** Whether the events ended or said that the turn ended or was parked, before the time was over. */
async function waitForEvent(session: SessionRpc, n: number, waitMs: number, signal: AbortSignal): Promise<boolean> {
  const opened = await session.events({ turn: n });
  const events = unwrap(opened).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  let isLate = false;
  const stop = () => {
    isLate = true;
    void reader.cancel().catch(() => {}); // the session's object has gone
  };
  const timer = setTimeout(stop, waitMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return !isLate;
      if (value.event === "turn_end") return true;
      // An earlier question is among the events too, so the turn itself says whether it waits.
      if (value.event === "turn_park" && !isRunning(await readTurn(session, n))) return true;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    return !isLate; // the session's object restarts
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    void reader.cancel().catch(() => {}); // it has ended
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

async function toReport(session: SessionRpc, { turn, blocker }: Seen): Promise<JsonObject> {
  const { turn: id, state, reason, final } = turn;
  const about = { session: fromTurnId(id).session, turn: id, state };
  const { turn: waiting, parked } = blocker ?? turn;
  if (parked && isAwaitingPerson(blocker ?? turn)) {
    const until = new Date(parked.until).toISOString();
    const place = { ...(blocker && { after: waiting }), waits_for: parked.for, until };
    return { ...about, ...place, ...(await readQuestion(session, parked.id)) };
  }
  if (final === null) return { ...about, next: RUNNING_NEXT };
  const entries = await readEnd(session, final);
  const answer = entries.findLast((entry) => entry.kind === "assistant" && entry.turn === turn.n);
  const notice = entries.findLast((entry) => entry.kind === "notice" && entry.n === final);
  return {
    ...about,
    ...(reason !== undefined && { reason }),
    ...(answer && { answer: textOf(answer) }),
    ...(notice && { notice: textOf(notice) }),
  };
}

/** For clients of MCP, who know no routes. */
export const NO_SESSION = "There is no such session. search_sessions lists the sessions.";
const RUNNING_NEXT = "The turn goes on without you. Call get_turn with this turn to wait for its answer.";
const CLARIFY_NEXT = "Talaria asks this before it goes on. Answer with send_message in this session.";
const APPROVAL_NEXT =
  "A person must allow this call in Talaria's chat or API. Tell them, do not answer for them, and call get_turn with this turn later.";

/** What a parked turn waits for. Only the identifier is left once it was decided. */
async function readQuestion(session: SessionRpc, id: string): Promise<JsonObject> {
  const opened = await session.openApproval(id);
  if (!opened.ok) return { id, next: APPROVAL_NEXT };
  if (opened.value.kind === "clarify") return { id, questions: opened.value.questions, next: CLARIFY_NEXT };
  if (opened.value.kind === "file") return { id, path: opened.value.path, next: APPROVAL_NEXT };
  const { summary, reasons } = opened.value;
  return { id, summary, reasons, next: APPROVAL_NEXT };
}

/** The final entry, and the one before it: a notice may follow a closing answer. */
async function readEnd(session: SessionRpc, final: number): Promise<Entry[]> {
  return unwrap(await session.entryPage({ after: Math.max(0, final - 2), limit: 2 })).entries;
}
