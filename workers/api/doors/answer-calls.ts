// Hands the results of the client's own tools to the turn that waits for them, and shows what follows. The ids of the calls name the
// session and the turn. Called by open-turn.ts.
import { parseClientCallId } from "../../../core/schemas/sessions/client-part.ts";
import { AppError, unwrap } from "../problems.ts";
import type { SessionRpc } from "../sessions/session-rpc.ts";
import type { DoorEvent, DoorMessage, TurnPlace } from "./contract.ts";
import { followTurn } from "./follow-turn.ts";

type ToolMessage = Extract<DoorMessage, { role: "tool" }>;

/** The turn that made the calls. `null`: these are calls of another harness. Throws `call_unknown` if only some are ours. */
export function findCallPlace(results: ToolMessage[]): TurnPlace | null {
  const places = results.map(({ callId }) => parseClientCallId(callId));
  const [first] = places;
  if (places.every((place) => place === null)) return null;
  const stranger = results.find((_, at) => places[at]?.session !== first?.session || places[at]?.turn !== first?.turn);
  if (!first || stranger) {
    const id = (stranger ?? results[0]!).callId.slice(0, 80);
    throw new AppError(
      "call_unknown",
      `The call '${id}' is not of the same answer as the others. Send the results of one answer.`,
    );
  }
  return { session: first.session, turn: first.turn };
}

/** The same results again change nothing, and show the same. */
export async function answerCalls(
  session: SessionRpc,
  { turn }: TurnPlace,
  results: ToolMessage[],
): Promise<AsyncIterable<DoorEvent>> {
  const given = results.map(({ callId, text, failed }) => ({ callId, text, ...(failed && { failed }) }));
  unwrap(await session.answerClient(given));
  const ids = new Set(results.map(({ callId }) => callId));
  const after = (event: DoorEvent["event"]) =>
    event.type === "turn_park" && event.question.for === "client" && event.question.calls.some(({ id }) => ids.has(id));
  return followTurn(session, { turn, after });
}
