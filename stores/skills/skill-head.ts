// Computes the head that follows from a change: which numbers rise and what is kept. Used by skill-store.ts and
// skill-rebuild.ts, which store it. Pure.
import { assert } from "../../core/errors.ts";
import type { SkillNext } from "../../core/ports.ts";
import { hashFiles, textOfFiles } from "../../core/schemas/learning/digest.ts";
import type { Sha256 } from "../../core/schemas/ids.ts";
import { type SkillConditions, type SkillFiles, SkillHead } from "../../core/schemas/skill.ts";

/** Reads from a SKILL.md the conditions under which the skill can be used. */
export type ReadConditions = (skillMd: string) => SkillConditions | undefined;

interface Change {
  name: string;
  op: string;
  now: number;
  readConditions?: ReadConditions;
  /** The last numbers of a deleted skill of the same name; a new one continues from them. */
  after?: { seq: number; rev: number };
}

/** The head after a change, or null when nothing would differ. A first head needs files, description, state and origin. */
export function toNextHead(current: SkillHead | null, next: SkillNext, change: Change): SkillHead | null {
  const files = next.files ? hashFiles(next.files) : current?.files;
  assert(files?.["SKILL.md"], `a skill has a SKILL.md; ${change.name} would have none`);
  return current ? toChangedHead(current, files, next, change) : toFirstHead(files, next, change);
}

/** The same head archived: only its state, its `reason` and what every swap changes are different. */
export function toArchivedHead(head: SkillHead, reason: string, now: number): SkillHead {
  return SkillHead.parse({
    ...head,
    state: "archived",
    public: undefined,
    shared: undefined,
    heldUntil: undefined,
    reason,
    seq: head.seq + 1,
    updatedAt: now,
  });
}

function toFirstHead(files: SkillFiles, next: SkillNext, change: Change): SkillHead {
  const { name, op, now, after } = change;
  const { description, state, origin } = next;
  assert(description !== undefined && state && origin, `the first ${name} needs a description, a state and an origin`);
  return SkillHead.parse({
    v: 1,
    name,
    seq: (after?.seq ?? 0) + 1,
    rev: (after?.rev ?? 0) + 1,
    ...(after && { firstRev: after.rev + 1 }),
    text: textOfFiles(files),
    description,
    category: next.category ?? "general",
    state,
    pinned: next.pinned ?? false,
    origin,
    files,
    citations: next.citations ?? [],
    op,
    extends: next.extends,
    reason: next.reason,
    public: next.public,
    shared: next.shared,
    from: next.from ?? undefined,
    health: next.health,
    overlaps: next.overlaps,
    heldUntil: next.heldUntil ?? undefined,
    conditions: conditionsOf(next, change),
    createdAt: now,
    revisedAt: now,
    updatedAt: now,
  });
}

function toChangedHead(current: SkillHead, files: SkillFiles, next: SkillNext, change: Change): SkillHead | null {
  const { op, now } = change;
  const text = textOfFiles(files);
  const state = next.state ?? current.state;
  const stateMoves = state !== current.state;
  const keptRestoredAt = text === current.text ? current.restoredAt : undefined;
  const changed = {
    ...current,
    text,
    files,
    description: next.description ?? current.description,
    category: next.category ?? current.category,
    state,
    pinned: next.pinned ?? current.pinned,
    origin: next.origin ?? current.origin,
    citations: next.citations ?? current.citations,
    extends: next.extends ?? current.extends,
    public: offeredAfter(state, next.public, current, "public"),
    shared: offeredAfter(state, next.shared, current, "shared"),
    from: next.from === undefined && !next.startsOver ? current.from : (next.from ?? undefined),
    conditions: next.files ? conditionsOf(next, change) : current.conditions,
    withdrawn: next.withdrawn ?? current.withdrawn,
    restoredAt: next.restored ? now : keptRestoredAt,
    settled: next.settled ?? current.settled,
    // Findings belong to the text they were found in.
    health: next.health ?? (text === current.text ? current.health : undefined),
    failedWords: next.failedWords ?? (text === current.text ? current.failedWords : undefined),
    overlaps: next.overlaps ?? current.overlaps,
    heldUntil: heldAfter(text, state, next, current),
    // The reason of the last move would be wrong for this one.
    reason: next.reason ?? (stateMoves ? undefined : current.reason),
  };
  if (!hasFiles(current, files)) {
    const rev = current.rev + 1;
    const { firstRev } = next.startsOver ? { firstRev: rev } : current;
    const { settled } = changed;
    // A verdict belongs to the text, so it also holds for the same text with other requests.
    const holds = text === current.text && settled?.rev === current.rev;
    Object.assign(changed, { rev, parent: parentOf(text, next, current), firstRev, op, revisedAt: now });
    if (holds) changed.settled = { ...settled, rev };
  } else if (isSame(changed, current)) return null;
  return SkillHead.parse({ ...changed, seq: current.seq + 1, updatedAt: now });
}

/** Publishing or sharing is a decision about a skill in use. It ends with archiving and does not return by itself. */
function offeredAfter(
  state: SkillHead["state"],
  next: boolean | undefined,
  current: SkillHead,
  field: "public" | "shared",
): boolean | undefined {
  if (state === "archived") return undefined;
  if (next !== undefined) return next;
  return current.state === "archived" ? undefined : current[field];
}

/** The hold belongs to a text that waits for its experiment. It ends with another text, and with a person's word on the skill. */
function heldAfter(text: Sha256, state: SkillHead["state"], next: SkillNext, current: SkillHead): number | undefined {
  if (state === "archived" || next.pinned || next.restored || next.origin === "user") return undefined;
  if (next.heldUntil !== undefined) return next.heldUntil ?? undefined;
  return text === current.text ? current.heldUntil : undefined;
}

/** Compares the files: the text alone does not cover a skill's requests. */
function hasFiles(head: SkillHead, files: SkillFiles): boolean {
  const paths = Object.keys(files);
  const isSameFile = (path: string) =>
    Object.hasOwn(head.files, path) && head.files[path]!.sha256 === files[path]!.sha256;
  return paths.length === Object.keys(head.files).length && paths.every(isSameFile);
}

/** Going back to the parent of the present text does not make the present text its parent. */
function parentOf(text: Sha256, next: SkillNext, current: SkillHead): Sha256 | undefined {
  if (next.startsOver) return undefined;
  if (text === current.text) return current.parent;
  if (next.parent !== undefined) return next.parent ?? undefined;
  return text === current.parent ? undefined : current.text;
}

function conditionsOf({ files }: SkillNext, { readConditions }: Change): SkillConditions | undefined {
  const skillMd = files?.["SKILL.md"];
  return typeof skillMd === "string" ? readConditions?.(skillMd) : undefined;
}

/** Compares as JSON: both values come from the schema, so their keys are in the same order. */
function isSame(a: SkillHead, b: SkillHead): boolean {
  return JSON.stringify(SkillHead.parse(a)) === JSON.stringify(b);
}
