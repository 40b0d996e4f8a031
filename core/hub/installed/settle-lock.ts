// Makes the lock agree with the skills. A skill is written before its line in the lock, so a crash between the two leaves a line that lags; and a
// skill may be deleted, replaced or restored by other routes. Called by every request of the hub that reads the lock.
import type { SkillSnapshot } from "../../ports.ts";
import { mapLimit, MAX_CONNECTIONS } from "../../map-limit.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import { HUB_SOURCES, type HubLock, HubSourceName, type LockedSkill } from "../../schemas/hub/lock.ts";
import type { Sha256, SkillName } from "../../schemas/ids.ts";
import { textOfFiles } from "../../schemas/learning/digest.ts";
import { type SkillHead, type SkillIndex, isPurged } from "../../schemas/skill.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import { openRevision } from "../../skills/history.ts";
import { type HubCandidate, isFrom, toCandidate } from "../package/candidate.ts";
import { type HubDesk, toLocked } from "../desk.ts";
import { toMergedUpdate } from "./decide-change.ts";
import { mergeFiles } from "./merge.ts";
import { hashHeadFiles, hashPackage } from "../package/package-hash.ts";
import { trustOf } from "../policy.ts";
import { makeReport } from "../package/report.ts";

/**
 * [own] Lines that one request rebuilds. The next request rebuilds more. Each may read three packages of 500 files, and an invocation has ten thousand
 * reads. One after another: a package may have ten megabytes.
 */
const MAX_REBUILT = 5;
/** How far back the revision with the package's files is looked for. */
const MAX_REVISIONS = 30;

/** `names`: only these. Absent: those that the index shows to disagree. A skill that was only changed here costs its head. */
export async function settleLock(desk: HubDesk, names?: SkillName[]): Promise<{ lock: HubLock; index: SkillIndex }> {
  const [lock, index] = await Promise.all([desk.lock.read(), desk.skills.index()]);
  const compared = await mapLimit(names ?? findDoubtful(lock, index), MAX_CONNECTIONS, async (name) => {
    const seen = lineOf(lock, name);
    return { name, seen, line: compareLine(await desk.skills.head(name), seen) };
  });
  const settled: { name: SkillName; seen: LockedSkill | undefined; line: LockedSkill | undefined }[] = [];
  let rebuilt = 0;
  for (const { name, seen, line } of compared) {
    if (line !== "lags") settled.push({ name, seen, line });
    else if (rebuilt++ < MAX_REBUILT) settled.push({ name, seen, line: await settleSkill(desk, name, seen) });
  }
  const changes = settled.filter(({ seen, line }) => line !== seen);
  if (changes.length === 0) return { lock, index };
  const changed = await desk.lock.change((current) => {
    const skills = { ...current.skills };
    for (const { name, seen, line } of changes) {
      // Another request has written it meanwhile.
      if (JSON.stringify(lineOf(current, name)) !== JSON.stringify(seen)) continue;
      if (line) skills[name] = line;
      else delete skills[name];
    }
    return { ...current, skills };
  });
  return { lock: changed, index };
}

export function lineOf(lock: HubLock, name: SkillName): LockedSkill | undefined {
  return Object.hasOwn(lock.skills, name) ? lock.skills[name] : undefined;
}

/** The text of a skill that has exactly the files of the lock. */
export function lockedText({ files }: Pick<LockedSkill, "files">): Sha256 {
  return textOfFiles(Object.fromEntries(Object.entries(files).map(([path, sha256]) => [path, { sha256 }])));
}

function findDoubtful(lock: HubLock, { skills }: SkillIndex): SkillName[] {
  const locked = Object.entries(lock.skills).filter(([name, line]) => {
    const own = Object.hasOwn(skills, name) ? skills[name] : undefined;
    return !own || line.merging !== undefined || own.text !== lockedText(line);
  });
  const unlocked = Object.entries(skills).filter(
    ([name, { origin, state }]) => origin === "hub" && state !== "archived" && !Object.hasOwn(lock.skills, name),
  );
  return [...locked, ...unlocked].map(([name]) => name);
}

