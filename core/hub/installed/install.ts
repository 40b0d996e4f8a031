// Looks at a package, installs it, lists what is installed, and uninstalls. Called by workers/api/hub. Writes the skill first and the lock after
// it: a lock that lags is repaired by the next request (settle-lock.ts).
import { type Result, err, ok } from "../../errors.ts";
import type { HubInspection, HubInstalled, HubReport, InstalledSkill } from "../../schemas/hub/hub-api.ts";
import { type HubLock, type HubRef, type LockedSkill, MAX_INSTALLED } from "../../schemas/hub/lock.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { Sha256, SkillName } from "../../schemas/ids.ts";
import type { SkillHead, SkillIndex } from "../../schemas/skill.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import { type HubCandidate, isFrom, toBareRef, toCandidate } from "../package/candidate.ts";
import {
  type HubDesk,
  type JudgedPackage,
  checkRoom,
  fetchPackage,
  judgePackage,
  keepPackage,
  readKept,
  toLocked,
} from "../desk.ts";
import { toInstall } from "./decide-change.ts";
import { hashHeadFiles } from "../package/package-hash.ts";
import { checkDecision } from "../policy.ts";
import { makeReport } from "../package/report.ts";
import { lineOf, lockedText, settleLock } from "./settle-lock.ts";

interface Wanted {
  ref: HubRef;
  name?: SkillName | undefined;
  hash?: Sha256 | undefined;
}

/** Fetches the package, keeps it for a day, and says what an install would do. Failures: those of the source, and of `readFolder`. */
export async function inspect(desk: HubDesk, { ref, name }: Wanted): Promise<Result<HubInspection>> {
  const fetched = await fetchPackage(desk, ref);
  if (!fetched.ok) return fetched;
  const judged = await judgePackage(desk, fetched.value, { name });
  if (!judged.ok) return judged;
  const { candidate, report, trust, decision } = judged.value;
  const { keptUntil } = await keepPackage(desk, ref, candidate.hash, fetched.value);
  const { version, commit, hash, notes } = candidate;
  const exists = await findExisting(desk, candidate);
  return ok({
    ...{ ref: candidate.ref, version, ...(commit !== undefined && { commit }) },
    ...{ hash, trust, decision, exists, report, notes, keptUntil },
  });
}

async function findExisting(
  { skills, seeds }: HubDesk,
  { name, ref, hash }: HubCandidate,
): Promise<HubInspection["exists"]> {
  const head = await skills.head(name);
  if (!head) return Object.hasOwn(seeds, name) ? "other" : "no";
  if (head.state === "archived") return "no";
  if (!isFrom(head.from, ref)) return "other";
  return head.from?.hash === hash ? "same" : "older";
}

/**
 * With `hash`: exactly what was inspected. Without: what the source has now, if nothing has to be asked. The same package again changes nothing.
 * Failures: those of the source and of `readFolder`; `hub_not_inspected`, `hub_dangerous`, `hub_ask`, `too_many_installed`, `hub_lock_full`,
 * `skill_exists`, `companion_name`, and those of the store.
 */
export async function install(desk: HubDesk, { ref, hash, name }: Wanted): Promise<Result<HubInstalled>> {
  const fetched = hash === undefined ? await fetchPackage(desk, ref) : await readKept(desk, ref, hash);
  if (!fetched.ok) return (hash !== undefined && (await findInstalled(desk, { ref, hash, name }))) || fetched;
  const judged = await judgePackage(desk, fetched.value, { name, hash });
  if (!judged.ok) return judged;
  const { candidate, report, decision, health } = judged.value;
  const refusal = checkDecision(decision, hash !== undefined, candidate.hash);
  if (refusal) return { ok: false, failure: refusal };
  const lock = await desk.lock.read();
  const line = lineOf(lock, candidate.name);
  if (!line && Object.keys(lock.skills).length >= MAX_INSTALLED) {
    return err("too_many_installed", `A profile has at most ${MAX_INSTALLED} skills of the hub. Uninstall one first.`);
  }
  const before = await desk.skills.head(candidate.name);
  const since = before?.rev ?? 0;
  const planned = toLocked(judged.value, { rev: since + 1, now: desk.clock.now(), before: line });
  const noRoom = checkRoom(lock, candidate.name, planned);
  if (noRoom) return { ok: false, failure: noRoom };
  const changed = await desk.skills.change({
    name: candidate.name,
    op: `hub:install:${candidate.hash}:${since}`,
    since,
    decide: toInstall(candidate, { seeds: desk.seeds, health }),
  });
  if (!changed.ok) return changed;
  const { head } = changed.value;
  const isSame = before?.seq === head.seq && line?.hash === candidate.hash;
  const written = isSame ? line : await writeLine(desk, judged.value, head);
  return ok({
    name: head.name,
    outcome: isSame ? "unchanged" : "installed",
    skill: toInstalled(head.name, written, head),
    report,
    notes: candidate.notes,
  });
}

