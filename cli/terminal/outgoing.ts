// Messages on their way to the server, in order. A lost server loses none: a message stays here, shown as unsent, and is sent again
// with the same idempotency key until the server answers. Used by the session view.
import { fromTurnId } from "../../core/schemas/ids.ts";
import type { BusyMode } from "../../core/schemas/settings.ts";
import { createBackoff } from "../connection/backoff.ts";
import type { AttachedImage } from "../image-file.ts";
import { type Client, ProblemError, UnreachableError } from "../connection/client.ts";
import type { WaitingLine } from "./view/screen.ts";
import { toUnreachable } from "../connection/http.ts";

export interface OutgoingMessage {
  /** As the person typed it. */
  text: string;
  images: AttachedImage[];
  busy: BusyMode | undefined;
  key: string;
  /** It began with a space, and does so again when it is put back. */
  isPrivate: boolean;
  /** Makes what is sent of the text, once, such as by sending the files that it names. */
  prepare?: ((session: string) => Promise<string>) | undefined;
  /** The server did not answer the last attempt. */
  isUnsent: boolean;
}

export interface OutgoingOptions {
  client: Pick<Client, "postMessage">;
  /** The session to post to; may make it. */
  session(): Promise<string>;
  /** A message was added, was not sent, or has left. */
  onChange(): void;
  onAccepted(message: OutgoingMessage, turn: number): void;
  /** The server refused it for good. */
  onRefused(message: OutgoingMessage, error: unknown): void;
  onLost(reason: Error): void;
  wait?: (ms: number) => Promise<void>;
}

export type Outgoing = ReturnType<typeof createOutgoing>;

export function createOutgoing(options: OutgoingOptions) {
  const waiting: OutgoingMessage[] = [];
  let isSending = false;
  let isClosed = false;

  async function post(message: OutgoingMessage): Promise<void> {
    const backoff = createBackoff({ reconnectMs: Infinity, ...(options.wait && { wait: options.wait }) });
    let text: string | undefined;
    while (!isClosed) {
      try {
        const session = await options.session();
        text ??= (await message.prepare?.(session)) ?? message.text;
        const { key, busy, images } = message;
        const { turn } = await options.client.postMessage(session, text, key, { busy, images });
        waiting.shift();
        return options.onAccepted(message, fromTurnId(turn).n);
      } catch (cause) {
        const error = toLoss(cause);
        if (!(error instanceof UnreachableError)) {
          waiting.shift();
          return options.onRefused(message, error);
        }
        message.isUnsent = true;
        options.onLost(error);
        options.onChange();
        await backoff.next(error);
      }
    }
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0 && !isClosed) {
      await post(waiting[0]!);
      options.onChange();
    }
    isSending = false;
  }

  return {
    add(message: Omit<OutgoingMessage, "key" | "isUnsent">): void {
      waiting.push({ ...message, key: crypto.randomUUID(), isUnsent: false });
      options.onChange();
      void sendAll();
    },
    messages: (): readonly OutgoingMessage[] => waiting,
    /** Ends the attempts. What was not sent stays readable. */
    close(): void {
      isClosed = true;
    },
  };
}

/** What the person reads of messages that the server has and no turn has begun with, and of those that it does not have. */
export function describeWaiting(accepted: OutgoingMessage[], outgoing: readonly OutgoingMessage[]): WaitingLine[] {
  const waits = accepted.map(({ text, busy }) => {
    const state = busy === "steer" ? "joins the running turn" : busy === "interrupt" ? "next" : "queued";
    return { state, text, isBad: false };
  });
  const sending = outgoing.map(({ text, isUnsent }, at) => {
    const state = isUnsent ? "not sent yet" : at === 0 ? "sending" : "to be sent";
    return { state, text, isBad: isUnsent };
  });
  return [...waits, ...sending];
}

/** A server that restarts answers with a status of 500 or more: the message waits for it. A refusal stays one. */
function toLoss(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  try {
    return toUnreachable(error, "");
  } catch (refusal) {
    return refusal;
  }
}
