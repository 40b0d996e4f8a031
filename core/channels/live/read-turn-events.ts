// Reads a session's server-sent events as they come. Called by durable-objects/channels/follow.ts.
import { AgentEvent } from "../../schemas/entry.ts";

/** [own] A longer line is no event of a session. */
const MAX_LINE_CHARS = 4 << 20;

/** Ends with the stream, or when the signal aborts. What does not parse is left out: a newer version may send it. */
export async function* readTurnEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const reader = stream.getReader();
  const leave = () => void reader.cancel().catch(() => undefined); // the other side may have ended it
  signal.addEventListener("abort", leave, { once: true });
  const utf8 = new TextDecoder();
  let rest = "";
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + utf8.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      if (rest.length > MAX_LINE_CHARS) return;
      for (const line of lines) {
        const event = line.startsWith("data: ") ? parse(line.slice("data: ".length)) : null;
        if (event) yield event;
      }
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

function parse(data: string): AgentEvent | null {
  try {
    return AgentEvent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null; // not JSON
  }
}
