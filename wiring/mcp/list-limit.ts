// Limits all pages of a list together: each page alone may be as large as any reply, and a server decides how many there are. Used by
// connection.ts, around the fetch of a connection.
import { OutboundError } from "../../core/outbound/outbound.ts";

type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface ListLimit {
  fetch: FetchLike;
  /** Call before a list is asked for. */
  reset(): void;
}

const LIST_REQUEST = /"method":"(?:tools|resources|prompts)\/list"/;
/** The package writes the method among the first fields of a request. */
const HEAD_CHARS = 200;

export function createListLimit(fetch: FetchLike, maxBytes: number): ListLimit {
  let left = maxBytes;
  return {
    reset: () => void (left = maxBytes),
    async fetch(url, init) {
      const response = await fetch(url, init);
      const isList = typeof init?.body === "string" && LIST_REQUEST.test(init.body.slice(0, HEAD_CHARS));
      if (!isList || !response.body) return response;
      const counted = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(piece, controller) {
            left -= piece.byteLength;
            if (left < 0)
              controller.error(new OutboundError({ code: "reply_too_large", message: "The list is too large." }));
            else controller.enqueue(piece);
          },
        }),
      );
      const { status, statusText, headers } = response;
      return new Response(counted, { status, statusText, headers });
    },
  };
}
