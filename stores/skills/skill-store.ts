// The skills of one profile over a bucket: heads change by compare-and-swap; past heads and contents are kept. The Session, the
// API, the review Worker and the curator Worker may all write at once. Holds no lock, and leaves no state that the same
// operation, run again, cannot finish.
import { DeletedError, type Result, err, ok } from "../../core/errors.ts";
import type {
  Bucket,
  Clock,
  Random,
  SkillChange,
  SkillChanged,
  SkillNext,
  SkillSnapshot,
  SkillStore,
} from "../../core/ports.ts";
import type { FileBody } from "../../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import { type SkillHead, isPurged, toIndexLine } from "../../core/schemas/skill.ts";
import { type Backoff, createBackoff } from "../backoff.ts";
import type { IndexCache } from "./index-cache.ts";
import { type BlobCache, createBlobCache } from "./blob-cache.ts";
import { isGone, profileGone, readDeletedSkill, skillDeleted } from "../deleted.ts";
import { HOLD_MS, createPurgeLeases } from "./purge-lease.ts";
import { type ReadConditions, toArchivedHead, toNextHead } from "./skill-head.ts";
import { createSkillHeads, newBlobs } from "./skill-heads.ts";
import { type SeenIndex, createSkillIndex, lineOf, withoutLine } from "./skill-index.ts";
import { markSkillDeleted, eraseSkill } from "./skill-erase.ts";
import { purgeRevision } from "./skill-purge.ts";
import { rebuildIndex } from "./skill-rebuild.ts";

export interface SkillStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
  /** How long a lost swap is retried. */
  swapMs: number;
  /** Reads conditions from each SKILL.md that is written, and stores them with the head. Absent: none are stored. */
  readConditions?: ReadConditions;
  /** Shared by the stores of an isolate. Absent: the store has its own. */
  cache?: BlobCache;
  /** Shared by the stores of an isolate. Absent: each store parses the index itself. */
  indexes?: IndexCache;
}

