// Reads a provider's refusal: each SDK knows only the error shape its own provider sends, and the same wire is spoken by many who
// answer errors in another one. sdk-request.ts sends through `refuseErrors`; stream-guard.ts makes a failure of what was
// refused. Never reads an endless body to its end.
import { parseBody } from "./error-reply.ts";
import type { GatheredPieces } from "../stream/read-ahead.ts";

/** The provider said no. Has no `status` when it did so with a good one. */
export class ReplyRefused extends Error {
  override name = "ReplyRefused";
  readonly reply: { status?: number; headers?: Headers; body: unknown };

  constructor(reply: ReplyRefused["reply"]) {
    super("the provider refused");
    this.reply = reply;
  }
}

/** A fetch that throws ReplyRefused for a reply that is an error. Other replies pass as they are. */
export function refuseErrors(fetchReply: typeof fetch): typeof fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetchReply(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    throw new ReplyRefused({ status, headers, body: parseBody(await readStart(piecesOf(response))) });
  };
}

/** Of a reply that is an error no more is read than this. */
const MAX_ERROR_BODY_BYTES = 64_000;

/** What is left of a body, as far as it is worth reading, behind the text that was read of it; then it is closed. */
export async function readStart(
  pieces: Pick<GatheredPieces, "next" | "close">,
  decoder = new TextDecoder(),
  begun = "",
): Promise<string> {
  let text = begun;
  while (text.length < MAX_ERROR_BODY_BYTES) {
    const read = await pieces.next(false);
    if (read === null) return text + decoder.decode();
    for (const piece of read) text += decoder.decode(piece, { stream: true });
  }
  pieces.close();
  return text;
}

function piecesOf({ body }: Response): Pick<GatheredPieces, "next" | "close"> {
  const reader = body?.getReader();
  return {
    async next() {
      const { done, value } = (await reader?.read()) ?? { done: true };
      return done ? null : [value!];
    },
    close: () => void reader?.cancel().catch(() => undefined), // it had broken already
  };
}