async function writeLine(desk: HubDesk, judged: JudgedPackage, head: SkillHead): Promise<LockedSkill> {
  const { name, hash } = judged.candidate;
  // It was changed here since, and only its line is missing.
  if (hashHeadFiles(head.files).hash !== hash) {
    const settled = lineOf((await settleLock(desk, [name])).lock, name);
    if (settled) return settled;
  }
  const now = desk.clock.now();
  const changed = await desk.lock.change((lock) => ({
    ...lock,
    skills: { ...lock.skills, [name]: toLocked(judged, { rev: head.rev, now, before: lineOf(lock, name) }) },
  }));
  return lineOf(changed, name)!;
}

/** What was shown is no longer kept, but it is installed: a repetition. */
async function findInstalled(desk: HubDesk, { ref, hash, name }: Wanted): Promise<Result<HubInstalled> | null> {
  const { lock, index } = await settleLock(desk);
  const found = Object.entries(lock.skills).find(
    ([own, line]) => line.hash === hash && isWithin(line, ref) && (name === undefined || own === name),
  );
  const snapshot = found && (await desk.skills.open(found[0]));
  if (!found || !snapshot || snapshot.head.state === "archived") return null;
  const [own, line] = found;
  const report = reportPresent(own, snapshot.files, line);
  return report.ok
    ? ok({
        name: own,
        outcome: "unchanged",
        skill: toInstalled(own, line, index.skills[own]!),
        report: report.value,
        notes: [],
      })
    : report;
}

/** What a person names may be the repository that has the skill. */
function isWithin(line: Pick<LockedSkill, "source" | "identifier">, ref: HubRef): boolean {
  return line.source === ref.source && `${line.identifier}/`.startsWith(`${ref.identifier}/`);
}

/** Of the files that are here now. */
export function reportPresent(
  name: SkillName,
  files: FileBodies,
  { source, identifier, version }: Pick<LockedSkill, "source" | "identifier" | "version">,
): Result<HubReport> {
  const ref = toBareRef({ source, identifier });
  const read = toCandidate({ ref, version, folder: name, files: withoutRequests(files), notes: [] }, name);
  return read.ok ? ok(makeReport(read.value)) : read;
}

function toInstalled(
  name: SkillName,
  { files, merging: _merging, withdrawn: _withdrawn, ...line }: LockedSkill,
  { state, text }: Pick<SkillHead, "state" | "text">,
): InstalledSkill {
  return { ...line, name, state, changedHere: text !== lockedText({ files }) };
}

/** By name. */
export function listInstalled(lock: HubLock, { skills }: SkillIndex): InstalledSkill[] {
  return Object.keys(lock.skills)
    .filter((name) => Object.hasOwn(skills, name))
    .sort()
    .map((name) => toInstalled(name, lock.skills[name]!, skills[name]!));
}

/** The line of one skill after the lock was made to agree. Failure: `hub_not_installed`. */
export async function findLine(desk: HubDesk, name: SkillName): Promise<Result<LockedSkill>> {
  const line = lineOf((await settleLock(desk, [name])).lock, name);
  return line
    ? ok(line)
    : err(
        "hub_not_installed",
        `\`${name}\` was not installed from the hub. \`talaria skills installed\` or GET /v1/hub/skills lists what was.`,
      );
}

/** Archives the skill, then drops its line. Failures: `hub_not_installed`, and those of the store. */
export async function uninstall(
  desk: HubDesk,
  name: SkillName,
): Promise<Result<{ head: SkillHead; changedHere: boolean }>> {
  const line = await findLine(desk, name);
  if (!line.ok) return line;
  const since = (await desk.skills.head(name))?.rev ?? 0;
  const changed = await desk.skills.change({
    name,
    op: `hub:uninstall:${line.value.hash}:${since}`,
    since,
    decide: (current) =>
      current
        ? ok({ state: "archived", reason: "Uninstalled by a person." })
        : err("skill_not_found", `There is no skill \`${name}\`.`),
  });
  if (!changed.ok) return changed;
  await desk.lock.change((lock) => {
    const { [name]: _dropped, ...skills } = lock.skills;
    return { ...lock, skills };
  });
  const { head } = changed.value;
  return ok({ head, changedHere: head.text !== lockedText(line.value) });
}

/** `null`: no longer pinned. Failure: `hub_not_installed`. */
export async function pin(desk: HubDesk, name: SkillName, version: string | null): Promise<Result<InstalledSkill>> {
  const line = await findLine(desk, name);
  if (!line.ok) return line;
  const lock = await desk.lock.change((current) => {
    const own = lineOf(current, name);
    if (!own) return null;
    const { pinned: _pinned, seen: _seen, ...rest } = own;
    return {
      ...current,
      skills: { ...current.skills, [name]: { ...rest, ...(version !== null && { pinned: version }) } },
    };
  });
  const [own, head] = [lineOf(lock, name), await desk.skills.head(name)];
  if (!own || !head) return err("hub_not_installed", `\`${name}\` was uninstalled meanwhile.`);
  return ok(toInstalled(name, own, head));
}
