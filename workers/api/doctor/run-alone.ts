// One check-up of a deployment at a time, because it costs model calls that no budget counts. Used by POST /v1/doctor and by the test of a model.
import { keyOf } from "../../../stores/keys.ts";
import { AppError } from "../problems.ts";

/** A check-up that was cut off holds its lease no longer than this. Its checks end within 30 seconds. */
const LEASE_MS = 120_000;

let nextAt = 0;

/** `restMs`: until the next check-up of this isolate. Throws `doctor_busy`. */
export async function runAlone<T>(bucket: R2Bucket, restMs: number, run: () => Promise<T>): Promise<T> {
  const now = Date.now();
  if (now < nextAt) throw busy(nextAt - now);
  nextAt = now + LEASE_MS;
  const release = await takeLease(bucket, now);
  try {
    return await run();
  } finally {
    nextAt = Date.now() + restMs;
    await release();
  }
}

/** Over all isolates. A bucket that does not work refuses nobody: it is what the check-up will tell. */
async function takeLease(bucket: R2Bucket, now: number): Promise<() => Promise<void>> {
  const key = keyOf("doctorLease", {});
  const take = () => bucket.put(key, String(now), { onlyIf: { etagDoesNotMatch: "*" } });
  try {
    if (!(await take())) {
      const since = Number(await (await bucket.get(key))?.text());
      const left = since + LEASE_MS - now;
      if (left > 0) throw busy(left);
      await bucket.delete(key);
      await take();
    }
  } catch (error) {
    if (error instanceof AppError) {
      nextAt = 0;
      throw error;
    }
    return async () => {};
  }
  return async () => bucket.delete(key).catch(() => {}); // it expires
}

function busy(leftMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(Math.min(leftMs, 30_000) / 1_000));
  const detail = `Another check-up is running, or has just ended. Try again in ${retryAfterSeconds} seconds.`;
  return new AppError("doctor_busy", detail, { facts: { retryAfterSeconds } });
}
