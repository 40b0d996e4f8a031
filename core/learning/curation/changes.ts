// Applies the changes of a curation's plan and takes them back, each by one compare-and-swap of one head. Called by carry-out.ts.
// Idempotent. Never touches a skill that has changed since the plan was made.
import { type Result, err, ok } from "../../errors.ts";
import type { Clock, EvidenceStore, SkillNext, SkillStore } from "../../ports.ts";
import type {
  CurationChange,
  CurationMove,
  CurationPlan,
  CurationRun,
  HealthFinding,
  Standing,
  VerdictMove,
} from "../../schemas/learning/curation.ts";
import type { CurationId, SkillName } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SkillHead, SkillStats } from "../../schemas/skill.ts";
import { openRevision, liftWithdrawal } from "../../skills/history.ts";
import { settleSkill } from "../evidence/settle.ts";

/** The reason of a head that a rollback restored. */
export const ROLLED_BACK = "as it was before the curation that was rolled back";

export function standingOf({ state, rev, text }: SkillHead): Standing {
  return { state, rev, text };
}

interface AppliedPlan {
  moves: CurationRun["moves"];
  verdicts: NonNullable<CurationRun["verdicts"]>;
  health: NonNullable<CurationRun["health"]>;
  undone: NonNullable<CurationRun["undone"]>;
  /** In the order they were made. */
  changes: CurationChange[];
}

/** What a dry run would do. */
export function describeDryRun({ moves, verdicts = [], health = [] }: CurationPlan): AppliedPlan {
  const result = "planned" as const;
  return {
    moves: moves.map((move) => ({ ...move, result })),
    verdicts: verdicts.map((move) => ({ ...move, result })),
    health: health.map((finding) => ({ ...finding, result })),
    undone: [],
    changes: [],
  };
}

function verdictOp(run: CurationId, skill: SkillName): string {
  return `curation:${run}:${skill}`;
}

interface ApplyOptions {
  skills: SkillStore;
  evidence: EvidenceStore;
  settings: Settings;
  clock: Clock;
  /** Throws when this invocation may make no more requests. The next one applies the plan from its beginning. */
  assertRoom(): void;
  /** The stats counted in this run; applying verdicts adds to them. */
  folded: Map<SkillName, SkillStats>;
}

/** Idempotent: reports what an earlier attempt has done, and does the rest. */
export async function applyPlan(options: ApplyOptions, plan: CurationPlan): Promise<AppliedPlan> {
  const { skills, clock, assertRoom } = options;
  const done: AppliedPlan = { moves: [], verdicts: [], health: [], undone: [], changes: [] };
  for (const move of plan.verdicts ?? []) {
    assertRoom();
    const change = await applyVerdict(options, plan.run, move);
    done.verdicts.push({ ...move, result: change ? "moved" : "left", ...(change && { to: change.to.state }) });
    if (change) done.changes.push(change);
  }
  for (const move of plan.moves) {
    assertRoom();
    const change = await applyMove(skills, plan.run, move);
    done.moves.push({ ...move, result: change ? "moved" : "left" });
    if (change) done.changes.push(change);
  }
  for (const finding of plan.health ?? []) {
    assertRoom();
    const held = await applyHealth(skills, plan.run, finding, clock.now());
    done.health.push({ ...finding, result: held ? "moved" : "left" });
  }
  for (const [n, change] of (plan.undo ?? []).entries()) {
    assertRoom();
    const end = await undoChange(skills, plan, n, change);
    const why = "why" in end ? end.why : "";
    done.undone.push({ change, result: why === "" ? "moved" : "left", why });
    if ("change" in end) done.changes.push(end.change);
  }
  return done;
}

/** Settles the skill by its evidence as it is now; `null`: the evidence no longer moves it. */
async function applyVerdict(
  { skills, evidence, settings, folded }: ApplyOptions,
  run: CurationId,
  { skill, from }: VerdictMove,
): Promise<CurationChange | null> {
  const { stats, moved } = await settleSkill({ skills, evidence, settings, skill, op: verdictOp(run, skill) });
  folded.set(skill, stats);
  if (!moved) return null;
  const { to: state, rev, reason } = moved;
  const text = (await skills.revision(skill, rev))?.text ?? from.text;
  return { skill, from: { ...from, state: moved.from }, to: { state, rev, text }, reason };
}

