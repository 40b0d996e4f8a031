// Parses a server-sent event stream into agent events. Used by client.ts; socket.ts shares its types. Must never yield an
// incomplete event.
import { AgentEvent } from "../core/schemas/entry.ts";

export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** `id` is sent as `Last-Event-ID` when the stream is opened again. */
export interface StreamedEvent {
  id: string;
  event: AgentEvent;
}

/** The server violated the protocol; a retry would not help. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** The agent events of a response body, in order. Unknown types are skipped. */
export async function* readAgentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  for await (const message of parseEventStream(body)) {
    if (!isKnownType(message.event)) continue;
    yield { id: message.id, event: parseEvent(message) };
  }
}

/** The event stream format of the HTML standard: any line ending, comments, several data lines, ids that stay. */
export async function* parseEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let id = "";
  let event = "";
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) yield { id, event: event || "message", data: data.join("\n") };
      event = "";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
  }
}

const KNOWN_TYPES = new Set<string>(AgentEvent.options.map((option) => option.shape.type.value));

/** A newer server may send types that this client does not know. */
export function isKnownType(type: string): boolean {
  return KNOWN_TYPES.has(type);
}

function parseEvent({ event, data }: ServerEvent): AgentEvent {
  try {
    return AgentEvent.parse(JSON.parse(data));
  } catch (cause) {
    throw new ProtocolError(`A malformed ${event} event: ${data.slice(0, 200)}`, { cause });
  }
}

/** Yields complete lines only. The rest of a broken stream is dropped. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  // Drops a leading byte order mark, as the standard asks.
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A carriage return at the end may be the first half of CR LF, so it stays in the rest.
      const parts = rest.split(/\r\n|\n|\r(?!$)/);
      rest = parts.pop() ?? "";
      yield* parts;
    }
  } finally {
    // The connection may be closed already.
    await reader.cancel().catch(() => {});
  }
}
