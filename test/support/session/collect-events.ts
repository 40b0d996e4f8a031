// Reads server-sent events for tests.
import { AgentEvent } from "../../../core/schemas/entry.ts";

/** Reads the stream to its end and returns ids and events in order. */
export async function collect(stream: ReadableStream<Uint8Array>): Promise<{ id: string; event: AgentEvent }[]> {
  const text = await new Response(stream).text();
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const id = /^id: (.*)$/m.exec(block)?.[1] ?? "";
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? "";
      return { id, event: AgentEvent.parse(JSON.parse(data)) };
    });
}
