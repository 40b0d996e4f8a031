// A client that follows a turn across every kill with `Last-Event-ID`. Its text at the end must equal the log's. Called by turns.ts.
import type { Client } from "../../cli/connection/client.ts";

export interface TurnReading {
  /** Displayed text, by entry. */
  texts: Map<number, string>;
  ended: boolean;
  remarks: string[];
}

export async function followTurn(
  client: Client,
  message: { session: string; text: string; key: string; signal: AbortSignal },
  reading: TurnReading,
): Promise<void> {
  const { session, text: asked, key, signal } = message;
  for await (const { event } of client.streamMessage(session, asked, { key, signal })) {
    if (event.type === "entry_start") reading.texts.set(event.entry, "");
    if (event.type === "entry_restart") reading.texts.delete(event.entry);
    if (event.type === "text_delta") {
      const before = reading.texts.get(event.entry) ?? "";
      if (before.length !== event.offset) {
        reading.remarks.push(
          `entry ${event.entry}: had ${before.length} characters and was sent those from ${event.offset}`,
        );
      }
      reading.texts.set(event.entry, before.slice(0, event.offset) + event.text);
    }
    if (event.type === "turn_end") reading.ended = true;
  }
}
