// Hands the results of the client's own tools to the turn that waits for them, and shows what follows. The ids of the calls name the
// session and the turn. Called by open-turn.ts.
import type { Result } from "../../../core/errors.ts";
import { AppError, unwrap } from "../problems.ts";
import type { SessionRpc } from "../sessions/session-rpc.ts";
import type { DoorEvent, DoorMessage, TurnPlace } from "./contract.ts";
import { followTurn } from "./follow-turn.ts";

type ToolMessage = Extract<DoorMessage, { role: "tool" }>;

const CALL_ID = /^call_([0-9A-HJKMNP-TV-Z]{26})_(\d{1,9})_(\d{1,9})_(\d{1,9})$/;

/** The turn that made the calls. `null`: these are calls of another harness. Throws `call_unknown` if only some are ours. */
export function findCallPlace(results: ToolMessage[]): TurnPlace | null {
  const places = results.map(({ callId }) => CALL_ID.exec(callId));
  const [first] = places;
  if (places.every((place) => place === null)) return null;
  const stranger = results.find((_, at) => places[at]?.[1] !== first?.[1] || places[at]?.[2] !== first?.[2]);
  if (!first || stranger) {
    const id = (stranger ?? results[0]!).callId.slice(0, 80);
    throw new AppError(
      "call_unknown",
      `The call '${id}' is not of the same answer as the others. Send the results of one answer.`,
    );
  }
  return { session: first[1]!, turn: Number(first[2]) };
}

/** The same results again change nothing, and show the same. */
export async function answerCalls(
  session: SessionRpc,
  { turn }: TurnPlace,
  results: ToolMessage[],
): Promise<AsyncIterable<DoorEvent>> {
  const given = results.map(({ callId, text, failed }) => ({ callId, text, ...(failed && { failed }) }));
  unwrap(await (session as unknown as ClientCalls).answerClient(given));
  const ids = new Set(results.map(({ callId }) => callId));
  const after = (event: DoorEvent["event"]) =>
    event.type === "turn_park" &&
    (event.question as { calls?: { id: string }[] }).calls?.some(({ id }) => ids.has(id)) === true;
  return followTurn(session, { turn, after });
}

interface ClientCalls {
  answerClient(results: { callId: string; text: string; failed?: boolean }[]): Promise<Result<{ turn: string }>>;
}
