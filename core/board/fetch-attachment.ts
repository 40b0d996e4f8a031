// A file for a card, from an address. Its bytes are nobody's word, whoever names the address. Called by workers/api. Never throws.
import { type Result, err, ok } from "../errors.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { MAX_ATTACHMENT_BYTES } from "./attach.ts";

const TIMEOUT_MS = 60_000;

/** Failures: `url_refused` (a private or unusual address), `attachment_too_large`, `attachment_unreachable`. None contains the address. */
export async function fetchAttachment(
  outbound: Pick<Outbound, "request">,
  url: string,
  signal: AbortSignal,
): Promise<Result<{ mediaType: string; bytes: Uint8Array }>> {
  const reply = await outbound.request(url, { signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ATTACHMENT_BYTES });
  if (!reply.ok) {
    const { code, message } = reply.failure;
    if (code === "url_refused") return reply;
    if (code === "reply_too_large") {
      return err("attachment_too_large", `An attachment has at most ${MAX_ATTACHMENT_BYTES >> 20} MiB.`);
    }
    return err("attachment_unreachable", `${message} Nothing was attached.`);
  }
  const { status, headers, bytes } = reply.value;
  if (status < 200 || status > 299) {
    return err("attachment_unreachable", `The address answered with the status ${status}. Nothing was attached.`);
  }
  return ok({ mediaType: headers.get("content-type") ?? "application/octet-stream", bytes });
}
