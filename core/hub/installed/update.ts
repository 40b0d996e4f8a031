// An update: first shown, then applied exactly as it was shown. A skill that was changed here is merged by three texts, and never overwritten.
// Called by workers/api/hub.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { SkillNext, SkillSnapshot } from "../../ports.ts";
import { type FileBodies, bodyAt, isSameBody, textOrEmpty } from "../../schemas/file-body.ts";
import type { HubUpdate } from "../../schemas/hub/hub-api.ts";
import type { LockedSkill } from "../../schemas/hub/lock.ts";
import type { Sha256, SkillName } from "../../schemas/ids.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";
import { baseOf, companionOf } from "../../skills/format/validate.ts";
import { diffFiles, openRevision } from "../../skills/history.ts";
import { type HubCandidate, toBareRef } from "../package/candidate.ts";
import {
  type HubDesk,
  type JudgedPackage,
  checkRoom,
  fetchPackage,
  findBreak,
  judgePackage,
  keepPackage,
  readKept,
  toLocked,
} from "../desk.ts";
import { findGrown } from "../package/grown.ts";
import { checkUpdatable, toMergedUpdate, toPackageUpdate } from "./decide-change.ts";
import { findLine, reportPresent } from "./install.ts";
import { type MergeConflict, mergeFiles } from "./merge.ts";
import { hashPackage } from "../package/package-hash.ts";
import { checkDecision } from "../policy.ts";
import { isPackage, lineOf, toMergeOp } from "./settle-lock.ts";
import { toShownName } from "../sources/reading/shown.ts";

export interface UpdateWanted {
  name: SkillName;
  hash?: Sha256 | undefined;
  version?: string | undefined;
  keep?: "companion" | undefined;
}

/**
 * Failures: those of the source and of `readFolder`; `hub_not_installed`, `hub_not_inspected`, `hub_dangerous`, `hub_conflict`, `hub_lock_full`; `skill_not_found`,
 * `skill_archived`, `skill_pinned`, `skill_changed`, `skill_withdrawn`, `skill_exists`, `companion_name`, and those of the store.
 */
export async function update(desk: HubDesk, wanted: UpdateWanted): Promise<Result<HubUpdate>> {
  const { name, hash } = wanted;
  const line = await findLine(desk, name);
  if (!line.ok) return line;
  const ref = toBareRef(line.value);
  const present = checkUpdatable(name, await desk.skills.open(name), ref);
  if (!present.ok) return present;
  const version = wanted.version ?? line.value.pinned ?? line.value.follows;
  const fetched =
    hash === undefined
      ? await fetchPackage(desk, { ...ref, ...(version !== undefined && { version }) })
      : await readKept(desk, ref, hash);
  if (!fetched.ok) return fetched;
  const judged = await judgePackage(desk, fetched.value, { name, hash });
  if (!judged.ok) return judged;
  const plan = await planUpdate(desk, line.value, present.value, judged.value.candidate);
  const shown = show(line.value, plan, judged.value);
  if (!shown.ok) return shown;
  const isCurrent = judged.value.candidate.hash === line.value.hash;
  if (isCurrent) return refresh(desk, line.value, judged.value, shown.value);
  if (hash === undefined) {
    const { keptUntil } = await keepPackage(desk, ref, judged.value.candidate.hash, fetched.value);
    const notes = [...shown.value.notes, ...(await findBreak(desk, line.value, judged.value.candidate.commit))];
    return ok({ ...shown.value, notes, outcome: "preview", keptUntil });
  }
  const applied = await apply(desk, { wanted, line: line.value, plan, judged: judged.value });
  return applied.ok ? ok({ ...shown.value, outcome: "updated", ...applied.value }) : applied;
}

interface UpdatePlan {
  present: SkillSnapshot;
  /** As installed; null when it was purged. */
  base: FileBodies | null;
  /** The present files, without its requests. */
  here: FileBodies;
  changedHere: string[];
  merge: HubUpdate["merge"];
  conflicts: MergeConflict[];
  /** After the update, unless there are conflicts. */
  after: FileBodies;
}

