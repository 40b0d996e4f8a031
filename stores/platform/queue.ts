// The Queue port over a queue binding. Adds no behaviour.
import type { Queue as QueuePort } from "../../core/ports.ts";

export function toQueue<Message>(queue: Queue<Message>): QueuePort<Message> {
  return { send: async (message, options) => void (await queue.send(message, options)) };
}