/** The line that the skill should have; the same object if it has it. `lags`: only the files say. */
function compareLine(head: SkillHead | null, line: LockedSkill | undefined): LockedSkill | "lags" | undefined {
  const from = head?.from;
  if (!head || !from?.hash || !HubSourceName.safeParse(from.source).success) return undefined;
  const isLagging = !line || line.hash !== from.hash || line.merging !== undefined || !isFrom(from, line);
  // One that was uninstalled has no line.
  if (!isLagging || (!line && head.state === "archived")) return line;
  if (!line?.merging || head.rev !== line.merging.rev) return "lags";
  const { merging: _begun, ...rest } = line;
  return rest;
}

async function settleSkill(
  desk: HubDesk,
  name: SkillName,
  line: LockedSkill | undefined,
): Promise<LockedSkill | undefined> {
  const snapshot = await desk.skills.open(name);
  if (!snapshot) return undefined;
  const settled = compareLine(snapshot.head, line);
  if (settled !== "lags") return settled;
  if (line?.merging) await finishMerge(desk, snapshot, line);
  return rebuildLine(desk, snapshot, line);
}

/**
 * The package has become a revision, and the merged text has not: merges again, from revisions. If one of them was purged, the package stays, and
 * the text that was changed here is in the history.
 */
async function finishMerge({ skills }: HubDesk, { head, files }: SkillSnapshot, line: LockedSkill): Promise<void> {
  const { rev, hash } = line.merging!;
  if (head.rev !== rev + 1 || head.from?.hash !== hash) return;
  const [base, here] = [await openRevision(skills, head.name, line.rev), await openRevision(skills, head.name, rev)];
  if (!base.ok || !here.ok) return;
  const [old, own] = [withoutRequests(base.value.files), withoutRequests(here.value.files)];
  const { files: merged, conflicts } = mergeFiles(old, own, withoutRequests(files));
  const candidate = readCandidate({ head, files });
  if (conflicts.length > 0 || !candidate) return;
  const { origin, text: parent } = here.value.revision;
  await skills.change({
    name: head.name,
    op: toMergeOp(hash, rev),
    since: head.rev,
    decide: toMergedUpdate(candidate, { merged, origin, parent, seen: head.text }),
  });
}

/** The operation of a merge's second half: the same in the request that began it and in one that completes it. */
export function toMergeOp(hash: Sha256, rev: number): string {
  return `hub:merge:${hash}:${rev}`;
}

async function rebuildLine(
  desk: HubDesk,
  { head, files }: SkillSnapshot,
  before: LockedSkill | undefined,
): Promise<LockedSkill | undefined> {
  const found = await findPackage(desk, { head, files });
  const candidate = readCandidate({ head, files: found?.files ?? files });
  if (!candidate) return undefined;
  const trust = trustOf(candidate.ref, desk.trusted);
  const line = toLocked(
    { candidate, report: makeReport(candidate), trust },
    { rev: found?.rev ?? head.rev, now: desk.clock.now(), before },
  );
  // Without the package's files nothing can be merged: an update then needs `keep`.
  return found ? line : { ...line, hash: head.from!.hash!, files: {} };
}

/** The revision with exactly the package's files; null when it was purged or is too old. */
async function findPackage(
  { skills }: HubDesk,
  { head, files }: SkillSnapshot,
): Promise<{ rev: number; files: FileBodies } | null> {
  const { hash } = head.from!;
  if (hashHeadFiles(head.files).hash === hash) return { rev: head.rev, files: withoutRequests(files) };
  const past = await skills.revisions(head.name, { before: head.rev, limit: MAX_REVISIONS });
  const found = past.find((revision) => !isPurged(revision) && hashHeadFiles(revision.files).hash === hash);
  const opened = found && (await openRevision(skills, head.name, found.rev));
  if (!found || !opened?.ok) return null;
  return { rev: found.rev, files: withoutRequests(opened.value.files) };
}

/** From a stored skill. Null when its files are not a package any more. */
function readCandidate({ head, files }: SkillSnapshot): HubCandidate | null {
  const { source, identifier, version, commit, hash } = head.from!;
  const name = HUB_SOURCES.find((known) => known === source)!;
  const read = toCandidate(
    {
      ref: { source: name, identifier },
      version: version ?? commit ?? hash!,
      ...(commit !== undefined && { commit }),
      ...{ folder: head.name, files: withoutRequests(files), notes: [] },
    },
    head.name,
  );
  return read.ok ? read.value : null;
}

/** Whether the files are those of the line, and not only their names. */
export function isPackage(files: FileBodies, { hash }: Pick<LockedSkill, "hash">): boolean {
  return hashPackage(files).hash === hash;
}
