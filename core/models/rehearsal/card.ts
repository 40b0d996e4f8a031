// Rehearsal at a card of a board: it does what the card asks for as if a person had written it, and completes the card with what it found. A card
// that it does not understand it leaves open, as any model may. Called by rehearsal.ts. Pure.
import type { ModelRequest } from "../../agent/contract.ts";
import type { Reply } from "./reply.ts";
import { callsSinceInput, offeredTools, readInput } from "./request.ts";

const CARD = /^Card c[0-9a-z]{12}: (.*)(?:\n\n([^]*))?$/;
/** What others add to a card. */
const ADDED = "<content>";

/** `null`: the request is not about a card. */
export function workOnCard(request: ModelRequest, work: (order: ModelRequest) => Reply): Reply | null {
  const [, title = "", rest = ""] = CARD.exec(readInput(request)) ?? [];
  if (title === "" || !offeredTools(request).has("board")) return null;
  const done = callsSinceInput(request);
  const last = done.at(-1);
  if (last?.call.name === "board") return { text: last.failed ? String(last.result.error) : "The card is done." };
  const [body = ""] = rest.split("\n\n");
  const order = body === "" || body.startsWith(ADDED) ? title : body;
  const reply = work(withInput(request, order));
  if (reply.calls || !last) return reply;
  return { text: "", calls: [["board", { action: "complete", summary: reply.text }]] };
}

function withInput(request: ModelRequest, order: string): ModelRequest {
  const input = readInput(request);
  const messages = request.messages.map((message) => (message.text === input ? { ...message, text: order } : message));
  return { ...request, messages };
}