/** The change, also when an earlier attempt made it; `null`: something else moved the skill first. */
async function applyMove(skills: SkillStore, run: CurationId, move: CurationMove): Promise<CurationChange | null> {
  const head = await change(skills, `curation:${run}:${move.skill}`, move.skill, ({ seq, state, reason }) => {
    const done = seq === move.seq + 1 && state === move.to && reason === move.reason;
    if (seq !== move.seq && !done) return err("skill_moved", "The skill has changed since the plan was made.");
    return ok({ state: move.to, reason: move.reason });
  });
  if (!head) return null;
  const to = standingOf(head);
  return { skill: move.skill, from: { ...to, state: move.from }, to, reason: move.reason };
}

/** True when the head holds the finding. Applies to pinned skills too: only the record of their health changes. */
async function applyHealth(
  skills: SkillStore,
  run: CurationId,
  { skill, text, broken }: HealthFinding,
  now: number,
): Promise<boolean> {
  const head = await change(skills, `curation:${run}:health:${skill}`, skill, (current) => {
    if (current.text !== text) return err("skill_moved", "The skill has changed since it was checked.");
    const known = current.health?.broken ?? [];
    return ok(isSame(known, broken) ? {} : { health: { checkedAt: now, broken } });
  });
  return head !== null;
}

/**
 * Restores the state and the text from before a change. A skill that the change created is archived. `why`: the skill was left alone,
 * because a person or the evidence has moved it since.
 */
async function undoChange(
  skills: SkillStore,
  { run, undoes }: CurationPlan,
  n: number,
  { skill, from, to }: CurationChange,
): Promise<{ change: CurationChange } | { why: string }> {
  const reason = ROLLED_BACK;
  const before = await skills.head(skill);
  if (!before) return { why: "it is gone" };
  const changed = await skills.change({
    name: skill,
    op: `curation:${run}:${n}:${skill}`,
    since: before.rev,
    async decide(current) {
      if (!current) return refuseAsMoved("it is gone");
      const { head } = current;
      const back: Standing = from ?? { ...to, state: "archived" };
      if (head.state === back.state && head.text === back.text && head.reason === reason) return ok({});
      if (head.pinned) return refuseAsMoved("a person has pinned it");
      if (head.text !== to.text) return refuseAsMoved("its text has changed since");
      if (head.state !== to.state) return refuseAsMoved(`it has become ${head.state} since`);
      // Without the mark, the same evidence would lead to the same verdict again.
      const mark = head.settled?.op === verdictOp(undoes ?? run, skill) ? { restored: true as const } : {};
      const next: SkillNext = { state: back.state, reason, ...mark, ...liftWithdrawal(head, back.text) };
      if (back.rev === to.rev) return ok(next);
      const opened = await openRevision(skills, skill, back.rev);
      if (!opened.ok) return refuseAsMoved("its former text was purged");
      const { description, category, citations, parent = null } = opened.value.revision;
      return ok({ ...next, files: opened.value.files, description, category, citations, parent });
    },
  });
  if (changed.ok) return { change: { skill, from: to, to: standingOf(changed.value.head), reason } };
  const { code, message } = changed.failure;
  if (code === "skill_moved" || code === "profile_gone") return { why: message };
  throw new Error(`The change of ${skill} could not be rolled back: ${message}`);
}

function refuseAsMoved(why: string): Result<never> {
  return err("skill_moved", why);
}

/** The changed head; `null`: the skill is gone or has moved. */
async function change(
  skills: SkillStore,
  op: string,
  name: string,
  decide: (head: SkillHead) => Result<SkillNext>,
): Promise<SkillHead | null> {
  const before = await skills.head(name);
  if (!before) return null;
  const changed = await skills.change({
    name,
    op,
    since: before.rev,
    decide: (current) => (current ? decide(current.head) : err("skill_moved", "The skill is gone.")),
  });
  if (changed.ok) return changed.value.head;
  const { code, message } = changed.failure;
  if (code === "skill_moved" || code === "profile_gone") return null;
  throw new Error(`The skill ${name} could not be changed: ${message}`);
}

function isSame(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
