// Response bodies with server-sent events, which tests pass to an adapter in place of a server's response.
import type { Frame } from "./wire-script.ts";

/** `reset`: the connection breaks after the last frame. `hold`: the connection stays open and nothing more arrives. */
export function toSseBody(frames: Frame[], after: "end" | "reset" | "hold" = "end"): ReadableStream<Uint8Array> {
  return toBody(frames.map(toSse), after);
}

/** `setImmediate` if the runtime has it, because it is faster. */
const scheduleSoon = globalThis.setImmediate ?? setTimeout;

/** Each piece (text or bytes) is one chunk and arrives separately, as over a network. */
export function toBody(
  pieces: Iterable<string | Uint8Array>,
  after: "end" | "reset" | "hold" = "end",
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const rest = pieces[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      await new Promise<void>((resolve) => void scheduleSoon(resolve));
      const { done, value } = rest.next();
      if (!done) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      if (after === "reset") controller.error(new TypeError("terminated"));
      if (after === "end") controller.close();
      if (after === "hold") return new Promise(() => undefined);
    },
  });
}

export function toSse({ event, data }: Frame): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}
