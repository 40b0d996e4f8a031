// Changes one skill by compare-and-swap of its head, again and again until it wins, is refused or runs out of time. Called by the
// skill store. Holds no lock: every attempt decides on a fresh head and checks everything that may forbid the write.
import { DeletedError, type Result, err, messageOf } from "../../core/errors.ts";
import type { Bucket, SkillChange, SkillChanged, SkillNext } from "../../core/ports.ts";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import { ForeignProgram } from "../../core/schemas/sessions/transcript.ts";
import type { SkillHead } from "../../core/schemas/skill.ts";
import { type DeletedSkill, isGone, profileGone, readDeletedSkill, skillDeleted } from "../deleted.ts";
import { HOLD_MS, type SeenLease } from "./purge-lease.ts";
import { type CommitContext, type WrittenChange, busy, commitChange } from "./skill-commit.ts";
import { type ReadConditions, toNextHead } from "./skill-head.ts";
import { newBlobs } from "./skill-blobs.ts";
import type { FoundHead } from "./skill-heads.ts";
import { type SeenIndex, withoutLine } from "./skill-index.ts";

export interface ChangeContext extends CommitContext {
  bucket: Bucket;
  profile: ProfileId;
  readConditions?: ReadConditions | undefined;
}

/** What attempts of one change know of earlier ones. */
interface AttemptMemory {
  /** Blobs known to be stored, valid while the purge lease is the one that was read. */
  stored: { since: string | null; hashes: Set<Sha256> };
  /** The head whose swap threw, so it may or may not be stored. */
  doubtful: ({ body: string } & WrittenChange) | null;
}

type Attempt = { outcome: "settled"; result: Result<SkillChanged> } | { outcome: "lost"; message: string };

/** Failures: those of `decide`; `busy`; `profile_gone`, `skill_deleted`. */
export async function changeSkill(context: ChangeContext, wanted: SkillChange): Promise<Result<SkillChanged>> {
  const memory: AttemptMemory = { stored: { since: null, hashes: new Set() }, doubtful: null };
  try {
    for (;;) {
      const attempt = await tryChange(context, wanted, memory);
      if (attempt.outcome === "settled") return attempt.result;
      if (!(await context.backoff.wait())) return busy(wanted.name, attempt.message);
    }
  } catch (error) {
    if (error instanceof DeletedError) return refuse(error);
    throw error;
  }
}

/** One attempt at the whole operation, from a fresh head to the index. */
async function tryChange(context: ChangeContext, wanted: SkillChange, memory: AttemptMemory): Promise<Attempt> {
  const { bucket, profile, heads, index, leases, clock, readConditions } = context;
  const { name, op } = wanted;
  const current = await heads.read(name);
  const already = current && (await findWritten(context, wanted, current, memory));
  if (already) return settled(await commitChange(context, wanted, current.value, already));

  // Checked before relying on contents that may be purged.
  const [seen, lease] = await Promise.all([index.read(), leases.read()]);
  const snapshot = current && (await heads.snapshot(current.value));
  if (current && !snapshot) return lost("the skill was changed while it was read");
  const decided = await wanted.decide(snapshot, snapshot ? seen.index : withoutLine(seen.index, name));
  if (!decided.ok) return settled(decided);
  const deleted = current ? null : await readDeletedSkill(bucket, profile, name);
  if (deleted && !mayBringBack(decided.value)) return settled(refuse(skillDeleted(name)));
  const after = deleted ?? undefined;
  const change = { name, op, now: clock.now(), readConditions, after };
  const next = toNextHead(current?.value ?? null, decided.value, change);
  if (!next) {
    const written = { created: current === null, seen, replayed: false };
    return settled(await commitChange(context, wanted, current!.value, written));
  }
  const contents = decided.value.files ?? {};
  return writeHead(context, wanted, { current, deleted, next, contents, seen, lease }, memory);
}

/** Whether an earlier attempt, or an earlier delivery of the operation, has written the head; null if not. */
async function findWritten(
  { revisions }: ChangeContext,
  { op, since }: SkillChange,
  current: FoundHead,
  { doubtful }: AttemptMemory,
): Promise<WrittenChange | null> {
  // A put that threw had been written nevertheless.
  if (current.body === doubtful?.body) return doubtful;
  const rev = await revisions.findByOp(current.value, op, since);
  if (!rev) return null;
  const created = isCreate(current.value, rev);
  return { created, seen: null, replayed: doubtful === null, contents: doubtful?.contents };
}

/** The head to write, and what was read before it was decided. */
interface DecidedHead {
  current: FoundHead | null;
  deleted: DeletedSkill | null;
  next: SkillHead;
  contents: FileBodies;
  seen: SeenIndex;
  lease: SeenLease;
}

/** Puts everything that the head names, checks again what may have changed, and swaps the head. */
async function writeHead(
  context: ChangeContext,
  wanted: SkillChange,
  decided: DecidedHead,
  memory: AttemptMemory,
): Promise<Attempt> {
  const { heads, revisions, leases } = context;
  const { current, next, contents, seen, lease } = decided;
  const past = current?.value ?? null;
  const blobs = newBlobs(past, next, contents);
  if (leases.blocks(lease, [...blobs.keys()])) return lost("contents like these are being purged");
  // Contents that were put before a purge may be gone.
  if (memory.stored.since !== lease.etag) memory.stored = { since: lease.etag, hashes: new Set() };
  try {
    await context.blobs.putMany(blobs, memory.stored.hashes);
    if (past && past.rev !== next.rev) await revisions.putPast(past);
  } catch (error) {
    // All of these puts are create-only, so the next attempt repeats them safely.
    return lost(messageOf(error));
  }

  const obstacle = await findObstacle(context, wanted.name, decided);
  if (obstacle) return obstacle;
  const written: WrittenChange = {
    created: current === null,
    seen,
    replayed: false,
    contents: { name: wanted.name, rev: next.rev, blobs, since: lease.etag },
  };
  const swapped = await heads.swap(next, current?.etag ?? null);
  if (swapped.outcome === "won") return settled(await commitChange(context, wanted, next, written));
  if (swapped.outcome === "lost") return lost("another writer came first");
  memory.doubtful = { body: JSON.stringify(next), ...written };
  return lost(swapped.message);
}

/** What has happened since the decision and forbids the swap: a deletion, a purge, or too much time. */
async function findObstacle(
  { bucket, profile, leases, clock }: ChangeContext,
  name: SkillName,
  { current, deleted, lease }: DecidedHead,
): Promise<Attempt | null> {
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
  return null;
}

function settled(result: Result<SkillChanged>): Attempt {
  return { outcome: "settled", result };
}

function lost(message: string): Attempt {
  return { outcome: "lost", message };
}

export function refuse({ code, message }: DeletedError) {
  return err(code, message);
}

/** Whether the operation created the skill: its first revision, or the first one after a deletion. */
function isCreate(head: SkillHead, rev: number): boolean {
  return rev === 1 || (rev === head.firstRev && rev === head.rev && head.createdAt === head.revisedAt);
}

/** A deleted skill returns by a person or with a deployment, never by an agent's late write, nor when another program's home comes again. */
function mayBringBack({ origin, from }: SkillNext): boolean {
  const isMoved = ForeignProgram.safeParse(from?.source).success;
  return (origin === "user" && !isMoved) || origin === "hub" || origin === "bundled";
}
