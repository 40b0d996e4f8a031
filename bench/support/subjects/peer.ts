// Drives the peer over its WebSocket protocol, as its own client does. Each message carries the whole conversation, and the answer
// arrives in frames. The field names are those of `@cloudflare/ai-chat`.
import { randomUUID } from "node:crypto";
import { send } from "../http.ts";
import { toOrderText } from "../orders.ts";
import type { MeterReading } from "./ours.ts";
import type { Conversation, Subject, TurnTiming } from "./subject.ts";

interface ResponseFrame {
  type: string;
  id?: string;
  body?: string;
  done?: boolean;
  error?: boolean;
}

export function createPeer(url: string): Subject {
  return { name: "peer", open: () => openConversation(url) };
}

async function openConversation(url: string): Promise<Conversation> {
  const name = randomUUID();
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/agents/chat-agent/${name}`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  /** The conversation, which the peer's client keeps in the page. Here it is read from the server, outside the measurement. */
  const messages = async () =>
    JSON.parse((await send(`${url}/agents/chat-agent/${name}/get-messages`, { method: "GET" })).text) as object[];
  return {
    async turn(order) {
      const user = { id: randomUUID(), role: "user", parts: [{ type: "text", text: toOrderText(order) }] };
      return measure(socket, JSON.stringify({ messages: [...(await messages()), user] }));
    },
    meter: async () => JSON.parse((await send(`${url}/bench/${name}`, { method: "GET" })).text) as MeterReading,
    close: async () => socket.close(),
  };
}

function measure(socket: WebSocket, body: string): Promise<TurnTiming> {
  const id = randomUUID();
  return new Promise((resolve, reject) => {
    let firstMs: number | null = null;
    let sentAt = 0;
    const listener = ({ data }: MessageEvent) => {
      const frame = JSON.parse(String(data)) as ResponseFrame;
      if (frame.type !== "cf_agent_use_chat_response" || frame.id !== id) return;
      if (firstMs === null && frame.body?.includes('"text-delta"')) firstMs = performance.now() - sentAt;
      if (!frame.done && !frame.error) return;
      socket.removeEventListener("message", listener);
      if (frame.error || firstMs === null) reject(new Error(`a turn of the peer failed: ${String(data)}`));
      else resolve({ sentAt: performance.timeOrigin + sentAt, firstMs, totalMs: performance.now() - sentAt });
    };
    socket.addEventListener("message", listener);
    const request = { type: "cf_agent_use_chat_request", id, init: { method: "POST", body } };
    sentAt = performance.now();
    socket.send(JSON.stringify(request));
  });
}
