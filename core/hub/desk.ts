// What the work of the hub is done with, and the way of a package from its source to a report: fetched, kept, scanned, judged. Called by the
// install, the update and the check. Nothing of a package is run.
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { Clock, HubLockStore, HubQuarantine, SkillStore } from "../ports.ts";
import { fromContents, toContents } from "../schemas/file-body.ts";
import type { HubDecision, HubReport } from "../schemas/hub/hub-api.ts";
import {
  type HubLock,
  type HubRef,
  type HubSourceName,
  type HubTrust,
  type LockedSkill,
  MAX_LOCK_BYTES,
} from "../schemas/hub/lock.ts";
import type { Sha256, SkillName } from "../schemas/ids.ts";
import { byteLength } from "../schemas/learning/digest.ts";
import { type RunChecks, findBadScripts } from "../skills/checks.ts";
import type { Health } from "../skills/health.ts";
import type { Seeds } from "../skills/library.ts";
import { type FetchedPackage, type HubCandidate, toCandidate, toFetched } from "./package/candidate.ts";
import { decideInstall, trustOf } from "./policy.ts";
import { makeReport } from "./package/report.ts";
import type { HubSource } from "./source.ts";

export interface HubDesk {
  skills: SkillStore;
  lock: HubLockStore;
  quarantine: HubQuarantine;
  sources: Partial<Record<HubSourceName, HubSource>>;
  /** `hub.trusted`. */
  trusted: string[];
  seeds: Seeds;
  clock: Clock;
  /** Only its parser is used. */
  run: RunChecks;
  signal: AbortSignal;
}

/** A package, and what is said of it. */
export interface JudgedPackage {
  candidate: HubCandidate;
  report: HubReport;
  trust: HubTrust;
  decision: HubDecision;
  /** Scripts that do not parse. */
  health: Health | undefined;
}

/** Failure: `hub_source_off`. */
export function openSource({ sources }: Pick<HubDesk, "sources">, name: HubSourceName): Result<HubSource> {
  const source = sources[name];
  return source ? ok(source) : err("hub_source_off", `This deployment does not read skills from ${name}.`);
}

/** Failures: those of the source, and of `readFolder`. */
export async function fetchPackage(desk: HubDesk, ref: HubRef): Promise<Result<FetchedPackage>> {
  const source = openSource(desk, ref.source);
  if (!source.ok) return source;
  const fetched = await source.value.fetch(ref, desk.signal);
  return fetched.ok ? ok(toFetched(fetched.value, ref)) : fetched;
}

/** What a person has to know where the commit of an update does not follow from the installed one. Asks the source. */
export async function findBreak(
  { sources, signal }: HubDesk,
  { source, identifier, commit: from }: Pick<LockedSkill, "source" | "identifier" | "commit">,
  commit: string | undefined,
): Promise<string[]> {
  if (from === undefined || commit === undefined || commit === from) return [];
  const follows = await sources[source]?.descends?.(identifier, commit, from, signal);
  return follows === false ? [BROKEN_HISTORY] : [];
}

const BROKEN_HISTORY =
  "It does not follow from the installed commit: it is of another branch, the history was rewritten, or somebody else has the repository's name now.";

/** Keeps what was fetched, so that exactly that can be installed. `asked`: the ref that a later request names. */
export function keepPackage(
  desk: HubDesk,
  asked: HubRef,
  hash: Sha256,
  fetched: FetchedPackage,
): Promise<{ keptUntil: number }> {
  const { files, ...rest } = fetched;
  return desk.quarantine.put(asked, hash, { ...rest, files: toContents(files) });
}

/** Exactly what was shown. A shared skill must still be shared in that text. Failures: `hub_not_inspected`, and those of the library. */
export async function readKept(desk: HubDesk, asked: HubRef, hash: Sha256): Promise<Result<FetchedPackage>> {
  const kept = await desk.quarantine.get(asked, hash);
  if (!kept) {
    return err(
      "hub_not_inspected",
      "Nothing with this `hash` is kept: what was shown is kept for a day. Look at it again.",
    );
  }
  if (asked.source === "library") {
    const source = openSource(desk, asked.source);
    const now = source.ok ? await source.value.look({ ...asked, version: kept.version }, desk.signal) : source;
    if (!now.ok) return now;
  }
  const { v: _v, at: _at, files, ...rest } = kept;
  return ok({ ...rest, files: fromContents(files) });
}

/** `name`: of the skill, if not the one in its text. `hash`: of what was asked for, if it was. Failures: those of `readFolder`; `hub_not_inspected`. */
export async function judgePackage(
  desk: HubDesk,
  fetched: FetchedPackage,
  { name, hash }: { name?: SkillName | undefined; hash?: Sha256 | undefined },
): Promise<Result<JudgedPackage>> {
  const read = toCandidate(fetched, name);
  if (!read.ok) return read;
  const candidate = read.value;
  if (hash !== undefined && candidate.hash !== hash) {
    return err("hub_not_inspected", "What is kept for this `hash` has another one. Look at it again.");
  }
  const broken = await findBadScripts({}, candidate.files, desk.run);
  const report = makeReport(candidate, broken);
  const trust = trustOf({ ...candidate.ref, offBranch: candidate.offBranch }, desk.trusted);
  const health = broken.length > 0 ? { checkedAt: desk.clock.now(), broken } : undefined;
  return ok({ candidate, report, trust, decision: decideInstall(trust, report), health });
}

/** Failure: `hub_lock_full`, if the lock with this line were too large. A line that makes it no larger is always taken. */
export function checkRoom(lock: HubLock, name: SkillName, line: LockedSkill): Failure | null {
  const bytes = byteLength(JSON.stringify({ ...lock, skills: { ...lock.skills, [name]: line } }));
  if (bytes <= MAX_LOCK_BYTES || bytes <= byteLength(JSON.stringify(lock))) return null;
  const files = Object.keys(line.files).length;
  return err(
    "hub_lock_full",
    `\`${name}\` has ${files} files, and the list of what this profile has from the hub would be larger than ${MAX_LOCK_BYTES / 1024 ** 2} MB. ` +
      "Uninstall a skill with many files first: GET /v1/hub/skills lists them, DELETE /v1/hub/skills/{name} removes one.",
  ).failure;
}

/** The line of the lock. `rev`: the revision with exactly the package's files. `before`: the line that it replaces. */
export function toLocked(
  { candidate, report, trust }: Omit<JudgedPackage, "decision" | "health">,
  { rev, now, before }: { rev: number; now: number; before: LockedSkill | undefined },
): LockedSkill {
  const { ref, version, commit, content, follows, hash, hashes } = candidate;
  return {
    ...{ source: ref.source, identifier: ref.identifier, version },
    ...(commit !== undefined && { commit }),
    ...(content !== undefined && { content }),
    ...(follows !== undefined && { follows }),
    ...{ hash, files: hashes, rev, trust },
    ...{ verdict: report.verdict, scanner: report.scanner, findings: report.findings.length },
    ...(before?.pinned !== undefined && { pinned: before.pinned }),
    installedAt: before?.installedAt ?? now,
    updatedAt: before?.hash === hash ? before.updatedAt : now,
  };
}