async function planUpdate(
  desk: HubDesk,
  line: LockedSkill,
  present: SkillSnapshot,
  { files, name }: HubCandidate,
): Promise<UpdatePlan> {
  const here = withoutRequests(present.files);
  const changedHere = findChanged(line, here);
  const plan = { present, here, changedHere, conflicts: [] };
  if (changedHere.length === 0) return { ...plan, base: here, merge: "unchanged", after: files };
  const opened = await openRevision(desk.skills, name, line.rev);
  const base = opened.ok ? withoutRequests(opened.value.files) : null;
  if (!base || !isPackage(base, line)) return { ...plan, base: null, merge: "no_base", after: files };
  const merged = mergeFiles(base, here, files);
  const conflicts = merged.conflicts.length > 0 ? merged.conflicts : findBroken(name, merged.files);
  return { ...plan, base, conflicts, merge: conflicts.length > 0 ? "conflict" : "merged", after: merged.files };
}

/** Paths whose files differ from those of the line, also added and removed ones. */
export function findChanged({ files }: Pick<LockedSkill, "files">, here: FileBodies): string[] {
  const own = hashPackage(here).files;
  const paths = [...new Set([...Object.keys(files), ...Object.keys(own)])].sort();
  const at = (hashes: Record<string, Sha256>, path: string) => (Object.hasOwn(hashes, path) ? hashes[path] : undefined);
  return paths.filter((path) => at(files, path) !== at(own, path));
}

/** Two changes that each are fine may make a frontmatter that is not. */
function findBroken(name: SkillName, files: FileBodies): MergeConflict[] {
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: name });
  return parsed.ok
    ? []
    : [{ path: SKILL_MD, line: 0, here: "changed", there: `merged, it is not valid: ${parsed.failure.message}` }];
}

function show(
  line: LockedSkill,
  { present, base, here, changedHere, merge, conflicts, after }: UpdatePlan,
  { candidate, report, decision }: JudgedPackage,
): Result<Omit<HubUpdate, "outcome"> & { outcome: "current" }> {
  const old = base ?? here;
  const before = reportPresent(present.head.name, old, line);
  if (!before.ok) return before;
  const isMergeable = merge === "unchanged" || merge === "merged";
  return ok({
    name: present.head.name,
    outcome: "current",
    from: toPoint(line),
    to: toPoint(candidate),
    ...{ decision, report, changedHere, merge, conflicts },
    grown: findGrown(before.value, report, (path) => !isSameBody(bodyAt(old, path), bodyAt(candidate.files, path))),
    files: isMergeable ? diffFiles(here, after) : diffFiles(old, candidate.files),
    notes: [...candidate.notes, ...describeDoubts(line, old, candidate)],
  });
}

/** What should not change from one version to the next. */
function describeDoubts(line: LockedSkill, old: FileBodies, { version, hash, files }: HubCandidate): string[] {
  const hasMoved = version === line.version && version !== line.follows && hash !== line.hash;
  const [before, now] = [nameIn(old), nameIn(files)];
  return [
    ...(hasMoved ? [`Version ${version} now has another content than when it was installed.`] : []),
    ...(before !== now ? [`It called itself "${before}", and now calls itself "${now}".`] : []),
  ];
}

function nameIn(files: FileBodies): string {
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: "-" });
  return parsed.ok ? toShownName(parsed.value.name) : "-";
}

function toPoint({ version, commit, hash }: Pick<HubCandidate | LockedSkill, "version" | "commit" | "hash">) {
  return { version, ...(commit !== undefined && { commit }), hash };
}

/** Nothing changed but, perhaps, the name of the version. */
async function refresh(
  desk: HubDesk,
  line: LockedSkill,
  { candidate }: JudgedPackage,
  shown: HubUpdate,
): Promise<Result<HubUpdate>> {
  const { version, commit, content, name } = candidate;
  const { seen: _seen, ...rest } = line;
  const next = { ...rest, ...(commit !== undefined && { commit }), ...(content !== undefined && { content }), version };
  if (JSON.stringify(next) !== JSON.stringify(rest)) await replaceLine(desk, name, line, next);
  return ok(shown);
}

/** Unless another request has written the line meanwhile. */
async function replaceLine(desk: HubDesk, name: SkillName, before: LockedSkill, next: LockedSkill): Promise<boolean> {
  let isWritten = false;
  await desk.lock.change((lock) => {
    isWritten = JSON.stringify(lineOf(lock, name)) === JSON.stringify(before);
    return isWritten ? { ...lock, skills: { ...lock.skills, [name]: next } } : null;
  });
  return isWritten;
}

interface ToApply {
  wanted: UpdateWanted;
  line: LockedSkill;
  plan: UpdatePlan;
  judged: JudgedPackage;
}

