// Finishes a change of a skill after its head was written: the line of the index, and contents that a purge deleted meanwhile.
// Called by skill-change.ts. Finishing the same change twice changes nothing.
import { type Failure, type Result, err, ok } from "../../core/errors.ts";
import type { Clock, SkillChange, SkillChanged } from "../../core/ports.ts";
import type { FileBody } from "../../core/schemas/file-body.ts";
import type { Sha256, SkillName } from "../../core/schemas/ids.ts";
import { type SkillHead, isPurged, lineOf, toIndexLine } from "../../core/schemas/skill.ts";
import type { Backoff } from "../backoff.ts";
import type { PurgeLeases } from "./purge-lease.ts";
import { toArchivedHead } from "./skill-head.ts";
import type { SkillBlobs } from "./skill-blobs.ts";
import type { SkillHeads } from "./skill-heads.ts";
import { type SeenIndex, type SkillIndexObject, withoutLine } from "./skill-index.ts";
import type { SkillRevisions } from "./skill-revisions.ts";

export interface CommitContext {
  heads: SkillHeads;
  revisions: SkillRevisions;
  blobs: SkillBlobs;
  index: SkillIndexObject;
  leases: PurgeLeases;
  clock: Clock;
  backoff: Backoff;
}

/** How far a change has come once its head is written. */
export interface WrittenChange {
  created: boolean;
  /** The index that `decide` has seen; null when it must be read again. */
  seen: SeenIndex | null;
  replayed: boolean;
  contents?: PutContents | undefined;
}

/** New contents, and the ETag of the lease they were put under. */
export interface PutContents {
  name: SkillName;
  rev: number;
  blobs: Map<Sha256, FileBody>;
  since: string | null;
}

/** Updates the index after the head. For a create this is the commit. */
export async function commitChange(
  context: CommitContext,
  wanted: SkillChange,
  head: SkillHead,
  written: WrittenChange,
): Promise<Result<SkillChanged>> {
  const [committed] = await Promise.all([
    updateIndex(context, wanted, head, written),
    written.contents && putBack(context, written.contents),
  ]);
  return committed;
}

async function updateIndex(context: CommitContext, wanted: SkillChange, head: SkillHead, written: WrittenChange) {
  if (written.created) return commitCreate(context, wanted, head, written);
  const { heads, index, backoff } = context;
  await index.bringUp(head, () => heads.current(head.name), backoff);
  return ok({ head, replayed: written.replayed });
}

/** Adds the line of a new skill. If the index has changed since `decide` saw it, `decide` is asked again. */
async function commitCreate(
  context: CommitContext,
  wanted: SkillChange,
  head: SkillHead,
  { seen: firstSeen, replayed }: WrittenChange,
): Promise<Result<SkillChanged>> {
  const { heads, index, backoff } = context;
  let seen = firstSeen;
  for (;;) {
    if (!seen) {
      seen = await index.read();
      const line = lineOf(seen.index, head.name);
      const isThere = line !== undefined && line.seq >= head.seq;
      if (!isThere || line.state === "archived") {
        const refusal = await decideAgain(context, wanted, head, seen);
        if (refusal) return { ok: false, failure: refusal };
      }
      if (isThere) return ok({ head: (await heads.current(head.name)) ?? head, replayed });
    }
    const swapped = await index.swap(seen, { ...seen.index.skills, [head.name]: toIndexLine(head) });
    if (swapped.outcome === "won") return ok({ head, replayed });
    if (!(await backoff.wait())) return busy(head.name, "the index was written by others all the while");
    seen = null;
  }
}

/** Asks `decide` whether the new skill may still be created next to the present index. If not, archives it. */
async function decideAgain(
  context: CommitContext,
  wanted: SkillChange,
  head: SkillHead,
  { index }: SeenIndex,
): Promise<Failure | null> {
  const decided = await wanted.decide(null, withoutLine(index, head.name));
  if (decided.ok) return null;
  await archiveOwn(context, head, decided.failure.message);
  return decided.failure;
}

/** Takes back a create that conflicts with a neighbour. A head that others have changed since is left alone. */
async function archiveOwn(context: CommitContext, created: SkillHead, reason: string): Promise<void> {
  const { heads, index, clock, backoff } = context;
  do {
    const current = await heads.read(created.name);
    if (!current) return;
    let head = current.value;
    if (head.seq === created.seq && head.state !== "archived") {
      const archived = toArchivedHead(head, reason, clock.now());
      if ((await heads.swap(archived, current.etag)).outcome !== "won") continue;
      head = archived;
    }
    await index.bringUp(head, () => heads.current(head.name), backoff);
    return;
  } while (await backoff.wait());
}

/** A purge between the last check and the swap may have deleted contents that are named now. */
async function putBack(context: CommitContext, { name, rev, blobs, since }: PutContents): Promise<void> {
  const { revisions, leases, backoff } = context;
  const hashes = [...blobs.keys()];
  if (hashes.length === 0) return;
  let safe = since;
  for (;;) {
    const lease = await leases.read();
    if (lease.etag === safe) return;
    if (leases.blocks(lease, hashes) && (await backoff.wait())) continue;
    const revision = await revisions.get(name, rev);
    // Contents that were purged themselves must not return.
    if (!revision || isPurged(revision)) return;
    for (const [sha256, body] of blobs) await retryPut(() => context.blobs.put(sha256, body), backoff);
    safe = lease.etag;
  }
}

/** Retries until it succeeds or the time is up. */
async function retryPut(put: () => Promise<void>, backoff: Backoff): Promise<void> {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      // A 429, or a failure of the bucket.
      if (!(await backoff.wait())) throw error;
    }
  }
}

export function busy(name: SkillName, last: string) {
  return err("busy", `Too many writers are changing the skill ${name}. Read it again and try again in a minute.`, {
    last,
  });
}
