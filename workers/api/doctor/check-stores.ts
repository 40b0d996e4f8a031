// Tries what is stored and sent: the bucket, the namespace, the queue to the review Worker and back, the cron trigger's last run. Each
// check removes what it wrote. Called by run-doctor.ts.
import type { Bucket } from "../../../core/ports.ts";
import { type DoctorLine, type DoctorPing, WorkerMark } from "../../../core/schemas/doctor.ts";
import { keyOf } from "../../../stores/keys.ts";
import { bad, good, warn } from "./lines.ts";

export interface DoctorStores {
  bucket: Bucket;
  kv: {
    put(key: string, value: string, options: { expirationTtl: number }): Promise<void>;
    get(key: string): Promise<string | null>;
    delete(key: string): Promise<void>;
  };
  queue: { send(message: DoctorPing): Promise<unknown> };
  /** Milliseconds since the epoch. */
  now(): number;
  wait(ms: number): Promise<void>;
  /** Of this Worker. */
  version: string;
  newPing(): string;
}

/** [cf] The shortest life of a key in KV. */
const MIN_TTL_S = 60;
const POLL_MS = 250;
const CRON_EVERY_MS = 60 * 60_000;
/** Two runs were left out. */
const CRON_LATE_MS = 2.5 * CRON_EVERY_MS;
const MAX_SKEW_MS = 5_000;

export const BUCKET_FIX = "Check the binding SKILLS and that the bucket exists; `npm run deploy` makes it.";
export const KV_FIX = "Check the binding MEMORY and that the namespace exists; `npm run deploy` makes it.";
export const QUEUE_FIX =
  "Check that talaria-review is deployed and consumes talaria-reviews; it may also be busy with a long review, so try again.";
export const CRON_FIX =
  "Check the cron trigger of talaria-curator; `npm run deploy` sets it, and `npm start` fires it.";

export async function checkBucket({ bucket, now, newPing }: DoctorStores): Promise<DoctorLine[]> {
  const key = keyOf("doctorMark", { ping: newPing() });
  const text = `talaria ${now()}`;
  try {
    const put = await bucket.put(key, text, { ifAbsent: true });
    const read = await (await bucket.get(key))?.text();
    if (read !== text) return [bad("R2", "what was written is not what was read", BUCKET_FIX)];
    if ((await bucket.put(key, text, { ifAbsent: true })) !== null)
      return [
        bad(
          "R2",
          "a write that must be refused was carried out: skills could be lost",
          "Use Cloudflare's R2, or the local stack of `npm start`.",
        ),
      ];
    return [good("R2", "write, read, refusal of a second write, deletion"), ...compareClocks(put, now())];
  } finally {
    await bucket.delete(key);
  }
}

function compareClocks(put: unknown, now: number): DoctorLine[] {
  const at = (put as { uploaded?: Date } | null)?.uploaded?.getTime();
  if (at === undefined) return [];
  const skew = Math.abs(at - now);
  return skew > MAX_SKEW_MS
    ? [
        warn(
          "clock of the store",
          `${Math.round(skew / 1_000)} s away from the Worker's`,
          "Set this machine's clock, such as with NTP.",
        ),
      ]
    : [];
}

export async function checkKv({ kv, now, newPing }: DoctorStores): Promise<DoctorLine> {
  const key = keyOf("doctorProbe", { ping: newPing() });
  const text = `talaria ${now()}`;
  try {
    await kv.put(key, text, { expirationTtl: MIN_TTL_S });
    const read = await kv.get(key);
    if (read === null) return warn("KV", "written, and not to be read yet", "KV may take a minute: check again.");
    return read === text
      ? good("KV", "write, read, deletion")
      : bad("KV", "what was written is not what was read", KV_FIX);
  } finally {
    await kv.delete(key);
  }
}

/** A message to the review Worker, which answers in the bucket. `ms`: how long to wait. */
export async function checkQueue(
  { bucket, queue, now, wait, newPing, version }: DoctorStores,
  ms: number,
): Promise<DoctorLine[]> {
  const ping = newPing();
  const key = keyOf("doctorMark", { ping });
  const began = now();
  const until = began + ms;
  try {
    await queue.send({ v: 1, kind: "ping", ping, until });
    while (now() < until) {
      const answer = await bucket.get(key);
      if (answer)
        return readAnswer(WorkerMark.parse(JSON.parse(await answer.text())), { version, took: now() - began });
      await wait(POLL_MS);
    }
    return [bad("queue", `no answer of the review Worker within ${ms / 1_000} seconds`, QUEUE_FIX)];
  } finally {
    await bucket.delete(key);
  }
}

function readAnswer(mark: WorkerMark, { version, took }: { version: string; took: number }): DoctorLine[] {
  return [
    good("queue", `to the review Worker and back in ${took} ms`),
    compareVersion("talaria-review", mark, version),
  ];
}

function compareVersion(worker: string, mark: WorkerMark, version: string): DoctorLine {
  const found = `${mark.version}, model ${mark.model}`;
  return mark.version === version
    ? good(`version of ${worker}`, found)
    : bad(
        `version of ${worker}`,
        `${found}; the api Worker is ${version}`,
        "Deploy all three Workers: `npm run deploy`.",
      );
}

export async function checkCron({ bucket, now, version }: DoctorStores): Promise<DoctorLine[]> {
  const stored = await bucket.get(keyOf("cron", {}));
  if (!stored) return [warn("cron", "has not run yet", `It runs each hour. If it does not: ${CRON_FIX}`)];
  const mark = WorkerMark.parse(JSON.parse(await stored.text()));
  const minutes = Math.max(0, Math.round((now() - mark.at) / 60_000));
  const found = `last run ${minutes} minutes ago`;
  const line = now() - mark.at > CRON_LATE_MS ? bad("cron", found, CRON_FIX) : good("cron", found);
  return [line, compareVersion("talaria-curator", mark, version)];
}
