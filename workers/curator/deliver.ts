// Handles one curation message: a page of a shard's due profiles, one profile, the rollback of a run, or a piece of work for a
// model. Called by index.ts. A profile that fails gets its own message and never blocks the others of its page.
import { DeletedError, messageOf, isNewerMessage } from "../../core/errors.ts";
import type { WorkEnd } from "../../core/learning/curation/work/work-options.ts";
import { isCurated } from "../../core/learning/curation/run-curation.ts";
import type { Clock, CurationStore, Queue, Random } from "../../core/ports.ts";
import { CurationMessage, type CurationWork, type WorkId, toWorkId } from "../../core/schemas/learning/curation.ts";
import type { Grant } from "../../core/schemas/learning/review.ts";
import { type CurationId, type Day, type ProfileId, dayOf, toCurationId } from "../../core/schemas/ids.ts";
import { ACK, type Settlement, retryAfter, toSeconds } from "../message-settlement.ts";

/** What a person may request beyond a run's usual work. */
export interface CurationOrder {
  consolidate?: boolean;
  undoes?: CurationId;
  /** What the profile's Account reserved for the run. */
  allowance?: { id: string; grant: Grant };
}

/** `more`: the run continues in another invocation. */
export type RunEnd = "done" | "busy" | "more";

export interface DeliverOptions {
  curation: CurationStore;
  queue: Queue<CurationMessage>;
  /** Curates one profile; see core/learning/curation/run-curation.ts. */
  run(profile: ProfileId, run: CurationId, dryRun: boolean, order: CurationOrder): Promise<RunEnd>;
  /** Does a piece of work; see core/learning/curation/work/run-work.ts. Absent: the work stays open. */
  work?: {
    run(profile: ProfileId, run: CurationId, work: WorkId): Promise<WorkEnd>;
    end(profile: ProfileId, run: CurationId, work: WorkId, note: string): Promise<CurationWork>;
  };
  /** Sweeps what a quiet profile left; see core/learning/curation/retention.ts. Absent: no sweep. */
  retention?: {
    dayAfter(active: Day): Day;
    sweep(profile: ProfileId): Promise<Day | null>;
  };
  /** Calls to the bucket made by this invocation. Absent: not counted. */
  calls?(): number;
  clock: Clock;
  random: Random;
  log(line: Record<string, unknown>): void;
}

type ShardMessage = Extract<CurationMessage, { kind: "shard" }>;
type WorkMessage = Extract<CurationMessage, { kind: "rewrite" | "look" | "consolidate" | "requests" }>;

const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 10 * 60_000;
/** Work that fails in this many deliveries, of the queue's ten, is given up, so that its run can report it. */
const MAX_FAILURES = 5;
/** A queue consumer has 15 minutes and 10,000 calls. The rest of a page then becomes a separate message. */
const PAGE_MS = 8 * 60_000;
const PAGE_CALLS = 4_000;

/**
 * Messages per hour and kind of marker. [cf] Each message is a call, and so is the listing of a day. The next hour sends the
 * rest, oldest days first.
 */
const MAX_SHARD_MESSAGES = 2_000;

/** Runs hourly: sends a message for each shard of a past day that has markers. */
export async function sendDueShards({ curation, queue, clock, log }: DeliverOptions): Promise<number> {
  let sent = 0;
  for (const marker of ["due", "sweep"] as const) {
    let left = MAX_SHARD_MESSAGES;
    for await (const { day, shard } of curation.dueShards(dayOf(clock.now()), marker)) {
      if (left-- === 0) break;
      await queue.send({ v: 1, kind: "shard", day, shard, ...(marker === "sweep" && { sweep: true }) });
      sent += 1;
    }
  }
  if (sent > 0) log({ event: "curation_due", shards: sent });
  return sent;
}

/** Never throws. `attempts` counts from 1. */
export async function deliverCuration(body: unknown, attempts: number, options: DeliverOptions): Promise<Settlement> {
  const parsed = CurationMessage.safeParse(body);
  if (!parsed.success && isNewerMessage(body)) {
    options.log({ event: "message_newer" });
    return retryAfter(MAX_WAIT_MS);
  }
  if (!parsed.success) {
    options.log({ event: "message_malformed", type: body === null ? "null" : typeof body });
    return ACK;
  }
  const message = parsed.data;
  try {
    return await deliver(message, attempts, options);
  } catch (thrown) {
    if (thrown instanceof DeletedError) {
      options.log({ event: "curation_dropped", ...toLogFields(message), code: thrown.code });
      return ACK;
    }
    options.log({ event: "curation_failed", ...toLogFields(message), message: messageOf(thrown), attempts });
    return retryLater(attempts);
  }
}

async function deliver(message: CurationMessage, attempts: number, options: DeliverOptions): Promise<Settlement> {
  switch (message.kind) {
    case "shard":
      return curatePage(message, options);
    case "profile": {
      const { dryRun, consolidate, allowance } = message;
      return endRun(
        await runOnRequest(message, options, dryRun, { consolidate, allowance }),
        message,
        attempts,
        options,
      );
    }
    case "rollback": {
      const end = await runOnRequest(message, options, false, { undoes: message.of });
      return endRun(end, message, attempts, options);
    }
    case "rewrite":
    case "look":
    case "consolidate":
    case "requests":
      return doWork(message, attempts, options);
  }
}

