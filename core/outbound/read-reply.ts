// Reads a reply's body within limits of size and content type. Called by outbound.ts and redirects.ts. Must never buffer more than
// twice the limit and one piece.
import { type Result, err, ok } from "../errors.ts";

/** Of the buffer of a reply that is at least one byte long. */
const FIRST_BYTES = 16 << 10;

export interface ReplyLimits {
  maxBytes: number;
  contentTypes: readonly string[] | undefined;
  signal: AbortSignal;
}

/** Failures: `content_type_refused` (of a 2xx reply), `reply_too_large`. Rejects when the signal aborts or the connection breaks. */
export async function readReply(response: Response, limits: ReplyLimits): Promise<Result<Uint8Array>> {
  const { maxBytes, contentTypes, signal } = limits;
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (response.ok && contentTypes && !contentTypes.some((accepted) => matchesType(type, accepted))) {
    discardBody(response);
    const found = type === "" ? "without a content type" : `of type ${type.slice(0, 100)}`;
    return err("content_type_refused", `The reply is ${found}. Accepted: ${contentTypes.join(", ")}.`, { type });
  }
  // The header is the compressed size, so it can only show that a reply is too large.
  if (response.body && Number(response.headers.get("content-length")) > maxBytes) {
    discardBody(response);
    return tooLarge(maxBytes);
  }
  const reader = response.body?.getReader();
  let bytes = new Uint8Array(0);
  let size = 0;
  while (reader) {
    const { done, value } = await awaitUnlessAborted(reader.read(), signal, () => undefined).catch((error: unknown) => {
      void reader.cancel().catch(() => undefined); // the connection may be gone already
      throw error;
    });
    if (done) break;
    if (size + value.byteLength > maxBytes) {
      void reader.cancel().catch(() => undefined); // the connection may be gone already
      return tooLarge(maxBytes);
    }
    // Copied, not kept: a piece of one byte may hold a buffer of 4 KB.
    bytes = withRoom(bytes, size, value.byteLength, maxBytes);
    bytes.set(value, size);
    size += value.byteLength;
  }
  return ok(bytes.subarray(0, size));
}

/** Closes a body that nobody reads. */
export function discardBody({ body }: Response): void {
  void body?.cancel().catch(() => undefined); // the connection may be gone already
}

/** Rejects as soon as the signal aborts, even if the work ignores it. `late` gets what the abandoned work resolves to. */
export function awaitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | null | undefined,
  late: (value: T) => void,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      work.then(late, () => undefined);
      reject(new DOMException("The request was aborted.", "AbortError"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
  });
}

function matchesType(type: string, accepted: string): boolean {
  return accepted.endsWith("/*") ? type.startsWith(accepted.slice(0, -1)) : type === accepted;
}

function tooLarge(maxBytes: number): Result<never> {
  return err("reply_too_large", `The reply is larger than ${maxBytes} bytes.`, { maxBytes });
}

/** `bytes` with room for `more` after the first `size`: the same, or a copy of twice the length. */
function withRoom(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
  more: number,
  maxBytes: number,
): Uint8Array<ArrayBuffer> {
  if (size + more <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(2 * bytes.length, size + more, FIRST_BYTES)));
  larger.set(bytes.subarray(0, size));
  return larger;
}