export function createSkillStore(options: SkillStoreOptions): SkillStore {
  const { bucket, profile, clock, random, swapMs, cache = createBlobCache() } = options;
  const index = createSkillIndex({ bucket, profile, cache: options.indexes });
  const heads = createSkillHeads({ bucket, profile, cache });
  const leases = createPurgeLeases({ bucket, profile, clock, random });
  let checkedGone: Promise<boolean> | undefined;

  async function change(wanted: SkillChange): Promise<Result<SkillChanged>> {
    if (await (checkedGone ??= isGone(bucket, profile))) return refuse(profileGone());
    const backoff = createBackoff({ clock, random, withinMs: swapMs });
    const memo: Memo = { stored: { since: null, hashes: new Set() }, doubtful: null };
    try {
      for (;;) {
        const attempt = await tryChange(wanted, memo, backoff);
        if (attempt.outcome === "settled") return attempt.result;
        if (!(await backoff.wait())) return busy(wanted.name, attempt.message);
      }
    } catch (error) {
      if (error instanceof DeletedError) return refuse(error);
      throw error;
    }
  }

  /** One attempt at the whole operation, from a fresh head to the index. */
  async function tryChange(wanted: SkillChange, memo: Memo, backoff: Backoff): Promise<Attempt> {
    const { name, op } = wanted;
    const current = await heads.read(name);
    // A put that threw had been written nevertheless.
    if (current && current.body === memo.doubtful?.body) {
      return settled(await finish(wanted, current.value, memo.doubtful, backoff));
    }
    const doneAt = current && (await heads.revisionOf(current.value, op, wanted.since));
    if (doneAt) {
      const { written } = memo.doubtful ?? {};
      const resumed = {
        created: isCreate(current.value, doneAt),
        seen: null,
        replayed: memo.doubtful === null,
        written,
      };
      return settled(await finish(wanted, current.value, resumed, backoff));
    }

    // Checked before relying on contents that may be purged.
    const [seen, lease] = await Promise.all([index.read(), leases.read()]);
    const snapshot = current && (await heads.snapshot(current.value));
    if (current && !snapshot) return lost("the skill was changed while it was read");
    const decided = await wanted.decide(snapshot, snapshot ? seen.index : withoutLine(seen.index, name));
    if (!decided.ok) return settled(decided);
    const deleted = current ? null : await readDeletedSkill(bucket, profile, name);
    if (deleted && !mayBringBack(decided.value)) return settled(refuse(skillDeleted(name)));
    const next = toNextHead(current?.value ?? null, decided.value, {
      name,
      op,
      now: clock.now(),
      readConditions: options.readConditions,
      ...(deleted && { after: deleted }),
    });
    const done: Done = { created: current === null, seen, replayed: false };
    if (!next) return settled(await finish(wanted, current!.value, done, backoff));

    const past = current?.value ?? null;
    const contents = decided.value.files ?? {};
    const blobs = newBlobs(past, next, contents);
    if (leases.blocks(lease, [...blobs.keys()])) return lost("contents like these are being purged");
    // Contents that were put before a purge may be gone.
    if (memo.stored.since !== lease.etag) memo.stored = { since: lease.etag, hashes: new Set() };
    const trouble = await heads.prepare({ past, next, contents, stored: memo.stored.hashes });
    if (trouble !== null) return lost(trouble);

    const lookedAt = clock.now();
    const [gone, latest, deletedNow] = await Promise.all([
      isGone(bucket, profile),
      leases.read(),
      readDeletedSkill(bucket, profile, name),
    ]);
    if (gone) return settled(refuse(profileGone()));
    if (current && deletedNow && deletedNow.at >= current.value.createdAt) return lost("the skill is being deleted");
    if (!current && deletedNow?.at !== deleted?.at) return lost("the skill was deleted meanwhile");
    if (latest.etag !== lease.etag) return lost("a purge has begun or ended meanwhile");
    if (clock.now() - lookedAt > HOLD_MS) return lost("the store answers slowly");
    done.written = { name, rev: next.rev, blobs, since: lease.etag };
    const swapped = await heads.swap(next, current?.etag ?? null);
    if (swapped.outcome === "won") return settled(await finish(wanted, next, done, backoff));
    if (swapped.outcome === "lost") return lost("another writer came first");
    memo.doubtful = { body: JSON.stringify(next), ...done };
    return lost(swapped.message);
  }

  /** Updates the index after the head. For a create this is the commit. */
  async function finish(wanted: SkillChange, head: SkillHead, done: Done, backoff: Backoff) {
    const [finished] = await Promise.all([
      finishIndex(wanted, head, done, backoff),
      done.written && putBack(done.written, backoff),
    ]);
    return finished;
  }

  async function finishIndex(wanted: SkillChange, head: SkillHead, done: Done, backoff: Backoff) {
    if (done.created) return commitCreate(wanted, head, done, backoff);
    await index.bringUp(head, () => heads.current(head.name), backoff);
    return ok({ head, replayed: done.replayed });
  }

  /** A purge between the last check and the swap may have deleted contents that are named now. */
  async function putBack({ name, rev, blobs, since }: Written, backoff: Backoff): Promise<void> {
    const hashes = [...blobs.keys()];
    if (hashes.length === 0) return;
    let safe = since;
    for (let lease = await leases.read(); lease.etag !== safe; lease = await leases.read()) {
      if (leases.blocks(lease, hashes) && (await backoff.wait())) continue;
      const revision = await heads.revision(name, rev);
      // Contents that were purged themselves must not return.
      if (!revision || isPurged(revision)) return;
      for (const [sha256, body] of blobs) await persist(() => heads.putBlob(sha256, body), backoff);
      safe = lease.etag;
    }
  }

  async function commitCreate(wanted: SkillChange, head: SkillHead, done: Done, backoff: Backoff) {
    for (let seen = done.seen; ; seen = null) {
      if (!seen) {
        seen = await index.read();
        const line = lineOf(seen.index, head.name);
        const isThere = line !== undefined && line.seq >= head.seq;
        if (!isThere || line.state === "archived") {
          const decided = await wanted.decide(null, withoutLine(seen.index, head.name));
          if (!decided.ok) {
            await archiveOwn(head, decided.failure.message, backoff);
            return decided;
          }
        }
        if (isThere) return ok({ head: (await heads.current(head.name)) ?? head, replayed: done.replayed });
      }
      const swapped = await index.swap(seen, { ...seen.index.skills, [head.name]: toIndexLine(head) });
      if (swapped.outcome === "won") return ok({ head, replayed: done.replayed });
      if (!(await backoff.wait())) return busy(head.name, "the index was written by others all the while");
    }
  }

  /** Takes back a create that conflicts with a neighbour. A head that others have changed since is left alone. */
  async function archiveOwn(created: SkillHead, reason: string, backoff: Backoff): Promise<void> {
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

  /** Updates a line that is older than its head, once. A caller that loses this swap leaves it to the next reader. */
  async function open(name: SkillName): Promise<SkillSnapshot | null> {
    const head = await heads.current(name);
    if (!head) return null;
    const [snapshot, seen] = await Promise.all([heads.snapshot(head), index.read()]);
    if (!snapshot) return open(name);
    const line = lineOf(seen.index, name);
    // A head without a line is an uncommitted create, which needs the check of a rebuild.
    if (line && line.seq < head.seq) await index.swap(seen, { ...seen.index.skills, [name]: toIndexLine(head) });
    return snapshot;
  }

  function eraseContext() {
    const backoff = createBackoff({ clock, random, withinMs: swapMs });
    return { bucket, profile, heads, index, leases, cache, clock, backoff };
  }

  return {
    index: async () => (await index.read()).index,
    head: heads.current,
    open,
    blob: heads.blob,
    revisions: heads.revisions,
    revision: heads.revision,
    change,
    async purge(name, rev) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      const backoff = createBackoff({ clock, random, withinMs: swapMs });
      return purgeRevision({ bucket, profile, heads, leases, cache, clock, backoff }, name, rev);
    },
    async markDeleted(name, orderedAt) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      await markSkillDeleted(eraseContext(), name, orderedAt);
      return ok(null);
    },
    async erase(name, orderedAt) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      return eraseSkill(eraseContext(), name, orderedAt);
    },
    rebuildIndex: (check, pause) =>
      rebuildIndex({ index, heads, check, pause, clock, backoff: createBackoff({ clock, random, withinMs: swapMs }) }),
    noteUse: async (use) => void (await index.noteUse(use, createBackoff({ clock, random, withinMs: swapMs }))),
    scan: heads.scan,
  };
}

