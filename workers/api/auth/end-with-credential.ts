// Ends an open stream when the credential that opened it is no longer good: revoked, expired, rotated, signed out. Authentication adds
// it to every streamed response, so no route can forget it.

/** With the isolate's memory of accepted keys (accepted-keys.ts), a stream ends within a minute. */
export const RECHECK_MS = 25_000;
/** A check that fails for another reason is repeated once. */
const MAX_FAILURES = 2;

/** `isGood` throws if it cannot say. The client sees the end of the stream, and the source that nobody reads it any more. */
export function endWithCredential(
  body: ReadableStream<Uint8Array>,
  isGood: () => Promise<boolean>,
  everyMs = RECHECK_MS,
): ReadableStream<Uint8Array> {
  const source = body.getReader();
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<{ done: true; value?: undefined }>();
  let failures = 0;
  async function check(): Promise<void> {
    const isStillGood = await isGood().catch(() => (++failures < MAX_FAILURES ? null : false));
    if (isStillGood) failures = 0;
    if (isStillGood !== false) return;
    leave();
    end({ done: true });
  }
  const timer = setInterval(() => void check(), everyMs);
  /** Idempotent. */
  function leave(): void {
    clearInterval(timer);
    source.cancel().catch(() => {}); // the source broke before
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await Promise.race([source.read(), hasEnded]).catch((error: unknown) => {
          clearInterval(timer);
          throw error;
        });
        if (!done) return controller.enqueue(value);
        clearInterval(timer);
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
