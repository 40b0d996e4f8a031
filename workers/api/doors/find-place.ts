// Where in the profile's sessions a request goes on: the turn that its history ends with, as far as the profile knows the conversation.
// Compares what the client says was answered with what the session answered. Called by open-turn.ts. Changes nothing.
import type { Sha256 } from "../../../core/schemas/ids.ts";
import type { Learning } from "../../../core/schemas/api.ts";
import type { Exchange } from "../../../core/session/readers/exchange.ts";
import type { DoorTurnRow } from "../../../durable-objects/conversations/conversation-rows.ts";
import { unwrap } from "../problems.ts";
import type { SessionRpc } from "../sessions/session-rpc.ts";
import type { TurnPlace } from "./contract.ts";
import { type Position, isFurther, isSameAnswer } from "./history.ts";

export interface Place extends TurnPlace {
  /** How many messages of the request the session knows. */
  known: number;
  /** The session has gone on since. */
  isPast: boolean;
  /** The row of the turn, if the turn has ended. */
  ended?: number | undefined;
}

export interface PlaceAsked {
  rows: DoorTurnRow[];
  positions: Position[];
  learning: Learning;
  guidance: Sha256 | null;
  open(session: string): SessionRpc;
}

/** Sessions that are asked. More than these have had the same conversation only where a client sends the same again and again. */
const MAX_ASKED = 8;

/** `null`: the profile knows nothing of this history. The longest known part counts, then a session that is exactly there, then one
 * whose answer still streams: its log does not have the text that the person stopped reading. */
export async function findPlace({ rows, positions, learning, guidance, open }: PlaceAsked): Promise<Place | null> {
  let left = MAX_ASKED;
  for (const { chain, answer, next } of positions.toReversed()) {
    const plans = rows.filter((row) => row.chain === chain && row.plan.learning === learning);
    const fits = ({ plan }: DoorTurnRow) => Number(plan.guidance === guidance);
    const fitting = plans.toSorted((a, b) => fits(b) - fits(a));
    let past: Place | null = null;
    let running: Place | null = null;
    for (const { id, plan } of fitting) {
      const { session, key } = plan;
      if (left-- <= 0) return past ?? running;
      const read = await open(session).readExchange({ key });
      // Deleted meanwhile, or the message was never posted.
      if (!read.ok && (read.failure.code === "session_not_found" || read.failure.code === "turn_not_found")) continue;
      const exchange = unwrap(read);
      const ended = hasEnded(exchange) ? id : undefined;
      const place = { session, turn: exchange.turn, known: next, isPast: hasGoneOn(exchange), ended };
      if (!isSameAnswer(answer, exchange)) {
        if (exchange.state === "running" && isFurther(answer, exchange)) running ??= place;
        continue;
      }
      if (!place.isPast) return place;
      past ??= place;
    }
    if (past ?? running) return past ?? running;
  }
  return null;
}

/** A turn that has not ended cannot be branched: what follows waits for it, or answers it. */
export function hasGoneOn(exchange: Exchange): boolean {
  return exchange.newest > exchange.turn && hasEnded(exchange);
}

function hasEnded({ state }: Exchange): boolean {
  return state === "done" || state === "failed" || state === "stopped";
}