/** What attempts of one operation know of earlier ones. */
interface Memo {
  /** Blobs known to be stored, valid while the purge lease is the one that was read. */
  stored: { since: string | null; hashes: Set<Sha256> };
  /** The head whose swap threw, so it may or may not be stored. */
  doubtful: ({ body: string } & Done) | null;
}
interface Done {
  created: boolean;
  /** The index that `decide` has seen; null when it must be read again. */
  seen: SeenIndex | null;
  replayed: boolean;
  written?: Written;
}
/** New contents, and the ETag of the lease they were put under. */
interface Written {
  name: SkillName;
  rev: number;
  blobs: Map<Sha256, FileBody>;
  since: string | null;
}
type Attempt = { outcome: "settled"; result: Result<SkillChanged> } | { outcome: "lost"; message: string };

/** Retries until it succeeds or the time is up. */
async function persist(put: () => Promise<void>, backoff: Backoff): Promise<void> {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      // A 429, or a failure of the bucket.
      if (!(await backoff.wait())) throw error;
    }
  }
}

function settled(result: Result<SkillChanged>): Attempt {
  return { outcome: "settled", result };
}

function lost(message: string): Attempt {
  return { outcome: "lost", message };
}

function busy(name: SkillName, last: string) {
  return err("busy", `Too many writers are changing the skill ${name}. Read it again and try again in a minute.`, {
    last,
  });
}

function refuse({ code, message }: DeletedError) {
  return err(code, message);
}

/** Whether the operation created the skill: its first revision, or the first one after a deletion. */
function isCreate(head: SkillHead, rev: number): boolean {
  return rev === 1 || (rev === head.firstRev && rev === head.rev && head.createdAt === head.revisedAt);
}

/** A deleted skill returns by a person or with a deployment, never by an agent's late write. */
function mayBringBack({ origin }: SkillNext): boolean {
  return origin === "user" || origin === "hub" || origin === "bundled";
}
