// Reads a provider's refusal of any shape: an SDK knows only its own provider's, and compatible servers have others. sdk-request.ts
// sends through `refuseErrors`; stream-guard.ts turns the refusal into a failure. Must never read a body without limit.
import type { Fetch } from "../../ports.ts";
import { parseBody } from "./error-reply.ts";
import type { GatheredPieces } from "../stream/read-ahead.ts";

/** Thrown when the provider refused. Has no `status` if the refusal came with a good one. */
export class ReplyRefused extends Error {
  override name = "ReplyRefused";
  readonly reply: { status?: number; headers?: Headers; body: unknown };

  constructor(reply: ReplyRefused["reply"]) {
    super("the provider refused");
    this.reply = reply;
  }
}

/** Wraps a fetch: throws ReplyRefused for an error status. Other replies pass unchanged. */
export function refuseErrors(fetchReply: Fetch): Fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetchReply(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    throw new ReplyRefused({ status, headers, body: parseBody(await readStart(openPieces(response))) });
  };
}

/** Limit for reading the body of an error reply. */
const MAX_ERROR_BODY_BYTES = 64_000;

/** Reads the rest of a body after `begun`, up to MAX_ERROR_BODY_BYTES, then closes it. */
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

function openPieces({ body }: Response): Pick<GatheredPieces, "next" | "close"> {
  const reader = body?.getReader();
  return {
    async next() {
      const { done, value } = (await reader?.read()) ?? { done: true };
      return done ? null : [value!];
    },
    close: () => void reader?.cancel().catch(() => undefined), // the connection is already broken
  };
}
