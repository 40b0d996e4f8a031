// Reads a provider's refusal before its SDK does: each SDK keeps only the error shape its own provider sends, and the same wire
// is spoken by many who answer errors in another one. The adapters give `refuseErrors` to their SDK; stream-guard.ts makes a
// failure of what was refused. Never reads an endless body to its end.
import { parseBody } from "./error-reply.ts";

/** The provider said no. Has no `status` when it did so with a good one. */
export class ReplyRefused extends Error {
  override name = "ReplyRefused";
  readonly reply: { status?: number; headers?: Headers; body: unknown };

  constructor(reply: ReplyRefused["reply"]) {
    super("the provider refused"); // SDKs read an error's words, and think some mean a timeout
    this.reply = reply;
  }
}

/** A fetch that throws ReplyRefused for a reply that is an error. Other replies pass as they are. */
export function refuseErrors(fetchReply: typeof fetch): typeof fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetchReply(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    throw new ReplyRefused({ status, headers, body: parseBody(await readStart(response.body?.getReader())) });
  };
}

/** Of a reply that is an error no more is read than this. */
const MAX_ERROR_BODY_BYTES = 64_000;

/** What is left of a body, as far as it is worth reading, behind the text that was read of it; then it is closed. */
export async function readStart(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  decoder = new TextDecoder(),
  begun = "",
): Promise<string> {
  let text = begun;
  while (reader && text.length < MAX_ERROR_BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  void reader?.cancel().catch(() => undefined); // it had broken already
  return text;
}
