// The skills of one profile over a bucket: heads change by compare-and-swap; past heads and contents are kept. The Session, the
// API, the review Worker and the curator Worker may all write at once. Holds no lock, and leaves no state that the same
// operation, run again, cannot finish.
import { ok } from "../../core/errors.ts";
import type { Bucket, Clock, Random, SkillSnapshot, SkillStore } from "../../core/ports.ts";
import type { ProfileId, SkillName } from "../../core/schemas/ids.ts";
import { lineOf, toIndexLine } from "../../core/schemas/skill.ts";
import { createBackoff } from "../backoff.ts";
import { isGone, profileGone } from "../deleted.ts";
import { type BlobCache, createBlobCache } from "./caches/blob-cache.ts";
import type { IndexCache } from "./caches/index-cache.ts";
import { createPurgeLeases } from "./purge-lease.ts";
import { changeSkill, refuse } from "./skill-change.ts";
import { createSkillBlobs } from "./skill-blobs.ts";
import { eraseSkill, markSkillDeleted } from "./skill-erase.ts";
import type { ReadConditions } from "./skill-head.ts";
import { type SkillHeads, createSkillHeads } from "./skill-heads.ts";
import { type SkillIndexObject, createSkillIndex } from "./skill-index.ts";
import { purgeRevision } from "./skill-purge.ts";
import { createSkillRevisions } from "./skill-revisions.ts";
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
  const { bucket, profile, clock, random, swapMs, readConditions, cache = createBlobCache() } = options;
  const index = createSkillIndex({ bucket, profile, cache: options.indexes });
  const blobs = createSkillBlobs({ bucket, profile, cache });
  const heads = createSkillHeads({ bucket, profile, blobs });
  const revisions = createSkillRevisions({ bucket, profile, heads });
  const leases = createPurgeLeases({ bucket, profile, clock, random });
  let checkedGone: Promise<boolean> | undefined;

  /** What one operation works with. Its time to retry begins now. */
  function startOperation() {
    const backoff = createBackoff({ clock, random, withinMs: swapMs });
    return { bucket, profile, heads, revisions, blobs, index, leases, cache, clock, readConditions, backoff };
  }

  return {
    // ---- reads ----
    index: async () => (await index.read()).index,
    head: heads.current,
    open: (name) => openSkill({ heads, index }, name),
    blob: blobs.get,
    revisions: revisions.list,
    revision: revisions.get,
    pastRevisions: revisions.listAll,
    scan: heads.scan,

    // ---- writes ----
    async change(wanted) {
      if (await (checkedGone ??= isGone(bucket, profile))) return refuse(profileGone());
      return changeSkill(startOperation(), wanted);
    },
    rebuildIndex: (check, pause) => rebuildIndex({ ...startOperation(), check, pause }),
    noteUse: async (use) => void (await index.noteUse(use, startOperation().backoff)),

    // ---- deletions ----
    async purge(name, rev) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      return purgeRevision(startOperation(), name, rev);
    },
    async markDeleted(name, orderedAt) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      await markSkillDeleted(startOperation(), name, orderedAt);
      return ok(null);
    },
    async erase(name, orderedAt) {
      if (await isGone(bucket, profile)) return refuse(profileGone());
      return eraseSkill(startOperation(), name, orderedAt);
    },
  };
}

/** Updates a line that is older than its head, once. A caller that loses this swap leaves it to the next reader. */
async function openSkill(
  { heads, index }: { heads: SkillHeads; index: SkillIndexObject },
  name: SkillName,
): Promise<SkillSnapshot | null> {
  const head = await heads.current(name);
  if (!head) return null;
  const [snapshot, seen] = await Promise.all([heads.snapshot(head), index.read()]);
  if (!snapshot) return openSkill({ heads, index }, name);
  const line = lineOf(seen.index, name);
  // A head without a line is an uncommitted create, which needs the check of a rebuild.
  if (line && line.seq < head.seq) await index.swap(seen, { ...seen.index.skills, [name]: toIndexLine(head) });
  return snapshot;
}
