// The outcome of one queue message, and how it is settled with the platform. Used by the review and the curator Worker.

export type Settlement = { act: "ack" } | { act: "retry"; delaySeconds: number };

export const ACK: Settlement = { act: "ack" };

export function retryAfter(delayMs: number): Settlement {
  return { act: "retry", delaySeconds: toSeconds(delayMs) };
}

export function settleMessage(message: Message, settlement: Settlement): void {
  if (settlement.act === "ack") message.ack();
  else message.retry({ delaySeconds: settlement.delaySeconds });
}

/** Rounded up; a time in the past is 0. */
export function toSeconds(ms: number): number {
  return Math.max(0, Math.ceil(ms / 1_000));
}
