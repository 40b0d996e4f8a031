// Reads a reply's body within limits of size and content type. Called by outbound.ts and redirects.ts. Must never buffer more than the
// limit and one piece.
import { type Result, err, ok } from "../errors.ts";

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
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (reader) {
    const { done, value } = await awaitUnlessAborted(reader.read(), signal, () => undefined).catch((error: unknown) => {
      void reader.cancel().catch(() => undefined); // the connection may be gone already
      throw error;
    });
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      void reader.cancel().catch(() => undefined); // the connection may be gone already
      return tooLarge(maxBytes);
    }
    pieces.push(value);
  }
  return ok(join(pieces, size));
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

function join(pieces: Uint8Array[], size: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}
