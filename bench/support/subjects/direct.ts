// Calls the model server directly with the exact bytes that a subject sent for a turn. The difference to the subject's time is the
// subject's own overhead.
import { send } from "../http.ts";
import type { ScriptedModelServer } from "../model-server.ts";
import { type Order, withoutRecord } from "../orders.ts";
import type { Conversation, TurnTiming } from "./subject.ts";

export const FIRST_TEXT = /"content":"[^"]/;

/** Runs a turn and returns the bodies of the model calls that the subject made. */
export async function recordTurn(
  server: ScriptedModelServer,
  conversation: Conversation,
  order: Order,
): Promise<string[]> {
  await conversation.turn({ ...order, record: true });
  const { calls } = await server.take(order.run);
  if (calls.length !== order.steps + 1) {
    throw new Error(`a turn of ${order.steps} steps made ${calls.length} model calls`);
  }
  return calls.map((call) => withoutRecord(call.body));
}

/** Sends the calls one after another, as a turn does. */
export async function askDirectly(server: ScriptedModelServer, bodies: string[]): Promise<TurnTiming> {
  let firstMs: number | null = null;
  const began = performance.now();
  for (const body of bodies) {
    const answer = await send(`${server.baseUrl}/chat/completions`, {
      headers: { "content-type": "application/json", authorization: "Bearer none" },
      body,
      mark: FIRST_TEXT,
    });
    if (answer.status !== 200 || answer.firstMs === null) throw new Error(`the model server answered: ${answer.text}`);
    firstMs ??= answer.firstMs;
  }
  return { sentAt: performance.timeOrigin + began, firstMs: firstMs!, totalMs: performance.now() - began };
}
