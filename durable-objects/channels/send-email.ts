// Sends e-mails by the deployment's binding `EMAIL` (Cloudflare Email Service), and says what its errors mean. Called by open-channel.ts.
import type { OutgoingEmail, PlatformDeps, SendFailure } from "../../core/channels/platform.ts";
import { clip } from "../../core/clip.ts";
import { err, messageOf, ok } from "../../core/errors.ts";

/** [own] The service names no time. */
const WAIT_MS = 60_000;

/** `undefined`: the deployment has no such binding. */
export function createEmailSender(binding: SendEmail | undefined): PlatformDeps["sendEmail"] {
  if (!binding) return undefined;
  return async (mail) => {
    try {
      const { messageId } = await binding.send(toMessage(mail));
      return ok({ id: messageId ?? null });
    } catch (error) {
      return toFailure(error);
    }
  };
}

function toMessage({ from, to, replyTo, subject, text, html, headers, files }: OutgoingEmail): EmailMessageBuilder {
  return {
    ...{ from, to, subject, text, headers },
    ...(html !== "" && { html }),
    ...(replyTo !== undefined && { replyTo }),
    attachments: files.map(({ name, mediaType, bytes }) => ({
      ...{ disposition: "attachment" as const, filename: name, type: mediaType, content: bytes },
    })),
  };
}

/** Codes: https://developers.cloudflare.com/email-service/api/send-emails/workers-api/#error-codes. Without one, the way there broke. */
function toFailure(error: unknown) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const detail = clip(messageOf(error), 200);
  if (/RATE_LIMIT|DAILY_LIMIT/.test(code)) {
    return fail("channel_rate_limited", "The e-mail service asks for slower sending.", { retryAfterMs: WAIT_MS });
  }
  if (code === "" || /INTERNAL|DELIVERY_FAILED/.test(code)) {
    return fail("channel_unavailable", `The e-mail service failed: ${detail}`, { maybeSent: true });
  }
  return fail("channel_refused", `The e-mail service refused the message: ${detail}`);
}

function fail(code: SendFailure, message: string, facts?: Record<string, unknown>) {
  return err(code, message, facts);
}
