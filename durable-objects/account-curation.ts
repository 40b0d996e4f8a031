// Exchanges costs and allowances with the curator Worker. That Worker cannot call objects, so both are records in R2: what its
// models spent, and what they may spend on a day with a limit. Also limits how often a person may request a curation. Called by
// the Account.
import { defaultCurationGrant } from "../core/learning/curation/work/grants.ts";
import { type Result, err, messageOf } from "../core/errors.ts";
import type { Bucket, Sql } from "../core/ports.ts";
import { CurationAllowance, CurationSpent } from "../core/schemas/learning/curation.ts";
import { type CurationId, DAY_MS, type ProfileId, dayOf, fromCurationId } from "../core/schemas/ids.ts";
import type { Grant } from "../core/schemas/learning/review.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { isLimited, toDayBudget } from "../core/schemas/usage.ts";
import { createCurationStore } from "../stores/curation/curation-store.ts";
import { keyOf, prefixOf, slotsOf } from "../stores/keys.ts";
import { deleteAll, listObjects, readRecord } from "../stores/objects.ts";
import type { AccountLedger } from "./account-ledger.ts";
import { type CuratedLook, tryCurated } from "./experiments/curated-texts.ts";

export const CURATION_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS curation_request (n INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT",
];

const HOUR_MS = 60 * 60_000;

interface ProfileLedger {
  bucket: Bucket;
  profile: ProfileId;
  ledger: AccountLedger;
}

/** What a requested run may spend: nothing, if the day has nothing left. `null`: there is no daily limit, or the run asks no models. */
export interface RunAllowance {
  allowance: { id: string; grant: Grant } | null;
}

/** `null`: the request is counted. Failure: `too_many_runs`, with the time until the next request is allowed. */
export function refuseRequest(sql: Sql, now: number, maxAnHour: number): Result<never> | null {
  const nextAt = sql.transaction(() => {
    sql.run("DELETE FROM curation_request WHERE at <= ?", now - HOUR_MS);
    const times = sql.run<{ at: number }>("SELECT at FROM curation_request ORDER BY n");
    if (times.length >= maxAnHour) return times[0]!.at + HOUR_MS;
    sql.run("INSERT INTO curation_request (at) VALUES (?)", now);
    return null;
  });
  if (nextAt === null) return null;
  const retryAfterSeconds = Math.max(1, Math.ceil((nextAt - now) / 1_000));
  const detail = `A profile may ask for ${maxAnHour} curations in an hour: ask again in ${retryAfterSeconds} seconds.`;
  return err("too_many_runs", detail, { retryAfterSeconds });
}

/** What a requested run may spend: an expired grant of nothing, if the day has nothing left. `null`: there is no daily limit. */
export function reserveRun(
  ledger: AccountLedger,
  settings: Settings,
  run: CurationId,
  now: number,
): { id: string; grant: Grant } | null {
  const day = toDayBudget(settings.budget);
  if (!isLimited(day)) return null;
  const id = `curation:${run}`;
  const grant = ledger.reserveCuration({ id, at: now, grant: defaultCurationGrant(settings, now), day });
  return { id, grant: grant ?? { tokens: 0, expiresAt: now } };
}

/** Call once on each day of use: books what the curator spent, allows what it may spend tomorrow, and has what it wrote tried. */
export async function beginDay(
  ledger: ProfileLedger,
  { env, settings, before, now }: Omit<CuratedLook, "profile">,
): Promise<void> {
  await collectQuietly(ledger, now);
  await putAllowance(ledger, settings, now);
  await tryCurated({ env, profile: ledger.profile, settings, before, now });
}

/** Writes what tomorrow's curation may spend. */
export async function putAllowance(
  { bucket, profile, ledger }: ProfileLedger,
  settings: Settings,
  now: number,
): Promise<void> {
  const day = toDayBudget(settings.budget);
  if (!isLimited(day)) return;
  const at = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const id = `curation:${dayOf(at)}`;
  const grant = ledger.reserveCuration({ id, at, grant: defaultCurationGrant(settings, at), day });
  if (!grant) return;
  const key = keyOf("curationAllowance", { profile });
  const stored = await readRecord(bucket, CurationAllowance, key);
  if (stored?.value.id === id) return;
  const allowance = CurationAllowance.parse({ v: 1, id, day: dayOf(at), grant, usedBy: null });
  await bucket.put(key, JSON.stringify(allowance));
}

/** Records per collection. Each costs up to three of an invocation's 10,000 calls. The next collection takes the rest. */
const MAX_COLLECTED = 1_000;

/** Books new records, each once, and releases reservations that no work will spend. */
export async function collectSpent({ bucket, profile, ledger }: ProfileLedger, now: number): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, prefixOf("curationSpent", { profile }))) keys.push(key);
  const isOver = new Map<CurationId, boolean>();
  const collected = keys.slice(0, MAX_COLLECTED);
  for (const key of collected) {
    const { run, work } = slotsOf("curationSpent", key)!;
    const spent = (await readRecord(bucket, CurationSpent, key))?.value;
    if (!spent) continue;
    if (!isOver.has(run)) isOver.set(run, await hasEnded({ bucket, profile }, run));
    ledger.bookCuration({
      booking: { id: `curation:${run}.${work}`, at: spent.at, lines: spent.lines },
      grant: spent.grant ?? "",
      last: isOver.get(run)!,
    });
  }
  await deleteAll(bucket, collected);
  await giveBack({ bucket, profile, ledger }, now);
}

/** The same. Never throws: the ledger must answer even if R2 does not. */
export async function collectQuietly(ledger: ProfileLedger, now: number): Promise<void> {
  try {
    await collectSpent(ledger, now);
  } catch (error) {
    console.error(JSON.stringify({ event: "curation_not_booked", error: messageOf(error) }));
  }
}

/** Whether all work of the run has ended. */
async function hasEnded(
  { bucket, profile }: Pick<ProfileLedger, "bucket" | "profile">,
  run: CurationId,
): Promise<boolean> {
  const plan = await createCurationStore({ bucket }).plan(profile, run);
  let done = 0;
  for await (const { key } of listObjects(bucket, prefixOf("curationWork", { profile, run }))) {
    if (slotsOf("curationWork", key)) done++;
  }
  return done >= (plan?.work?.length ?? 0);
}

/** Releases today's allowance if today's run has ended without taking it, because it had no work for a model. */
async function giveBack({ bucket, profile, ledger }: ProfileLedger, now: number): Promise<void> {
  const key = keyOf("curationAllowance", { profile });
  const stored = await readRecord(bucket, CurationAllowance, key);
  if (!stored || stored.value.usedBy !== null || stored.value.day !== dayOf(now)) return;
  const { last } = await createCurationStore({ bucket }).notes(profile);
  if (last === null || dayOf(fromCurationId(last)) !== dayOf(now)) return;
  const taken = JSON.stringify({ ...stored.value, usedBy: last });
  if (await bucket.put(key, taken, { ifMatch: stored.etag })) ledger.release(stored.value.id);
}
