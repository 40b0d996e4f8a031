// The events of one exchange, from what a client sent to what it is shown: opened again when the session's object restarts, ended where the
// turn ends or waits for somebody. Called by open-turn.ts. Ending the iteration stops nothing.
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { AgentEvent } from "../../../core/schemas/entry.ts";
import { AppError, unwrap } from "../problems.ts";
import type { SessionRpc } from "../sessions/session-rpc.ts";
import type { DoorEvent } from "./contract.ts";

/** Pause before the events are opened again. They break off when the session's object restarts. */
const REOPEN_MS = 500;
/** How long the stream of a message that waits for another turn is silent before that turn is looked at. */
const LOOK_MS = 3_000;

export interface Followed {
  turn: number;
  /** The events, if they are open already. */
  opened?: ReadableStream<Uint8Array>;
  /** Skips the events up to and with the first for which this is true. */
  after?(event: AgentEvent): boolean;
}

/** Throws the AppErrors of `events`: the session or the turn is gone. */
export async function* followTurn(session: SessionRpc, { turn, opened, after }: Followed): AsyncGenerator<DoorEvent> {
  let last: string | undefined;
  let isSkipping = after !== undefined;
  let stream = opened;
  for (;;) {
    stream ??= unwrap(await session.events({ turn, ...(last !== undefined && { after: last }) }));
    const reader = read(stream);
    stream = undefined;
    try {
      for (;;) {
        const next = await (last === undefined ? within(reader.read(), LOOK_MS) : reader.read());
        if (next === "late") {
          const blocker = await findBlocker(session, turn);
          if (!blocker) continue;
          yield blocker;
          return;
        }
        if (next.done) break;
        const { event } = next.value;
        if (event.type !== "reasoning_delta") last = next.value.id;
        if (isSkipping) {
          isSkipping = !after!(event);
          continue;
        }
        yield next.value;
        if (isOver(event)) return;
      }
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The session's object restarts.
    } finally {
      reader.cancel();
    }
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
  }
}

/** Sessions that a turn began answer by themselves. */
export function isOver(event: AgentEvent): boolean {
  if (event.type === "turn_park") return event.question.for !== "children";
  return event.type === "turn_end" || (event.type === "notice_add" && event.code === "command_answer");
}

/** A turn before the message's own waits for the person: shown as if this one did. */
async function findBlocker(session: SessionRpc, turn: number): Promise<DoorEvent | null> {
  const { blocker } = unwrap(await session.readExchange({ turn }));
  if (!blocker) return null;
  const { turn: waiting, entry, question, text } = blocker;
  return { id: `${entry}.0`, event: { type: "turn_park", turn: waiting, entry, question, text } };
}

/** One `read` at a time; a read that was late is continued by the next. */
function read(stream: ReadableStream<Uint8Array>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  let pending: Promise<{ done: true } | { done: false; value: DoorEvent }> | null = null;
  return {
    read() {
      pending ??= reader.read().then(({ done, value }) => {
        pending = null;
        if (done) return { done };
        return { done, value: { id: value.id!, event: JSON.parse(value.data) as AgentEvent } };
      });
      return pending;
    },
    cancel: () => void reader.cancel().catch(() => {}), // it has ended
  };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), ms)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
