// The skills of one profile over a bucket: heads changed by compare-and-swap, past heads and contents kept for good.
// Made by the Session, the review Worker and the curator Worker, all of which may write at once. Never holds a lock, and
// never leaves a state that the same operation, run again, cannot finish.
import { type Result, err, ok } from "../core/errors.ts";
import type { Bucket, Clock, Random, SkillChange, SkillChanged, SkillSnapshot, SkillStore } from "../core/ports.ts";
import type { FileBody } from "../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../core/schemas/ids.ts";
import { type SkillHead, toIndexLine } from "../core/schemas/skill.ts";
import { type Backoff, createBackoff } from "./backoff.ts";
import { keyOf } from "./keys.ts";
import { readBody } from "./objects.ts";
import { toArchivedHead, toNextHead } from "./skill-head.ts";
import { createSkillHeads } from "./skill-heads.ts";
import { type SeenIndex, createSkillIndex, lineOf, withoutLine } from "./skill-index.ts";
import { rebuildIndex } from "./skill-rebuild.ts";

export interface SkillStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
  /** How long a lost swap is tried again. */
  swapMs: number;
}

export function createSkillStore({ bucket, profile, clock, random, swapMs }: SkillStoreOptions): SkillStore {
  const index = createSkillIndex({ bucket, profile });
  const heads = createSkillHeads({ bucket, profile });
  let firstLook: Promise<boolean> | undefined;

  async function isGone(): Promise<boolean> {
    return (await bucket.get(keyOf("gone", { profile }))) !== null;
  }

  async function change(wanted: SkillChange): Promise<Result<SkillChanged>> {
    if (await (firstLook ??= isGone())) return profileGone();
    const backoff = createBackoff({ clock, random, withinMs: swapMs });
    const memo: Memo = { contents: new Map(), stored: new Set(), doubtful: null };
    for (;;) {
      const attempt = await tryChange(wanted, memo, backoff);
      if (attempt.outcome === "settled") return attempt.result;
      if (!(await backoff.wait())) return busy(wanted.name, attempt.message);
    }
  }

  /** The whole operation once, from a fresh head to the index. */
  async function tryChange(wanted: SkillChange, memo: Memo, backoff: Backoff): Promise<Attempt> {
    const { name, op } = wanted;
    const current = await heads.read(name);
    // A put that threw had been written all the same.
    if (current && current.body === memo.doubtful?.body) {
      return settled(await finish(wanted, current.value, memo.doubtful, backoff));
    }
    const doneAt = current && (await heads.revisionOf(current.value, op, wanted.since));
    if (doneAt) {
      const resumed = { created: doneAt === 1, seen: null, replayed: memo.doubtful === null };
      return settled(await finish(wanted, current.value, resumed, backoff));
    }

    const seen = await index.read();
    const snapshot = current && (await heads.snapshot(current.value, memo.contents));
    const decided = await wanted.decide(snapshot, snapshot ? seen.index : withoutLine(seen.index, name));
    if (!decided.ok) return settled(decided);
    const next = toNextHead(current?.value ?? null, decided.value, { name, op, now: clock.now() });
    const done = { created: current === null, seen, replayed: false };
    if (!next) return settled(await finish(wanted, current!.value, done, backoff));

    if (await isGone()) return settled(profileGone());
    const contents = decided.value.files;
    const trouble = await heads.prepare({ past: current?.value ?? null, next, contents, stored: memo.stored });
    if (trouble !== null) return { outcome: "lost", message: trouble };
    const swapped = await heads.swap(next, current?.etag ?? null);
    if (swapped.outcome === "won") return settled(await finish(wanted, next, done, backoff));
    if (swapped.outcome === "lost") return { outcome: "lost", message: "another writer came first" };
    memo.doubtful = { body: JSON.stringify(next), ...done };
    return { outcome: "lost", message: swapped.message };
  }

  /** What comes after the head: its line in the index, which for a create is the commit. */
  async function finish(wanted: SkillChange, head: SkillHead, done: Done, backoff: Backoff) {
    if (done.created) return commitCreate(wanted, head, done, backoff);
    await index.bringUp(head, () => heads.current(head.name), backoff);
    return ok({ head, replayed: done.replayed });
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

  /** Takes back a create that found a neighbour. A head that others have moved since is theirs, and left alone. */
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

  /** A head newer than its line brings it up, once: who loses this swap leaves it to the next reader. */
  async function open(name: SkillName): Promise<SkillSnapshot | null> {
    const head = await heads.current(name);
    if (!head) return null;
    const [snapshot, seen] = await Promise.all([heads.snapshot(head, new Map()), index.read()]);
    const line = lineOf(seen.index, name);
    // Without a line it is a create that nobody has committed yet; that takes the check of a rebuild.
    if (line && line.seq < head.seq) await index.swap(seen, { ...seen.index.skills, [name]: toIndexLine(head) });
    return snapshot;
  }

  return {
    index: async () => (await index.read()).index,
    head: heads.current,
    open,
    async blob(sha256) {
      const found = await bucket.get(keyOf("blob", { profile, sha256 }));
      return found && readBody(found);
    },
    revisions: heads.revisions,
    change,
    rebuildIndex: (check) =>
      rebuildIndex({ index, heads, check, clock, backoff: createBackoff({ clock, random, withinMs: swapMs }) }),
    scan: heads.scan,
  };
}

/** What attempts of one operation know of those before them. */
interface Memo {
  contents: Map<Sha256, FileBody>;
  /** Blobs that are known to be there. */
  stored: Set<Sha256>;
  /** The head whose swap threw: it may be there or not. */
  doubtful: ({ body: string } & Done) | null;
}
interface Done {
  created: boolean;
  /** The index that `decide` has seen; null when it has to look again. */
  seen: SeenIndex | null;
  replayed: boolean;
}
type Attempt = { outcome: "settled"; result: Result<SkillChanged> } | { outcome: "lost"; message: string };

function settled(result: Result<SkillChanged>): Attempt {
  return { outcome: "settled", result };
}

function busy(name: SkillName, last: string) {
  return err("busy", `Too many writers are changing the skill ${name}. Read it again and try again in a minute.`, {
    last,
  });
}

function profileGone() {
  return err("profile_gone", "This profile has been deleted: nothing can be written to it any more.");
}
