// The model server asked directly: the very bytes that a subject sent it for a turn, sent again without the subject. What is
// left of a subject's time after this is its own.
import { send } from "../http.ts";
import type { ScriptedModelServer } from "../model-server.ts";
import { type Order, withoutRecord } from "../orders.ts";
import type { Conversation, TurnTiming } from "./subject.ts";

export const FIRST_TEXT = /"content":"[^"]/;

/** The bodies of the calls that `order` makes of `conversation`'s subject. */
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

/** One call after the other, as a turn makes them. */
export async function askDirectly(server: ScriptedModelServer, bodies: string[]): Promise<TurnTiming> {
  let firstMs: number | null = null;
  const began = performance.now();
  for (const body of bodies) {
    const answer = await send(`${server.baseUrl}/chat/completions`, {
      headers: { "content-type": "application/json", authorization: "Bearer none" },
      body,
      mark: FIRST_TEXT,
    });
    if (answer.status !== 200 || answer.firstMs === null) throw new Error(`the model server said: ${answer.text}`);
    firstMs ??= answer.firstMs;
  }
  return { sentAt: performance.timeOrigin + began, firstMs: firstMs!, totalMs: performance.now() - began };
}
