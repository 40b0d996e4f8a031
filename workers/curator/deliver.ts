// What becomes of one curation message: a page of a shard's due profiles, or one profile. Called by index.ts. One profile
// that fails is sent by itself, and never holds up the others of its page.
import { messageOf } from "../../core/errors.ts";
import { isCurated } from "../../core/learning/run-curation.ts";
import type { Clock, CurationStore, Queue, Random } from "../../core/ports.ts";
import { CurationMessage } from "../../core/schemas/curation.ts";
import { type CurationId, type ProfileId, dayOf, toCurationId } from "../../core/schemas/ids.ts";

export type Verdict = { act: "ack" } | { act: "retry"; delaySeconds: number };

export interface DeliverOptions {
  curation: CurationStore;
  queue: Queue<CurationMessage>;
  /** Curates one profile; see core/learning/run-curation.ts. */
  run(profile: ProfileId, run: CurationId, dryRun: boolean): Promise<"done" | "busy">;
  clock: Clock;
  random: Random;
  log(line: Record<string, unknown>): void;
}

type ShardMessage = Extract<CurationMessage, { kind: "shard" }>;
type ProfileMessage = Extract<CurationMessage, { kind: "profile" }>;

const ACK: Verdict = { act: "ack" };
const FIRST_WAIT_SECONDS = 10;
const MAX_WAIT_SECONDS = 600;

/** On the hour: a message for each shard of a past day that has markers. No marker, no work. */
export async function sendDueShards({ curation, queue, clock, log }: DeliverOptions): Promise<number> {
  let sent = 0;
  for await (const { day, shard } of curation.dueShards(dayOf(clock.now()))) {
    await queue.send({ v: 1, kind: "shard", day, shard });
    sent += 1;
  }
  if (sent > 0) log({ event: "curation_due", shards: sent });
  return sent;
}

/** Never throws. `attempts` counts from 1. */
export async function deliverCuration(body: unknown, attempts: number, options: DeliverOptions): Promise<Verdict> {
  const parsed = CurationMessage.safeParse(body);
  if (!parsed.success) {
    options.log({ event: "message_malformed", type: body === null ? "null" : typeof body });
    return ACK;
  }
  const message = parsed.data;
  try {
    return message.kind === "shard" ? await curatePage(message, options) : await curateOne(message, attempts, options);
  } catch (thrown) {
    options.log({ event: "curation_failed", ...placeOf(message), message: messageOf(thrown), attempts });
    return retryLater(attempts);
  }
}

/** The next page is sent last: a page that is delivered again finds the markers of its finished profiles gone. */
async function curatePage(message: ShardMessage, options: DeliverOptions): Promise<Verdict> {
  const { curation, queue } = options;
  const { day, shard, cursor } = message;
  const page = await curation.dueProfiles(day, shard, cursor);
  for (const profile of page.profiles) await curateDue(profile, message, options);
  if (page.cursor !== undefined) await queue.send({ ...message, cursor: page.cursor });
  return ACK;
}

/** The marker stays where a run did not come to its end: the next hour finds it. */
async function curateDue(profile: ProfileId, { day }: ShardMessage, options: DeliverOptions): Promise<void> {
  const { curation, queue, clock, random, log } = options;
  const run = toCurationId(clock.now(), random);
  try {
    const done = (await isCurated(curation, profile, day)) || (await options.run(profile, run, false)) === "done";
    if (done) await curation.clearDue(day, profile);
  } catch (thrown) {
    log({ event: "curation_failed", profile, message: messageOf(thrown) });
    await queue.send({ v: 1, kind: "profile", profile, run, dryRun: false }, { delaySeconds: FIRST_WAIT_SECONDS });
  }
}

async function curateOne(message: ProfileMessage, attempts: number, options: DeliverOptions): Promise<Verdict> {
  const { profile, run, dryRun } = message;
  const end = await options.run(profile, run, dryRun);
  return end === "done" ? ACK : retryLater(attempts);
}

function retryLater(attempts: number): Verdict {
  return { act: "retry", delaySeconds: Math.min(FIRST_WAIT_SECONDS * 2 ** (attempts - 1), MAX_WAIT_SECONDS) };
}

function placeOf(message: CurationMessage) {
  return message.kind === "shard" ? { day: message.day, shard: message.shard } : { profile: message.profile };
}
