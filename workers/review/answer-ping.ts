// Answers a message of `POST /v1/doctor` with a mark in R2, which shows that the queue leads to this Worker. Called by index.ts.
import { messageOf } from "../../core/errors.ts";
import { DoctorPing, type WorkerMark } from "../../core/schemas/doctor.ts";
import packageJson from "../../package.json" with { type: "json" };
import { keyOf } from "../../stores/keys.ts";

export interface PingOptions {
  bucket: { put(key: string, value: string): Promise<unknown> };
  model: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** False: it is not such a message. After `until` nobody waits, and nothing is written that nobody would remove. Never throws. */
export async function answerPing(body: unknown, { bucket, model, now }: PingOptions): Promise<boolean> {
  const ping = DoctorPing.safeParse(body);
  if (!ping.success) return false;
  if (now >= ping.data.until) return true;
  const mark: WorkerMark = { v: 1, version: packageJson.version, at: now, model };
  try {
    await bucket.put(keyOf("doctorMark", { ping: ping.data.ping }), JSON.stringify(mark));
  } catch (error) {
    console.log(JSON.stringify({ event: "ping_failed", message: messageOf(error) }));
  }
  return true;
}
