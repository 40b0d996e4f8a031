// Server-sent events of a compatible endpoint, with a sign of life in silence. A client that leaves stops nothing: the turn goes on.

/** Proxies and clients take a longer silence for a broken connection. */
const SILENCE_MS = 15_000;

/** `ping`: what is sent in silence; a comment by default. */
export function toEventStream(events: AsyncIterable<string>, ping = ": still here\n\n"): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let timer: ReturnType<typeof setInterval> | undefined;
  let sentAt = Date.now();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (Date.now() - sentAt < SILENCE_MS || (controller.desiredSize ?? 0) <= 0) return;
        sentAt = Date.now();
        controller.enqueue(encoder.encode(ping));
      }, SILENCE_MS / 3);
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done) {
          clearInterval(timer);
          controller.close();
          return;
        }
        sentAt = Date.now();
        controller.enqueue(encoder.encode(next.value));
      } catch (error) {
        clearInterval(timer);
        controller.error(error);
      }
    },
    cancel() {
      clearInterval(timer);
      void iterator.return?.().catch(() => {}); // the session's object has gone
    },
  });
}

export function toSse(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function respondWithEvents(events: ReadableStream<Uint8Array>, headers: Record<string, string>): Response {
  // `no-transform`: a compressing proxy would buffer the events.
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(events, { headers: { ...type, ...headers } });
}