/** Sends the next page last. A page that is delivered again finds the markers of its finished profiles gone. */
async function curatePage(message: ShardMessage, options: DeliverOptions): Promise<Settlement> {
  const { curation, queue, clock, calls = () => 0 } = options;
  const { day, shard, cursor } = message;
  const began = clock.now();
  const hasRoom = () => clock.now() - began < PAGE_MS && calls() < PAGE_CALLS;
  const page = await curation.dueProfiles(day, shard, { cursor, marker: message.sweep ? "sweep" : "due" });
  let next = page.cursor;
  for (const [at, profile] of page.profiles.entries()) {
    if (message.sweep) await sweepDue(profile, message, options);
    else await curateDue(profile, message, options);
    if (hasRoom() || at === page.profiles.length - 1) continue;
    next = profile;
    break;
  }
  if (next !== undefined) await queue.send({ ...message, cursor: next });
  return ACK;
}

/** The marker stays when a run does not finish, and the next hour finds it. A paused profile is not curated. */
async function curateDue(profile: ProfileId, { day }: ShardMessage, options: DeliverOptions): Promise<void> {
  const { curation, queue, clock, random, log } = options;
  const run = toCurationId(clock.now(), random);
  try {
    const { paused } = await curation.policy(profile);
    const isDone = paused === true || (await isCurated(curation, profile, day));
    const end = isDone ? "done" : await options.run(profile, run, false, {});
    if (end === "more") await queue.send({ v: 1, kind: "profile", profile, run, dryRun: false });
    if (end !== "done") return;
    await moveSweep(profile, options);
    await curation.clearDue(day, profile);
  } catch (thrown) {
    if (thrown instanceof DeletedError) return curation.clearDue(day, profile);
    log({ event: "curation_failed", profile, message: messageOf(thrown) });
    await queue.send(
      { v: 1, kind: "profile", profile, run, dryRun: false },
      { delaySeconds: toSeconds(FIRST_WAIT_MS) },
    );
  }
}

/** A requested run leaves a report, possibly on a day without activity, so its sweep is scheduled here. */
async function runOnRequest(
  { profile, run }: { profile: ProfileId; run: CurationId },
  options: DeliverOptions,
  dryRun: boolean,
  order: CurationOrder,
): Promise<RunEnd> {
  const { curation, clock, retention } = options;
  const end = await options.run(profile, run, dryRun, order);
  if (end === "done" && retention && !(await curation.isGone(profile))) {
    await curation.markSweep(retention.dayAfter(dayOf(clock.now())), profile);
  }
  return end;
}

/** One marker a profile: each active day moves it, so that a quiet profile is swept once. */
async function moveSweep(profile: ProfileId, { curation, retention }: DeliverOptions): Promise<void> {
  if (!retention || (await curation.isGone(profile))) return;
  const { last, before } = await curation.lastActive(profile);
  if (last === null) return;
  await curation.markSweep(retention.dayAfter(last), profile);
  if (before !== null) await curation.clearDue(retention.dayAfter(before), profile, "sweep");
}

/** The marker stays when something fails, and the next hour finds it. */
async function sweepDue(profile: ProfileId, { day }: ShardMessage, options: DeliverOptions): Promise<void> {
  const { curation, retention, log } = options;
  try {
    const next = retention ? await retention.sweep(profile) : null;
    if (next !== null) await curation.markSweep(next, profile);
    if (next !== day) await curation.clearDue(day, profile, "sweep");
  } catch (thrown) {
    if (thrown instanceof DeletedError) return curation.clearDue(day, profile, "sweep");
    log({ event: "sweep_failed", profile, message: messageOf(thrown) });
  }
}

async function doWork(
  message: WorkMessage,
  attempts: number,
  { work, queue, log }: DeliverOptions,
): Promise<Settlement> {
  if (!work) return ACK;
  const { profile, run } = message;
  const id = toWorkId(message.kind, "skill" in message ? message.skill : undefined);
  const end = await work.run(profile, run, id);
  switch (end.state) {
    case "waits":
      return ACK;
    case "held":
      // A separate message: waiting for a busy server is not a failed delivery, of which there are ten.
      await queue.send(message, { delaySeconds: toSeconds(Math.min(end.delayMs, MAX_WAIT_MS)) });
      return ACK;
    case "again":
      return retryAfter(Math.min(end.delayMs, MAX_WAIT_MS));
    case "failed": {
      log({ event: "curation_work_failed", profile, run, work: id, code: end.failure.code, attempts });
      if (attempts < MAX_FAILURES) return retryLater(attempts);
      await work.end(profile, run, id, `${end.failure.message} (${end.failure.code})`);
      return ACK;
    }
    case "finished":
      log({ event: "curation_work_finished", profile, run, work: id, state: end.result.state });
      return ACK;
  }
}

/** Continues with a separate message: using up an invocation's requests is not a failed delivery, of which there are ten. */
async function endRun(
  end: RunEnd,
  message: CurationMessage,
  attempts: number,
  { queue }: DeliverOptions,
): Promise<Settlement> {
  if (end === "more") await queue.send(message);
  return end === "busy" ? retryLater(attempts) : ACK;
}

function retryLater(attempts: number): Settlement {
  return retryAfter(Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), MAX_WAIT_MS));
}

function toLogFields(message: CurationMessage) {
  if (message.kind === "shard") return { day: message.day, shard: message.shard };
  return { profile: message.profile, run: message.run, kind: message.kind };
}