async function apply(
  desk: HubDesk,
  { wanted, line, plan, judged }: ToApply,
): Promise<Result<{ rev: number; companion?: SkillName }>> {
  const { candidate, decision, health } = judged;
  const { name, hash } = candidate;
  const { head } = plan.present;
  const refusal = checkDecision(decision, true, hash) ?? checkConflicts(name, plan, wanted);
  if (refusal) return { ok: false, failure: refusal };
  const planned = toLocked(judged, { rev: head.rev + 1, now: desk.clock.now(), before: line });
  const noRoom = checkRoom(await desk.lock.read(), name, planned);
  if (noRoom) return { ok: false, failure: noRoom };
  const isApart = wanted.keep === "companion" && plan.changedHere.length > 0;
  const isMerged = !isApart && plan.merge === "merged" && !isPackage(plan.after, candidate);
  const companion = isApart ? await writeCompanion(desk, plan, hash) : ok(undefined);
  if (!companion.ok) return companion;
  const merging = { rev: head.rev, hash };
  const isNoted = !isMerged || (await replaceLine(desk, name, line, { ...line, merging }));
  if (!isNoted) return err("skill_changed", `\`${name}\` is being updated by another request. Look at it again.`);

  const updated = await desk.skills.change({
    name,
    op: `hub:update:${hash}:${head.rev}`,
    since: head.rev,
    decide: toPackageUpdate(candidate, { seen: head.text, health }),
  });
  if (!updated.ok) return updated;
  const packaged = updated.value.head;
  const decide = toMergedUpdate(candidate, {
    merged: plan.after,
    origin: head.origin,
    parent: head.text,
    seen: packaged.text,
  });
  const merged = isMerged
    ? await desk.skills.change({ name, op: toMergeOp(hash, head.rev), since: packaged.rev, decide })
    : updated;
  if (!merged.ok) return merged;
  const pinned = line.pinned !== undefined && { pinned: wanted.version ?? line.pinned };
  const now = desk.clock.now();
  await desk.lock.change((lock) => ({
    ...lock,
    skills: { ...lock.skills, [name]: { ...toLocked(judged, { rev: packaged.rev, now, before: line }), ...pinned } },
  }));
  return ok({ rev: merged.value.head.rev, ...(companion.value !== undefined && { companion: companion.value }) });
}

function checkConflicts(name: SkillName, { merge, conflicts }: UpdatePlan, { keep }: UpdateWanted): Failure | null {
  if (keep !== undefined || merge === "unchanged" || merge === "merged") return null;
  const advice =
    'Send `keep: "companion"` to move what was changed here to a skill beside it, or change the skill first.';
  if (merge === "no_base") {
    const why = "The installed text was purged, so nothing shows what was changed here.";
    return err("hub_conflict", `\`${name}\` was not updated. ${why} ${advice}`, { conflicts: [] }).failure;
  }
  const places = [...new Set(conflicts.map(({ path, line }) => (line > 0 ? `${path}, line ${line}` : path)))].slice(
    0,
    10,
  );
  return err(
    "hub_conflict",
    `\`${name}\` was not updated: it was changed here in the same places (${places.join("; ")}). ${advice}`,
    {
      conflicts,
    },
  ).failure;
}

/** The text that was changed here, as a skill that is loaded with the package. Failures: `companion_name`, `skill_exists`. */
async function writeCompanion(desk: HubDesk, { present, here }: UpdatePlan, hash: Sha256): Promise<Result<SkillName>> {
  const { head } = present;
  if (baseOf(head.name) !== null) {
    return err("companion_name", `\`${head.name}\` is itself a companion, and cannot have one: change it first.`);
  }
  const name = companionOf(head.name);
  const { description, category, state } = head;
  const origin: SkillNext["origin"] = head.origin === "hub" ? "user" : head.origin;
  const { hash: own } = hashPackage(here);
  const since = (await desk.skills.head(name))?.rev ?? 0;
  const written = await desk.skills.change({
    name,
    op: `hub:companion:${hash}:${own}`,
    since,
    decide(current) {
      if (current && current.head.state !== "archived") {
        if (isPackage(withoutRequests(current.files), { hash: own })) return ok({});
        return err(
          "skill_exists",
          `There is already a skill \`${name}\`. Move what it says elsewhere, or rename it, first.`,
        );
      }
      const next: SkillNext = {
        files: here,
        description,
        category,
        state,
        origin,
        citations: [],
        extends: head.name,
        from: null,
      };
      return ok({
        ...next,
        reason: `Kept from \`${head.name}\` when it was updated.`,
        ...(current && { startsOver: true as const }),
      });
    },
  });
  return written.ok ? ok(name) : written;
}
